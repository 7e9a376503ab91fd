package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"kith/graph/neo"
)

var readHeads = neo.Load[head]("feed_heads")

// head is a row of feed_heads.
type head struct {
	Team string
	Seq  int64
}

// lookEvery is the time after which a watcher notices the commits of other processes.
const lookEvery = time.Second

// watcher wakes those who wait for commits of a team. It is safe for concurrent use.
type watcher struct {
	db *neo.DB

	mu    sync.Mutex
	teams map[string]*audience
}

// audience is who waits for the commits of a team.
type audience struct {
	head      int64 // the last number that was read
	listeners map[chan struct{}]bool
}

func newWatcher(db *neo.DB) *watcher { return &watcher{db: db, teams: map[string]*audience{}} }

// AnyTeam stands for all teams. Commits of other processes wake only those who wait for one team.
const AnyTeam = ""

// Listen returns a channel that has a value after commits of a team. Call stop at the end.
func (w *watcher) Listen(team string) (wake <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.teams[team]
	if a == nil {
		a = &audience{listeners: map[chan struct{}]bool{}}
		w.teams[team] = a
	}
	a.listeners[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(a.listeners, c); len(a.listeners) == 0 {
			delete(w.teams, team)
		}
	}
}

// Changed wakes those who wait for commits of a team. It never waits.
func (w *watcher) Changed(team string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range []string{team, AnyTeam} {
		if a := w.teams[of]; a != nil {
			a.wake()
		}
	}
}

func (a *audience) wake() {
	for c := range a.listeners {
		select {
		case c <- struct{}{}:
		default: // it has yet to look
		}
	}
}

// retry returns a channel that has a value after a pause if a look has seen a commit at the position or behind it: a reader who found
// none there asked a member of a cluster that does not have it yet.
func (w *watcher) retry(team string, at Position) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.teams[team]; a == nil || a.head < at.Seq {
		return nil
	}
	return time.After(stepPause)
}

// Run looks for commits of other processes until ctx is done.
func (w *watcher) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			w.look(ctx)
		}
	}
}

// mostTeams is how many teams one statement looks at.
const mostTeams = 1000

// look wakes those whose team has new commits. If the database does not answer, it looks again later.
func (w *watcher) look(ctx context.Context) {
	for teams := range slices.Chunk(w.watched(), mostTeams) {
		heads, err := readHeads.Read(ctx, w.db, map[string]any{"teams": teams, "limit": len(teams)})
		if err != nil {
			return
		}
		w.compare(heads)
	}
}

func (w *watcher) watched() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	teams := make([]string, 0, len(w.teams))
	for team := range w.teams {
		if team != AnyTeam {
			teams = append(teams, team)
		}
	}
	return teams
}

func (w *watcher) compare(heads []head) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range heads {
		if a := w.teams[h.Team]; a != nil && a.head != h.Seq {
			a.head = h.Seq
			a.wake()
		}
	}
}
