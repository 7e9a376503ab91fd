package chat

import (
	"context"
	"sync"
	"time"

	"kith/graph"
)

// generation is an attempt at an answer in this process.
type generation struct {
	AttemptID
	scope graph.Scope // of the request
	since time.Time

	release func() // frees its slot

	mu      sync.Mutex
	text    []byte
	changed chan struct{} // closed when there is more text, or at the end
	ended   bool
	stopped bool // the answer is no longer wanted
	cancel  context.CancelFunc
}

func newGeneration(scope graph.Scope, turn string, attempt int64, release func()) *generation {
	return &generation{
		AttemptID: AttemptID{TeamID: scope.TeamID, TurnID: turn, Attempt: attempt}, scope: scope,
		since: time.Now(), release: release, changed: make(chan struct{}), cancel: func() {},
	}
}

// attach sets the function that cancels the generation, and returns whether its answer is still wanted.
func (g *generation) attach(cancel context.CancelFunc) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel = cancel
	return !g.stopped
}

// stop cancels the generation: its answer is no longer wanted.
func (g *generation) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	g.cancel()
}

func (g *generation) isWanted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.stopped
}

// appendText adds a piece of the answer. It cancels a generation whose answer is too long.
func (g *generation) appendText(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.text)+len(text) > MaxChatAnswer {
		g.cancel()
		return
	}
	g.text = append(g.text, text...)
	g.notify()
}

// finish marks the end of the answer.
func (g *generation) finish() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.notify()
}

// notify wakes the watchers. The caller holds the lock.
func (g *generation) notify() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// readFrom returns the text from an offset on (all of it for an unknown offset), where it begins, whether the answer
// has ended, and a channel that is closed at the next change.
func (g *generation) readFrom(offset int) (text string, begin int, ended bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if offset > len(g.text) {
		offset = 0
	}
	return string(g.text[offset:]), offset, g.ended, g.changed
}
