// Package preference keeps users' preferences in PostgreSQL, for those who want them there and not in the graph. It does
// what the same methods of graph.Store do, under the same rules, which are graph's: this package has none of its own.
// It knows nothing of HTTP, contexts or caches, and copies nothing from one store to the other.
package preference

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"kith/graph"
)

// Options are what a store may be given besides its address.
type Options struct {
	Now     func() time.Time                                  // default time.Now
	Observe func(query string, took time.Duration, err error) // called after every read and every transaction
}

// Store is users' preferences in a PostgreSQL database with the encoding UTF8. It is safe for concurrent use, also by
// several Kiths.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	admit   func(ctx context.Context, scope graph.Scope) error // nil: any write may be committed
}

// Guard has every replacement ask, before its commit, whether it may be made: nobody is to write for a user who was erased
// meanwhile. Call it before the first write.
func (s *Store) Guard(admit func(ctx context.Context, scope graph.Scope) error) { s.admit = admit }

const (
	maxConnections = 16
	connectTimeout = 3 * time.Second
	timeout        = 10 * time.Second // of a read or a transaction, where the caller has none that is shorter
)

var errAddress = errors.New("open preferences: KITH_POSTGRES_URI is not a usable postgres:// address")

// Open makes a store; it does not connect yet. Close it when done. Its error does not repeat the address, which holds a
// password.
func Open(ctx context.Context, uri string, o Options) (*Store, error) {
	if !strings.HasPrefix(uri, "postgres://") && !strings.HasPrefix(uri, "postgresql://") { // pgx takes almost anything for a setting
		return nil, errAddress
	}
	config, err := pgxpool.ParseConfig(uri)
	if err != nil {
		return nil, errAddress
	}
	config.MaxConns = maxConnections
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.RuntimeParams["application_name"] = "kith"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errAddress
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Observe == nil {
		o.Observe = func(string, time.Duration, error) {}
	}
	return &Store{pool: pool, options: o}, nil
}

// Close releases the connections, and waits until those in use are given back.
func (s *Store) Close() { s.pool.Close() }

// now is the store's clock, in the precision of times in the graph.
func (s *Store) now() time.Time { return s.options.Now().UTC().Truncate(time.Millisecond) }

// list runs a statement that only reads, and makes something of each row. It is run again, on a new connection, when
// that of the pool turns out to be broken: after a restart of PostgreSQL all of them are.
func list[T any](ctx context.Context, s *Store, name, statement string, of pgx.RowToFunc[T], args ...any) (found []T, err error) {
	read := func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, statement, args...)
		if err == nil {
			found, err = pgx.CollectRows(rows, of)
		}
		return err
	}
	return found, s.run(ctx, name, read, brokenConnection)
}

// transaction runs work in one transaction. It is run again on a broken connection when nothing of it can have been
// stored: when it had not come to its end.
func (s *Store) transaction(ctx context.Context, name string, work func(context.Context, pgx.Tx) error) error {
	committing := false
	attempt := func(ctx context.Context) error {
		committing = false
		// Each statement sees what was committed before it began: what follows a lock sees what the lock waited for.
		return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			err := work(ctx, tx)
			committing = err == nil
			return err
		})
	}
	return s.run(ctx, name, attempt, func(err error) bool { return !committing && brokenConnection(err) })
}

// run makes an attempt, and another one where again says that it helps, all within the time that a call may take.
func (s *Store) run(ctx context.Context, name string, attempt func(context.Context) error, again func(error) bool) error {
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
