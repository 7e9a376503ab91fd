// Package neo runs statements in Neo4j: sessions, retries, bookmarks, and rows as Go values. It alone knows the driver's
// sessions. It knows nothing of what the statements are about.
package neo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"kith/cypher"
	"kith/internal/fault"
	"kith/internal/sleep"
)

// Connection has the address and login of Neo4j 5.26 or newer: a bolt:// or neo4j:// URI.
type Connection struct {
	URI, User, Password string
	Database            string // empty: the server's default database
}

// Options configures a DB.
type Options struct {
	Observe func(query string, took time.Duration, err error) // called after every statement; default: nothing
	Trace   Trace                                             // traces every statement; default: none
	IsKnown func(error) bool                                  // reports whether an error of work, see Write, is returned unchanged; default: never
}

// Trace is called when an operation begins, with its name but never its content. It returns a function to call when
// the operation ends.
type Trace func(ctx context.Context, name string) (context.Context, func(err error))

// NoTrace is a Trace that does nothing.
func NoTrace(ctx context.Context, _ string) (context.Context, func(error)) {
	return ctx, func(error) {}
}

// DB is a database of Neo4j. It is safe for concurrent use.
type DB struct {
	driver   neo4j.DriverWithContext
	from     Connection
	options  Options
	marks    *Bookmarks // nil if the database is not a cluster
	plans    *planning
	sessions atomic.Int64 // in use
	inDoubt  *inDoubt
}

const (
	connectTimeout = 5 * time.Second
	attempts       = 4
	retryPause     = 50 * time.Millisecond
	// MaxSessions is the maximum number of connections to the database.
	MaxSessions = 64
)

// Open returns a database. It does not connect yet. Close it when done.
func Open(c Connection, o Options) (*DB, error) {
	driver, err := c.driver(c.URI)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", errors.New("KITH_NEO4J_URI is not a usable bolt:// or neo4j:// address"))
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.Trace == nil {
		o.Trace = NoTrace
	}
	if o.IsKnown == nil {
		o.IsKnown = func(error) bool { return false }
	}
	d := &DB{driver: driver, from: c, options: o, marks: newBookmarks(c.URI), plans: newPlanning()}
	d.inDoubt = newInDoubt(d)
	return d, nil
}

// driver returns a driver for an address with the login of the connection.
func (c Connection) driver(uri string) (neo4j.DriverWithContext, error) {
	return neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(c.User, c.Password, ""), func(cfg *config.Config) {
		cfg.SocketConnectTimeout = connectTimeout
		cfg.ConnectionAcquisitionTimeout = 5 * time.Second
		cfg.MaxTransactionRetryTime = 5 * time.Second
		cfg.MaxConnectionPoolSize = MaxSessions
		cfg.TelemetryDisabled = true
		cfg.NotificationsMinSeverity = notifications.DisabledLevel // not used
	})
}

// Close releases the connections.
func (d *DB) Close(ctx context.Context) error {
	d.inDoubt.Close()
	d.plans.close()
	d.marks.close()
	return d.driver.Close(ctx)
}

// Bookmarks returns the bookmarks of the database; nil if it is not a cluster.
func (d *DB) Bookmarks() *Bookmarks { return d.marks }

// Sessions returns the number of sessions in use; at most MaxSessions can run something at the same time.
func (d *DB) Sessions() int64 { return d.sessions.Load() }

// Session returns a session that has a connection while it runs something. It reads on a member of the cluster that
// has reached the team's bookmarks, and writes on the leader. Its caller reads the rows in batches of fetch, and closes it.
func (d *DB) Session(ctx context.Context, mode neo4j.AccessMode, team string, fetch int) neo4j.SessionWithContext {
	var from neo4j.Bookmarks
	if mode == neo4j.AccessModeRead {
		from = d.marks.of(team)
	}
	return d.session(ctx, mode, from, fetch)
}

func (d *DB) session(ctx context.Context, mode neo4j.AccessMode, from neo4j.Bookmarks, fetch int) neo4j.SessionWithContext {
	d.sessions.Add(1)
	return session{d.driver.NewSession(ctx, neo4j.SessionConfig{
		AccessMode: mode, DatabaseName: d.from.Database, FetchSize: fetch, Bookmarks: from,
	}), d}
}

// session is counted until it is closed.
type session struct {
	neo4j.SessionWithContext
	db *DB
}

// Close closes the session and ends its count.
func (s session) Close(ctx context.Context) error {
	s.db.sessions.Add(-1)
	return s.SessionWithContext.Close(ctx)
}

// Read returns the rows of one statement in one round trip. It retries after a broken connection, because after a restart
// of the database the pool is full of them, and after transient errors, such as a member that leaves the cluster.
func (d *DB) Read(ctx context.Context, q cypher.Query, params map[string]any) ([][]any, error) {
	if !d.plans.has(q) {
		if err := d.plan(ctx, q, params); err != nil {
			return nil, Translate(q.Name, err)
		}
	}
	return d.readPlanned(ctx, q, params)
}

