package graph

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// pages lists all nodes by pages of a size. Each page but the last must be full.
func (e *env) pages(user string, l NodeList, size int64) (keys []string) {
	e.Helper()
	l.Limit, keys = size, []string{}
	for {
		page, err := e.store.Nodes(e.Context(), e.as(user), l)
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
	var nodes []NodeWrite
	for i := range 7 {
		nodes = append(nodes, NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("own-%d", i), Name: Some(fmt.Sprintf("name %d", 9-i))},
			NodeWrite{Kind: "entity", EntityKey: fmt.Sprintf("entity-%d", i), Name: Some("Tern"), Type: Some(fmt.Sprint(i))})
		if i < 5 {
			nodes = append(nodes, NodeWrite{Kind: "concept", EntityKey: fmt.Sprintf("shared-%d", i), Name: Some(fmt.Sprintf("name %d", i)), UserID: Null[string]()})
		}
	}
	e.write("u1", nodes)
	e.write("u10", []NodeWrite{node("concept", "theirs", 0.5), node("concept", " theirs", 0.5)})
	e.write("u1 x", []NodeWrite{node("concept", "x", 0.5)})
	shared := []string{"shared-0", "shared-1", "shared-2", "shared-3", "shared-4"}
	own := []string{"own-6", "own-5", "own-4", "own-3", "own-2", "own-1", "own-0"}
	for size := int64(1); size <= 14; size++ {
		e.same(fmt.Sprintf("by %d", size), slices.Concat(own, shared), e.pages("u1", NodeList{Kind: ConceptKind}, size))
		e.same(fmt.Sprintf("the team's by %d", size), shared, e.pages("", NodeList{Kind: ConceptKind}, size))
		e.same(fmt.Sprintf("another user's by %d", size), append([]string{"x"}, shared...), e.pages("u1 x", NodeList{Kind: ConceptKind}, size))
		e.same(fmt.Sprintf("entities by %d", size), 7, len(e.pages("u1", NodeList{Kind: EntityKind}, size)))
	}
	e.same("none", []string{}, e.pages("u1", NodeList{Kind: SystemEntityKind}, 3))
	e.same("another team", []string{}, e.neighbour().pages("u1", NodeList{Kind: ConceptKind}, 3))
	page, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: ConceptKind, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	n := page.Nodes[0]
	n.Relationships = []RelationshipView{} // lists omit them
	e.same("as Node returns it", e.get("u1", "concept", n.EntityKey), n)
}

func TestListsOfProjectsAndOfDeletedNodes(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	var all, gone []string
	project, _ := KindOf("project")
	task, _ := KindOf("task")
	for i := range 6 {
		key := fmt.Sprintf("t-%d", i)
		nodes = append(nodes, NodeWrite{Kind: "task", EntityKey: key, Name: Some("the same"), OwnFields: &OwnFields{ProjectID: Some("p")}},
			NodeWrite{Kind: "task", EntityKey: "x" + key, Name: Some("n"), OwnFields: &OwnFields{ProjectID: Some("q")}},
			NodeWrite{Kind: "risk", EntityKey: "r" + key, Name: Some("n"), OwnFields: &OwnFields{ProjectID: Some("p")}})
		all = append(all, key)
	}
	nodes = append(nodes, NodeWrite{Kind: "project", EntityKey: "p", Name: Some("p")},
		NodeWrite{Kind: "task", EntityKey: "theirs", UserID: Some("u2"), Name: Some("n"), OwnFields: &OwnFields{ProjectID: Some("p")}})
	e.write("u1", nodes)
	for size := int64(1); size <= 7; size++ {
		e.same("of the project", all, e.pages("u1", NodeList{Kind: task, ProjectID: "p"}, size))
		e.same("all", 12, len(e.pages("u1", NodeList{Kind: task}, size)))
	}
	e.same("of no project", []string{}, e.pages("u1", NodeList{Kind: task, ProjectID: "none"}, 3))
	e.same("of a kind without", []string{}, e.pages("u1", NodeList{Kind: project, ProjectID: "p"}, 3))
	for _, key := range []string{"t-4", "t-1", "t-2"} {
		e.delete("u1", "task", key)
		gone = append(gone, key)
	}
	slices.Sort(gone)
	for size := int64(1); size <= 4; size++ {
		e.same("deleted", gone, e.pages("u1", NodeList{Kind: task, Deleted: true}, size))
		e.same("left", []string{"t-0", "t-3", "t-5"}, e.pages("u1", NodeList{Kind: task, ProjectID: "p"}, size))
	}
}

