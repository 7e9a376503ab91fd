package handlers

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// places bounds how many bytes of large bodies are held at once: so many in all, and half of them for one team, so that none can shut
// out the others. Whoever comes first is let in first. It is safe for concurrent use.
type places struct {
	all  *semaphore.Weighted
	half int64
	wait time.Duration // for a place

	mu    sync.Mutex
	teams map[string]*share
}

// share is a team's part of the places.
type share struct {
	*semaphore.Weighted
	users int
}

// newPlaces has room for two bodies of the largest size.
func newPlaces(largest int64, wait time.Duration) *places {
	return &places{all: semaphore.NewWeighted(2 * largest), half: largest, wait: wait, teams: map[string]*share{}}
}

// place is the room that one body takes.
type place struct {
	of   *places
	team string
	held int64
}

// enter waits for a place for a body of some bytes: errNoPlace where there is none in time.
func (p *places) enter(ctx context.Context, team string, bytes int64) (*place, error) {
	ctx, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	own := p.shareOf(team)
	if own.Acquire(ctx, bytes) != nil {
		p.giveBack(team)
		return nil, errNoPlace
	}
	if p.all.Acquire(ctx, bytes) != nil {
		own.Release(bytes)
		p.giveBack(team)
		return nil, errNoPlace
	}
	return &place{p, team, bytes}, nil
}

func (p *places) shareOf(team string) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.teams[team]
	if own == nil {
		own = &share{Weighted: semaphore.NewWeighted(p.half)}
		p.teams[team] = own
	}
	own.users++
	return own
}

func (p *places) giveBack(team string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.teams[team].users--; p.teams[team].users == 0 {
		delete(p.teams, team)
	}
}

// keep gives back what a body that was read does not need.
func (p *place) keep(bytes int64) {
	if spare := p.held - bytes; spare > 0 {
		p.free(spare)
	}
}

// leave gives all back.
func (p *place) leave() {
	p.free(p.held)
	p.of.giveBack(p.team)
}

func (p *place) free(bytes int64) {
	p.of.mu.Lock()
	own := p.of.teams[p.team]
	p.of.mu.Unlock()
	p.of.all.Release(bytes)
	own.Release(bytes)
	p.held -= bytes
}
