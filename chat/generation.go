package chat

import (
	"context"
	"sync"
	"time"

	"kith/graph"
)

// generation is an attempt at an answer, here in this process.
type generation struct {
	graph.ChatAttempt
	scope graph.Scope // in which it was asked for
	since time.Time

	mu      sync.Mutex
	text    []byte
	changed chan struct{} // closed when there is more to read, or the end
	ended   bool
	stopped bool // nobody wants the answer any more
	cancel  context.CancelFunc
}

func newGeneration(scope graph.Scope, turn string, attempt int64) *generation {
	return &generation{
		ChatAttempt: graph.ChatAttempt{TeamID: scope.TeamID, TurnID: turn, Attempt: attempt}, scope: scope,
		since: time.Now(), changed: make(chan struct{}), cancel: func() {},
	}
}

// begin says whether the generation is still wanted; cancel is what ends it from now on.
func (g *generation) begin(cancel context.CancelFunc) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cancel = cancel
	return !g.stopped
}

// stop ends the generation: its answer is not wanted any more.
func (g *generation) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	g.cancel()
}

func (g *generation) wanted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.stopped
}

// add takes in what has come of the answer. An answer that is too long ends here.
func (g *generation) add(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.text)+len(text) > graph.MaxChatAnswer {
		g.cancel()
		return
	}
	g.text = append(g.text, text...)
	g.tell()
}

// end says that nothing more comes.
func (g *generation) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.tell()
}

// tell wakes those who wait for a change. The lock is held.
func (g *generation) tell() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// from is the text behind a place in it (all of it for a place that it does not have), whether there is no more to come, and
// what is closed at the next change.
func (g *generation) from(offset int) (text string, begin int, ended bool, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if offset > len(g.text) {
		offset = 0
	}
	return string(g.text[offset:]), offset, g.ended, g.changed
}
