package duplicate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/internal/sleep"
	"kith/memory/feed"
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
	Tries    int64
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
	Observe func(what string, count int64) // called with what it compared, proposed, merged, had judged and skipped
}

// What a worker counts.
const (
	Compared = "compared" // nodes
	Found    = "proposed" // pairs
	Merged   = "merged"   // pairs
	Judged   = "judged"   // pairs
	Skipped  = "skipped"  // nodes that it could not compare
)

// Worker follows the feeds of all teams and keeps their proposals. Any number of processes may run one; a lease lets one of them work at
// a time. Teams that its own process changed do not wait until all others are looked through.
type Worker struct {
	store   *Store
	options Options
	holder  string
	now     func() time.Time
	compare func(ctx context.Context, team string, b batch) ([]found, error)
	held    time.Time      // when the lease was last taken or extended
	after   string         // the team behind which the next turn begins
	sizes   map[string]int // of the steps of teams of which one failed, in nodes or changes

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
	teamShare   = 2 * time.Second
	turnTime    = 30 * time.Second
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
	return &Worker{store: s, options: o, holder: uuid.NewString(), now: time.Now, compare: s.examine, sizes: map[string]int{}}
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
// team. It ends after some time, and the next one begins with the teams behind.
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
	r := newRound(w.now())
	r.left = w.after != ""
	for {
		teams, err := findTeams.Read(ctx, w.store.db, map[string]any{"after": w.after, "limit": teamPage})
		if err != nil {
			return false, err
		}
		if len(teams) == 0 {
			w.after = ""
			return r.left, w.judge(ctx)
		}
		for _, team := range teams {
			if err := w.lookAt(ctx, append(w.store.takeChanged(), team), r); err != nil {
				return false, err
			}
			w.after = team
			if !w.now().Before(r.ends) {
				return true, w.judge(ctx)
			}
		}
	}
}

// Finish looks at a team until nothing is left, without the lease: no other process may look at it meanwhile.
func (w *Worker) Finish(ctx context.Context, team string) error {
	for {
		w.held = time.Now().Add(leaseTime)
		rows, err := findProgress.Read(ctx, w.store.db, map[string]any{"teams": []string{team}, "limit": 1})
		if err != nil || len(rows) == 0 {
			return err
		}
		if _, err := w.look(ctx, rows[0], w.now().Add(teamShare)); err != nil {
			return err
		}
	}
}

// round is what a turn has done.
type round struct {
	ends  time.Time
	spent map[string]time.Duration // on each team
	left  bool                     // something, for the next turn
}

func newRound(now time.Time) *round {
	return &round{ends: now.Add(turnTime), spent: map[string]time.Duration{}}
}

// lookAt looks at some teams, at each for its share of the turn. What is wrong with one does not keep it from the others: an error ends it
// only if they would fail too.
func (w *Worker) lookAt(ctx context.Context, teams []string, r *round) error {
	rows, err := findProgress.Read(ctx, w.store.db, map[string]any{"teams": graph.Distinct(teams), "limit": teamPage + 1})
	if err != nil {
		return err
	}
	for _, p := range rows {
		share := teamShare - r.spent[p.Team]
		if share <= 0 || !w.now().Before(r.ends) {
			r.left = true
			continue
		}
		began := w.now()
		more, err := w.look(ctx, p, began.Add(share))
		r.spent[p.Team] += w.now().Sub(began)
		if errors.Is(err, errLost) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			r.spent[p.Team] = teamShare
			w.options.Log.Warn("looking for duplicates of a team failed, it is tried again", "team_id", p.Team, "error", err)
		}
		if more && err == nil {
			r.left = true
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

// look looks through what has changed in a team until some time, and reports whether more is left. The first look at a team walks
// through all of its nodes.
func (w *Worker) look(ctx context.Context, t progress, until time.Time) (more bool, err error) {
	if t.NextSeq == nil { // what changes during the walk is looked at again behind it
		from, err := w.store.feeds.Start(ctx, t.Team, feed.Now)
		if err != nil {
			return false, err
		}
		t.NextSeq, t.NextItem = &from.Seq, &from.Item
	}
	at := reached{next: feed.Position{Seq: *t.NextSeq}, first: t.First, tries: t.Tries}
	if t.NextItem != nil {
		at.next.Item = *t.NextItem
	}
	for at.first != nil {
		if more, err := w.walk(ctx, t.Team, &at, until); more || err != nil {
			return more, err
		}
	}
	more, err = w.follow(ctx, t.Team, at, until)
	if gone := (*feed.GoneError)(nil); errors.As(err, &gone) { // the next turn walks again
		return false, w.save(ctx, t.Team, map[string]any{"next_seq": nil, "next_item": nil, "first": "", "tries": 0})
	}
	return more, err
}

// walk looks at the next nodes of a team. It reports whether the time is over, and more are left.
func (w *Worker) walk(ctx context.Context, team string, at *reached, until time.Time) (more bool, err error) {
	page, err := walkNodes.ReadOne(ctx, w.store.db, map[string]any{"team_id": team, "after": *at.first, "limit": walkPage})
	if err != nil {
		return false, err
	}
	last := reached{next: at.next}
	if page.Seen == walkPage {
		last.first = &page.Last
	}
	for keys := page.Keys; ; {
		some := keys[:min(len(keys), w.size(team))]
		if keys = keys[len(some):]; len(keys) == 0 {
			more, err = w.step(ctx, team, at, last, []batch{{keys: some}}, until)
			return more && at.first != nil, err
		}
		behind := reached{next: at.next, first: &some[len(some)-1]}
		if more, err := w.step(ctx, team, at, behind, []batch{{keys: some}}, until); more || err != nil {
			return more, err
		}
	}
}

// follow looks at the nodes that changes behind a place are about. It reports whether more are left.
func (w *Worker) follow(ctx context.Context, team string, at reached, until time.Time) (more bool, err error) {
	for {
		page, err := w.store.feeds.Read(ctx, graph.Scope{TeamID: team}, feed.Range{From: at.next}, feed.Filter{Kinds: append([]string{graph.RelationshipRecord}, Kinds...)}, feedPage)
		if errors.Is(err, fault.ErrNotFound) { // the team was erased meanwhile
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for changes := page.Changes; ; {
			some := changes[:min(len(changes), w.size(team))]
			changes = changes[len(some):]
			behind := reached{next: page.Next}
			if len(changes) > 0 {
				behind.next = some[len(some)-1].Behind
			}
			over, err := w.step(ctx, team, &at, behind, batchesOf(some), until)
			if err != nil || over && (len(changes) > 0 || page.More) {
				return true, err
			}
			if len(changes) == 0 {
				break
			}
		}
		if !page.More {
			return false, nil
		}
	}
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
