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
	waiting []waiter
	working sync.WaitGroup
}

// waiter waits for the end of a transaction.
type waiter struct {
	id    string
	ended func()
}

// New returns a settler. list returns the ids of the write transactions that are open now. It and what Await is
// given are not called at the same time.
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

// Await calls ended in the background when a transaction is not open any more, however long the database does not answer.
func (s *Settler) Await(id string, ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.waiting = append(s.waiting, waiter{id, ended})
	if len(s.waiting) == 1 {
		s.working.Go(func() {
			for s.look() && sleep.For(s.ctx, lookEvery) {
			}
		})
	}
}

// look asks once for the open transactions, and reports whether any waiter is left.
func (s *Settler) look() bool {
	s.mu.Lock()
	waiting := slices.Clone(s.waiting)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, lookFor)
	defer cancel()
	open, err := s.list(ctx)
	if err != nil {
		return true
	}
	var left []waiter
	for _, w := range waiting {
		if slices.Contains(open, w.id) {
			left = append(left, w)
		} else {
			w.ended()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(left, s.waiting[len(waiting):]...) // with those that came meanwhile
	return len(s.waiting) > 0
}
