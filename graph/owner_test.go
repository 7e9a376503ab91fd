package graph_test

import (
	"errors"
	"fmt"
	"testing"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/workspace"
)

// ownersOf returns the owners of a user: name, whether generated, state, key.
func (e *env) ownersOf(user string) [][]any {
	e.Helper()
	return e.Raw(`MATCH (n:Person {team_id: $team, owner_of: '` + user + `'}) RETURN n.name, n.owner_generated, n.state, n.user_id`)
}

// disown removes the owner of a user, as in a memory older than generated owners.
func (e *env) disown(user string) {
	e.Helper()
	e.Raw(`MATCH (n:Person {team_id: $team, owner_of: '` + user + `'}) DETACH DELETE n`)
}

func TestFirstWriteMakesTheUsersOwnPerson(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	e.Same("by a node", [][]any{{"u1", true, "active", "u1"}}, e.ownersOf("u1"))
	e.Write("u1", []graph.NodeWrite{node("concept", "d", 0.5)})
	e.Same("once", 1, len(e.ownersOf("u1")))
	spoken := said("m", "x")
	spoken.Name = "Ada"
	e.Source("u2", graph.SourceWrite{Messages: []graph.MessageWrite{spoken}})
	e.Same("named by who speaks", [][]any{{"Ada", true, "active", "u2"}}, e.ownersOf("u2"))
	e.Write("", []graph.NodeWrite{node("concept", "s", 0.5)})
	e.Same("for no user", [][]any{{int64(2)}}, e.Raw(`MATCH (n:Person {team_id: $team}) RETURN count(n)`))
	e.Write("u3", []graph.NodeWrite{owner1("me")})
	e.Same("named by the caller", [][]any{{"the me", nil, "active", "u3"}}, e.ownersOf("u3"))
	e.Write("u4", []graph.NodeWrite{{Kind: "person", EntityKey: "p", Name: graph.Some("U4")}})
	e.Same("beside one of that name", [][]any{{"u4", true, "active", "u4"}}, e.ownersOf("u4"))
	e.Same("findings", []graph.Finding(nil), e.findings(false))
}

func TestNamedOwnerTakesOverTheGeneratedOne(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("person", "jon", 0.5), node("person", "ada", 0.5), node("concept", "c", 0.5)}, link("ada", "thinks_about", "c", 0.9))
	made := neo.Text(e.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u1'}) RETURN n.entity_key`)[0][0])
	e.Write("u1", nil, link(made, "has_relationship_with", "jon", 0.8), link(made, "thinks_about", "c", 0.7), link("jon", "knows", made, 0.3),
		link(made, "knows", "ada", 0.1))
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", Mentions: []string{made}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s2", Mentions: []string{made, "ada"}})
	if _, err := e.Store.AddNotes(t.Context(), e.As("u1"), graph.PersonKind, made, []graph.NoteWrite{{Content: "likes tides"}}); err != nil {
		t.Fatal(err)
	}
	e.Write("u1", []graph.NodeWrite{change("person", "ada", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })}, link(made, "engages_with", "c", 0.2))

	e.Same("owner", [][]any{{"the ada", nil, "active", "u1"}}, e.ownersOf("u1"))
	for _, key := range []string{made, "ada"} {
		view := e.get("u1", "person", key)
		e.Same(key, []any{"ada", int64(2), 1, "likes tides"}, []any{view.EntityKey, view.SourceCount.Value, len(view.Notes), view.Notes[0].Content})
	}
	e.Same("relationships", [][]any{{"engages_with", "c"}, {"has_relationship_with", "jon"}, {"knows", "ada"}, {"mentions", "ada"},
		{"mentions", "ada"}, {"thinks_about", "c"}},
		e.Raw(`MATCH (a:Memory {team_id: $team})-[r]->(b) WHERE 'ada' IN [a.entity_key, b.entity_key]
			WITH coalesce(r.type_word, type(r)) AS kind, b.entity_key AS to ORDER BY kind, to RETURN kind, to`))
	e.Same("context", []string{"c", "jon"}, linkedKeys(e.sections("u1").Relationships)[:2])
	again := e.Write("u1", []graph.NodeWrite{change("person", made, described("by the old key"))}, link(made, "knows", "jon", 0.4))
	e.Same("a write by the old key", []string{"ada", "ada"}, []string{again.Nodes[0].EntityKey, again.Relationships[0].From})
	e.Same("a source by the old key", "ada", e.Source("u1", graph.SourceWrite{Mentions: []string{made}}).Mentions[0].EntityKey)
	e.Same("findings", []graph.Finding(nil), e.findings(false))
	page, err := e.Store.Relationships(t.Context(), e.As("u1"),
		graph.RelationshipList{Kind: graph.PersonKind, Key: made, Direction: "outgoing", Types: []string{"engages_with"}, Limit: 9})
	e.Same("relationships by the old key", []any{error(nil), 1, "ada"}, []any{err, len(page.Relationships), page.Relationships[0].From})
	linked, err := workspace.NewStore(e.Store).LinkedWith(t.Context(), e.As("u1"), workspace.LinkedQuery{Kind: graph.PersonKind, Key: made, Most: 9})
	e.Same("linked by the old key", []any{error(nil), "ada"}, []any{err, linked.Node.EntityKey})
	for user, want := range map[string]map[string]string{"u1": {made: "ada"}, "u2": {}} {
		current, err := e.Store.CurrentKeys(t.Context(), e.As(user), []string{made, "ada", "jon"})
		e.Same("current keys of "+user, []any{error(nil), want}, []any{err, current})
	}
	current, err := e.Store.CurrentKeys(t.Context(), e.neighbour().As("u1"), []string{made})
	e.Same("another team's", []any{error(nil), map[string]string{}}, []any{err, current})
	if _, err := e.Store.Relationships(t.Context(), e.As("u2"), graph.RelationshipList{Kind: graph.PersonKind, Key: made, Limit: 9}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("somebody else's: %v", err)
	}

	_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{owner1("eve")}})
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) || invalid.Fields[0].Path.String() != "nodes[0].is_owner" {
		t.Fatalf("a second owner: %v", err)
	}
}

