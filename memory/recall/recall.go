// Package recall stores what reads returned, off the path of the read.
package recall

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"kith/graph"
)

// Queue records what reads return and raises its salience, off the read path. It never slows a read: recalls beyond
// its capacity are dropped and counted. It is safe for concurrent use; call Run.
type Queue struct {
	store    *graph.Store
	queue    chan graph.Read
	options  Options
	flushing sync.Mutex
}

// Options configures Queue.
type Options struct {
	Size    int           // capacity of the queue, in reads; default 4096
	Every   time.Duration // how often queued reads are stored; default 250 ms
	Log     *slog.Logger
	Observe func(event Event, reads int)
}

// Event is the outcome of recording reads.
type Event string

// Dropped: the queue was full. Failed: the database did not store them. Neither fails the read.
const (
	Stored  Event = "stored"
	Dropped Event = "dropped"
	Failed  Event = "failed"
)

// New returns a queue that stores to s.
func New(s *graph.Store, o Options) *Queue {
	if o.Size == 0 {
		o.Size = 4096
	}
	if o.Every == 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Event, int) {}
	}
	return &Queue{store: s, queue: make(chan graph.Read, o.Size), options: o}
}

// Recalled queues a read that a scope made, and returns at once. Only memories that the scope alone sees are counted:
// otherwise a read could reveal to other users what the user searches for.
func (r *Queue) Recalled(scope graph.Scope, recall graph.Recall) {
	select {
	case r.queue <- graph.Read{Scope: scope, At: r.store.Now(), Recall: recall}:
	default:
		r.options.Observe(Dropped, 1)
	}
}

// Waiting returns the number of queued reads.
func (r *Queue) Waiting() int { return len(r.queue) }

// Run stores queued reads until ctx is done, and then the remaining ones.
func (r *Queue) Run(ctx context.Context) error {
	tick := time.NewTicker(r.options.Every)
	defer tick.Stop()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx)) // work that is running when ctx ends is completed
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(recallGrace, cancel) })()
	for {
		select {
		case <-ctx.Done():
			r.Flush(work)
			return nil
		case <-tick.C:
			r.Flush(work)
		}
	}
}

// recallGrace is the time that Run has to store the remaining reads after ctx is done.
const recallGrace = 5 * time.Second

// Flush stores all queued reads, one team at a time. When it returns, what was queued before is stored.
func (r *Queue) Flush(ctx context.Context) {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	byTeam := map[string][]graph.Read{}
	for range len(r.queue) {
		read := <-r.queue
		byTeam[read.Scope.TeamID] = append(byTeam[read.Scope.TeamID], read)
	}
	for teamID, all := range byTeam {
		for some := range slices.Chunk(all, graph.MaxReads) {
			if err := r.store.Recall(ctx, teamID, some); err != nil {
				r.options.Log.Warn("recalls lost", "reads", len(some), "error", err)
				r.options.Observe(Failed, len(some))
				continue
			}
			r.options.Observe(Stored, len(some))
		}
	}
}
