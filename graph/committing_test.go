package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"kith/cypher"
	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// Listeners are called before a commit, after it, and at the end, and not for a write that is refused.
func TestListenersOfACommit(t *testing.T) {
	t.Parallel()
	var (
		e      *env
		called []any
	)
	stored := func() any { return e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'a'}) RETURN count(n)`)[0][0] }
	e = &env{graphtest.AloneWith(t, graph.Options{
		Committing: func(c graph.Change) func() {
			if e == nil { // while it migrates
				return func() {}
			}
			called = append(called, "committing", c.Users[0], stored())
			return func() { called = append(called, "ended") }
		},
		Changed: func(_ context.Context, c graph.Change) {
			if e != nil {
				called = append(called, "changed", c.Users[0], stored())
			}
		},
	})}
	w := &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "a", func(w *graph.NodeWrite) { w.Name, w.IfVersion = graph.Some("A"), graph.Some(int64(0)) })}, Strict: true}
	if _, err := e.Store.Write(t.Context(), e.As("u"), w); err != nil {
		t.Fatal(err)
	}
	e.Same("calls", []any{"committing", "u", int64(0), "changed", "u", int64(1), "ended"}, called)
	if _, err := e.Store.Write(t.Context(), e.As("u"), w); !errors.Is(err, fault.ErrConflict) {
		t.Fatalf("the second write: %v", err)
	}
	e.Same("number of calls", 7, len(called))
}

// The network holds a commit back until the caller has given up, and delivers it later. The listeners are called again after that, also
// while another transaction is open that began before.
func TestACommitInDoubt(t *testing.T) {
	direct := fresh(t)
	db := testenv.Neo4j(t)
	gate := testenv.NewGate(t, db.URI)
	db.URI = gate.URI
	ctx, giveUp := context.WithCancel(t.Context())
	calls, release := make(chan string, 10), func() {}
	e := &env{graphtest.Open(t, db, graph.Options{
		Committing: func(graph.Change) func() {
			calls <- "committing"
			release = gate.Hold()
			time.AfterFunc(500*time.Millisecond, giveUp)
			return func() { calls <- "ended" }
		},
		Changed: func(context.Context, graph.Change) { calls <- "changed" },
		InDoubt: func(c graph.Change) func() {
			calls <- "in doubt of " + c.Users[0]
			return func() { calls <- "settled" }
		},
	})}
	e.Team = direct.Team
	stored := func() any {
		return direct.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'a'}) RETURN count(n)`)[0][0]
	}
	next := func() string {
		select {
		case call := <-calls:
			return call
		case <-time.After(20 * time.Second):
			return "none"
		}
	}
	defer openTransaction(t, direct, e.Team+" other")()
	_, err := e.Store.Write(ctx, e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", "a", 0.5)}})
	if !errors.Is(err, graph.ErrInDoubt) || !errors.Is(err, context.Canceled) {
		t.Fatalf("a commit without an answer: %v", err)
	}
	for _, want := range []string{"committing", "changed", "in doubt of u", "ended"} {
		e.Same("call", want, next())
	}
	select {
	case call := <-calls:
		t.Errorf("%s before the commit", call)
	case <-time.After(500 * time.Millisecond):
	}
	e.Same("stored before the commit", int64(0), stored())
	release()
	e.Same("call", "changed", next())
	e.Same("stored then", int64(1), stored())
	e.Same("call", "settled", next())
}

// openTransaction begins a write transaction, which locks the feed of a team until end is called.
func openTransaction(t *testing.T, e *env, team string) (end func()) {
	t.Helper()
	began, ending, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- e.Store.Transaction(e.Context(), "system_write", func(tx *graph.Tx) error {
			_, err := tx.Exec(cypher.Load("feed_lock"), map[string]any{"team_id": team})
			close(began)
			<-ending
			return err
		})
	}()
	<-began
	return func() {
		close(ending)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// After a commit in doubt is settled in a cluster, reads of its team wait for all that the leader had then.
func TestSettledInACluster(t *testing.T) {
	t.Parallel()
	db := testenv.Neo4j(t)
	db.URI = strings.Replace(db.URI, "bolt://", "neo4j://", 1)
	ctx, giveUp := context.WithCancel(t.Context())
	settled := make(chan struct{})
	e := open(t, db, graph.Options{
		Committing: func(graph.Change) func() { giveUp(); return func() {} },
		InDoubt:    func(graph.Change) func() { return func() { close(settled) } },
	})
	if _, err := e.Store.Write(ctx, e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", "a", 0.5)}}); !errors.Is(err, graph.ErrInDoubt) {
		t.Fatalf("a commit without an answer: %v", err)
	}
	e.Same("bookmarks before", "", e.mark())
	<-settled
	if !strings.HasPrefix(e.mark(), "FB:") {
		t.Errorf("bookmarks then: %q", e.mark())
	}
}
