package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"kith/cypher"
	"kith/internal/sleep"
	"kith/llm"
)

// Connection has the address and login of Neo4j 5.26 or newer: a bolt:// or neo4j:// URI.
type Connection struct {
	URI, User, Password string
	Database            string // empty: the server's default database
}

// Options configures a store.
type Options struct {
	Now     func() time.Time                                  // default time.Now
	Log     *slog.Logger                                      // default: discards
	Observe func(query string, took time.Duration, err error) // called after every statement
	Trace   Trace                                             // traces every statement; default: none
	Types   []string                                          // relationship types that the operator adds to the vocabulary

	Quota        Quota               // of each team
	ObserveQuota func(share float64) // called after every write that adds to a team with a quota, with the share used; above 1 the write was refused
	KeepDeleted  time.Duration       // how long deletes can be undone; default 30 days

	Embedder llm.Embedder // computes the vectors of written texts (see Embedding); nil: no vectors
}

// Trace is called when an operation begins, with its name but never its content. It returns a function to call when
// the operation ends.
type Trace func(ctx context.Context, name string) (context.Context, func(err error))

// NoTrace is a Trace that does nothing.
func NoTrace(ctx context.Context, _ string) (context.Context, func(error)) {
	return ctx, func(error) {}
}

// Store is the memory in Neo4j. It is safe for concurrent use.
type Store struct {
	driver   neo4j.DriverWithContext
	database string
	options  Options
	queries  map[string]cypher.Query    // by name; read-only after Open
	composed sync.Map                   // section names → cypher.Query
	types    atomic.Pointer[[]string]   // stored relationship types seen in the database; the slice is never modified
	marks    *Bookmarks                 // nil if the database is not a cluster
	gate     gate                       // limits callers' statements
	planning gate                       // limits statements that are planned for the first time
	plans    plans                      // known plans of statements
	heap     heap                       // memory of the database
	full     *otter.Cache[string, full] // teams that refused a write a moment ago
	texts    chan struct{}              // has a value when texts wait for their vectors
	sessions atomic.Int64               // in use
	fence    fence                      // what is known about erasures
}

const (
	connectTimeout = 5 * time.Second
	readAttempts   = 4
	retryPause     = 50 * time.Millisecond
	// MaxSessions is the maximum number of connections to the database.
	MaxSessions = 64
)

// Open returns a store. It does not connect yet. Close it when done.
func Open(c Connection, o Options) (*Store, error) {
	driver, err := neo4j.NewDriverWithContext(c.URI, neo4j.BasicAuth(c.User, c.Password, ""), func(cfg *config.Config) {
		cfg.SocketConnectTimeout = connectTimeout
		cfg.ConnectionAcquisitionTimeout = 5 * time.Second
		cfg.MaxTransactionRetryTime = 5 * time.Second
		cfg.MaxConnectionPoolSize = MaxSessions
		cfg.TelemetryDisabled = true
		cfg.NotificationsMinSeverity = notifications.DisabledLevel // not used
	})
	if err != nil {
		return nil, fmt.Errorf("open store: %w", errors.New("KITH_NEO4J_URI is not a usable bolt:// or neo4j:// address"))
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.ObserveQuota == nil {
		o.ObserveQuota = func(float64) {}
	}
	if o.Trace == nil {
		o.Trace = NoTrace
	}
	if o.KeepDeleted == 0 {
		o.KeepDeleted = 30 * day
	}
	s := &Store{driver: driver, database: c.Database, options: o, queries: map[string]cypher.Query{}, marks: newBookmarks(c.URI), texts: make(chan struct{}, 1)}
	s.gate.atOnce, s.gate.wait = cypherAtOnce, cypherTime
	s.planning.atOnce, s.planning.wait = 1, cypherTime
	s.full = otter.Must(&otter.Options[string, full]{MaximumSize: maxFull, ExpiryCalculator: otter.ExpiryWriting[string, full](usageFull)})
	for _, name := range cypher.Names() {
		s.queries[name] = cypher.Load(name)
	}
	return s, nil
}

// Close releases the connections.
func (s *Store) Close(ctx context.Context) error {
	s.heap.close()
	s.marks.close()
	s.full.StopAllGoroutines()
	return s.driver.Close(ctx)
}

// Bookmarks returns the store's bookmarks; nil if the database is not a cluster.
func (s *Store) Bookmarks() *Bookmarks { return s.marks }

// Ping checks that the database answers. It returns nil or ErrUnavailable.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.read(ctx, s.queries["server_ping"], nil)
	return err
}

