package graph_test

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
)

func TestRelationshipsOfEachTypeAndDirection(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{owner1("me"), node("person", "x-admired", 1), node("entity", "e-out", 0.2)}
	links := []graph.RelationshipWrite{link("me", "admires", "x-admired", 1), link("x-admired", "has_relationship_to", "me", 1)}
	want := []string{}
	for i, kind := range contextTypes {
		for j, direction := range []string{"out", "in"} {
			key := fmt.Sprintf("%s-%d", direction, i)
			nodes = append(nodes, node([]string{"concept", "entity", "person"}[(i+j)%3], key, 0.5))
			l := link("me", kind, key, float64(14-2*i-j)/20)
			if direction == "in" {
				l.From, l.To = l.To, l.From
			}
			links = append(links, l)
			want = append(want, key)
		}
	}
	e.Write("u1", nodes, links...)
	e.Same("the first ten", want[:10], linkedKeys(e.sections("u1").Relationships))
	var archived []graph.NodeWrite
	for i, n := range nodes[3:13] {
		archived = append(archived, change([]string{"concept", "entity", "person"}[(i/2+i%2)%3], n.EntityKey, inState("archived")))
	}
	e.Write("u1", archived)
	e.Same("the other four", want[10:], linkedKeys(e.sections("u1").Relationships))
}

func TestRelationshipItem(t *testing.T) {
	e := fresh(t)
	user := "u1"
	e.Write(user, []graph.NodeWrite{owner1("me"), node("entity", "boat", 0.6, inState("core"), described("A yawl."))},
		link("boat", "associated_with", "me", 0.7))
	e.Same("item", []loader.OwnerRelationship{{
		Node: loader.ContextNode{Node: graph.Node{
			EntityKey: "boat", UserID: &user, Name: "the boat", Description: "A yawl.", State: "core", TTLPolicy: "decay",
			Salience: 0.6, Confidence: 0.5, LastAccessedAt: &noon, CreatedAt: noon, UpdatedAt: noon,
		}},
		Description: "boat associated_with me", Salience: 0.7, RelationshipType: "associated_with", NodeType: "Entity",
	}}, e.sections(user).Relationships)
}

func TestRelationshipsInOrder(t *testing.T) {
	e := fresh(t)
	null := func(w *graph.NodeWrite) { w.Salience = graph.Null[float64]() }
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), node("concept", "a", 0.1), node("concept", "b", 0.9), node("concept", "c", 0.5), node("concept", "d", 0.5),
		node("concept", "no-salience", 0, null), node("concept", "no-strength", 1),
		node("concept", "x-candidate", 1, inState("candidate")), node("concept", "x-archived", 1, inState("archived")),
	},
		link("me", "thinks_about", "a", 0.8), link("me", "relates_to", "b", 0.5), link("c", "thinks_about", "me", 0.5),
		link("me", "involves", "d", 0.5), link("me", "relates_to", "no-salience", 0.5),
		graph.RelationshipWrite{From: "me", Type: "relates_to", To: "no-strength", Salience: graph.Null[float64]()},
		link("me", "relates_to", "x-candidate", 1), link("me", "relates_to", "x-archived", 1))
	e.Same("order", []string{"a", "b", "d", "c", "no-salience", "no-strength"}, linkedKeys(e.sections("u1").Relationships))
}

