package bench

import (
	"testing"

	"kith/graph"
	"kith/tests/testenv"
)

// The first write for a user, which creates the user's person, takes as many round trips as any other. So does a source whose mention
// activates a candidate.
func TestWriteRoundTrips(t *testing.T) {
	db := testenv.Neo4j(t)
	wire := countRoundTrips(t, db.URI)
	db.URI = wire.uri
	store := openStore(t, db, graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(t), UserID: "u1"}
	trips := func(write func() error) int64 {
		t.Helper()
		before := wire.trips.Load()
		if err := write(); err != nil {
			t.Fatal(err)
		}
		return wire.trips.Load() - before
	}
	concept := func(scope graph.Scope, key string) func() error {
		return func() error {
			_, err := store.Write(t.Context(), scope, &graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{{
				Kind: "concept", EntityKey: key, Name: graph.Some(key), State: graph.Some("candidate"),
			}}})
			return err
		}
	}
	source := func(mention string) func() error {
		return func() error {
			_, err := store.WriteSource(t.Context(), scope, &graph.SourceWrite{Strict: true, Mentions: []string{mention}})
			return err
		}
	}
	trips(concept(graph.Scope{TeamID: scope.TeamID, UserID: "warm"}, "warm")) // what a store asks once
	first, second := trips(concept(scope, "a")), trips(concept(scope, "b"))
	if first != second || first > 5 { // one adds it to the feed of changes
		t.Errorf("%d round trips of a first write, %d of another", first, second)
	}
	trips(source("b"))
	candidate, promoting := trips(source("a")), trips(source("a"))
	if candidate != promoting || promoting > 7 {
		t.Errorf("%d round trips of a mention, %d of one that promotes", candidate, promoting)
	}
	kind, _ := graph.KindOf("concept")
	node, err := store.Node(t.Context(), scope, kind, "a", graph.NodeQuery{})
	if err != nil || node.State != "active" {
		t.Errorf("promoted: %s, %v", node.State, err)
	}
}