// precision is the precision of every stored time.
const precision = time.Millisecond

// now returns the current time at the stored precision.
func (s *Store) now() time.Time { return s.options.Now().UTC().Truncate(precision) }

// session returns a session that has a connection while it runs something, on a member of the cluster that has
// reached the bookmarks. It must be closed.
func (s *Store) session(ctx context.Context, mode neo4j.AccessMode, from neo4j.Bookmarks) neo4j.SessionWithContext {
	s.sessions.Add(1)
	return session{s.driver.NewSession(ctx, neo4j.SessionConfig{
		AccessMode: mode, DatabaseName: s.database, FetchSize: neo4j.FetchAll, Bookmarks: from,
	}), s}
}

// session is counted until it is closed.
type session struct {
	neo4j.SessionWithContext
	store *Store
}

// Close closes the session and ends its count.
func (s session) Close(ctx context.Context) error {
	s.store.sessions.Add(-1)
	return s.SessionWithContext.Close(ctx)
}

// Sessions returns the number of sessions in use; at most MaxSessions can run something at the same time.
func (s *Store) Sessions() int64 { return s.sessions.Load() }

// read runs one statement in one round trip and returns its rows. It retries after a broken connection, because after
// a restart of the database the pool is full of them, and after transient errors, such as a member that leaves the
// cluster.
func (s *Store) read(ctx context.Context, q cypher.Query, params map[string]any) ([]*neo4j.Record, error) {
	var err error
	for attempt := range readAttempts {
		if attempt > 0 && !sleep.For(ctx, retryPause<<attempt) {
			return nil, translate(q.Name, ctx.Err())
		}
		var rows []*neo4j.Record
		rows, err = s.readOnce(ctx, q, params)
		if err == nil {
			return rows, nil
		}
		if !s.passes(err) {
			break
		}
	}
	if ctx.Err() != nil { // the driver may report it as a connection error
		err = ctx.Err()
	}
	return nil, translate(q.Name, err)
}

// passes reports whether the same read may succeed in a moment. If the database does not know the bookmarks, it was
// replaced, and the bookmarks are dropped.
func (s *Store) passes(err error) bool {
	var db *neo4j.Neo4jError
	if errors.As(err, &db) && strings.HasPrefix(db.Code, "Neo.ClientError.Transaction.InvalidBookmark") {
		s.marks.forget()
		return true
	}
	return neo4j.IsConnectivityError(err) || db != nil && db.IsRetriable()
}

func (s *Store) readOnce(ctx context.Context, q cypher.Query, params map[string]any) ([]*neo4j.Record, error) {
	start := time.Now()
	ctx, end := s.options.Trace(ctx, q.Name)
	team := teamOf(params)
	from := s.marks.of(team)
	session := s.session(ctx, neo4j.AccessModeRead, from)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	text, params, err := q.Statement(params)
	if err != nil {
		end(err)
		return nil, err
	}
	result, err := session.Run(ctx, text, params, neo4j.WithTxMetadata(metadata(q.Name)))
	var rows []*neo4j.Record
	if err == nil {
		rows, err = result.Collect(ctx)
	}
	if err == nil {
		s.marks.read(team, from, session.LastBookmarks())
	}
	s.options.Observe(q.Name, time.Since(start), err)
	end(err)
	return rows, err
}