func (d *DB) readPlanned(ctx context.Context, q cypher.Query, params map[string]any) ([][]any, error) {
	var err error
	mode := neo4j.AccessModeRead
	for attempt := range attempts {
		if attempt > 0 && !sleep.For(ctx, retryPause<<attempt) {
			return nil, Translate(q.Name, ctx.Err())
		}
		var rows [][]any
		rows, err = d.readOnce(ctx, mode, q, params)
		if err == nil {
			return rows, nil
		}
		if isBehind(err) { // the driver may choose the same member again; the leader has all
			mode = neo4j.AccessModeWrite
		}
		if !d.passes(err) {
			break
		}
	}
	if ctx.Err() != nil { // the driver may report it as a connection error
		err = ctx.Err()
	}
	return nil, Translate(q.Name, err)
}

// plan returns when the database has planned a statement; see planning. It is apart from Read, as its closure costs allocations.
func (d *DB) plan(ctx context.Context, q cypher.Query, params map[string]any) error {
	return d.plans.await(ctx, q, func(ctx context.Context) error {
		_, err := d.readPlanned(ctx, q, params)
		return err
	})
}

// passes reports whether the same read may succeed in a moment, or on another member of a cluster: one that is behind may lack an
// index that a procedure uses. If the database does not know the bookmarks, it was replaced, and the bookmarks are dropped.
func (d *DB) passes(err error) bool {
	var db *neo4j.Neo4jError
	if errors.As(err, &db) && strings.HasPrefix(db.Code, "Neo.ClientError.Transaction.InvalidBookmark") {
		d.marks.forget()
		return true
	}
	return lostConnection(err) || db != nil && (db.IsRetriable() || db.Code == entityNotFound || d.marks != nil && db.Code == procedureFailed)
}

// lostConnection reports whether a connection broke, or could not be made. If all connections are in use for too long, the database is
// overloaded, and trying again would keep it so.
func lostConnection(err error) bool {
	var c *neo4j.ConnectivityError
	return errors.As(err, &c) && !strings.HasPrefix(c.Inner.Error(), "Timeout while waiting for connection") // no exported type
}

// isBehind reports whether a member of a cluster did not get in time what the reader has written or read before.
func isBehind(err error) bool {
	var db *neo4j.Neo4jError
	return errors.As(err, &db) && db.Code == "Neo.TransientError.Transaction.BookmarkTimeout"
}

func (d *DB) readOnce(ctx context.Context, mode neo4j.AccessMode, q cypher.Query, params map[string]any) ([][]any, error) {
	team := teamOf(params)
	from := d.marks.of(team)
	session := d.session(ctx, mode, from, neo4j.FetchAll)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	rows, err := d.runIn(ctx, session, q, params)
	if err == nil {
		d.marks.read(team, from, session.LastBookmarks())
	}
	return rows, err
}

// Leader returns a reader of statements that have to see every commit: in a cluster they run on the leader.
func (d *DB) Leader() Reader { return leader{d, func(neo4j.Bookmarks) {}} }

type leader struct {
	db   *DB
	seen func(neo4j.Bookmarks) // called with the bookmarks of each read
}

// Read returns the rows of a statement.
func (l leader) Read(ctx context.Context, q cypher.Query, params map[string]any) ([][]any, error) {
	session := l.db.session(ctx, neo4j.AccessModeWrite, nil, neo4j.FetchAll)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	rows, err := l.db.runIn(ctx, session, q, params)
	if err == nil {
		l.seen(session.LastBookmarks())
	}
	return rows, Translate(q.Name, err)
}

// runIn runs a statement in a transaction of its own.
func (d *DB) runIn(ctx context.Context, s neo4j.SessionWithContext, q cypher.Query, params map[string]any) ([][]any, error) {
	return d.observed(ctx, q, params, func(ctx context.Context, text string, params map[string]any) (neo4j.ResultWithContext, error) {
		return s.Run(ctx, text, params, neo4j.WithTxMetadata(Metadata(q.Name)))
	})
}

// unobserved is the key of Unobserved.
type unobserved struct{}

// Unobserved returns a context whose statements are not reported to Observe. A statement that is run only to be planned says nothing
// about how long callers wait.
func Unobserved(ctx context.Context) context.Context {
	return context.WithValue(ctx, unobserved{}, true)
}

// observed runs a statement and reports it to Observe and Trace.
func (d *DB) observed(ctx context.Context, q cypher.Query, params map[string]any,
	run func(ctx context.Context, text string, params map[string]any) (neo4j.ResultWithContext, error)) ([][]any, error) {
	text, params, err := q.Statement(params)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	ctx, end := d.options.Trace(ctx, q.Name)
	result, err := run(ctx, text, params)
	var rows [][]any
	if err == nil {
		rows, err = collect(ctx, result)
	}
	if ctx.Value(unobserved{}) == nil {
		d.options.Observe(q.Name, time.Since(start), err)
	}
	end(err)
	if ctx.Err() == nil { // the driver may report a caller that gave up as a broken connection
		d.plans.see(err)
	}
	return rows, err
}