func TestOneRowANode(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "a", 0.5), node("concept", "b", 0.5)},
		link("me", "thinks_about", "a", 0.4), link("a", "thinks_about", "me", 0.6), link("me", "relates_to", "a", 0.5),
		link("me", "relates_to", "b", 0.55))
	read := func() (got []string) {
		for _, r := range byRule(e.sections("u1").Relationships) {
			got = append(got, fmt.Sprintf("%s %s %.2f", r.Node.EntityKey, r.Description, r.Salience))
		}
		return got
	}
	e.Same("the strongest of each", []string{"a a thinks_about me 0.60", "b me relates_to b 0.55"}, read())
	e.Write("u1", nil, link("a", "thinks_about", "me", 0.1))
	e.Same("weakened", []string{"b me relates_to b 0.55", "a me relates_to a 0.50"}, read())
	e.Write("u1", nil, closed("me", "relates_to", "a", noon))
	e.Same("closed", []string{"b me relates_to b 0.55", "a me thinks_about a 0.40"}, read())
	e.Write("u1", nil, link("me", "relates_to", "a", 0.9))
	e.Same("a new one", []string{"a me relates_to a 0.90", "b me relates_to b 0.55"}, read())
	e.Write("u1", nil, closed("me", "relates_to", "a", noon.Add(time.Second)), closed("me", "thinks_about", "a", noon), closed("a", "thinks_about", "me", noon))
	e.Same("one ends in a second", []string{"a me relates_to a 0.90", "b me relates_to b 0.55"}, read())
	e.Now = noon.Add(time.Second)
	e.Same("all closed", []string{"b me relates_to b 0.55"}, read())
}

func TestRelationshipsFollowTheirNodes(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "a", 0.5, inState("candidate")), node("concept", "b", 0.4)},
		link("me", "thinks_about", "a", 0.5), link("me", "thinks_about", "b", 0.5))
	read := func() []string { return linkedKeys(e.sections("u1").Relationships) }
	e.Same("a is a candidate", []string{"b"}, read())
	e.Write("u1", []graph.NodeWrite{change("concept", "a", inState("active"))})
	e.Same("active", []string{"a", "b"}, read())
	e.Write("u1", []graph.NodeWrite{change("concept", "b", func(w *graph.NodeWrite) { w.Salience = graph.Some(0.6) })})
	e.Same("b is more salient", []string{"b", "a"}, read())
	e.Write("u1", []graph.NodeWrite{change("concept", "a", inState("core")), change("concept", "b", inState("archived"))})
	e.Same("core and archived", []string{"a"}, read())
	e.Write("u1", []graph.NodeWrite{change("concept", "a", inState("candidate"))})
	e.Same("a candidate again", []string{}, read())
	e.Write("u1", []graph.NodeWrite{change("concept", "a", inState("active"))}, link("me", "involves", "a", 0.9))
	e.Same("node and relationship in one write", []string{"a"}, read())
}

func TestOwnerSetAfterTheRelationships(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("person", "me", 1), node("concept", "a", 0.5)}, link("me", "thinks_about", "a", 0.5))
	e.Same("nobody's", []string{}, linkedKeys(e.sections("u1").Relationships))
	e.Write("u1", []graph.NodeWrite{change("person", "me", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })})
	e.Same("the owner's", []string{"a"}, linkedKeys(e.sections("u1").Relationships))
}

func TestSharedNodesRankForEachOwner(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me-1"), node("entity", "own-1", 0.5), node("entity", "quay", 0.5, shared)},
		link("me-1", "associated_with", "quay", 0.5), link("me-1", "associated_with", "own-1", 0.5))
	e.Write("u2", []graph.NodeWrite{owner1("me-2"), node("entity", "own-2", 0.5)},
		link("quay", "associated_with", "me-2", 0.5), link("me-2", "associated_with", "own-2", 0.5))
	e.Same("of u1", []string{"quay", "own-1"}, linkedKeys(e.sections("u1").Relationships))
	e.Same("of u2", []string{"quay", "own-2"}, linkedKeys(e.sections("u2").Relationships))

	e.ChangedUsers()
	e.Write("u1", []graph.NodeWrite{change("entity", "quay", func(w *graph.NodeWrite) { w.Salience = graph.Some(0.1) })})
	e.Same("whose memory changed", []string{""}, e.ChangedUsers())
	e.Same("of u1, after", []string{"own-1", "quay"}, linkedKeys(e.sections("u1").Relationships))
	e.Same("of u2, after", []string{"own-2", "quay"}, linkedKeys(e.sections("u2").Relationships))
}

