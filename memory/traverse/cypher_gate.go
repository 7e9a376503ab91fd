package traverse

import (
	"context"
	"slices"
	"sync"
	"time"

	"kith/graph"
)

// gate admits statements of callers to the database. It bounds how many statements of each team run at once, and the weight of
// all together. One team gets at most half of the room. Waiting teams take turns. The zero value with its bounds set is ready for
// use. It is safe for concurrent use.
type gate struct {
	atOnce int           // of one team
	wait   time.Duration // the longest wait

	mu    sync.Mutex
	room  int64 // for all together
	held  int64
	teams map[string]*crowd
	turns []string // waiting teams, the next one first
}

// crowd counts the running and waiting statements of one team.
type crowd struct {
	inside  int
	held    int64
	waiting []*entrant
}

type entrant struct {
	weight int64
	in     chan struct{} // closed when it is admitted
}

// enter waits for a place. It returns ErrBusy after a short wait.
func (g *gate) enter(ctx context.Context, team string, weight, room int64) (leave func(), err error) {
	e := &entrant{weight: weight, in: make(chan struct{})}
	g.queue(team, e, room)
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case <-e.in:
		return func() { g.leave(team, weight) }, nil
	case <-timer.C:
		err = graph.ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.giveUp(team, e)
	return nil, err
}

func (g *gate) queue(team string, e *entrant, room int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.teams == nil {
		g.teams = map[string]*crowd{}
	}
	c := g.teams[team]
	if c == nil {
		c = &crowd{}
		g.teams[team] = c
	}
	if c.waiting = append(c.waiting, e); len(c.waiting) == 1 {
		g.turns = append(g.turns, team)
	}
	g.room = room
	g.admit()
}

// admit admits statements that have room, the teams in turn. A statement that lacks room blocks the later ones: otherwise they
// could overtake it for ever.
func (g *gate) admit() {
	for i := 0; i < len(g.turns); {
		team := g.turns[i]
		c := g.teams[team]
		first := c.waiting[0]
		if c.inside >= g.atOnce || c.held > 0 && c.held+first.weight > g.room/2 {
			i++ // held back by the bounds of its own team
			continue
		}
		if g.held > 0 && g.held+first.weight > g.room {
			return
		}
		c.inside, c.held, g.held = c.inside+1, c.held+first.weight, g.held+first.weight
		close(first.in)
		c.waiting = c.waiting[1:]
		g.turns = slices.Delete(g.turns, i, i+1)
		if len(c.waiting) > 0 {
			g.turns = append(g.turns, team)
		}
		i = 0
	}
}

func (g *gate) leave(team string, weight int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.teams[team]
	c.inside, c.held, g.held = c.inside-1, c.held-weight, g.held-weight
	g.forget(team, c)
	g.admit()
}

// giveUp removes a waiting statement, also one that was admitted at the last moment.
func (g *gate) giveUp(team string, e *entrant) {
	g.mu.Lock()
	c := g.teams[team]
	i := slices.Index(c.waiting, e)
	if i < 0 {
		g.mu.Unlock()
		g.leave(team, e.weight)
		return
	}
	defer g.mu.Unlock()
	if c.waiting = slices.Delete(c.waiting, i, i+1); len(c.waiting) == 0 {
		g.turns = slices.DeleteFunc(g.turns, func(other string) bool { return other == team })
	}
	g.forget(team, c)
	g.admit()
}

func (g *gate) forget(team string, c *crowd) {
	if c.inside == 0 && len(c.waiting) == 0 {
		delete(g.teams, team)
	}
}
