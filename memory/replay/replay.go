// Package replay keeps which contexts were served, off their path, so that the context of a moment can be served again with the same
// bytes.
//
// A record says from when until when an instance served the same thing for a view of a user. An instance answers at moments of its
// own, each later than the one before, so at every moment that is within a record it served exactly that. What could not be stored is
// in no record.
package replay

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"kith/graph"
)

// Bounds of what is kept.
const (
	mostBodies  = 1000            // of a user and a day
	mostRecords = 10_000          // of a user and a day, by an instance
	mostViews   = 20_000          // that are remembered
	mostUsers   = 100_000         // whose records are counted
	maxPause    = 5 * time.Minute // between two answers of a record
	maxRecord   = time.Hour       // of a record
)

// Entry has the inputs of an answer. Equal sums stand for equal answers at the same moment.
type Entry struct {
	Sum  string
	Raw  []byte    // must not be changed
	Made time.Time // when it was read from the memory
}

// Options configures a Recorder.
type Options struct {
	Size    int           // records that may be queued; default 2048
	Every   time.Duration // how often they are stored; default 500 ms
	Events  bool          // also store the digest of each answer
	Now     func() time.Time
	Log     *slog.Logger
	Observe func(event Event, count int)
}

// Event describes a change of a record.
type Event string

// Dropped: the queue was full. Bounded: the user has too many of the day. Unknown: the user has nothing in the team. Refused: the user
// was erased. Trimmed: a body was removed for newer ones of the day. Full: something was removed, because the team's share was full.
// None of them fails the answer.
const (
	Stored  Event = "stored"
	Dropped Event = "dropped"
	Bounded Event = "bounded"
	Unknown Event = "unknown"
	Full    Event = "full"
	Refused Event = "refused"
	Failed  Event = "failed"
	Trimmed Event = "trimmed"
)

// Events are all events.
var Events = []Event{Stored, Dropped, Bounded, Unknown, Full, Refused, Failed, Trimmed} //nolint:gochecknoglobals // a constant list

// Recorder keeps what its process serves, and finds what any process served. It is safe for concurrent use. Nothing is kept before
// Claim, nor stored without Run.
type Recorder struct {
	store    *Store
	options  Options
	holder   string
	flushing chan struct{} // has a value while records are stored
	flushed  atomic.Int64  // all that was served before is stored, or lost

	mu      sync.Mutex
	number  int64 // of the instance; 0: none is claimed
	claimed time.Time
	last    int64 // the last moment
	records map[key]*record
	queue   []*record
	answers []answer
	counts  map[user]int // records of the day
	day     int64
}

// user is a user of a team.
type user struct{ team, id string }

// key is a view of a user.
type key struct {
	user
	view string
}

// record says that an instance served the same from a moment until another.
type record struct {
	key
	sum       string
	at, until int64
	entry     Entry // zero if it is stored
	queued    bool
}

// New returns a recorder that stores to s.
func New(s *Store, o Options) *Recorder {
	if o.Size == 0 {
		o.Size = 2048
	}
	if o.Every == 0 {
		o.Every = 500 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Event, int) {}
	}
	return &Recorder{
		store: s, options: o, holder: uuid.NewString(), flushing: make(chan struct{}, 1), records: map[key]*record{}, counts: map[user]int{},
	}
}

// Served notes that a view is served now, and returns the moment of the answer. It returns false if nothing is kept.
func (r *Recorder) Served(scope graph.Scope, view string, e Entry) (time.Time, bool) {
	k := key{user{scope.TeamID, scope.UserID}, view}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isClaimed() {
		return time.Time{}, false
	}
	now := r.next()
	one := r.records[k]
	if one == nil || !one.goesOn(e.Sum, now) {
		one = r.begin(k, e, now)
	}
	if one != nil {
		one.until = now
		r.enqueue(one)
	}
	return time.Unix(0, now).UTC(), true
}

// goesOn reports whether the record covers an answer with a sum.
func (o *record) goesOn(sum string, now int64) bool {
	return o.sum == sum && now-o.until <= int64(maxPause) && now-o.at <= int64(maxRecord)
}

// begin adds a record; nil if the user has too many.
func (r *Recorder) begin(k key, e Entry, now int64) *record {
	delete(r.records, k)
	if day := dayOf(now); day != r.day || len(r.counts) >= mostUsers {
		r.day = day
		clear(r.counts)
	}
	if r.counts[k.user] >= mostRecords {
		r.options.Observe(Bounded, 1)
		return nil
	}
	r.counts[k.user]++
	if len(r.records) >= mostViews {
		clear(r.records)
	}
	one := &record{key: k, sum: e.Sum, at: now, entry: e}
	r.records[k] = one
	return one
}

// enqueue has a record stored.
func (r *Recorder) enqueue(one *record) {
	switch {
	case one.queued:
	case len(r.queue) >= r.options.Size:
		delete(r.records, one.key)
		r.options.Observe(Dropped, 1)
	default:
		one.queued = true
		r.queue = append(r.queue, one)
	}
}

// Waiting returns the number of queued records.
func (r *Recorder) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queue)
}

// Run stores what is queued until ctx is done, and then the rest.
func (r *Recorder) Run(ctx context.Context) error {
	tick := time.NewTicker(r.options.Every)
	defer tick.Stop()
	claim := time.NewTicker(claimEvery)
	defer claim.Stop()
	work, cancel := context.WithCancel(context.WithoutCancel(ctx)) // work that is running when ctx ends is completed
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	for {
		select {
		case <-ctx.Done():
			r.Flush(work)
			r.release(work)
			return nil
		case <-tick.C:
			r.Flush(work)
		case <-claim.C:
			r.renew(work)
		}
	}
}

// grace is the time that Run has to store the rest.
const grace = 5 * time.Second