// The first write makes a person with the user's id as its name, and so does a caller who names the user by it.
func TestNamedOwnerMayHaveTheNameOfTheGeneratedOne(t *testing.T) {
	e := fresh(t)
	e.Write("ada", []graph.NodeWrite{node("concept", "c", 0.5)})
	for range 2 {
		e.Write("ada", []graph.NodeWrite{change("person", "p-ada", func(w *graph.NodeWrite) { w.Name, w.IsOwner = graph.Some("Ada"), graph.Some(true) })},
			link("p-ada", "thinks_about", "c", 0.5))
		e.Same("owner", [][]any{{"Ada", nil, "active", "ada"}}, e.ownersOf("ada"))
	}
	e.Same("findings", []graph.Finding(nil), e.findings(false))
	r, err := e.Store.Write(t.Context(), e.As("ada"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{change("person", "p-2", func(w *graph.NodeWrite) { w.Name = graph.Some("Ada") })}})
	e.Same("another person of the name", []any{error(nil), graph.Refused}, []any{err, r.Nodes[0].Status})
}

func TestTwoOwnersInOneWrite(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	two := &graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{owner1("ada"), owner1("eve")}}
	_, err := e.Store.Write(t.Context(), e.As("u1"), two)
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) || invalid.Fields[0].Path.String() != "nodes[1].is_owner" {
		t.Fatalf("two owners: %v", err)
	}
	e.Same("nothing is written", [][]any{{"u1", true, "active", "u1"}}, e.ownersOf("u1"))
	two.Strict = false
	result, err := e.Store.Write(t.Context(), e.As("u1"), two)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("the first one", []graph.Status{graph.Created, graph.Refused}, statuses(result))
	e.Same("owner", [][]any{{"the ada", nil, "active", "u1"}}, e.ownersOf("u1"))
}

func TestGeneratedOwnerGoesWithTheUser(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	if _, err := e.eraseUser(t.Context(), "u1"); err != nil {
		t.Fatal(err)
	}
	e.Same("left", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team}) WHERE n.user_id = 'u1' OR n.owner_of = 'u1' RETURN count(n)`))
}

// The ends of relationships may name the user as agents do, also in the first write, and nodes of the same write; keys go before names.
func TestEndsThatAreNamed(t *testing.T) {
	e := fresh(t)
	person := func(name string) graph.NodeWrite { return graph.NodeWrite{Kind: "person", Name: graph.Some(name)} }
	ends := func(user string, r graph.MemoryResult) (ends []string) {
		for _, link := range r.Relationships {
			ends = append(ends, string(link.Status)+" "+e.nameOf(user, link.From)+" to "+e.nameOf(user, link.To))
		}
		return ends
	}
	for i, named := range []string{"me", "ME", "user", "", "me"} {
		user := fmt.Sprint("first", i)
		if named == "" {
			named = user
		}
		r := e.Write(user, []graph.NodeWrite{person("Sarah Lind")}, link(named, "has_relationship_with", "sarah lind", 0.5))
		e.Same("the first write names "+named, []string{"created " + user + " to Sarah Lind"}, ends(user, r))
		e.Same("by "+named, 1, len(e.ownersOf(user)))
		again := e.Write(user, nil, link(named, "has_relationship_with", r.Nodes[0].EntityKey, 0.5))
		e.Same("again by "+named, r.Relationships[0].Key, again.Relationships[0].Key)
	}
	e.Write("u", []graph.NodeWrite{change("person", "me", func(w *graph.NodeWrite) { w.Name = graph.Some("Someone") })})
	e.Same("a key goes before", []string{"created Someone to Bo"}, ends("u", e.Write("u", []graph.NodeWrite{person("Bo")}, link("me", "knows", "Bo", 0.5))))
	for user, w := range map[string]*graph.MemoryWrite{
		"v": {Nodes: []graph.NodeWrite{{Kind: "entity", Name: graph.Some("Tom")}, person("Tom")}, Relationships: []graph.RelationshipWrite{link("me", "knows", "Tom", 0.5)}},
		"":  {Nodes: []graph.NodeWrite{person("Kim")}, Relationships: []graph.RelationshipWrite{link("me", "knows", "Kim", 0.5)}},
	} {
		r, err := e.Store.Write(e.Context(), e.As(user), w)
		if err != nil || r.Relationships[0].Status != graph.Refused {
			t.Errorf("two of a name, or nobody's memory: %v, %v", r.Relationships, err)
		}
	}
	e.Same("findings", []graph.Finding(nil), e.findings(false))
}

// nameOf returns the name of a node by its key; empty if there is none.
func (e *env) nameOf(user, key string) string {
	e.Helper()
	nodes, err := e.Store.NodesByKey(e.Context(), e.As(user), []string{key})
	if err != nil || len(nodes) == 0 {
		return ""
	}
	return nodes[0].Name
}
