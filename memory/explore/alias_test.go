package explore

import (
	"testing"
	"time"

	"kith/graph"
)

// What is asked by an alias is found, with the sources that mention it; an alias of another user finds nothing.
func TestAliasesAreFound(t *testing.T) {
	b := newBeside(t)
	scope := graph.Scope{TeamID: b.teams[0], UserID: "u"}
	aliased := func(key, name, alias string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "person", EntityKey: key, Name: graph.Some(name), OwnFields: &graph.OwnFields{Aliases: graph.Some([]string{alias})}}
	}
	b.write(scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{aliased("bob", "Robert Miller", "Bobby"), aliased("other", "Carla", "Carlita")}})
	b.write(graph.Scope{TeamID: b.teams[0], UserID: "v"}, &graph.MemoryWrite{Nodes: []graph.NodeWrite{aliased("theirs", "Dana", "Didi")}})
	w := &graph.SourceWrite{EntityKey: "s", Summary: graph.Some("The lease is signed"), StartedAt: graph.Some(now.Add(-time.Hour)), Mentions: []string{"bob"}}
	if _, err := b.store.WriteSource(t.Context(), scope, w); err != nil {
		t.Fatal(err)
	}
	explorer := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }})
	for name, one := range map[string]struct {
		request        Request
		person, source string
	}{
		"a text":          {Request{TextMatches: []string{"Bobby"}}, "bob", "s"},
		"a letter less":   {Request{TextMatches: []string{"Boby"}}, "bob", "s"},
		"a query":         {Request{Queries: []Query{{Query: "What did Bobby sign?"}}}, "bob", "s"},
		"of another user": {Request{TextMatches: []string{"Didi"}}, "", ""},
	} {
		result, _, err := explorer.Explore(t.Context(), scope, &one.request)
		if err != nil {
			t.Fatal(err)
		}
		person, source := "", ""
		if len(result.Semantic.People) > 0 {
			person = result.Semantic.People[0].EntityKey
		}
		if len(result.Episodic.Sources) > 0 {
			source = result.Episodic.Sources[0].EntityKey
		}
		if person != one.person || source != one.source {
			t.Errorf("%s: %q, %q", name, person, source)
		}
	}
}
