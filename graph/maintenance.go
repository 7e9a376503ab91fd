package graph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/internal/fault"
)

// Maintenance stores current saliences, archives decayed nodes, drops expired notes, purges deleted data and old versions, and forms
// storylines and macros. All other answers are correct without it. Any number of processes may run it. A lease in the
// database lets one process at a time do each of the two tasks; when it dies, another one continues where it stopped.
type Maintenance struct {
	store   *Store
	options MaintenanceOptions
	holder  string
	lease   string                                                               // prefix of the lease names
	stories func(ctx context.Context, limit int) (result storyResult, err error) // forms pending storylines, up to limit sources

	most, size pieceSize         // of a piece of a pass: the largest, and the current one
	team, key  string            // that the pass has reached
	every      time.Duration     // how often the progress is stored
	stored     time.Time         // when the progress was stored
	failed     bool              // something was left in this pass
	noted      notedRelationship // the first one of the last piece; if a note cannot be removed, it is found again
}

// pieceSize is how many nodes and relationships a piece of a pass may change.
type pieceSize struct{ nodes, links int }

// MaintenanceOptions configures Maintenance.
type MaintenanceOptions struct {
	Every   time.Duration // between passes over the store; default an hour
	Look    time.Duration // how often a process looks for pending work and forms storylines; default a minute
	Log     *slog.Logger
	Observe func(step string, count int64)
}

const (
	passLease = "maintenance"
	storiesAt = 1000            // sources between two renewals of the lease
	leaseTime = 2 * time.Minute // far more than a batch takes
	// progressTime is how often the progress over small teams is stored.
	progressTime = 10 * time.Second
	passBatch    = 2000 // nodes
	passLinks    = 10_000
	purgeBatch   = 1000
	stale        = day // a stored salience older than this is replaced by the current one
)

// ServedLife is how long the contexts that were served are kept.
const ServedLife = 30 * day

var (
	takeLease             = neo.Load[takenLease]("lease_take")
	endLease              = neo.Load[neo.None]("lease_end")
	extendLease           = neo.Load[int64]("lease_progress")
	findNextTeam          = neo.Load[string]("team_next")
	maintainNodes         = neo.Load[maintainedNodes]("maintenance_pass")
	findNodeAfter         = neo.Load[string]("node_after")
	purgeOldNodeLinks     = neo.Load[int64]("purge_node_relationships")
	purgeOldNodes         = neo.Load[int64]("purge_nodes")
	purgeOldRelationships = neo.Load[int64]("purge_relationships")
	purgeStoredAnswers    = neo.Load[int64]("purge_answers")
	purgeOldVersions      = neo.Load[int64]("purge_versions")
	thinVersions          = neo.Load[int64]("thin_versions")
	purgeOldCommits       = neo.Load[int64]("purge_commits")
	purgeServed           = neo.Load[int64]("purge_served")
	purgeBodies           = neo.Load[int64]("purge_bodies")
	purgeWithdrawals      = neo.Load[int64]("purge_withdrawals")
	purgeReviews          = neo.Load[int64]("purge_reviews")
	purgeEvents           = neo.Load[int64]("purge_events")
)

// takenLease is whether a lease is held, and the team and key that the work under it has reached.
type takenLease struct {
	Held      bool
	Team, Key string
}

// maintainedNodes are some nodes of a team after their maintenance.
type maintainedNodes struct {
	Seen               int64
	Last               string   // key of the last one; empty: none
	Archived           []string // keys of those that left contexts
	Noted              []string // keys of those with expired notes
	Moved              int64    // relationships that were changed
	NotedRelationships []notedRelationship
	Due                [][]string // keys of both ends of relationships whose ranks may be of before they began or ended
	Borders            []int64    // when relationships begin or end
	Hubs               []string   // keys of those with many relationships
}

// pairs returns the ends of due relationships as relationship_rank takes them.
func (m *maintainedNodes) pairs() []map[string]any {
	pairs := make([]map[string]any, len(m.Due))
	for i, ends := range m.Due {
		pairs[i] = map[string]any{"from": ends[0], "to": ends[1]}
	}
	return pairs
}

