package graph

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"kith/neo"
)

// Recall has the entity keys of nodes, and the relationships, that a read returned to an agent.
type Recall struct {
	Nodes         []string
	Relationships []RelationshipRef
}

// RelationshipRef identifies a relationship by its ends, type and key, as a read returned it.
type RelationshipRef struct{ From, Type, To, Key string }

// Recalls records what reads return and raises its salience, off the read path. It never slows a read: recalls beyond
// its capacity are dropped and counted. It is safe for concurrent use; call Run.
type Recalls struct {
	store   *Store
	queue   chan recalled
	options RecallOptions
}

// RecallOptions configures Recalls.
type RecallOptions struct {
	Size    int           // capacity of the queue, in reads; default 4096
	Every   time.Duration // how often queued reads are stored; default 250 ms
	Log     *slog.Logger
	Observe func(event RecallEvent, reads int)
}

// RecallEvent is the outcome of recording reads.
type RecallEvent string

// Dropped: the queue was full. Failed: the database did not store them. Neither fails the read.
const (
	RecallStored  RecallEvent = "stored"
	RecallDropped RecallEvent = "dropped"
	RecallFailed  RecallEvent = "failed"
)

type recalled struct {
	scope  Scope
	at     time.Time
	recall Recall
}

// NewRecalls returns a queue that stores to s.
func NewRecalls(s *Store, o RecallOptions) *Recalls {
	if o.Size == 0 {
		o.Size = 4096
	}
	if o.Every == 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(RecallEvent, int) {}
	}
	return &Recalls{store: s, queue: make(chan recalled, o.Size), options: o}
}

// Recalled queues a read that a scope made, and returns at once. Only memories that the scope alone sees are counted:
// otherwise a read could reveal to other users what the user searches for.
func (r *Recalls) Recalled(scope Scope, recall Recall) {
	select {
	case r.queue <- recalled{scope, r.store.Now(), recall}:
	default:
		r.options.Observe(RecallDropped, 1)
	}
}

// Waiting returns the number of queued reads.
func (r *Recalls) Waiting() int { return len(r.queue) }

// Run stores queued reads until ctx is done, and then the remaining ones.
func (r *Recalls) Run(ctx context.Context) error {
	tick := time.NewTicker(r.options.Every)
	defer tick.Stop()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx)) // work that is running when ctx ends is completed
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(recallGrace, cancel) })()
	for {
		select {
		case <-ctx.Done():
			r.flush(work)
			return nil
		case <-tick.C:
			r.flush(work)
		}
	}
}

// recallGrace is the time that Run has to store the remaining reads after ctx is done.
const recallGrace = 5 * time.Second

// flush stores all queued reads, one team at a time.
func (r *Recalls) flush(ctx context.Context) {
	byTeam := map[string][]recalled{}
	for range len(r.queue) {
		told := <-r.queue
		byTeam[told.scope.TeamID] = append(byTeam[told.scope.TeamID], told)
	}
	for teamID, all := range byTeam {
		for some := range slices.Chunk(all, recallsAtOnce) {
			if err := r.store.recall(ctx, teamID, some); err != nil {
				r.options.Log.Warn("recalls lost", "reads", len(some), "error", err)
				r.options.Observe(RecallFailed, len(some))
				continue
			}
			r.options.Observe(RecallStored, len(some))
		}
	}
}

// recallsAtOnce is the maximum number of reads in one transaction.
const recallsAtOnce = 256

// recall stores reads in the order in which they happened.
func (s *Store) recall(ctx context.Context, teamID string, all []recalled) error {
	var keys []string
	for _, told := range all {
		keys = append(keys, told.recall.Nodes...)
		for _, r := range told.recall.Relationships {
			keys = append(keys, r.From, r.To)
		}
	}
	return s.Transaction(ctx, "recall", func(t *Tx) error {
		found, err := t.find(teamID, lookups{entityKeys: keys})
		if err != nil {
			return err
		}
		rows, moved, users := recallNodes(all, found)
		t.Changes(users)
		if err := t.writeRows(updateNodes, teamID, rows); err != nil {
			return err
		}
		if err := t.recallRelationships(teamID, all, found); err != nil || len(moved) == 0 {
			return err
		}
		return rankRelationships.Run(t, map[string]any{"team_id": teamID, "pairs": []any{}, "entity_keys": moved})
	})
}

