package embedded

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"go.uber.org/goleak"
)

// helperDir names the data folder on which this binary, run again, is the process that gets killed.
const helperDir = "KITH_EMBEDDED_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		helper(dir)
	}
	goleak.VerifyTestMain(m)
}

// helper starts a Neo4j, writes to it, says so, and stays until it is killed.
func helper(dir string) {
	if err := startAndWrite(dir); err != nil {
		fmt.Println("failed", err)
	} else {
		_, _ = io.Copy(io.Discard, os.Stdin) // the test holds the other end
	}
	os.Exit(1)
}

func startAndWrite(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s, err := Start(ctx, Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = run(ctx, s.Endpoint(), "CREATE (:Test {by: 'helper'})")
	}
	if err == nil {
		fmt.Println("ready", s.PID())
	}
	return err
}

// run runs a statement on a driver of its own and returns the rows.
func run(ctx context.Context, e Endpoint, statement string) ([]*neo4j.Record, error) {
	driver, err := neo4j.NewDriverWithContext(e.URI, neo4j.BasicAuth(e.User, e.Password, ""))
	if err != nil {
		return nil, err
	}
	defer func() { _ = driver.Close(ctx) }()
	result, err := neo4j.ExecuteQuery(ctx, driver, statement, nil, neo4j.EagerResultTransformer)
	if err != nil {
		return nil, err
	}
	return result.Records, nil
}

func mustRun(t *testing.T, e Endpoint, statement string) {
	t.Helper()
	if _, err := run(t.Context(), e, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// wantWritten fails unless exactly one node was written by the given name.
func wantWritten(t *testing.T, e Endpoint, by string) {
	t.Helper()
	rows, err := run(t.Context(), e, "MATCH (n:Test {by: '"+by+"'}) RETURN count(n)")
	if err != nil {
		t.Fatal(err)
	}
	if got := rows[0].Values[0].(int64); got != 1 {
		t.Fatalf("found %d nodes by %s; want the acknowledged one", got, by)
	}
}

// begin starts a Neo4j that the test stops at its end.
func begin(t *testing.T, o Options) *Server {
	t.Helper()
	began := time.Now()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started after %v", time.Since(began).Round(10*time.Millisecond))
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	began := time.Now()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	t.Logf("stopped after %v", time.Since(began).Round(10*time.Millisecond))
}

// processes returns the ids of the processes that run a Neo4j on the folder.
func processes(t *testing.T, dir string) (pids []int) {
	t.Helper()
	f, err := existingFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(entries) == 0 {
		t.Skip("this system has no /proc")
	}
	for _, entry := range entries {
		var pid int
		_, _ = fmt.Sscan(filepath.Base(entry), &pid)
		if id, alive := inspect(pid); alive && id.runsOn(f.home()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits until what holds.
func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for !holds() {
		if !wait(ctx, 50*time.Millisecond) {
			t.Fatalf("after %v still not: %s", within, what)
		}
	}
}

// wantNoSecret fails when a file of the folder, but the one for it, or the command line of the process has the password.
func wantNoSecret(t *testing.T, s *Server) {
	t.Helper()
	secret := s.Endpoint().Password
	if id, _ := inspect(s.PID()); id.command == "" || strings.Contains(id.command, secret) {
		t.Errorf("command line %q is empty or has the password", id.command)
	}
	var looked int
	err := filepath.WalkDir(string(s.folder), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == s.folder.auth() {
			return nil // files come and go while Neo4j runs
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), secret) {
			t.Errorf("%s has the password", path)
		}
		looked++
		return nil
	})
	if err != nil || looked < 10 {
		t.Errorf("looked into %d files (%v)", looked, err)
	}
}
