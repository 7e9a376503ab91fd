package graph_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// pages lists all nodes by pages of a size. Each page but the last must be full.
func (e *env) pages(user string, l graph.NodeList, size int64) (keys []string) {
	e.Helper()
	l.Limit, keys = size, []string{}
	for {
		page, err := e.Store.Nodes(e.Context(), e.As(user), l)
		if err != nil {
			e.Fatal(err)
		}
		for _, n := range page.Nodes {
			keys = append(keys, n.EntityKey)
		}
		if int64(len(page.Nodes)) > size || int64(len(page.Nodes)) < size && page.Next != "" {
			e.Errorf("a page of %d has %d nodes", size, len(page.Nodes))
		}
		if page.Next == "" {
			return keys
		}
		l.Cursor = page.Next
	}
}

func TestListsAreOwnThenSharedInPages(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for i := range 7 {
		nodes = append(nodes, graph.NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("own-%d", i), Name: graph.Some(fmt.Sprintf("name %d", 9-i))},
			graph.NodeWrite{Kind: "entity", EntityKey: fmt.Sprintf("entity-%d", i), Name: graph.Some("Tern"), Type: graph.Some(fmt.Sprint(i))})
		if i < 5 {
			nodes = append(nodes, graph.NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("shared-%d", i), Name: graph.Some(fmt.Sprintf("name %d", i)), UserID: graph.Null[string]()})
		}
	}
	e.Write("u1", nodes)
	e.Write("u10", []graph.NodeWrite{node("concept", "theirs", 0.5), node("concept", " theirs", 0.5)})
	e.Write("u1 x", []graph.NodeWrite{node("concept", "x", 0.5)})
	shared := []string{"shared-0", "shared-1", "shared-2", "shared-3", "shared-4"}
	own := []string{"own-6", "own-5", "own-4", "own-3", "own-2", "own-1", "own-0"}
	for size := int64(1); size <= 14; size++ {
		e.Same(fmt.Sprintf("by %d", size), slices.Concat(own, shared), e.pages("u1", graph.NodeList{Kind: graph.ConceptKind}, size))
		e.Same(fmt.Sprintf("the team's by %d", size), shared, e.pages("", graph.NodeList{Kind: graph.ConceptKind}, size))
		e.Same(fmt.Sprintf("another user's by %d", size), append([]string{"x"}, shared...), e.pages("u1 x", graph.NodeList{Kind: graph.ConceptKind}, size))
		e.Same(fmt.Sprintf("entities by %d", size), 7, len(e.pages("u1", graph.NodeList{Kind: graph.EntityKind}, size)))
	}
	e.Same("none", []string{}, e.pages("u1", graph.NodeList{Kind: graph.SystemEntityKind}, 3))
	e.Same("another team", []string{}, e.neighbour().pages("u1", graph.NodeList{Kind: graph.ConceptKind}, 3))
	page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.ConceptKind, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	n := page.Nodes[0]
	n.Relationships = []graph.RelationshipView{} // lists omit them
	alone := e.get("u1", "concept", n.EntityKey)
	alone.DecayRate, alone.ArchivesAt, alone.Recalls, alone.LastWrite = 0, nil, nil, nil // lists have none of them
	e.Same("as Node returns it", alone, n)
}

func TestListsOfProjectsAndOfDeletedNodes(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	var all, gone []string
	project, _ := graph.KindOf("project")
	task, _ := graph.KindOf("task")
	for i := range 6 {
		key := fmt.Sprintf("t-%d", i)
		nodes = append(nodes, graph.NodeWrite{Kind: "task", EntityKey: key, Name: graph.Some("the same"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}},
			graph.NodeWrite{Kind: "task", EntityKey: "x" + key, Name: graph.Some("n"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("q")}},
			graph.NodeWrite{Kind: "risk", EntityKey: "r" + key, Name: graph.Some("n"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}})
		all = append(all, key)
	}
	nodes = append(nodes, graph.NodeWrite{Kind: "project", EntityKey: "p", Name: graph.Some("p")},
		graph.NodeWrite{Kind: "task", EntityKey: "theirs", UserID: graph.Some("u2"), Name: graph.Some("n"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}})
	e.Write("u1", nodes)
	for size := int64(1); size <= 7; size++ {
		e.Same("of the project", all, e.pages("u1", graph.NodeList{Kind: task, ProjectID: "p"}, size))
		e.Same("all", 12, len(e.pages("u1", graph.NodeList{Kind: task}, size)))
	}
	e.Same("of no project", []string{}, e.pages("u1", graph.NodeList{Kind: task, ProjectID: "none"}, 3))
	e.Same("of a kind without", []string{}, e.pages("u1", graph.NodeList{Kind: project, ProjectID: "p"}, 3))
	for _, key := range []string{"t-4", "t-1", "t-2"} {
		e.delete("u1", "task", key)
		gone = append(gone, key)
	}
	slices.Sort(gone)
	for size := int64(1); size <= 4; size++ {
		e.Same("deleted", gone, e.pages("u1", graph.NodeList{Kind: task, Deleted: true}, size))
		e.Same("left", []string{"t-0", "t-3", "t-5"}, e.pages("u1", graph.NodeList{Kind: task, ProjectID: "p"}, size))
	}
}