// readOne is read for statements that return one row, or ErrNotFound.
func (s *Store) readOne(ctx context.Context, name string, params map[string]any) (*neo4j.Record, error) {
	rows, err := s.read(ctx, s.queries[name], params)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNotFound)
	}
	return rows[0], nil
}

// metadata names the statement file of a transaction in Neo4j's query log.
func metadata(query string) map[string]any {
	return map[string]any{"app": "kith", "query": query}
}

// transaction runs one write transaction. work may be called again after a transient error or a lost race for a key.
// In a cluster the leader writes, which needs no bookmarks.
func (s *Store) transaction(ctx context.Context, name string, work func(*tx) error) error {
	session := s.session(ctx, neo4j.AccessModeWrite, nil)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	began, ok := ctx.Value(beganKey{}).(time.Time)
	if !ok {
		began = time.Now()
	}
	writing := metadata(name)
	writing["writes"] = true // an erasure waits for these
	var (
		err error
		t   *tx
	)
	for range readAttempts {
		_, err = session.ExecuteWrite(ctx, func(m neo4j.ManagedTransaction) (any, error) {
			t = &tx{ctx: ctx, run: m, store: s, beforeAll: s.marks.of(all), metered: s.options.Quota != (Quota{}) && callers[name], began: began}
			if err := work(t); err != nil {
				return nil, err
			}
			if err := t.charge(); err != nil {
				return nil, err
			}
			return nil, t.admitted()
		}, neo4j.WithTxMetadata(writing))
		if !lostRace(err) && !errors.Is(err, errLostRace) {
			break
		}
	}
	if err == nil {
		s.marks.wrote(t.team, t.before, t.beforeAll, session.LastBookmarks())
	}
	if err == nil && t.retold {
		s.wake()
	}
	return translate(name, err)
}

// errLostRace reports that another writer was faster, and that the transaction must be tried again.
var errLostRace = fmt.Errorf("another writer was faster: %w", ErrConflict)

// lostRace reports whether another writer created the same key after the lookup, or deleted a node after the lookup
// and before the lock.
func lostRace(err error) bool {
	var db *neo4j.Neo4jError
	return errors.As(err, &db) &&
		(db.Code == "Neo.ClientError.Schema.ConstraintValidationFailed" || db.Code == "Neo.ClientError.Statement.EntityNotFound")
}

// tx runs statements in a write transaction.
type tx struct {
	ctx   context.Context //nolint:containedctx // lives as long as the callback it is made for
	run   neo4j.ManagedTransaction
	store *Store

	team              string          // the team of its statements
	before, beforeAll neo4j.Bookmarks // bookmarks of the team, and of all teams, when it began

	retold    bool   // texts were written that wait for their vectors
	metered   bool   // its data counts towards the quota
	added     amount // data added to the team
	elsewhere any    // characters that the team stores outside the graph; nil: unknown

	began  time.Time        // start of the work that it is part of
	given  []map[string]any // parameters of its statements
	erases bool             // it deletes other transactions' data
}

func (t *tx) exec(name string, params map[string]any) ([]*neo4j.Record, error) {
	return t.execQuery(t.store.queries[name], params)
}

func (t *tx) execQuery(q cypher.Query, params map[string]any) ([]*neo4j.Record, error) {
	if t.team == all {
		t.team = teamOf(params)
		t.before = t.store.marks.of(t.team)
	}
	t.given = append(t.given, params)
	if err := t.meter(q.Name, params); err != nil {
		return nil, err
	}
	text, params, err := q.Statement(params)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	_, end := t.store.options.Trace(t.ctx, q.Name)
	result, err := t.run.Run(t.ctx, text, params)
	var rows []*neo4j.Record
	if err == nil {
		rows, err = result.Collect(t.ctx)
	}
	t.store.options.Observe(q.Name, time.Since(start), err)
	end(err)
	return rows, err
}
