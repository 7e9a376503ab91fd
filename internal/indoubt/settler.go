// Package indoubt waits for the end of transactions in doubt. Their commit was sent and not answered, so the database may still commit
// them: it may be stopped or overloaded, or the network may deliver late.
package indoubt

import (
	"context"
	"slices"
	"sync"
	"time"

	"kith/internal/sleep"
)

const (
	lookEvery = 100 * time.Millisecond
	lookFor   = 10 * time.Second
)

// Settler finds out when transactions in doubt have ended. It is safe for concurrent use.
type Settler struct {
	list  func(ctx context.Context) ([]string, error)
	ctx   context.Context //nolint:containedctx // of the work in the background, until Close
	close context.CancelFunc

	mu      sync.Mutex
	waiting []*waiter
	working sync.WaitGroup
}

// waiter waits for the transactions that were open at the first look.
type waiter struct {
	looked bool
	open   []string // of these, those that are still open
	ended  func()
}

// New returns a settler. list returns the names of the write transactions that are open now.
func New(list func(ctx context.Context) ([]string, error)) *Settler {
	s := &Settler{list: list}
	s.ctx, s.close = context.WithCancel(context.Background())
	return s
}

// Close ends the waiting; ended is not called any more.
func (s *Settler) Close() {
	s.mu.Lock()
	s.close()
	s.mu.Unlock()
	s.working.Wait()
}

// Await calls ended in the background when all transactions have ended that are open now, however long the database does not answer.
func (s *Settler) Await(ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.waiting = append(s.waiting, &waiter{ended: ended})
	if len(s.waiting) == 1 {
		s.working.Go(func() {
			for s.look() && sleep.For(s.ctx, lookEvery) {
			}
		})
	}
}

// look asks once for the open transactions, and reports whether any waiter is left.
func (s *Settler) look() (left bool) {
	s.mu.Lock()
	waiting := slices.Clone(s.waiting)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, lookFor)
	defer cancel()
	open, err := s.list(ctx)
	if err != nil {
		return true
	}
	for _, w := range waiting {
		if w.see(open); len(w.open) == 0 {
			w.ended()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool { return w.looked && len(w.open) == 0 })
	return len(s.waiting) > 0
}

func (w *waiter) see(open []string) {
	if !w.looked {
		w.looked, w.open = true, slices.Clone(open)
		return
	}
	w.open = slices.DeleteFunc(w.open, func(name string) bool { return !slices.Contains(open, name) })
}
