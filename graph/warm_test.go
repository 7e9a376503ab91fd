package graph_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/statement"
	"kith/memory/traverse"
	"kith/tests/graphtest"
)

// TestWarm checks that the warm-up sends each statement of the most frequent writes and walks, and stores nothing.
func TestWarm(t *testing.T) {
	t.Parallel()
	var (
		mu      sync.Mutex
		sent    = map[string]bool{}
		changes int
	)
	e := &env{graphtest.AloneWith(t, graph.Options{
		Observe: func(query string, _ time.Duration, _ error) {
			mu.Lock()
			defer mu.Unlock()
			sent[query] = true
		},
		Changed: func(context.Context, graph.Change) { changes++ },
		Said:    statement.Listener(),
	})}
	schema := `SHOW INDEXES YIELD name RETURN collect(name)`
	before := e.Raw(schema)
	walks := e.walks()
	defer walks.Close()
	if err := errors.Join(e.Store.Warm(t.Context()), statement.Warm(t.Context(), e.Store), walks.Warm(t.Context())); err != nil {
		t.Fatal(err)
	}
	e.Same("what is stored, and reported as changed", []any{int64(0), 0}, []any{e.Raw(`MATCH (n) WHERE n.team_id STARTS WITH 'warm-up' RETURN count(n)`)[0][0], changes})
	e.Same("indexes", before, e.Raw(schema))
	mu.Lock()
	warmed := sent
	sent = map[string]bool{}
	mu.Unlock()

	e.Write("u", []graph.NodeWrite{{Kind: "person", EntityKey: "a", Name: graph.Some("Ada")}, {Kind: "concept", EntityKey: "b", Name: graph.Some("calm")}},
		graph.RelationshipWrite{From: "a", To: "b", Type: "relates_to"})
	if _, err := e.Store.WriteSource(t.Context(), e.As("u"), &graph.SourceWrite{EntityKey: "talk"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it is said again
		if _, err := e.Store.AppendMessages(t.Context(), e.As("u"), "talk", []graph.MessageWrite{{Role: "user", Text: "I always prefer coffee."}}); err != nil {
			t.Fatal(err)
		}
	}
	walk := &traverse.Request{UserID: "u", Mode: traverse.Neighbors, EntityKey: "a"}
	if _, _, err := traverse.New(walks, func(traverse.Mode, traverse.Outcome) {}).Traverse(t.Context(), e.As("u"), walk); err != nil {
		t.Fatal(err)
	}
	if !sent["node_create"] || !sent["relationship_create"] || !sent["message_append"] || !sent["statement_change"] || !sent["walk_neighbors"] {
		t.Errorf("only %v were sent", sent)
	}
	for name := range sent {
		if !warmed[name] {
			t.Errorf("%s is not planned", name)
		}
	}
}
