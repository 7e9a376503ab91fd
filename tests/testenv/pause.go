package testenv

import (
	"context"
	"testing"
	"time"
)

const pauseTimeout = 20 * time.Second

// pausable is a server that can hang: it keeps its connections, accepts new ones, and answers nothing.
type pausable interface {
	server
	pause(ctx context.Context) error
	resume(ctx context.Context) error
}

// pauser makes a test's server hang.
type pauser struct {
	t      testing.TB
	server pausable
	paused bool
}

// newPauser returns the pauser of a server, which is closed when the test ends.
func newPauser(t testing.TB, s server) *pauser {
	p := &pauser{t: t, server: s.(pausable)}
	t.Cleanup(func() {
		if p.paused { // a paused server is not stopped
			ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
			defer cancel()
			_ = p.server.resume(ctx)
		}
		closeServer(t, p.server)
	})
	return p
}

// Pause makes the server hang: connections stay and are accepted, but get no answers.
func (p *pauser) Pause() {
	p.t.Helper()
	if !p.paused {
		must(p.t, "pause the server", pauseTimeout, p.server.pause)
		p.paused = true
	}
}

// Resume ends Pause: requests sent meanwhile are answered.
func (p *pauser) Resume() {
	p.t.Helper()
	if p.paused {
		must(p.t, "resume the server", pauseTimeout, p.server.resume)
		p.paused = false
	}
}
