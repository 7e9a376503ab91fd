package graph

import (
	"testing"
)

// TestTiedGoalsAreToldInOrder checks that goals with the same salience as the fifth are sorted by key, however many of their
// state sort before.
func TestTiedGoalsAreToldInOrder(t *testing.T) {
	e := fresh(t)
	stays := func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") }
	keys := []string{"fades", "z", "y", "x", "w", "v", "a"}
	var nodes, seen []NodeWrite
	e.now = noon.Add(60 * day)
	for _, key := range keys {
		nodes = append(nodes, node("concept", key, 0.5, stays, func(w *NodeWrite) { w.IsGoal = Some(true) }))
		seen = append(seen, change("concept", key, accessed(e.now)))
	}
	nodes[0].Salience, nodes[0].TTLPolicy, nodes[6].State = Some(0.9), Some("decay"), Some("core")
	e.now = noon
	e.write("u1", nodes)
	e.now = noon.Add(60 * day)
	e.write("u1", seen)
	e.same("goals", []string{"z", "y", "x", "w", "v"}, keysOf(e.sections("u1").PrimaryGoals))
}

// TestTiedLinksOfAFocusAreToldInOrder checks that equal relationships of the focus are sorted by the present salience of the
// other node, and by key.
func TestTiedLinksOfAFocusAreToldInOrder(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "f", 0.5), node("concept", "a", 0.5, func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") }),
		node("concept", "b", 0.6)},
		link("f", "relates_to", "a", 0.5), link("f", "relates_to", "b", 0.5), link("b", "relates_to", "f", 0.5))
	e.now = noon.Add(60 * day)
	focus := &Sections{}
	if err := e.store.ReadSection(t.Context(), e.as("u1"), FocusSection, SectionQuery{Now: e.now, FocusKey: "f", FocusKind: ConceptKind}, focus); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, l := range focus.Focus.Links {
		told = append(told, l.EntityKey+" "+l.Direction)
	}
	e.same("links", []string{"a outgoing", "b incoming", "b outgoing"}, told)
}
