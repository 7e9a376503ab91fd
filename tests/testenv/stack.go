package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Timeouts. Starting includes fetching an image, or the jars of the embedded Neo4j.
const (
	pingTimeout  = 2 * time.Second
	startTimeout = 5 * time.Minute
	redisTimeout = 20 * time.Second // a local or a given one
	neo4jTimeout = 30 * time.Second // a given one; also PostgreSQL
	stopTimeout  = time.Minute
)

// Stack is one Neo4j, one Redis and one PostgreSQL, each started at its first use. The zero value is ready for
// concurrent use.
type Stack struct {
	neo4j    lazy[Database]
	redis    lazy[string]
	postgres lazy[string]
}

// Neo4j returns the Neo4j of the stack. An error has the reasons of every attempt.
func (s *Stack) Neo4j(ctx context.Context) (Database, error) {
	return s.neo4j.get(ctx, func(ctx context.Context) (source[Database], error) {
		if db, ok := givenNeo4j(os.LookupEnv); ok {
			return checkGiven(ctx, "KITH_TEST_NEO4J_URI", db, neo4jTimeout, pingNeo4j)
		}
		return anyWay(ctx, "Neo4j",
			func(ctx context.Context) (source[Database], error) { return neo4jContainer(ctx, anyPort) },
			func(ctx context.Context) (source[Database], error) { return neo4jEmbedded(ctx) })
	})
}

// Redis returns the URI of the Redis of the stack. An error has the reasons of every attempt.
func (s *Stack) Redis(ctx context.Context) (string, error) {
	return s.redis.get(ctx, func(ctx context.Context) (source[string], error) {
		if uri := os.Getenv("KITH_TEST_REDIS_URI"); uri != "" {
			return checkGiven(ctx, "KITH_TEST_REDIS_URI", uri, redisTimeout, pingRedis)
		}
		return anyWay(ctx, "Redis",
			func(ctx context.Context) (source[string], error) { return redisContainer(ctx, anyPort) },
			redisProcess)
	})
}

// Postgres returns the URI of the PostgreSQL of the stack. An error has the reasons of every attempt.
func (s *Stack) Postgres(ctx context.Context) (string, error) {
	return s.postgres.get(ctx, func(ctx context.Context) (source[string], error) {
		if uri := os.Getenv("KITH_TEST_POSTGRES_URI"); uri != "" {
			return checkGiven(ctx, "KITH_TEST_POSTGRES_URI", uri, neo4jTimeout, pingPostgres)
		}
		return anyWay(ctx, "PostgreSQL",
			func(ctx context.Context) (source[string], error) { return postgresContainer(ctx, anyPort) },
			postgresProcess)
	})
}

// Start starts all servers, and returns when all answer.
func (s *Stack) Start(ctx context.Context) error {
	others := make(chan error, 2)
	for _, start := range []func(context.Context) (string, error){s.Redis, s.Postgres} {
		go func() {
			_, err := start(ctx)
			others <- err
		}()
	}
	_, err := s.Neo4j(ctx)
	return errors.Join(err, <-others, <-others)
}

// Environ returns the variables, as NAME=VALUE, by which other processes find the servers of a started stack.
func (s *Stack) Environ() []string {
	db := s.neo4j.got.value
	return []string{
		"KITH_TEST_NEO4J_URI=" + db.URI,
		"KITH_TEST_NEO4J_USER=" + db.User,
		"KITH_TEST_NEO4J_PASSWORD=" + db.Password,
		"KITH_TEST_NEO4J_DATABASE=" + db.Database,
		"KITH_TEST_REDIS_URI=" + s.redis.got.value,
		"KITH_TEST_POSTGRES_URI=" + s.postgres.got.value,
	}
}

// String returns the origins of a started stack's servers in one line, without secrets.
func (s *Stack) String() string {
	return fmt.Sprintf("Neo4j: %s in %.1f s; Redis: %s in %.1f s; PostgreSQL: %s in %.1f s",
		s.neo4j.got.way, s.neo4j.took.Seconds(), s.redis.got.way, s.redis.took.Seconds(), s.postgres.got.way, s.postgres.took.Seconds())
}

// Close stops the started servers. A closed stack starts nothing more.
func (s *Stack) Close(ctx context.Context) error {
	return errors.Join(s.neo4j.close(ctx), s.redis.close(ctx), s.postgres.close(ctx))
}

// source is a server that answers: its address, its origin, and how to stop it.
type source[T any] struct {
	value  T
	way    string
	server server // nil: not started by us
}

// server is a server that we run. After start, also after stop, it answers at the same address.
type server interface {
	start(ctx context.Context) error
	stop(ctx context.Context) error
	close(ctx context.Context) error // stops it and removes its data
}

// lazy holds a source that is started once, and whose failure is final.
type lazy[T any] struct {
	mu   sync.Mutex
	done bool
	got  source[T]
	took time.Duration
	err  error
}

var errClosed = errors.New("the servers of this run are stopped already")

func (l *lazy[T]) get(ctx context.Context, seek func(context.Context) (source[T], error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done {
		ctx, cancel := context.WithTimeout(ctx, 2*startTimeout) // each attempt has its own timeout within
		defer cancel()
		begin := time.Now()
		l.got, l.err = seek(ctx)
		l.took, l.done = time.Since(begin), true
	}
	return l.got.value, l.err
}

func (l *lazy[T]) close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.got.server
	l.done, l.got.server, l.err = true, nil, errClosed
	if s == nil {
		return nil
	}
	return s.close(ctx)
}