// TestListsWhileOthersWrite checks that concurrent writes repeat nothing in a list, and that it has all nodes that existed at its
// start.
func TestListsWhileOthersWrite(t *testing.T) {
	e := fresh(t)
	name := func(user string, i int) NodeWrite {
		w := NodeWrite{Kind: "concept", Name: Some(fmt.Sprintf("%03d", (i*37)%1000))}
		if user == "" {
			w.UserID = Null[string]()
		}
		return w
	}
	var first []string
	for i := range 40 {
		r := e.write("u1", []NodeWrite{name("u1", i), name("", i)})
		first = append(first, r.Nodes[0].EntityKey, r.Nodes[1].EntityKey)
	}
	lists := make([][]string, writers)
	atOnce(t, func(i int) error {
		if i%2 == 0 {
			_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{name("u1", 40+i), name("", 40+i), name("u1", 60+i), name("", 60+i)}})
			return err
		}
		cursor := ""
		for {
			page, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: ConceptKind, Limit: 7, Cursor: cursor})
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
		e.same("keys listed twice", len(lists[i]), len(slices.Compact(slices.Clone(lists[i]))))
		for _, key := range first {
			if _, found := slices.BinarySearch(lists[i], key); !found {
				t.Errorf("list %d lacks %s", i, key)
			}
		}
	}
}

func TestBadCursorsAreRefused(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("entity", "c", 0.5)})
	e.write("u2", []NodeWrite{node("concept", "d", 0.5), node("concept", "e", 0.5)})
	next := func(user string, l NodeList) string {
		page, err := e.store.Nodes(t.Context(), e.as(user), l)
		if err != nil || page.Next == "" {
			t.Fatal(page, err)
		}
		return page.Next
	}
	for name, cursor := range map[string]string{
		"no base64": "*", "no UTF-8": base64.RawURLEncoding.EncodeToString([]byte{0xff}), "NUL": base64.RawURLEncoding.EncodeToString([]byte{0}),
		"too long": base64.RawURLEncoding.EncodeToString(make([]byte, 4000)), "another text": base64.RawURLEncoding.EncodeToString([]byte("x")),
		"another user's": next("u2", NodeList{Kind: ConceptKind, Limit: 1}),
	} {
		_, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: ConceptKind, Limit: 1, Cursor: cursor})
		e.same(name, []string{"cursor"}, locations(err))
	}
	_, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: EntityKind, Limit: 1, Cursor: next("u1", NodeList{Kind: ConceptKind, Limit: 1})})
	e.same("another kind's", []string{"cursor"}, locations(err))
	_, err = e.store.Relationships(t.Context(), e.as("u1"), RelationshipList{Kind: ConceptKind, Key: "a", Limit: 1, Cursor: "*"})
	e.same("of relationships", []string{"cursor"}, locations(err))
}

func TestRelationshipsAreListedInPages(t *testing.T) {
	e := fresh(t)
	nodes, links := []NodeWrite{node("concept", "hub", 0.5)}, []RelationshipWrite{}
	for i := range 5 {
		key := fmt.Sprintf("c-%d", i)
		nodes = append(nodes, node("concept", key, 0.5))
		links = append(links, link("hub", "relates_to", key, 0.5), link(key, "involves", "hub", 0.5))
	}
	nodes = append(nodes, node("concept", "s", 0.5, shared), node("concept", "theirs", 0.5, of("u2")))
	e.write("u1", nodes, append(links, link("hub", "relates_to", "s", 0.5))...)
	e.write("u2", nil, link("theirs", "relates_to", "s", 0.5))
	list := func(user string, l RelationshipList) (keys []string) {
		for {
			page, err := e.store.Relationships(t.Context(), e.as(user), l)
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
			e.same(direction, want, len(list("u1", RelationshipList{Kind: ConceptKind, Key: "hub", Direction: direction, Limit: size})))
		}
		e.same("of a type", 5, len(list("u1", RelationshipList{Kind: ConceptKind, Key: "hub", Types: []string{"involves", "unknown"}, Limit: size})))
		e.same("of a type and direction", 0, len(list("u1", RelationshipList{Kind: ConceptKind, Key: "hub", Types: []string{"involves"}, Direction: "outgoing",
			Limit: size})))
	}
	e.same("of what is shared, one's own", []string{"outgoing relates_to s"},
		list("u1", RelationshipList{Kind: ConceptKind, Key: "hub", Types: []string{"relates_to"}, Direction: "outgoing", Limit: 100})[5:])
	e.same("of what is shared, each sees", []string{"incoming relates_to theirs"}, list("u2", RelationshipList{Kind: ConceptKind, Key: "s", Limit: 10}))
	if _, err := e.store.Relationships(t.Context(), e.as("u2"), RelationshipList{Kind: ConceptKind, Key: "hub", Limit: 1}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