// notedRelationship is a relationship with expired notes, in the order of maintenance_pass.
type notedRelationship struct{ From, Type, To, Key string }

var errLeaseLost = errors.New("another process has taken over the maintenance lease")

// NewMaintenance returns the maintenance of a store.
func NewMaintenance(s *Store, o MaintenanceOptions) *Maintenance {
	if o.Every == 0 {
		o.Every = time.Hour
	}
	if o.Look == 0 {
		o.Look = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, int64) {}
	}
	most := pieceSize{passBatch, passLinks}
	return &Maintenance{store: s, options: o, holder: uuid.NewString(), lease: passLease, stories: s.formStories, most: most, size: most, every: progressTime}
}

// Run does what is due at every tick until ctx is done, and makes hubs of the nodes to which this process adds many relationships.
func (m *Maintenance) Run(ctx context.Context) error {
	m.options.Observe("passes_ended", 0) // an alarm compares it with its past
	tick := time.NewTicker(m.options.Look)
	defer tick.Stop()
	for {
		if _, err := m.pass(ctx); err != nil && ctx.Err() == nil {
			m.options.Log.Warn("maintenance pass failed, the next one continues it", "error", err)
		}
		if !m.await(ctx, tick.C) {
			return nil
		}
	}
}

// await makes hubs until the next tick, or returns false when ctx is done.
func (m *Maintenance) await(ctx context.Context, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case g := <-m.store.grown:
			m.grow(ctx, g)
		case <-tick:
			return true
		}
	}
}

// pass does the work that is due and that no other process does. It reports whether it made a pass over the store.
func (m *Maintenance) pass(ctx context.Context) (bool, error) {
	_, storyErr := m.under(ctx, m.lease+"/stories", m.options.Look, func(string, string) error { return m.formStories(ctx) })
	passed, err := m.under(ctx, m.lease, m.options.Every, func(team, key string) error {
		m.failed, m.stored = false, time.Now()
		if err := m.walk(ctx, team, key); err != nil {
			return err
		}
		if err := m.purge(ctx); err != nil {
			return err
		}
		if !m.failed {
			m.options.Observe("passes_ended", 1)
		}
		return nil
	})
	return passed, errors.Join(storyErr, err)
}

// under runs work under a lease if it is due and no other process holds the lease, and reports whether it ran. The
// next holder continues failed work from the team and key that were reached.
func (m *Maintenance) under(ctx context.Context, lease string, every time.Duration, work func(team, key string) error) (bool, error) {
	team, key, held, err := m.take(ctx, lease)
	if err != nil || !held {
		return false, err
	}
	err = work(team, key)
	due := any(nil)
	if err == nil {
		due = m.store.Now().Add(every)
	}
	m.end(context.WithoutCancel(ctx), lease, due)
	return true, err
}

// formStories forms storylines of sources with new mentions.
func (m *Maintenance) formStories(ctx context.Context) error {
	for {
		result, err := m.stories(ctx, storiesAt)
		m.options.Observe("storylines", int64(result.Storylines+result.Joined))
		m.options.Observe("macros", int64(result.Macros))
		if err != nil || result.Sources < storiesAt {
			return err
		}
		if err := m.progress(ctx, m.lease+"/stories", "", ""); err != nil {
			return err
		}
	}
}

func (m *Maintenance) take(ctx context.Context, lease string) (team, key string, held bool, err error) {
	return m.store.TakeLease(ctx, lease, m.holder, leaseTime)
}

// TakeLease takes or extends a lease. It returns the team and key that the work under it has reached, and whether the
// lease is held.
func (s *Store) TakeLease(ctx context.Context, lease, holder string, life time.Duration) (team, key string, held bool, err error) {
	now := s.Now()
	err = s.Transaction(ctx, "lease_take", func(t *Tx) error {
		taken, err := takeLease.ExecOne(t, map[string]any{"name": lease, "holder": holder, "now": now, "until": now.Add(life)})
		held, team, key = taken.Held, taken.Team, taken.Key
		return err
	})
	return team, key, held, err
}

