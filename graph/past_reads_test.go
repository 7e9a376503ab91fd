package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
)

// lasting returns a node that does not decay.
func lasting(kind, key, name, text string) graph.NodeWrite {
	return graph.NodeWrite{
		Kind: kind, EntityKey: key, Name: graph.Some(name), Description: graph.Some(text), TTLPolicy: graph.Some("keep_forever"), Salience: graph.Some(0.5),
	}
}

// history changes a memory step by step. It calls visit after each step, and right before the next one.
func (e *env) history(visit func(at time.Time), steps ...func()) {
	for _, step := range steps {
		e.Now = e.Now.Add(time.Millisecond)
		step()
		visit(e.Now)
		e.Now = e.Now.Add(time.Hour)
		visit(e.Now)
	}
}

// boats is a history of two boats and their owner, with a name that moves from one node to another.
func (e *env) boats() []func() {
	describe := func(r graph.RelationshipWrite, text string) graph.RelationshipWrite {
		r.Description = graph.Some(text)
		return r
	}
	restore := func(kind graph.Kind, key string) {
		if _, err := e.Store.RestoreNode(e.Context(), e.As("u"), kind, key); err != nil {
			e.Fatal(err)
		}
	}
	return []func(){
		func() {
			e.Write("u", []graph.NodeWrite{lasting("concept", "a", "Aurora", "a boat of wood"), lasting("concept", "b", "Bella", "a boat of steel"), lasting("person", "p", "Pia", "a sailor")},
				describe(link("p", "thinks_about", "a", 0.5), "would buy her"))
		},
		func() { e.Write("u", []graph.NodeWrite{lasting("concept", "a", "Zora", "a lighthouse")}) },
		func() { e.Write("u", []graph.NodeWrite{lasting("concept", "b", "Aurora", "a ferry")}) },
		func() { e.Write("u", nil, describe(link("p", "thinks_about", "a", 0.5), "keeps the lamp")) },
		func() { e.Remove("u", "concept", "b") },
		func() { restore(graph.ConceptKind, "b") },
		func() { e.Write("u", []graph.NodeWrite{lasting("concept", "c", "Bella", "a boat again")}) },
		func() { e.Remove("u", "concept", "a") },
		func() { e.Remove("u", "person", "p") },
	}
}

// list returns the names of the concepts of a list, page by page.
func (e *env) list(l graph.NodeList, user string) []string {
	e.Helper()
	all := []string{}
	for l.Limit = 1; ; {
		page, err := e.Store.Nodes(e.Context(), e.As(user), l)
		if err != nil {
			e.Fatal(err)
		}
		for i := range page.Nodes {
			n := &page.Nodes[i]
			all = append(all, fmt.Sprintf("%s %s %s %s v%d", n.EntityKey, n.Name, n.Description, n.State, n.Version))
		}
		if l.Cursor = page.Next; page.Next == "" {
			return all
		}
	}
}

// TestListsOfThePast compares lists of each moment with what they were then.
func TestListsOfThePast(t *testing.T) {
	e := fresh(t)
	task := func(key, project, state string) graph.NodeWrite {
		w := lasting("task", key, "do "+key, "")
		w.OwnFields, w.State = &graph.OwnFields{ProjectID: graph.Some(project)}, graph.Some(state)
		return w
	}
	lists := []graph.NodeList{
		{Kind: graph.ConceptKind}, {Kind: graph.ConceptKind, State: "archived"}, {Kind: kindNamed(t, "task")}, {Kind: kindNamed(t, "task"), ProjectID: "one"},
		{Kind: kindNamed(t, "task"), ProjectID: "one", State: "core"},
	}
	steps := append(e.boats(),
		func() {
			e.Write("u", []graph.NodeWrite{lasting("project", "one", "One", ""), lasting("project", "two", "Two", ""), task("t1", "one", "active"), task("t2", "two", "core")})
		},
		func() { e.Write("u", []graph.NodeWrite{task("t1", "two", "active"), task("t2", "one", "core")}) },
		func() { e.Write("u", []graph.NodeWrite{task("t2", "one", "active")}) },
		func() { e.Remove("u", "task", "t2") },
		func() {
			shared := lasting("concept", "s", "Shared", "of all")
			shared.UserID = graph.Null[string]()
			archived := lasting("concept", "c", "Bella", "a boat again")
			archived.State = graph.Some("archived")
			e.Write("u", []graph.NodeWrite{shared, archived})
		},
		func() { e.Remove("u", "concept", "c") },
	)
	type moment struct {
		at    time.Time
		lists [][]string
	}
	var moments []moment
	e.history(func(at time.Time) {
		m := moment{at: at}
		for _, l := range lists {
			m.lists = append(m.lists, e.list(l, "u"))
		}
		moments = append(moments, m)
	}, steps...)
	for _, m := range moments {
		for i, l := range lists {
			l.AsOf = &m.at
			e.Same(fmt.Sprintf("list %d at %s", i, m.at.Format("15:04:05.000")), m.lists[i], e.list(l, "u"))
			if got := strings.Join(e.list(l, "other"), "\n"); strings.Contains(got, "boat") || strings.Contains(got, "do ") {
				t.Errorf("another user sees %s", got)
			}
		}
	}
	before, future := noon, e.Now.Add(time.Hour)
	e.Same("before the first write", []string{}, e.list(graph.NodeList{Kind: graph.ConceptKind, AsOf: &before}, "u"))
	if _, err := e.Store.Nodes(t.Context(), e.As("u"), graph.NodeList{Kind: graph.ConceptKind, AsOf: &future, Limit: 1}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("of the future: %v", err)
	}
}

