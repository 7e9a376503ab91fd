package duplicate

import (
	"context"
	"fmt"
	"testing"

	"kith/graph"
)

func shared(w graph.NodeWrite) graph.NodeWrite {
	w.UserID = graph.Null[string]()
	return w
}

// proposals returns the proposals that a user is given, without their times and descriptions.
func (e *env) proposals(user string) []Proposal {
	e.Helper()
	page, err := e.store.Proposals(e.Context(), e.As(user), Query{Limit: 100})
	if err != nil {
		e.Fatal(err)
	}
	for i := range page.Proposals {
		page.Proposals[i].ProposedAt = nil
		for k := range page.Proposals[i].Nodes {
			page.Proposals[i].Nodes[k].Description = ""
		}
	}
	return page.Proposals
}

// TestPrivateLinksCountForTheirUserOnly gives a shared hub private relationships, and has a private source mention two shared nodes and the
// hub: the pair of the two stays as it is, for everybody. Of a pair of the user it counts.
func TestPrivateLinksCountForTheirUserOnly(t *testing.T) {
	e := fresh(t, 0)
	e.Write("", []graph.NodeWrite{shared(named("entity", "acme", "Acme Works")), shared(named("entity", "acme2", "Acme Works Inc.")), shared(named("entity", "hub", "Harbour"))},
		graph.RelationshipWrite{From: "acme", To: "hub", Type: "relates_to"}, graph.RelationshipWrite{From: "acme2", To: "hub", Type: "relates_to"})
	own := []graph.NodeWrite{named("person", "ann", "Ann Verlinde"), named("person", "anna", "Anne Verlinde"), named("person", "cleo", "Cleo")}
	e.Write("u2", own, graph.RelationshipWrite{From: "ann", To: "hub", Type: "relates_to"}, graph.RelationshipWrite{From: "anna", To: "hub", Type: "relates_to"})
	touch := func(to string) {
		e.Write("", []graph.NodeWrite{{Kind: "entity", EntityKey: "acme", Description: graph.Some(to)}})
		e.Write("u2", []graph.NodeWrite{{Kind: "person", EntityKey: "ann", Description: graph.Some(to)}})
		e.look()
	}
	touch("first")
	of1, of2 := e.proposals("u1"), e.proposals("u2")
	if len(of1) != 1 || len(of2) != 2 {
		t.Fatalf("proposed: %+v, %+v", of1, of2)
	}
	var private []graph.NodeWrite
	var links []graph.RelationshipWrite
	for i := range 30 {
		private = append(private, named("concept", fmt.Sprint("c", i), fmt.Sprint("Thought ", i)))
		links = append(links, graph.RelationshipWrite{From: fmt.Sprint("c", i), To: "hub", Type: "relates_to"},
			graph.RelationshipWrite{From: fmt.Sprint("c", i), To: "acme", Type: "relates_to"}, graph.RelationshipWrite{From: fmt.Sprint("c", i), To: "acme2", Type: "relates_to"})
	}
	e.Write("u2", private, links...)
	e.Source("u2", graph.SourceWrite{EntityKey: "s1", Mentions: []string{"acme", "acme2", "hub"}})
	touch("second")
	e.Same("of another user", of1, e.proposals("u1"))
	after := e.proposals("u2")
	e.Same("pairs", 2, len(after))
	for i, p := range after {
		if p.Kind == "entity" {
			e.Same("of the team", of1[0], p)
		} else if *p.Probability >= *of2[i].Probability {
			t.Errorf("the user's own links do not count: %f, %f before", *p.Probability, *of2[i].Probability)
		}
	}
	e.Source("u2", graph.SourceWrite{EntityKey: "s2", Mentions: []string{"ann", "anna"}})
	touch("third")
	e.Same("the user's own source counts", of1, e.proposals("u2"))
	e.Source("", graph.SourceWrite{EntityKey: "s3", ContentType: graph.Some("meeting"), Mentions: []string{"acme", "acme2"}})
	touch("fourth")
	e.Same("a shared source counts", []Proposal{}, e.proposals("u1"))
}

// TestPrivateChangesOfSharedNodes writes what is private at shared nodes: these are not compared anew for it.
func TestPrivateChangesOfSharedNodes(t *testing.T) {
	e := fresh(t, 0)
	e.Write("", []graph.NodeWrite{shared(named("entity", "acme", "Acme Works"))})
	e.Write("u2", []graph.NodeWrite{named("concept", "d", "Deed")})
	e.look()
	var compared []string
	e.worker.compare = func(_ context.Context, _ string, b batch) ([]found, error) {
		for _, key := range b.keys {
			compared = append(compared, *b.user+" "+key)
		}
		return nil, nil
	}
	e.Write("u2", []graph.NodeWrite{named("concept", "c", "Thought")}, graph.RelationshipWrite{From: "c", To: "acme", Type: "relates_to"})
	e.Write("", []graph.NodeWrite{{Kind: "entity", EntityKey: "acme", Description: graph.Some("builds ships")}})
	e.look()
	e.Same("compared", []string{"u2 acme", "u2 c", " acme"}, compared) // acme is none of u2's, and so is left out
	e.worker.compare = nil
	nodes, err := e.store.examine(e.Context(), e.Team, batch{[]string{"acme"}, &[]string{"u2"}[0]})
	e.Same("a shared node among a user's", []any{0, nil}, []any{len(nodes), err})
}

// TestNearestDependOnNobodyElse ranks the nodes that a node meets by the blocks of these alone, whatever order the index returns.
func TestNearestDependOnNobodyElse(t *testing.T) {
	n := nearRow{EntityKey: "n", Blocks: "rare often often2"}
	for i := range 60 {
		n.Others = append(n.Others, blockedRow{fmt.Sprintf("o%02d", i), "often"})
	}
	n.Others = append(n.Others, blockedRow{"r1", "rare x"}, blockedRow{"r2", "often2 often"}, blockedRow{"r3", "rare often"})
	want := n.nearest()
	e := want[:4]
	if len(want) != mostMet || e[0] != "r2" || e[1] != "r3" || e[2] != "r1" || e[3] != "o00" {
		t.Errorf("nearest %v", want)
	}
	for i, j := 0, len(n.Others)-1; i < j; i, j = i+1, j-1 {
		n.Others[i], n.Others[j] = n.Others[j], n.Others[i]
	}
	for i, key := range n.nearest() {
		if key != want[i] {
			t.Fatalf("in another order of the index: %v", n.nearest())
		}
	}
}
