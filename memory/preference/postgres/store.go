// Package postgres stores users' preferences in PostgreSQL, under the same rules as preference.Store in the graph.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kith/graph"
	"kith/internal/indoubt"
	"kith/memory/preference"
)

// Options configure a store.
type Options struct {
	Now     func() time.Time                                  // default time.Now
	Observe func(query string, took time.Duration, err error) // called after every read and every transaction
	Changed func(ctx context.Context, c graph.Change)         // called after every commit that happened, or may have happened, before the write returns

	Committing func(c graph.Change) (ended func()) // called before every commit; ended is called after it and after Changed, before the write returns
	InDoubt    func(c graph.Change) (ended func()) // called before ended if the commit was not answered; its ended is called when it is over and after another Changed

	KeepHistory time.Duration // how long replaced and deleted values are kept; default 400 days
}

// Store holds users' preferences in a PostgreSQL database with the encoding UTF8. It is safe for concurrent use, also
// by several instances.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	inDoubt *indoubt.Settler                                                          // of commits that were not answered
	admit   func(ctx context.Context, team, user string) error                        // nil: any write may be committed
	report  func(ctx context.Context, team string, changes []preference.Change) error // nil: there is no feed of changes
}

// Guard makes every replacement call admit before its commit, so that nothing is written for a user who was erased
// meanwhile. Call it before the first write.
func (s *Store) Guard(admit func(ctx context.Context, team, user string) error) { s.admit = admit }

const (
	maxConnections = 16
	connectTimeout = 3 * time.Second
	timeout        = 10 * time.Second // of a read or a transaction, unless the caller's is shorter
)

var errAddress = errors.New("open preferences: KITH_POSTGRES_URI must be a valid postgres:// address")

// Open returns a store. It does not connect yet. Close it after use. Its error does not contain the address, which
// has a password.
func Open(ctx context.Context, uri string, o Options) (*Store, error) {
	if !strings.HasPrefix(uri, "postgres://") && !strings.HasPrefix(uri, "postgresql://") { // pgx accepts almost anything as a setting
		return nil, errAddress
	}
	config, err := pgxpool.ParseConfig(uri)
	if err != nil {
		return nil, errAddress
	}
	config.MaxConns = maxConnections
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.RuntimeParams["application_name"] = application
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errAddress
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.KeepHistory == 0 {
		o.KeepHistory = 400 * 24 * time.Hour
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	if o.Changed == nil {
		o.Changed = func(context.Context, graph.Change) {}
	}
	if o.Committing == nil {
		o.Committing = func(graph.Change) (ended func()) { return func() {} }
	}
	if o.InDoubt == nil {
		o.InDoubt = func(graph.Change) (ended func()) { return func() {} }
	}
	s := &Store{pool: pool, options: o}
	s.inDoubt = indoubt.New(s.openTransactions)
	return s, nil
}

// Close closes the connections after those in use have been released.
func (s *Store) Close() {
	s.inDoubt.Close()
	s.pool.Close()
}

// application is the name of connections. That of a write transaction has its id too.
const application = "kith"

// openTransactions returns the ids of the open write transactions of all processes.
func (s *Store) openTransactions(ctx context.Context) ([]string, error) {
	return queryRows(ctx, s, "preference_open", `SELECT substr(application_name, length($1::text) + 2) FROM pg_stat_activity
		WHERE datname = current_database() AND starts_with(application_name, $1::text || ' ') AND xact_start IS NOT NULL`, pgx.RowTo[string], application)
}

// now returns the current time, in the precision of times in the graph.
func (s *Store) now() time.Time { return s.options.Now().UTC().Truncate(time.Millisecond) }

// queryRows runs a reading statement and converts each row with scan. It tries again on a new connection when the
// connection of the pool was broken: after a restart of PostgreSQL all of them are.
func queryRows[T any](ctx context.Context, s *Store, name, statement string, scan pgx.RowToFunc[T], args ...any) (values []T, err error) {
	read := func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, statement, args...)
		if err == nil {
			values, err = pgx.CollectRows(rows, scan)
		}
		return err
	}
	return values, s.runWithRetry(ctx, name, read, isBrokenConnection)
}

// transaction runs work in one transaction. It tries again after a broken connection if nothing can have been stored,
// that is, before the commit.
func (s *Store) transaction(ctx context.Context, scope graph.Scope, name string, work func(context.Context, pgx.Tx) error) error {
	id, committing := uuid.NewString(), false
	change := graph.Change{Team: scope.TeamID, Users: []string{scope.UserID}, Contexts: true}
	var ended []func() // of the attempts that were about to commit
	defer func() {
		for _, end := range ended {
			end()
		}
	}()
	attempt := func(ctx context.Context) error {
		committing = false
		// Each statement sees what was committed before it began, so a statement after a lock sees what the lock waited for.
		begin := "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL application_name = '" + application + " " + id + "'"
		return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: begin}, func(tx pgx.Tx) error {
			err := work(ctx, tx)
			if committing = err == nil; committing && scope.TeamID != "" {
				ended = append(ended, s.options.Committing(change))
			}
			return err
		})
	}
	var cause error
	err := s.runWithRetry(ctx, name, func(ctx context.Context) error {
		cause = attempt(ctx)
		return cause
	}, func(err error) bool { return !committing && isBrokenConnection(err) })
	if len(ended) == 0 {
		return err
	}
	s.options.Changed(ctx, change)
	if committing && isUnclear(cause) {
		settled := s.options.InDoubt(change)
		s.inDoubt.Await(id, func() { //nolint:contextcheck // it outlives the request
			s.options.Changed(context.WithoutCancel(ctx), change)
			settled()
		})
		err = fmt.Errorf("%w: %w", err, graph.ErrInDoubt)
	}
	return err
}

// runWithRetry makes an attempt, and a second one if again reports that it can help, within the time of one call.
func (s *Store) runWithRetry(ctx context.Context, name string, attempt func(context.Context) error, again func(error) bool) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	err := attempt(ctx)
	if again(err) {
		s.pool.Reset()
		err = attempt(ctx)
	}
	s.options.Observe(name, time.Since(start), err)
	return translate(name, err)
}
