package graph

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"kith/cypher"
	"kith/graph/fence"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/internal/llm"
)

// pingServer checks that the database answers.
var pingServer = neo.Load[int64]("server_ping")

// Options configures a store.
type Options struct {
	Now     func() time.Time                                  // default time.Now
	Log     *slog.Logger                                      // default: discards
	Observe func(query string, took time.Duration, err error) // called after every statement
	Trace   neo.Trace                                         // traces every statement; default: none
	Changed func(ctx context.Context, c Change)               // called after every commit that happened, or may have happened, before the write returns
	Types   []string                                          // relationship types that the operator adds to the vocabulary
	Said    *Listener                                         // hears what users say; nil: nobody does

	Committing func(c Change) (ended func()) // called before every commit; ended is called after it and after Changed, before the write returns
	InDoubt    func(c Change) (ended func()) // called before ended if the commit was not answered; its ended is called when it is over and after another Changed

	Quota        Quota               // of each team
	ObserveQuota func(share float64) // called after every write that adds to a team with a quota, with the share used; above 1 the write was refused
	KeepDeleted  time.Duration       // how long deletes can be undone; default 30 days
	KeepHistory  time.Duration       // how long former versions and the feed of changes are kept; default 400 days

	Embedder llm.Embedder // computes the vectors of written texts (see Embedding); nil: no vectors
}

// Store is the memory in Neo4j. It is safe for concurrent use.
type Store struct {
	db      *neo.DB
	options Options
	types   atomic.Pointer[[]string]   // stored relationship types seen in the database; the slice is never modified
	full    *otter.Cache[string, full] // teams that refused a write a moment ago
	texts   chan struct{}              // has a value when texts wait for their vectors
	grown   chan grown                 // nodes that may have become hubs
	fence   *fence.Fence               // refuses writes for erased users
}

// Open returns a store. It does not connect yet. Close it when done.
func Open(c neo.Connection, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Trace == nil {
		o.Trace = neo.NoTrace
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ObserveQuota == nil {
		o.ObserveQuota = func(float64) {}
	}
	if o.Changed == nil {
		o.Changed = func(context.Context, Change) {}
	}
	if o.Committing == nil {
		o.Committing = func(Change) (ended func()) { return func() {} }
	}
	if o.InDoubt == nil {
		o.InDoubt = func(Change) (ended func()) { return func() {} }
	}
	if o.KeepDeleted == 0 {
		o.KeepDeleted = 30 * day
	}
	if o.KeepHistory == 0 {
		o.KeepHistory = 400 * day
	}
	db, err := neo.Open(c, neo.Options{Observe: o.Observe, Trace: o.Trace, IsKnown: own})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, options: o, fence: fence.New(db), texts: make(chan struct{}, 1), grown: make(chan grown, hubsWaiting)}
	s.full = otter.Must(&otter.Options[string, full]{MaximumSize: maxFull, ExpiryCalculator: otter.ExpiryWriting[string, full](usageFull)})
	return s, nil
}

// Close releases the connections.
func (s *Store) Close(ctx context.Context) error {
	s.full.StopAllGoroutines()
	return s.db.Close(ctx)
}

// Bookmarks returns the store's bookmarks; nil if the database is not a cluster.
func (s *Store) Bookmarks() *neo.Bookmarks { return s.db.Bookmarks() }

// Ping checks that the database answers. It returns nil or ErrUnavailable.
func (s *Store) Ping(ctx context.Context) error {
	_, err := pingServer.Read(ctx, s.db, nil)
	return err
}

// DB returns the database, for packages that keep their own records beside the memory.
func (s *Store) DB() *neo.DB { return s.db }

// Fence returns what keeps writes for erased users from being committed.
func (s *Store) Fence() *fence.Fence { return s.fence }

// precision is the precision of every stored time.
const precision = time.Millisecond

// Now returns the current time at the stored precision.
func (s *Store) Now() time.Time { return s.options.Now().UTC().Truncate(precision) }

