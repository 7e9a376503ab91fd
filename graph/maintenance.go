package graph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/internal/fault"
	"kith/neo"
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
}

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
	NotedRelationships []notedRelationship
	Due                [][]string // keys of both ends of relationships whose ranks may be of before they began or ended
	Borders            []int64    // when relationships begin or end
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
	return &Maintenance{store: s, options: o, holder: uuid.NewString(), lease: passLease, stories: s.formStories}
}

// Run calls Pass at every tick until ctx is done.
func (m *Maintenance) Run(ctx context.Context) error {
	tick := time.NewTicker(m.options.Look)
	defer tick.Stop()
	for {
		if _, err := m.pass(ctx); err != nil && ctx.Err() == nil {
			m.options.Log.Warn("maintenance pass failed, the next one continues it", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// pass does the work that is due and that no other process does. It reports whether it made a pass over the store.
func (m *Maintenance) pass(ctx context.Context) (bool, error) {
	_, storyErr := m.under(ctx, m.lease+"/stories", m.options.Look, func(string, string) error { return m.formStories(ctx) })
	passed, err := m.under(ctx, m.lease, m.options.Every, func(team, key string) error {
		if err := m.walk(ctx, team, key); err != nil {
			return err
		}
		return m.purge(ctx)
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

// walk updates every node, team by team, from where the last pass stopped.
func (m *Maintenance) walk(ctx context.Context, team, key string) error {
	stored := time.Now()
	for {
		for more := team != ""; more; {
			var err error
			if key, more, err = m.batch(ctx, team, key); err != nil {
				return err
			}
			if !more && time.Since(stored) < progressTime { // of many small teams not each is stored
				break
			}
			stored = time.Now()
			if err := m.progress(ctx, m.lease, team, key); err != nil {
				return err
			}
		}
		teams, err := findNextTeam.Read(ctx, m.store.db, map[string]any{"after": team})
		if err != nil || len(teams) == 0 {
			return err
		}
		team, key = teams[0], ""
	}
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

// batch updates the next nodes of a team in one transaction. It returns the key of the last one, and whether there may be more.
func (m *Maintenance) batch(ctx context.Context, team, after string) (last string, more bool, err error) {
	now := m.store.Now()
	var done maintainedNodes
	err = m.store.Transaction(ctx, "maintenance_pass", func(t *Tx) (err error) {
		done, err = maintainNodes.ExecOne(t, map[string]any{
			"team_id": team, "after": after, "limit": passBatch, "now": now, "now_ms": now.UnixMilli(), "stale_ms": now.Add(-stale).UnixMilli(),
		})
		t.Changes(nil)
		if len(done.Archived) > 0 {
			t.Changes([]string{""})
		}
		if err != nil || len(done.Archived)+len(done.Due) == 0 {
			return err
		}
		t.borders = append(t.borders, done.Borders...)
		return rankRelationships.Run(t, map[string]any{"team_id": team, "pairs": done.pairs(), "entity_keys": append([]string{}, done.Archived...), "now": now})
	})
	if err != nil {
		return "", false, err
	}
	m.options.Observe("archived", int64(len(done.Archived)))
	if done.Seen == 0 {
		done.Last = after
	}
	return done.Last, done.Seen == passBatch, m.dropNotes(ctx, team, done.Noted, done.NotedRelationships)
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

// purge erases what was deleted, replaced or served long ago.
func (m *Maintenance) purge(ctx context.Context) error {
	served := m.store.Now().Add(-ServedLife).UnixNano()
	for _, step := range []struct {
		purge  neo.Query[int64]
		cutoff any
	}{
		{purgeOldNodes, m.store.cutoff()}, {purgeOldRelationships, m.store.cutoff()}, {purgeWithdrawals, m.store.cutoff()}, {purgeReviews, m.store.historyCutoff()}, {purgeStoredAnswers, m.store.Now().Add(-idempotencyLife)},
		{thinVersions, m.store.Now()}, {purgeOldVersions, m.store.historyCutoff()}, {purgeOldCommits, m.store.historyCutoff()},
		{purgeServed, served}, {purgeBodies, served}, {purgeEvents, served},
	} {
		for {
			var purged int64
			err := m.store.Transaction(ctx, step.purge.Name, func(t *Tx) (err error) {
				purged, err = step.purge.ExecOne(t, map[string]any{"cutoff": step.cutoff, "limit": purgeBatch})
				return err
			})
			if err != nil {
				return err
			}
			m.options.Observe(step.purge.Name, purged)
			if purged < purgeBatch { // a step may purge more than it was asked for
				break
			}
		}
	}
	return nil
}