// TestListsWhileOthersWrite checks that concurrent writes repeat nothing in a list, and that it has all nodes that existed at its
// start.
func TestListsWhileOthersWrite(t *testing.T) {
	e := fresh(t)
	name := func(user string, i int) graph.NodeWrite {
		w := graph.NodeWrite{Kind: "concept", Name: graph.Some(fmt.Sprintf("%03d", (i*37)%1000))}
		if user == "" {
			w.UserID = graph.Null[string]()
		}
		return w
	}
	var first []string
	for i := range 40 {
		r := e.Write("u1", []graph.NodeWrite{name("u1", i), name("", i)})
		first = append(first, r.Nodes[0].EntityKey, r.Nodes[1].EntityKey)
	}
	lists := make([][]string, writers)
	atOnce(t, func(i int) error {
		if i%2 == 0 {
			_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{name("u1", 40+i), name("", 40+i), name("u1", 60+i), name("", 60+i)}})
			return err
		}
		cursor := ""
		for {
			page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.ConceptKind, Limit: 7, Cursor: cursor})
			if err != nil {
				return err
			}
			for _, n := range page.Nodes {
				lists[i] = append(lists[i], n.EntityKey)
			}
			if cursor = page.Next; cursor == "" {
				return nil
			}
		}
	})
	for i := 1; i < writers; i += 2 {
		slices.Sort(lists[i])
		e.Same("keys listed twice", len(lists[i]), len(slices.Compact(slices.Clone(lists[i]))))
		for _, key := range first {
			if _, found := slices.BinarySearch(lists[i], key); !found {
				t.Errorf("list %d lacks %s", i, key)
			}
		}
	}
}

func TestBadCursorsAreRefused(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("entity", "c", 0.5)})
	e.Write("u2", []graph.NodeWrite{node("concept", "d", 0.5), node("concept", "e", 0.5)})
	next := func(user string, l graph.NodeList) string {
		page, err := e.Store.Nodes(t.Context(), e.As(user), l)
		if err != nil || page.Next == "" {
			t.Fatal(page, err)
		}
		return page.Next
	}
	for name, cursor := range map[string]string{
		"no base64": "*", "no UTF-8": base64.RawURLEncoding.EncodeToString([]byte{0xff}), "NUL": base64.RawURLEncoding.EncodeToString([]byte{0}),
		"too long": base64.RawURLEncoding.EncodeToString(make([]byte, 4000)), "another text": base64.RawURLEncoding.EncodeToString([]byte("x")),
		"another user's": next("u2", graph.NodeList{Kind: graph.ConceptKind, Limit: 1}),
	} {
		_, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.ConceptKind, Limit: 1, Cursor: cursor})
		e.Same(name, []string{"cursor"}, graphtest.Locations(err))
	}
	_, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.EntityKind, Limit: 1, Cursor: next("u1", graph.NodeList{Kind: graph.ConceptKind, Limit: 1})})
	e.Same("another kind's", []string{"cursor"}, graphtest.Locations(err))
	_, err = e.Store.Relationships(t.Context(), e.As("u1"), graph.RelationshipList{Kind: graph.ConceptKind, Key: "a", Limit: 1, Cursor: "*"})
	e.Same("of relationships", []string{"cursor"}, graphtest.Locations(err))
}

func TestRelationshipsAreListedInPages(t *testing.T) {
	e := fresh(t)
	nodes, links := []graph.NodeWrite{node("concept", "hub", 0.5)}, []graph.RelationshipWrite{}
	for i := range 5 {
		key := fmt.Sprintf("c-%d", i)
		nodes = append(nodes, node("concept", key, 0.5))
		links = append(links, link("hub", "relates_to", key, 0.5), link(key, "involves", "hub", 0.5))
	}
	nodes = append(nodes, node("concept", "s", 0.5, shared), node("concept", "theirs", 0.5, of("u2")))
	e.Write("u1", nodes, append(links, link("hub", "relates_to", "s", 0.5))...)
	e.Write("u2", nil, link("theirs", "relates_to", "s", 0.5))
	list := func(user string, l graph.RelationshipList) (keys []string) {
		for {
			page, err := e.Store.Relationships(t.Context(), e.As(user), l)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Relationships {
				keys = append(keys, r.Direction+" "+r.Type+" "+r.Node.EntityKey)
			}
			if l.Cursor = page.Next; l.Cursor == "" {
				slices.Sort(keys)
				return slices.Compact(keys)
			}
		}
	}
	for size := int64(1); size <= 12; size++ {
		for direction, want := range map[string]int{"": 11, "both": 11, "outgoing": 6, "incoming": 5} {
			e.Same(direction, want, len(list("u1", graph.RelationshipList{Kind: graph.ConceptKind, Key: "hub", Direction: direction, Limit: size})))
		}
		e.Same("of a type", 5, len(list("u1", graph.RelationshipList{Kind: graph.ConceptKind, Key: "hub", Types: []string{"involves", "unknown"}, Limit: size})))
		e.Same("of a type and direction", 0, len(list("u1", graph.RelationshipList{Kind: graph.ConceptKind, Key: "hub", Types: []string{"involves"}, Direction: "outgoing",
			Limit: size})))
	}
	e.Same("of what is shared, one's own", []string{"outgoing relates_to s"},
		list("u1", graph.RelationshipList{Kind: graph.ConceptKind, Key: "hub", Types: []string{"relates_to"}, Direction: "outgoing", Limit: 100})[5:])
	e.Same("of what is shared, each sees", []string{"incoming relates_to theirs"}, list("u2", graph.RelationshipList{Kind: graph.ConceptKind, Key: "s", Limit: 10}))
	if _, err := e.Store.Relationships(t.Context(), e.As("u2"), graph.RelationshipList{Kind: graph.ConceptKind, Key: "hub", Limit: 1}); !errors.Is(err, fault.ErrNotFound) {
		t.Error(err)
	}
}
