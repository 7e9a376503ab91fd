package explore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
)

// A text match brings the sources that mention what it matches, the newest first, also where more mention it than a link may have.
func TestTextMatchesBringMentions(t *testing.T) {
	b := newBeside(t)
	scope, other := graph.Scope{TeamID: b.teams[0], UserID: "u"}, graph.Scope{TeamID: b.teams[0], UserID: "other"}
	entity := func(key, name string) graph.NodeWrite {
		return graph.NodeWrite{Kind: "entity", EntityKey: key, Name: graph.Some(name), Type: graph.Some("place")}
	}
	b.write(graph.Scope{TeamID: b.teams[0]}, &graph.MemoryWrite{Nodes: []graph.NodeWrite{entity("shared", "Reykjavik")}})
	b.write(scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{entity("chi", "Chicago"), entity("often", "Lisbon")}})
	talk := func(scope graph.Scope, key, summary string, at time.Time, mentions ...string) {
		t.Helper()
		w := &graph.SourceWrite{EntityKey: key, Summary: graph.Some(summary), StartedAt: graph.Some(at), Mentions: mentions}
		if _, err := b.store.WriteSource(t.Context(), scope, w); err != nil {
			t.Fatal(err)
		}
	}
	talk(scope, "a-older", "Talked about moving", now.AddDate(0, 0, -20), "chi", "shared")
	talk(scope, "b-newer", "The lease is signed", now.AddDate(0, 0, -10), "chi")
	talk(scope, "c-none", "About lunch", now.AddDate(0, 0, -1))
	talk(other, "d-theirs", "Theirs", now.AddDate(0, 0, -1), "shared")
	for i := range 105 {
		talk(scope, fmt.Sprintf("l-%03d", 105-i), "Trip", now.Add(-time.Duration(i)*time.Hour), "often")
	}
	sources := func(r Request) (keys []string) {
		t.Helper()
		r.ReturnExplanations = true
		result, _, err := New(NewStore(b.store, nil), Options{Now: func() time.Time { return now }}).Explore(t.Context(), scope, &r)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range result.Episodic.Sources {
			keys = append(keys, s.EntityKey)
		}
		return keys
	}
	match := func(text string) Request { return Request{TextMatches: []string{text}} }
	for name, one := range map[string]struct {
		request Request
		want    []string
	}{
		"what is mentioned":         {match("Chicago"), []string{"b-newer", "a-older"}},
		"with a letter less":        {match("Chcago"), []string{"b-newer", "a-older"}},
		"what the team shares":      {match("Reykjavik"), []string{"a-older"}},
		"what many mention":         {match("Lisbon"), []string{"l-105", "l-104", "l-103", "l-102", "l-101"}},
		"what nobody mentions":      {match("Boston"), nil},
		"sources alone":             {Request{TextMatches: []string{"Chicago"}, Kinds: []string{"source"}}, []string{"b-newer", "a-older"}},
		"without links, words only": {Request{TextMatches: []string{"Chicago"}, Evidence: []string{"words"}}, nil},
		"a query for what many do":  {Request{Queries: []Query{{Query: "Lisbon"}}}, nil},
	} {
		if got := sources(one.request); !slices.Equal(got, one.want) {
			t.Errorf("%s: %v instead of %v", name, got, one.want)
		}
	}
}
