package graph_test

import (
	"context"
	"errors"
	"testing"

	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/fault"
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
