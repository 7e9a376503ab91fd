package command

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	heapFloor  = 100 << 20       // bytes that the process may always use
	heapBeside = 40 << 20        // bytes for all but live objects and garbage as large as they are
	heapPause  = 2 * time.Second // between looks at the live objects
)

// boundHeap keeps the memory of the process near twice its live objects until ctx is done. Without a limit Go gives the pages of a
// busy minute back slowly: 312 MB were seen with 5 MB of live objects. It does nothing if GOMEMLIMIT is set.
func boundHeap(ctx context.Context) error {
	if os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	tick := time.NewTicker(heapPause)
	defer tick.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(live)
		debug.SetMemoryLimit(heapLimit(live[0].Value.Uint64()))
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// heapLimit returns the memory limit for bytes of live objects. It leaves them as much garbage as Go does by default, so that
// collections are no more frequent.
func heapLimit(live uint64) int64 { return max(heapFloor, int64(2*live)+heapBeside) } //nolint:gosec // bytes