// Sessions returns the number of sessions in use; at most neo.MaxSessions can run something at the same time.
func (s *Store) Sessions() int64 { return s.db.Sessions() }

// own reports whether an error is of this package.
func own(err error) bool {
	for _, sentinel := range []error{fault.ErrInvalid, ErrBusy, ErrQuota, ErrSchemaNewer, ErrModel, errDryRun, errUnread} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// Transaction runs one write transaction. It may call work again after a transient error or a lost race for a key. A dry run does all
// but the commit, and reports no change.
func (s *Store) Transaction(ctx context.Context, name string, work func(*Tx) error) error {
	r := readingOf(ctx)
	for {
		err := s.transaction(ctx, r, name, work)
		if !errors.Is(err, errUnread) {
			return err
		}
		if err := s.readInto(ctx, r, r.unread); err != nil {
			return err
		}
	}
}

func (s *Store) transaction(ctx context.Context, r *reading, name string, work func(*Tx) error) error {
	began := fence.Began(ctx)
	var (
		t       *Tx
		changed Change   // by all attempts whose work was done: a commit whose answer is lost may have happened
		ended   []func() // of all attempts
	)
	defer func() {
		for _, end := range ended {
			end()
		}
	}()
	err := s.db.Write(ctx, name, func(n *neo.Tx) error {
		t = &Tx{Tx: n, store: s, writer: WriterOf(ctx), reading: r, metered: s.options.Quota != (Quota{}) && callers[name] && !isDryRun(ctx)}
		r.unread = nil
		err := work(t)
		if missed := t.missed(); missed != nil { // what the work made of them does not count
			return missed
		}
		if err != nil {
			return err
		}
		if err := t.commit(t.Team()); err != nil {
			return err
		}
		if !t.passes {
			if err := s.fence.Check(n, t.given, began); err != nil {
				return err
			}
		}
		if isDryRun(ctx) {
			return errDryRun
		}
		change := t.done(name)
		changed = changed.with(change)
		ended = append(ended, s.options.Committing(change))
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	s.report(ctx, changed)
	if errors.Is(err, ErrInDoubt) {
		settled := s.options.InDoubt(changed)
		t.Settle(func() { //nolint:contextcheck // it outlives the request
			s.report(context.WithoutCancel(ctx), changed)
			settled()
		})
	}
	if err == nil {
		s.look(t.Team(), t.grown)
		if t.retold {
			s.wake()
		}
	}
	return err
}

// Tx runs statements in a write transaction.
type Tx struct {
	*neo.Tx

	store   *Store
	writer  Writer
	reading *reading  // of texts, before it
	after   time.Time // its changes count from then on, see NotBefore

	retold  bool     // texts were written that wait for their vectors
	grown   []string // keys of nodes to which it adds many relationships
	metered bool     // its data counts towards the quota
	added   amount   // data added to the team
	former  amount   // data that it keeps of replaced versions

	borders  []int64          // in the future, of relationships that are written
	places   []string         // borders with the key of an end
	trimmed  []string         // keys of what has more former versions than are kept
	contains []map[string]any // containments that it adds, which close no ring with what was there
	feed     feed             // what it changes, record by record
	change   Change           // what it changes, for listeners of the process
	reported bool             // whose contexts it changes is known

	given  []map[string]any // parameters of its statements
	passes bool             // it may name erased users
}

// PassFence lets the transaction commit although it may name erased users, because it deletes, or writes what was written before.
func (t *Tx) PassFence() { t.passes = true }

// Exec returns the rows of a statement. It returns ErrQuota instead if the statement would exceed a quota that is full.
func (t *Tx) Exec(q cypher.Query, params map[string]any) ([][]any, error) {
	t.given = append(t.given, params)
	if err := t.meter(q.Name, params); err != nil {
		return nil, err
	}
	if record := recorders[q.Name]; record != nil {
		record(&t.feed, params)
	}
	return t.Tx.Exec(q, params)
}