func collect(ctx context.Context, result neo4j.ResultWithContext) (rows [][]any, err error) {
	for result.Next(ctx) {
		rows = append(rows, result.Record().Values)
	}
	return rows, result.Err()
}

// Trace reports the start of an operation that is not one statement of package cypher. The caller must call end.
func (d *DB) Trace(ctx context.Context, name string) (_ context.Context, end func(err error)) {
	return d.options.Trace(ctx, name)
}

// Observe reports the end of such an operation.
func (d *DB) Observe(name string, took time.Duration, err error) { d.options.Observe(name, took, err) }

// Metadata names the statement file of a transaction in Neo4j's query log.
func Metadata(query string) map[string]any {
	return map[string]any{"app": "kith", "query": query}
}

// ErrRace reports that another writer was faster, and that Write must try the work again.
var ErrRace = fmt.Errorf("another writer was faster: %w", fault.ErrConflict)

// Write runs one write transaction and returns when it is committed. It may call work again after a transient error or
// ErrRace. In a cluster the leader writes, which needs no bookmarks. An error that wraps ErrInDoubt means that the commit was not answered:
// the transaction may be committed all the same; see Tx.Settle. After every other error it is not.
func (d *DB) Write(ctx context.Context, name string, work func(*Tx) error) error {
	session := d.session(ctx, neo4j.AccessModeWrite, nil, neo4j.FetchAll)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	writing := Metadata(name)
	id := uuid.NewString()
	writing["writes"], writing["id"] = true, id // an erasure waits for these
	var (
		t     *Tx
		err   error
		doubt bool // an attempt may be committed
	)
	for again := (retries{began: time.Now()}); ; {
		var sent bool
		sent, err = attempt(ctx, session, writing, func(m neo4j.ExplicitTransaction) error {
			t = &Tx{ctx: ctx, run: m, db: d, id: id, beforeAll: d.marks.of(all)}
			return work(t)
		})
		doubt = doubt || sent && err != nil && isUnclear(err)
		if err == nil || !again.next(ctx, sent, err) {
			break
		}
	}
	switch {
	case err == nil:
		d.marks.wrote(t.team, t.before, t.beforeAll, session.LastBookmarks())
		return nil
	case doubt:
		return fmt.Errorf("%w: %w", Translate(name, withReason(ctx, err)), ErrInDoubt)
	case d.options.IsKnown(err):
		return err
	}
	return Translate(name, withReason(ctx, err))
}

// withReason adds to an error that the caller has given up, which the driver may report as a broken connection.
func withReason(ctx context.Context, err error) error {
	if known(err) || ctx.Err() == nil {
		return err
	}
	return errors.Join(err, ctx.Err())
}

// lostRace reports whether another writer created the same key after the lookup, or deleted a node after the lookup
// and before the lock.
func lostRace(err error) bool {
	var db *neo4j.Neo4jError
	return errors.As(err, &db) && (db.Code == constraintFailed || db.Code == entityNotFound)
}

// Tx runs statements in a write transaction.
type Tx struct {
	ctx context.Context //nolint:containedctx // lives as long as the callback it is made for
	run neo4j.ExplicitTransaction
	db  *DB
	id  string // of all attempts, see DB.Writers

	team              string          // the team of its statements
	before, beforeAll neo4j.Bookmarks // bookmarks of the team, and of all teams, when it began
}

// Team returns the team of the transaction, the first one among the parameters of its statements; empty before that.
func (t *Tx) Team() string { return t.team }

// Exec returns the rows of a statement in the transaction.
func (t *Tx) Exec(q cypher.Query, params map[string]any) ([][]any, error) {
	if t.team == all {
		t.team = teamOf(params)
		t.before = t.db.marks.of(t.team)
	}
	return t.db.observed(t.ctx, q, params, func(ctx context.Context, text string, params map[string]any) (neo4j.ResultWithContext, error) {
		return t.run.Run(ctx, text, params)
	})
}

// Schema runs one statement that changes the schema, and again after a deadlock with another process. If the other
// process was first, in spite of IF NOT EXISTS, that is not an error.
func (d *DB) Schema(ctx context.Context, name, statement string) error {
	session := d.session(ctx, neo4j.AccessModeWrite, nil, neo4j.FetchAll)
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	_, err := session.ExecuteWrite(ctx, func(t neo4j.ManagedTransaction) (any, error) {
		result, err := t.Run(ctx, cypher.Language+statement, nil)
		if err == nil {
			_, err = result.Consume(ctx)
		}
		return nil, err
	})
	var db *neo4j.Neo4jError
	if errors.As(err, &db) && db.Code == "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists" {
		return nil
	}
	if err == nil {
		d.marks.wrote(all, nil, nil, session.LastBookmarks())
	}
	return Translate("schema "+name, err)
}