// contextOf returns what the sections of a context say, as of a time or now.
func (e *env) contextOf(user string, at *time.Time) []string {
	e.Helper()
	q := loader.SectionQuery{Now: e.Now, AsOf: at, FocusKey: "a", FocusKind: graph.ConceptKind}
	found, err := e.contexts().ReadSections(e.Context(), e.As(user), append(slices.Clone(loader.AllSections), loader.FocusSection), q)
	if err == nil && at != nil {
		err = e.contexts().OfPast(e.Context(), e.As(user), q, found)
	}
	if err != nil {
		e.Fatal(err)
	}
	lines := []string{}
	say := func(what string, n *loader.ContextNode, more ...any) {
		lines = append(lines, fmt.Sprintln(what, n.EntityKey, n.Name, n.Description, n.State, more))
	}
	if found.Owner != nil {
		say("owner", found.Owner)
	}
	for i := range found.CoreBeliefs {
		say("belief", &found.CoreBeliefs[i])
	}
	for i := range found.PrimaryGoals {
		say("goal", &found.PrimaryGoals[i])
	}
	for i := range found.Relationships {
		if r := &found.Relationships[i]; !r.Filled {
			say("related", &r.Node, r.Description, r.RelationshipType)
		}
	}
	if found.Focus != nil {
		say("focus", &found.Focus.Node)
		for _, l := range found.Focus.Links {
			lines = append(lines, fmt.Sprintln("near", l.EntityKey, l.Name, l.RelationshipType, l.Direction, l.Description))
		}
	}
	for _, s := range found.Sources {
		lines = append(lines, fmt.Sprintln("source", s.EntityKey, s.Summary, s.KeyEntities))
	}
	return lines
}

// TestContextsOfThePast compares contexts of each moment with what they said then, of a history without deletes.
func TestContextsOfThePast(t *testing.T) {
	e := fresh(t)
	describe := func(r graph.RelationshipWrite, text string) graph.RelationshipWrite {
		r.Description = graph.Some(text)
		return r
	}
	in := func(state string, w graph.NodeWrite) graph.NodeWrite {
		w.State = graph.Some(state)
		return w
	}
	me := lasting("person", "me", "Pia", "a sailor")
	me.IsOwner = graph.Some(true)
	becomes := in("core", lasting("concept", "z", "Zeal", "a belief since the last step"))
	becomes.Salience = graph.Some(0.9) // it is the first of the beliefs
	not := becomes
	not.TTLPolicy = graph.Some("decay")
	steps := []func(){
		func() {
			e.Write("u", []graph.NodeWrite{me, lasting("concept", "a", "Aurora", "a boat"), in("core", lasting("concept", "k", "Keel", "no boat without it")), lasting("concept", "g", "a goal", "to sail"), not},
				describe(link("me", "thinks_about", "a", 0.5), "would buy her"))
		},
		func() {
			e.Write("u", []graph.NodeWrite{lasting("concept", "a", "Zora", "a lighthouse"), lasting("person", "me", "Pia M", "a keeper")})
		},
		func() { e.Write("u", nil, describe(link("me", "thinks_about", "a", 0.9), "keeps the lamp")) },
		func() {
			e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("of lamps"), StartedAt: graph.Some(e.Now), Mentions: []string{"a"}})
		},
		func() { e.Write("u", []graph.NodeWrite{in("core", lasting("concept", "k", "Hull", "or that"))}) },
		func() { e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("of lenses")}) },
		func() {
			e.Write("u", []graph.NodeWrite{lasting("person", "b", "Bo", "a friend"), lasting("concept", "g", "a goal", "to rest")},
				describe(link("me", "has_relationship_with", "b", 0.7), "since school"), describe(link("a", "relates_to", "b", 0.7), "his work"))
		},
		func() { e.Write("u", []graph.NodeWrite{becomes}) },
	}
	type moment struct {
		at   time.Time
		said []string
	}
	var moments []moment
	e.history(func(at time.Time) { moments = append(moments, moment{at, e.contextOf("u", nil)}) }, steps...)
	for _, m := range moments {
		e.Same("at "+m.at.Format("15:04:05.000"), m.said, e.contextOf("u", &m.at))
		e.Same("another user's", []string{}, e.contextOf("other", &m.at))
	}
	before := noon
	e.Same("before the first write", []string{}, e.contextOf("u", &before))
}

func kindNamed(t *testing.T, name string) graph.Kind {
	t.Helper()
	kind, ok := graph.KindOf(name)
	if !ok {
		t.Fatal(name)
	}
	return kind
}