// end releases a lease. With due the work is finished and not due again before that time; nil means unfinished.
func (m *Maintenance) end(ctx context.Context, lease string, due any) {
	if err := m.store.EndLease(ctx, lease, m.holder, due); err != nil {
		m.options.Log.Warn("maintenance lease not released, it will expire", "error", err)
	}
}

// EndLease gives a lease back. Its work is due again at the time due; nil: when the next holder takes it.
func (s *Store) EndLease(ctx context.Context, lease, holder string, due any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.Transaction(ctx, "lease_end", func(t *Tx) error {
		return endLease.Run(t, map[string]any{"name": lease, "holder": holder, "due_at": due})
	})
}

// walk updates every node, team by team, from where the last pass stopped. What fails for one team does not end it for the others.
func (m *Maintenance) walk(ctx context.Context, team, key string) error {
	m.team, m.key = team, key
	for {
		if m.team != "" {
			if err := m.walkTeam(ctx); err != nil {
				return err
			}
		}
		teams, err := findNextTeam.Read(ctx, m.store.db, map[string]any{"after": m.team})
		if err != nil || len(teams) == 0 {
			return err
		}
		m.team, m.key = teams[0], ""
	}
}

func (m *Maintenance) walkTeam(ctx context.Context) error {
	for more := true; more; {
		var err error
		m.key, more, err = m.batch(ctx, m.team, m.key)
		if err != nil {
			return m.passOver(ctx, err, "team_id", m.team)
		}
		if !more && time.Since(m.stored) < m.every { // of many small teams not each is stored
			return nil
		}
		if err := m.keep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// passOver logs and counts what a pass could not do, so that it goes on with the rest. It returns the error if the rest would fail too.
func (m *Maintenance) passOver(ctx context.Context, err error, what ...any) error {
	if ctx.Err() != nil || errors.Is(err, errLeaseLost) || m.store.Ping(ctx) != nil {
		return err
	}
	m.failed = true
	m.options.Observe("failed", 1)
	m.options.Log.Warn("maintenance goes on without a part", append(what, "error", err)...)
	return nil
}

// keep stores the progress of the pass and extends its lease.
func (m *Maintenance) keep(ctx context.Context) error {
	m.stored = time.Now()
	return m.progress(ctx, m.lease, m.team, m.key)
}

// progress stores how far the work under a lease has come and extends the lease.
func (m *Maintenance) progress(ctx context.Context, lease, team, key string) error {
	held := false
	err := m.store.Transaction(ctx, "lease_progress", func(t *Tx) error {
		extended, err := extendLease.ExecOne(t, map[string]any{
			"name": lease, "holder": m.holder, "until": m.store.Now().Add(leaseTime), "team": team, "key": key,
		})
		held = extended > 0
		return err
	})
	if err == nil && !held {
		err = errLeaseLost
	}
	return err
}

// batch updates the next nodes of a team. It returns the key up to which all is done, and whether there may be more. If the database lacks
// memory for a piece, it goes on with half of it, and leaves a node that is too large alone.
func (m *Maintenance) batch(ctx context.Context, team, after string) (last string, more bool, err error) {
	for {
		last, more, err = m.piece(ctx, team, after)
		switch {
		case !lacksMemory(err):
			if last != after {
				m.size = m.most
			}
			return last, more, err
		case m.size == pieceSize{1, 1}:
			return m.skip(ctx, team, after, err)
		}
		m.size = pieceSize{max(m.size.nodes/2, 1), max(m.size.links/2, 1)}
	}
}

// skip leaves a node, and the relationships from it that are not done.
func (m *Maintenance) skip(ctx context.Context, team, after string, reason error) (last string, more bool, err error) {
	m.size = m.most
	next, err := findNodeAfter.Read(ctx, m.store.db, map[string]any{"team_id": team, "after": after})
	if err != nil || len(next) == 0 {
		return after, false, err
	}
	m.skipped("maintenance_pass", reason, "team_id", team, "entity_key", next[0])
	return next[0], true, nil
}

// skipped logs and counts a record that is too large for a transaction.
func (m *Maintenance) skipped(step string, reason error, what ...any) {
	m.failed = true
	m.options.Observe("skipped", 1)
	m.options.Log.Warn("a record is too large for maintenance, and was left", append(what, "step", step, "error", reason)...)
}

// piece updates some nodes and relationships in one transaction. If more relationships of these nodes may be left, it returns the key that it
// began after: what is done is not found again.
func (m *Maintenance) piece(ctx context.Context, team, after string) (last string, more bool, err error) {
	now := m.store.Now()
	size := m.size
	var done maintainedNodes
	err = m.store.Transaction(ctx, "maintenance_pass", func(t *Tx) (err error) {
		done, err = maintainNodes.ExecOne(t, map[string]any{
			"team_id": team, "after": after, "limit": size.nodes, "links": size.links, "hub": hubDegree, "now": now, "now_ms": now.UnixMilli(), "stale_ms": now.Add(-stale).UnixMilli(),
		})
		t.Changes(nil)
		if len(done.Archived) > 0 {
			t.Changes([]string{""})
		}
		if err != nil || len(done.Archived)+len(done.Due) == 0 {
			return err
		}
		t.borders = append(t.borders, done.Borders...)
		return (&ranks{pairs: done.pairs(), nodes: done.Archived}).renew(t, team, now)
	})
	if err != nil {
		return after, false, err
	}
	m.options.Observe("archived", int64(len(done.Archived)))
	if err := m.dropNotes(ctx, team, done.Noted, done.NotedRelationships); err != nil {
		return after, false, err
	}
	switch {
	case done.Moved == int64(size.links) || len(done.NotedRelationships) == size.links && done.NotedRelationships[0] != m.noted:
		if len(done.NotedRelationships) > 0 {
			m.noted = done.NotedRelationships[0]
		}
		return after, true, nil
	case done.Seen == 0:
		return after, false, nil
	}
	for _, key := range done.Hubs {
		if err := m.hub(ctx, m.pieces(ctx, m.most.links), team, key, true); err != nil {
			if err := m.passOver(ctx, err, "team_id", team, "entity_key", key); err != nil {
				return after, false, err
			}
		}
	}
	return done.Last, done.Seen == int64(size.nodes), nil
}

// dropNotes removes expired notes from nodes and relationships.
func (m *Maintenance) dropNotes(ctx context.Context, team string, nodes []string, relationships []notedRelationship) error {
	if len(nodes)+len(relationships) == 0 {
		return nil
	}
	err := m.store.Transaction(ctx, "note_expire", func(t *Tx) error {
		found, err := t.find(team, lookups{entityKeys: slices.Clone(nodes)})
		if err != nil {
			return err
		}
		var rows []map[string]any
		for _, key := range nodes {
			if n := found.byKey[key]; n != nil {
				rows = append(rows, map[string]any{"entity_key": n.key(), "properties": n.withoutExpired(m.store.Now())})
			}
		}
		if err := t.writeRows(updateNodes, team, rows); err != nil {
			return err
		}
		return t.dropRelationshipNotes(team, relationships, m.store.Now())
	})
	m.options.Observe("notes_expired", int64(len(nodes)+len(relationships)))
	return err
}

func (t *Tx) dropRelationshipNotes(team string, relationships []notedRelationship, now time.Time) error {
	var rows []map[string]any
	for _, r := range relationships {
		ref := located{from: r.From, kind: r.Type, to: r.To, Properties: Properties{"key": r.Key}}
		p, err := t.lockRelationship(Scope{TeamID: team}, ref)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		rows = append(rows, map[string]any{"from": ref.from, "to": ref.to, "key": p.Text("key"), "properties": p.withoutExpired(now)})
	}
	return t.writeRows(updateRelationships, team, rows)
}

// withoutExpired returns the changes that remove expired notes.
func (p Properties) withoutExpired(now time.Time) map[string]any {
	next := p.clone()
	next.putNotes(NotesFrom(p.Texts("notes"), now))
	return p.changesTo(next)
}
