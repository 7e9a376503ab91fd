package duplicate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/feed"
	"kith/graph"
	"kith/internal/fault"
	"kith/internal/sleep"
	"kith/neo"
)

var (
	findTeams    = neo.Load[string]("duplicate_teams")
	findProgress = neo.Load[progress]("duplicate_progress")
	saveLook     = neo.Load[neo.None]("duplicate_look")
	walkNodes    = neo.Load[walked]("duplicate_walk")
)

// progress is a row of duplicate_progress.
type progress struct {
	Team     string
	NextSeq  *int64
	NextItem *int64
	First    *string
}

// walked is a row of duplicate_walk.
type walked struct {
	Seen int64
	Last string
	Keys []string
}

// Options configure a worker.
type Options struct {
	Merge   float64                                                                         // the least probability of pairs that are merged; 0: none
	Judge   func(ctx context.Context, kind string, first, second PairNode) (Verdict, error) // asks a model about unsure pairs; nil: none is asked
	Every   time.Duration
	Log     *slog.Logger
	Observe func(what string, count int64) // called with what it compared, proposed, merged and had judged
}

// What a worker counts.
const (
	Compared = "compared" // nodes
	Found    = "proposed" // pairs
	Merged   = "merged"   // pairs
	Judged   = "judged"   // pairs
)

// Worker follows the feeds of all teams and keeps their proposals. Any number of processes may run one; a lease lets one of them work at
// a time. Teams that its own process changed do not wait until all others are looked through.
type Worker struct {
	store   *Store
	options Options
	holder  string
	pages   int       // of nodes or changes of a team, before other teams have their turn
	held    time.Time // when the lease was last taken or extended

	askAgain time.Time // when the model may be asked again
}

const (
	workerLease = "duplicates"
	leaseTime   = time.Minute
	leaseKept   = 15 * time.Second
	lookEvery   = 5 * time.Second
	teamPage    = 100
	walkPage    = 500
	feedPage    = 500 // changes
	lookPages   = 20
)

// NewWorker returns the worker of a store. Run it.
func NewWorker(s *Store, o Options) *Worker {
	if o.Every == 0 {
		o.Every = lookEvery
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, int64) {}
	}
	return &Worker{store: s, options: o, holder: uuid.NewString(), pages: lookPages}
}

// errLost means that another process has the lease.
var errLost = errors.New("another process has the lease of duplicates")

// Run works until ctx is done.
func (w *Worker) Run(ctx context.Context) error {
	for {
		more, err := w.turn(ctx)
		if err != nil && !errors.Is(err, errLost) && ctx.Err() == nil {
			w.options.Log.Warn("looking for duplicates failed, it goes on where it stopped", "error", err)
		}
		if more && err == nil {
			continue
		}
		if !sleep.For(ctx, w.options.Every) {
			return nil
		}
	}
}

// turn looks through what has changed in all teams since the last turn, if no other process does. It reports whether more is left of a
// team.
func (w *Worker) turn(ctx context.Context) (more bool, err error) {
	if work, err := w.hasWork(ctx); err != nil || !work {
		return false, err
	}
	w.held = time.Time{}
	if err := w.hold(ctx); err != nil {
		w.store.takeChanged() // the process that has the lease finds them
		return false, err
	}
	defer func() {
		_ = w.store.graph.EndLease(context.WithoutCancel(ctx), workerLease, w.holder, nil) // it ends by itself
	}()
	left := map[string]bool{} // teams that wait for the next turn
	for after := ""; ; {
		teams, err := findTeams.Read(ctx, w.store.db, map[string]any{"after": after, "limit": teamPage})
		if err != nil {
			return false, err
		}
		if len(teams) == 0 {
			return len(left) > 0, w.judge(ctx)
		}
		for _, after = range teams {
			if err := w.lookAt(ctx, append(w.store.takeChanged(), after), left); err != nil {
				return false, err
			}
		}
	}
}

// lookAt looks at some teams, but for those in left. It adds to left the teams of which more is left. An error ends it only if the others
// would fail too.
func (w *Worker) lookAt(ctx context.Context, teams []string, left map[string]bool) error {
	rows, err := findProgress.Read(ctx, w.store.db, map[string]any{"teams": graph.Distinct(teams), "limit": teamPage + 1})
	if err != nil {
		return err
	}
	for _, p := range rows {
		if left[p.Team] {
			continue
		}
		more, err := w.look(ctx, p)
		if errors.Is(err, graph.ErrUnavailable) || errors.Is(err, errLost) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			w.options.Log.Warn("looking for duplicates of a team failed", "team_id", p.Team, "error", err)
		} else if more {
			left[p.Team] = true
		}
	}
	return nil
}

// hasWork reports whether a team has changed, or a pair waits for the model.
func (w *Worker) hasWork(ctx context.Context) (bool, error) {
	teams, err := findTeams.Read(ctx, w.store.db, map[string]any{"after": "", "limit": 1})
	if err != nil || len(teams) > 0 {
		return len(teams) > 0, err
	}
	pairs, err := w.unjudged(ctx, 1)
	return len(pairs) > 0, err
}

// hold takes or extends the lease.
func (w *Worker) hold(ctx context.Context) error {
	now := time.Now()
	if now.Sub(w.held) < leaseKept {
		return nil
	}
	_, _, held, err := w.store.graph.TakeLease(ctx, workerLease, w.holder, leaseTime)
	if err == nil && !held {
		err = errLost
	}
	w.held = now
	return err
}