func TestUsersAndTeamsSeeNothingOfEachOther(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	nodes := func() []graph.NodeWrite { return []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)} }
	e.Write("u1", nodes(), link("me", "thinks_about", "c", 0.5))
	other.Write("u1", nodes(), link("me", "relates_to", "c", 0.9))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"c"}, Summary: graph.Some("one")})
	other.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"c"}, Summary: graph.Some("two")})
	other.Source("u1", graph.SourceWrite{EntityKey: "s-2", Mentions: []string{"c"}})
	for i, team := range []*env{e, other} {
		s := team.sections("u1")
		e.Same("type", []string{"thinks_about", "relates_to"}[i], s.Relationships[0].RelationshipType)
		e.Same("mentions", int64(i+1), s.Relationships[0].RecentMentions)
		e.Same("sources", i+1, len(s.Sources))
	}

	// Another user of the team cannot reach them, neither to read nor to link.
	e.Write("u2", []graph.NodeWrite{owner1("me-2")})
	result := e.Try("u2", nil, link("me-2", "thinks_about", "c", 1), link("c", "thinks_about", "me-2", 1), link("me", "thinks_about", "me-2", 1))
	e.Same("links to what is private", []graph.Status{graph.Refused, graph.Refused, graph.Refused}, statuses(result))
	source := e.Source("u2", graph.SourceWrite{Summary: told, Mentions: []string{"c"}})
	e.Same("mentions of what is private", graph.Refused, source.Mentions[0].Status)
	s := e.sections("u2")
	e.Same("relationships of u2", []string{}, linkedKeys(s.Relationships))
	e.Same("sources of u2", 1, len(s.Sources))
	e.Same("mentions", []loader.KeyEntity{}, s.Sources[0].KeyEntities)
}

func TestFocus(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), node("concept", "c", 0.5), node("entity", "a", 0.4), node("person", "b", 0.6), node("concept", "x", 1, of("u2")),
	}, link("me", "thinks_about", "c", 0.5), link("c", "admires", "a", 0.9), link("b", "relates_to", "c", 0.5), link("c", "relates_to", "a", 0.1))
	e.Write("u1", nil, closed("c", "relates_to", "a", noon))
	read := func(e *env, user, key string, kind graph.Kind) *loader.Focus {
		q := loader.SectionQuery{Now: noon, FocusKey: key, FocusKind: kind}
		s, err := e.contexts().ReadSections(t.Context(), e.As(user), []loader.Section{loader.FocusSection}, q)
		if err != nil {
			t.Fatal(err)
		}
		return s.Focus
	}
	focus := read(e, "u1", "c", graph.ConceptKind)
	e.Same("links", []loader.FocusLink{
		{EntityKey: "a", Name: "the a", NodeType: "Entity", RelationshipType: "admires", Direction: "outgoing", Description: "c admires a", Salience: 0.9},
		{EntityKey: "me", Name: "the me", NodeType: "Person", RelationshipType: "thinks_about", Direction: "incoming", Description: "me thinks_about c", Salience: 0.5},
		{EntityKey: "b", Name: "the b", NodeType: "Person", RelationshipType: "relates_to", Direction: "incoming", Description: "b relates_to c", Salience: 0.5},
	}, focus.Links)
	e.Same("node", "c", focus.Node.EntityKey)
	for name, nobody := range map[string]*loader.Focus{
		"of another kind": read(e, "u1", "c", graph.EntityKind), "of another user": read(e, "u2", "c", graph.ConceptKind),
		"another user's": read(e, "u1", "x", graph.ConceptKind), "unknown": read(e, "u1", "nothing", graph.ConceptKind),
		"of no user": read(e, "", "c", graph.ConceptKind), "of another team": read(e.neighbour(), "u1", "c", graph.ConceptKind),
	} {
		e.Same(name, (*loader.Focus)(nil), nobody)
	}
}
