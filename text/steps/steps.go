// Package steps counts the work of readers of texts, and ends it when nobody waits for the result any more.
package steps

import "context"

// Counter counts the steps of one reading: a step is about a byte that is looked at. It is not safe for concurrent use.
type Counter struct {
	taken   int
	next    int // the count at which it looks whether the context is done
	done    <-chan struct{}
	stopped bool
}

// between is the number of steps between two looks at the context: less than a millisecond of work.
const between = 1 << 16

// Begin returns a counter that stops when the context is done.
func Begin(ctx context.Context) *Counter { return &Counter{done: ctx.Done()} }

// Take counts n steps. It returns false once the context is done; the reader then gives up.
func (c *Counter) Take(n int) bool {
	if c.taken += n; c.taken < c.next && !c.stopped {
		return true
	}
	return c.look()
}

func (c *Counter) look() bool {
	c.next = c.taken + between
	select {
	case <-c.done:
		c.stopped = true
	default:
	}
	return !c.stopped
}

// Taken returns the number of steps so far.
func (c *Counter) Taken() int { return c.taken }

// Stopped reports whether the context was done before the reading was.
func (c *Counter) Stopped() bool { return c.stopped }
