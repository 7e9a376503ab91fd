package graph_test

import (
	"testing"
	"time"

	"kith/graph"
)

// TestKnowledge checks that the knowledge of a user is read as a whole, in the order of its creation, without data of others.
func TestKnowledge(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	e.Write("u", []graph.NodeWrite{node("entity", "b", 0.5), node("person", "c", 0.5), node("task", "task", 0.5), node("concept", "a", 0.5, shared)},
		link("c", "knows", "a", 0.5), link("b", "knows", "c", 0.5), link("c", "relates_to", "task", 0.5), link("b", "made", "c", 0.5))
	e.Write("v", []graph.NodeWrite{node("person", "private", 0.5)}, link("private", "knows", "a", 0.5))
	other.Write("u", []graph.NodeWrite{node("person", "b", 0.5), node("person", "c", 0.5)}, link("b", "knows", "c", 0.5))
	e.Now = e.Now.Add(time.Second)
	e.Write("u", []graph.NodeWrite{node("person", "0", 0.5)}, graph.RelationshipWrite{From: "b", To: "c", Type: "made", ValidTo: graph.Some(e.Now)})

	k, err := e.contexts().Knowledge(t.Context(), e.As("u"))
	if err != nil {
		t.Fatal(err)
	}
	var nodes, links []string
	for _, n := range k.Nodes {
		nodes = append(nodes, n.Kind+" "+n.EntityKey)
	}
	for _, r := range k.Relationships {
		links = append(links, r.From+" "+r.Type+" "+r.To)
	}
	e.Same("nodes", []string{"concept a", "entity b", "person c", "person 0"}, nodes)
	e.Same("relationships", []string{"c knows a", "b knows c"}, links)
	e.Same("cut", false, k.Cut)
}