// recallNodes returns the rows of a statement, the nodes whose position in contexts has changed, and the users for
// whom a node entered the contexts.
func recallNodes(all []recalled, found known) (rows []map[string]any, moved, users []string) {
	next := map[string]Properties{}
	for _, told := range all {
		for _, key := range told.recall.Nodes {
			n := found.byKey[key]
			if n == nil || n.kind == MessageKind || !n.isSeenBy(told.scope) {
				continue
			}
			if next[key] == nil {
				next[key] = n.clone()
			}
			v := next[key].vitality()
			v.recall(told.at)
			next[key].putVitality(v)
		}
	}
	for key, p := range next {
		n := found.byKey[key]
		rows = append(rows, map[string]any{"entity_key": key, "properties": map[string]any(n.changesTo(p))})
		if p.Text("state") != n.Text("state") {
			users = append(users, n.user())
		}
		if p.Text("state") != n.Text("state") || neo.Bool(n.Properties["ranked"]) { // otherwise it has no position to leave
			moved = append(moved, key)
		}
	}
	return rows, moved, Distinct(users)
}

// isSeenBy reports whether only this scope sees a node: for a team a shared node, for a user a private node without
// other participants.
func (s *stored) isSeenBy(scope Scope) bool {
	others := func(p string) bool { return p != s.user() }
	return s.user() == scope.UserID && (s.user() == "" || !slices.ContainsFunc(s.Texts("participants"), others))
}

// isSeenBy reports whether only this scope sees a relationship: for a team one between shared nodes, for a user one
// with an end that only the user sees.
func (k known) isSeenBy(r RelationshipRef, scope Scope) bool {
	from, to := k.byKey[r.From], k.byKey[r.To]
	if from == nil || to == nil {
		return false
	}
	if scope.UserID == "" {
		return from.isSeenBy(scope) && to.isSeenBy(scope)
	}
	return from.isSeenBy(scope) || to.isSeenBy(scope)
}

// recallRelationships is recallNodes for relationships whose ends are locked.
func (t *Tx) recallRelationships(teamID string, all []recalled, found known) error {
	var refs []RelationshipRef
	var times []time.Time
	var asked []map[string]any
	for _, told := range all {
		for _, r := range told.recall.Relationships {
			if !found.isSeenBy(r, told.scope) {
				continue
			}
			asked = append(asked, map[string]any{
				"position": len(refs), "from": r.From, "to": r.To, "type": r.Type, "valid_to": nil, "key": r.Key, "since": nil,
			})
			refs, times = append(refs, r), append(times, told.at)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	records, err := findRelationships.Exec(t, map[string]any{"team_id": teamID, "rows": asked})
	if err != nil {
		return err
	}
	was, next := map[string]Properties{}, map[string]Properties{}
	for _, record := range records {
		p, ref := record.Properties, refs[record.Position]
		if p.Text("key") != ref.Key || p["salience"] == nil {
			continue
		}
		if next[ref.Key] == nil {
			was[ref.Key], next[ref.Key] = p, p.clone()
		}
		v := next[ref.Key].vitality()
		v.recall(times[record.Position])
		next[ref.Key].putVitality(v)
	}
	var rows []map[string]any
	done := map[string]bool{}
	for _, ref := range refs {
		if next[ref.Key] != nil && !done[ref.Key] {
			done[ref.Key] = true
			rows = append(rows, relationshipRow(ref.From, ref.Type, ref.To, ref.Key, was[ref.Key].changesTo(next[ref.Key])))
		}
	}
	return t.writeRows(updateRelationships, teamID, rows)
}
