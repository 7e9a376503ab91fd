package graph_test

import (
	"fmt"
	"testing"

	"kith/graph"
)

// TestExportOfManyRelationships checks that an export has every relationship once and in order, however little one read returns.
func TestExportOfManyRelationships(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	var links []graph.RelationshipWrite
	for n := range 12 {
		nodes = append(nodes, node("concept", fmt.Sprintf("c-%02d", n), 0.5))
	}
	for n := range 11 { // a hub, nodes with one relationship, and nodes without
		other := fmt.Sprintf("c-%02d", (4+n)%12)
		links = append(links, link("c-03", "relates_to", other, 0.5))
		if n%2 == 0 {
			links = append(links, link("c-03", "involves", other, 0.5), link(other, "involves", "c-03", 0.5))
		}
	}
	for i := range links {
		links[i].ValidFrom = graph.Some(weekAgo)
	}
	e.Write("u1", nodes, links...)
	again := links[0]
	again.ValidFrom = graph.Some(noon) // closes the first
	e.Write("u1", nil, again)
	line := func(all *[]string) func(*graph.RelationshipWrite) error {
		return func(w *graph.RelationshipWrite) error {
			*all = append(*all, w.From+" "+w.Type+" "+w.To+" "+w.Key)
			return nil
		}
	}
	read := func(limit, rows int, hub int64) (all []string) {
		if err := e.Store.ExportRelationshipsForTest(t.Context(), e.Team, limit, rows, hub, line(&all)); err != nil {
			t.Fatal(err)
		}
		return all
	}
	var whole []string
	if err := e.Store.ExportRelationships(t.Context(), e.Team, line(&whole)); err != nil {
		t.Fatal(err)
	}
	e.Same("relationships", len(links)+1, len(whole))
	for _, size := range [][2]int{{2, 1}, {2, 3}, {3, 2}, {12, 1}, {100, 5}, {4, 100}} {
		for _, hub := range []int64{1, 10, 100} { // c-03 has 17, the others up to one
			e.Same(fmt.Sprintf("read by %v, hubs from %d", size, hub), whole, read(size[0], size[1], hub))
		}
	}
}
