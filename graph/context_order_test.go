package graph_test

import (
	"testing"

	"kith/graph"
	"kith/loader"
)

// TestTiedGoalsAreToldInOrder checks that goals with the same salience as the fifth are sorted by key, however many of their
// state sort before.
func TestTiedGoalsAreToldInOrder(t *testing.T) {
	e := fresh(t)
	stays := func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") }
	keys := []string{"fades", "z", "y", "x", "w", "v", "a"}
	var nodes, seen []graph.NodeWrite
	e.Now = noon.Add(60 * graph.Day)
	for _, key := range keys {
		nodes = append(nodes, node("concept", key, 0.5, stays, func(w *graph.NodeWrite) { w.IsGoal = graph.Some(true) }))
		seen = append(seen, change("concept", key, accessed(e.Now)))
	}
	nodes[0].Salience, nodes[0].TTLPolicy, nodes[6].State = graph.Some(0.9), graph.Some("decay"), graph.Some("core")
	e.Now = noon
	e.Write("u1", nodes)
	e.Now = noon.Add(60 * graph.Day)
	e.Write("u1", seen)
	e.Same("goals", []string{"z", "y", "x", "w", "v"}, keysOf(e.sections("u1").PrimaryGoals))
}

// TestTiedLinksOfAFocusAreToldInOrder checks that equal relationships of the focus are sorted by the present salience of the
// other node, and by key.
func TestTiedLinksOfAFocusAreToldInOrder(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "f", 0.5), node("concept", "a", 0.5, func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") }),
		node("concept", "b", 0.6)},
		link("f", "relates_to", "a", 0.5), link("f", "relates_to", "b", 0.5), link("b", "relates_to", "f", 0.5))
	e.Now = noon.Add(60 * graph.Day)
	focus := &loader.Sections{}
	if err := e.contexts().ReadSection(t.Context(), e.As("u1"), loader.FocusSection, loader.SectionQuery{Now: e.Now, FocusKey: "f", FocusKind: graph.ConceptKind}, focus); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, l := range focus.Focus.Links {
		told = append(told, l.EntityKey+" "+l.Direction)
	}
	e.Same("links", []string{"a outgoing", "b incoming", "b outgoing"}, told)
}
