package graph_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

// TestLink checks that new edges are added, that existing ones are skipped under any of their names, and that a request is all or
// nothing.
func TestLink(t *testing.T) {
	e := fresh(t)
	in := func(project, kind, key string) graph.NodeWrite {
		w := node(kind, key, 0.5, shared)
		w.OwnFields = &graph.OwnFields{ProjectID: graph.Some(project)}
		return w
	}
	private := in("p", "task", "secret")
	private.UserID = graph.Some("v")
	e.Write("u", []graph.NodeWrite{
		node("project", "p", 0.5, shared), node("project", "q", 0.5, shared), in("p", "task", "t"), in("p", "plan", "l"), in("p", "document", "d"),
		in("q", "task", "other"), node("concept", "c", 0.5, shared), node("task", "homeless", 0.5, shared),
	}, link("l", "has_task", "t", 0.9))
	e.Write("v", []graph.NodeWrite{private})
	edges := func(all ...graph.EdgeWrite) (graph.EdgesResult, error) {
		return e.Store.Link(t.Context(), e.As("u"), &graph.EdgesWrite{Edges: all})
	}
	edge := func(srcKind, src, rel, dstKind, dst string) graph.EdgeWrite {
		return graph.EdgeWrite{SrcKind: srcKind, SrcID: src, DstKind: dstKind, DstID: dst, Rel: rel}
	}
	withProps := edge("task", "t", "references", "document", "d")
	withProps.Props = json.RawMessage(`{"page":3}`)
	again := edge("plan", "l", "has_task", "task", "t")
	again.Props = json.RawMessage(`{"changed":true}`)
	got, err := edges(
		again, withProps, withProps, edge("document", "d", "referenced_by", "task", "t"), edge("project", "p", "has_task", "task", "t"),
		edge("task", "t", "belongs_to_plan", "plan", "l"),
	)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("created and skipped", [2]int{3, 3}, [2]int{got.Created, got.Skipped})
	e.Same("the same link under its other name", got.Edges[1].ID, got.Edges[3].ID)
	var isNew []bool
	for _, r := range got.Edges {
		isNew = append(isNew, r.Created)
	}
	e.Same("new", []bool{false, true, false, false, true, true}, isNew)
	r, err := e.Store.Relationship(t.Context(), e.As("u"), got.Edges[1].ID, nil)
	e.Same("props", `{"page":3}`, string(r.Properties))
	e.Same("read", nil, err)
	was, err := e.Store.Relationship(t.Context(), e.As("u"), got.Edges[0].ID, nil)
	e.Same("what was there is as it was", "", string(was.Properties))
	e.Same("its version", int64(1), was.Version)
	e.Same("read", nil, err)
	if got, err = edges(again, withProps); err != nil {
		t.Fatal(err)
	}
	e.Same("once more", [2]int{0, 2}, [2]int{got.Created, got.Skipped})

	good := edge("plan", "l", "references", "document", "d")
	for what, c := range map[string]struct {
		bad      graph.EdgeWrite
		location string
		is       error
	}{
		"itself":                {edge("task", "t", "depends_on", "task", "t"), "edges[1].dst_id", fault.ErrInvalid},
		"another project":       {edge("task", "t", "depends_on", "task", "other"), "edges[1].dst_id", fault.ErrInvalid},
		"of no project":         {edge("task", "homeless", "depends_on", "task", "t"), "edges[1].dst_id", fault.ErrInvalid},
		"not of a project":      {edge("task", "t", "depends_on", "concept", "c"), "edges[1].dst_kind", fault.ErrInvalid},
		"an unknown kind":       {edge("chore", "t", "depends_on", "task", "t"), "edges[1].src_kind", fault.ErrInvalid},
		"a bad type":            {edge("task", "t", "Depends On", "plan", "l"), "edges[1].rel", fault.ErrInvalid},
		"a type of other kinds": {edge("plan", "l", "has_task", "document", "d"), "edges[1].rel", fault.ErrInvalid},
		"a ring":                {edge("task", "t", "contains", "plan", "l"), "edges[1].dst_id", fault.ErrInvalid},
		"unknown":               {edge("task", "nothing", "depends_on", "task", "t"), "edges[1].src_id", fault.ErrNotFound},
		"of another kind":       {edge("task", "t", "depends_on", "task", "l"), "edges[1].dst_id", fault.ErrNotFound},
		"of another user":       {edge("task", "t", "depends_on", "task", "secret"), "edges[1].dst_id", fault.ErrNotFound},
		"swapped and unknown":   {edge("document", "nothing", "referenced_by", "task", "t"), "edges[1].src_id", fault.ErrNotFound},
	} {
		_, err := edges(good, c.bad)
		if !errors.Is(err, c.is) || !slices.Equal(faultsAt(err), []string{c.location}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got, err = edges(good); err != nil || got.Created != 1 {
		t.Errorf("a good one beside bad ones was stored: %+v %v", got, err)
	}
	if _, err := e.neighbour().Store.Link(t.Context(), e.neighbour().As("u"), &graph.EdgesWrite{Edges: []graph.EdgeWrite{withProps}}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another team: %v", err)
	}
	for n, valid := range map[int]bool{0: false, 1000: true, 1001: false} {
		many := make([]graph.EdgeWrite, n)
		for i := range many {
			many[i] = good
		}
		if _, err := edges(many...); (err == nil) != valid {
			t.Errorf("%d edges: %v", n, err)
		}
	}
}
