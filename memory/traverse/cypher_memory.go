package traverse

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"kith/graph/neo"
	"kith/internal/sleep"
)

var (
	readHeapSize       = neo.Load[int64]("heap_size")
	endLargeStatements = neo.Load[string]("statement_end")
)

// Shares of the database's heap that statements of callers may use. All together get a quarter. One statement gets a
// thirty-second for the values of its expressions, and as much for its rows. Neo4j counts the memory of rows, but not of
// expressions.
const (
	allOfHeap     = 4
	valuesOfHeap  = 32
	rowsOfHeap    = 32
	assumedHeap   = 256 << 20 // if the size cannot be read
	largestValues = 64 << 20
	leastRows     = 6 << 20 // Neo4j allocates memory in pieces of 2 MiB
	watchInterval = 50 * time.Millisecond
	heapWait      = 2 * time.Second
)

// heap holds the size of the database's heap, and the watch over running statements.
type heap struct {
	bytes atomic.Int64 // 0: not read yet

	mu      sync.Mutex
	running int                // statements of callers
	stop    context.CancelFunc // ends the watch
	watches sync.WaitGroup
}

// heapSize returns the largest size of the heap in bytes. It reads it once.
func (s *Store) heapSize(ctx context.Context) int64 {
	if size := s.heap.bytes.Load(); size > 0 {
		return size
	}
	ctx, cancel := context.WithTimeout(ctx, heapWait)
	defer cancel()
	size, err := readHeapSize.ReadOne(ctx, s.db, nil)
	if err != nil || size <= 0 {
		s.log.WarnContext(ctx, "heap size of the database unknown, using the bounds of a small heap for callers' statements", "bytes", assumedHeap)
		s.heap.bytes.Store(assumedHeap)
		return assumedHeap
	}
	s.heap.bytes.Store(size)
	return s.heap.bytes.Load()
}

// valuesOf returns how many bytes the values of one statement may take.
func valuesOf(heap int64) int64 { return min(heap/valuesOfHeap, largestValues) }

// rowsOf returns how many bytes the rows of one statement may take.
func rowsOf(heap int64) int64 { return max(heap/rowsOfHeap, leastRows) }

// watch ends statements of callers whose rows take too much memory, while any statement runs. The caller must call unwatch at the
// end of its statement.
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

// close ends the watch, even while statements are running.
func (h *heap) close() {
	h.mu.Lock()
	if h.stop != nil {
		h.stop()
	}
	h.mu.Unlock()
	h.watches.Wait()
}

// endLarge checks at intervals until ctx is done.
func (s *Store) endLarge(ctx context.Context) {
	for sleep.For(ctx, watchInterval) {
		most := map[string]any{"most": rowsOf(s.heapSize(ctx))}
		if ended, err := endLargeStatements.Read(ctx, s.db, most); err == nil && len(ended) > 0 {
			s.log.InfoContext(ctx, "ended statements of callers that took too much memory", "statements", len(ended))
		}
	}
}
