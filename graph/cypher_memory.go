package graph

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"kith/internal/sleep"
)

// What statements of callers may take of the database's heap: all together a quarter, one statement for what its expressions
// make a thirty-second part, and as much for its rows. Neo4j counts rows, but not what expressions make.
const (
	allOfHeap     = 4
	valuesOfHeap  = 32
	rowsOfHeap    = 32
	assumedHeap   = 256 << 20 // where it cannot be read
	largestValues = 64 << 20
	leastRows     = 6 << 20 // Neo4j hands memory out in pieces of 2 MiB
	watchInterval = 50 * time.Millisecond
	heapWait      = 2 * time.Second
)

// heap is that of the database.
type heap struct {
	bytes atomic.Int64 // 0: not read yet

	mu      sync.Mutex
	running int                // statements of callers
	stop    context.CancelFunc // ends the watch
	watches sync.WaitGroup
}

// heapSize reads how large the heap may become, once.
func (s *Store) heapSize(ctx context.Context) int64 {
	if size := s.heap.bytes.Load(); size > 0 {
		return size
	}
	ctx, cancel := context.WithTimeout(ctx, heapWait)
	defer cancel()
	rows, err := s.read(ctx, s.queries["heap_size"], nil)
	if err != nil || len(rows) == 0 || integer(rows[0].Values[0]) <= 0 {
		s.options.Log.WarnContext(ctx, "the database does not tell the size of its heap; statements of callers are bounded as for a small one", "bytes", assumedHeap)
		s.heap.bytes.Store(assumedHeap)
		return assumedHeap
	}
	s.heap.bytes.Store(integer(rows[0].Values[0]))
	return s.heap.bytes.Load()
}

// valuesOf is how many bytes the values of one statement may take.
func valuesOf(heap int64) int64 { return min(heap/valuesOfHeap, largestValues) }

// rowsOf is how many bytes the rows of one statement may take.
func rowsOf(heap int64) int64 { return max(heap/rowsOfHeap, leastRows) }

// watch ends statements of callers whose rows take too much, as long as one runs. Unwatch must be called at its end.
func (s *Store) watch() (unwatch func()) {
	h := &s.heap
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running++; h.running == 1 {
		ctx, stop := context.WithCancel(context.Background())
		h.stop = stop
		h.watches.Go(func() { s.endLarge(ctx) })
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.running--; h.running == 0 {
			h.stop()
		}
	}
}

// close ends the watch, also when statements are still running.
func (h *heap) close() {
	h.mu.Lock()
	if h.stop != nil {
		h.stop()
	}
	h.mu.Unlock()
	h.watches.Wait()
}

// endLarge looks again and again until it is stopped.
func (s *Store) endLarge(ctx context.Context) {
	for sleep.For(ctx, watchInterval) {
		most := map[string]any{"most": rowsOf(s.heapSize(ctx))}
		if rows, err := s.read(ctx, s.queries["statement_end"], most); err == nil && len(rows) > 0 {
			s.options.Log.InfoContext(ctx, "statements of callers took too much memory and were ended", "statements", len(rows))
		}
	}
}