// look looks through what has changed in a team, as far as a turn goes, and reports whether more is left. The first look at a team walks
// through all of its nodes.
func (w *Worker) look(ctx context.Context, t progress) (more bool, err error) {
	if t.NextSeq == nil { // what changes during the walk is looked at again behind it
		from, err := w.store.feeds.Start(ctx, t.Team, feed.Now)
		if err != nil {
			return false, err
		}
		t.NextSeq, t.NextItem = &from.Seq, &from.Item
	}
	from := feed.Position{Seq: *t.NextSeq}
	if t.NextItem != nil {
		from.Item = *t.NextItem
	}
	if t.First != nil {
		if more, err := w.walk(ctx, t.Team, from, *t.First); more || err != nil {
			return more, err
		}
	}
	more, err = w.follow(ctx, t.Team, from)
	if gone := (*feed.GoneError)(nil); errors.As(err, &gone) { // the next turn walks again
		return false, w.save(ctx, t.Team, nil, new(string))
	}
	return more, err
}

// walk looks at the nodes of a team behind a key. It reports whether more are left.
func (w *Worker) walk(ctx context.Context, team string, from feed.Position, after string) (more bool, err error) {
	for range w.pages {
		page, err := walkNodes.ReadOne(ctx, w.store.db, map[string]any{"team_id": team, "after": after, "limit": walkPage})
		if err != nil {
			return false, err
		}
		if err := w.examine(ctx, team, page.Keys); err != nil {
			return false, err
		}
		if page.Seen < walkPage {
			return false, w.save(ctx, team, &from, nil)
		}
		after = page.Last
		if err := w.save(ctx, team, &from, &after); err != nil {
			return false, err
		}
	}
	return true, nil
}

// follow looks at the nodes that changes behind a position are about. It reports whether more are left.
func (w *Worker) follow(ctx context.Context, team string, from feed.Position) (more bool, err error) {
	for range w.pages {
		batch, err := w.store.feeds.Read(ctx, graph.Scope{TeamID: team}, feed.Range{From: from}, feed.Filter{Kinds: append([]string{graph.RelationshipRecord}, Kinds...)}, feedPage)
		if errors.Is(err, fault.ErrNotFound) { // the team was erased meanwhile
			return false, nil
		}
		if err != nil {
			return false, err
		}
		var keys []string
		for _, c := range batch.Changes {
			if c.Kind == graph.RelationshipRecord {
				keys = append(keys, c.From, c.To)
			} else {
				keys = append(keys, c.Key)
			}
		}
		if err := w.examine(ctx, team, graph.Distinct(keys)); err != nil {
			return false, err
		}
		from = batch.Next
		if err := w.save(ctx, team, &from, nil); err != nil || !batch.More {
			return false, err
		}
	}
	return true, nil
}

// save stores how far a team was looked through, if this process still has the lease; without a position the next look begins anew.
func (w *Worker) save(ctx context.Context, team string, next *feed.Position, first *string) error {
	if err := w.hold(ctx); err != nil {
		return err
	}
	params := map[string]any{"team_id": team, "next_seq": nil, "next_item": nil, "first": nil}
	if next != nil {
		params["next_seq"], params["next_item"] = next.Seq, next.Item
	}
	if first != nil {
		params["first"] = *first
	}
	return w.store.graph.Transaction(ctx, "duplicate_look", func(t *graph.Tx) error {
		t.Changes(nil)
		return saveLook.Run(t, params)
	})
}

func (w *Worker) examine(ctx context.Context, team string, keys []string) error {
	for batch := range slices.Chunk(keys, examineBatch) {
		if err := w.hold(ctx); err != nil {
			return err
		}
		proposed, err := w.store.examine(ctx, team, batch)
		if err != nil {
			return err
		}
		w.options.Observe(Compared, int64(len(batch)))
		w.options.Observe(Found, int64(len(proposed)))
		if err := w.merge(ctx, team, proposed); err != nil {
			return err
		}
	}
	return nil
}

// merge merges the pairs that are probable enough, and remembers them as refused: who undoes the merge has said that they are two, and
// until then they are one node, which is no pair. Other pairs with a merged node wait for the next look: they may be refused as pairs with
// a part of it.
func (w *Worker) merge(ctx context.Context, team string, proposed []found) error {
	if w.options.Merge == 0 {
		return nil
	}
	ctx = graph.WithWriter(ctx, graph.Writer{Through: workerLease})
	gone := map[string]bool{}
	for _, f := range proposed {
		if f.match.Probability < w.options.Merge || gone[f.a.EntityKey] || gone[f.b.EntityKey] {
			continue
		}
		stay, part := f.a, f.b
		if part.IsOwner || !stay.IsOwner && len(part.Neighbours) > len(stay.Neighbours) {
			stay, part = part, stay
		}
		r := row(f.pair, stay.kind(), stay.user())
		r["refused_at"] = w.store.graph.Now()
		err := w.store.graph.Transaction(ctx, "node_merge", func(t *graph.Tx) error {
			if err := f.compareAgain(t, team); err != nil {
				return err
			}
			fresh, err := w.store.keep(t, team, []map[string]any{r})
			if err == nil && fresh == 0 {
				err = fmt.Errorf("the pair was refused or merged meanwhile: %w", fault.ErrConflict)
			}
			if err != nil {
				return err
			}
			_, err = t.MergeNodes(graph.Scope{TeamID: team, UserID: stay.user()}, stay.Labels.Kind(), stay.EntityKey, graph.MergeWrite{Other: part.EntityKey})
			return err
		})
		switch {
		case errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrNotFound) || errors.Is(err, fault.ErrConflict):
			w.options.Log.Info("two nodes were not merged", "team_id", team, "entity_key", stay.EntityKey, "other", part.EntityKey, "error", err)
			continue
		case err != nil:
			return err
		}
		gone[stay.EntityKey], gone[part.EntityKey] = true, true
		w.options.Observe(Merged, 1)
	}
	return nil
}
