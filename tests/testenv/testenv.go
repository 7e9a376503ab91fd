// Package testenv gives tests the databases that Kith runs on. It is linked by tests and by its own runner
// (tests/testenv/run), never by Kith itself.
//
// It takes a database from the first available of:
//
//   - the one that KITH_TEST_NEO4J_URI (with _USER, _PASSWORD, _DATABASE), KITH_TEST_REDIS_URI or
//     KITH_TEST_POSTGRES_URI names. The runner sets these, so that all packages of one run share one server;
//   - a container of the official image, where a Docker engine answers;
//   - a local process: the embedded Neo4j (Java and Maven), the redis-server on the PATH, the initdb and postgres on the
//     PATH or where Debian has them.
//
// KITH_TEST_WITH=containers or KITH_TEST_WITH=local allows only that one of the last two. Where none can be had the
// test fails and says why for each: nothing is skipped.
//
// Shared servers start when the first test asks for them, and Main stops them; tests keep apart by working in a team
// of their own (Team). Tests that take a server down start one for themselves (StartNeo4j, StartRedis, StartPostgres).
package testenv

import (
	"cmp"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// shared holds the servers of this process. It is the only package-level state: tests of a package share nothing but
// their process, and Main ends it.
var shared struct {
	stack   Stack
	hasMain atomic.Bool
}

// DrawHistories has each property of a package checked with twenty random histories instead of rapid's hundred, as each runs on the database.
// KITH_TEST_CHECKS or -rapid.checks has more checked. TestMain calls it before Main.
func DrawHistories() {
	if err := flag.Set("rapid.checks", cmp.Or(os.Getenv("KITH_TEST_CHECKS"), "20")); err != nil {
		panic("testenv: " + err.Error())
	}
}

// Main runs the tests of a package, stops what testenv started for them, and exits: with the code of the tests, or
// with 1 when goroutines are left over or a server could not be stopped. Every package that uses testenv calls it:
//
//	func TestMain(m *testing.M) { testenv.Main(m) }
func Main(m *testing.M) {
	shared.hasMain.Store(true)
	stopWatching := closeOnSignal(&shared.stack)
	code := m.Run()
	stopWatching()
	if err := closeBounded(&shared.stack); err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		code = max(code, 1)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "testenv: goroutines left over:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// closeOnSignal stops the servers when the tests are interrupted. It returns a function that ends the watch, and
// returns when the watching goroutine has ended.
func closeOnSignal(s *Stack) func() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if sig, ok := <-signals; ok {
			if err := closeBounded(s); err != nil {
				fmt.Fprintln(os.Stderr, "testenv:", err)
			}
			os.Exit(exitCode(sig))
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
		<-done
	}
}

func exitCode(sig os.Signal) int {
	if s, ok := sig.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 1
}

func closeBounded(s *Stack) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return s.Close(ctx)
}

// Database holds the address and login of a Neo4j database.
type Database struct{ URI, User, Password, Database string }

// Neo4j returns the Neo4j that all tests of the run share, ready to answer.
func Neo4j(t testing.TB) Database {
	t.Helper()
	needMain(t)
	db, err := shared.stack.Neo4j(t.Context())
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return db
}

// Redis returns the URI (redis://…, with password) of the Redis that all tests of the run share, ready to answer.
func Redis(t testing.TB) string {
	t.Helper()
	needMain(t)
	uri, err := shared.stack.Redis(t.Context())
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return uri
}

// Postgres returns the URI (postgres://…, with password) of a database of the PostgreSQL that all tests of the run share,
// ready to answer. The database has the encoding UTF8 and sorts as a language does.
func Postgres(t testing.TB) string {
	t.Helper()
	needMain(t)
	uri, err := shared.stack.Postgres(t.Context())
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return uri
}

// needMain fails the test if Main does not run, as then nothing would stop the shared servers.
func needMain(t testing.TB) {
	t.Helper()
	if !shared.hasMain.Load() {
		t.Fatal("testenv: this package lacks: func TestMain(m *testing.M) { testenv.Main(m) }")
	}
}

// Team returns a unique team id: "t-", a part of the test's name, and 8 random characters. It has at most 40 characters
// of a-z, 0-9 and "-".
func Team(t testing.TB) string {
	t.Helper()
	name := strings.TrimPrefix(strings.TrimPrefix(t.Name(), "Test"), "Benchmark")
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	name = strings.Trim(name[:min(len(name), 28)], "-")
	return "t-" + name + "-" + strings.ToLower(rand.Text()[:8])
}
