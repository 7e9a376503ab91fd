package graph

import (
	"errors"
	"testing"

	"kith/neo"

	"kith/internal/fault"
)

// ownersOf returns the owners of a user: name, whether generated, state, key.
func (e *env) ownersOf(user string) [][]any {
	e.Helper()
	return e.raw(`MATCH (n:Person {team_id: $team, owner_of: '` + user + `'}) RETURN n.name, n.owner_generated, n.state, n.user_id`)
}

// disown removes the owner of a user, as in a memory older than generated owners.
func (e *env) disown(user string) {
	e.Helper()
	e.raw(`MATCH (n:Person {team_id: $team, owner_of: '` + user + `'}) DETACH DELETE n`)
}

func TestFirstWriteMakesTheUsersOwnPerson(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	e.same("by a node", [][]any{{"u1", true, "active", "u1"}}, e.ownersOf("u1"))
	e.write("u1", []NodeWrite{node("concept", "d", 0.5)})
	e.same("once", 1, len(e.ownersOf("u1")))
	spoken := said("m", "x")
	spoken.Name = "Ada"
	e.source("u2", SourceWrite{Messages: []MessageWrite{spoken}})
	e.same("named by who speaks", [][]any{{"Ada", true, "active", "u2"}}, e.ownersOf("u2"))
	e.write("", []NodeWrite{node("concept", "s", 0.5)})
	e.same("for no user", [][]any{{int64(2)}}, e.raw(`MATCH (n:Person {team_id: $team}) RETURN count(n)`))
	e.write("u3", []NodeWrite{owner1("me")})
	e.same("named by the caller", [][]any{{"the me", nil, "active", "u3"}}, e.ownersOf("u3"))
	e.write("u4", []NodeWrite{{Kind: "person", EntityKey: "p", Name: Some("U4")}})
	e.same("beside one of that name", [][]any{{"u4", true, "active", "u4"}}, e.ownersOf("u4"))
	e.same("findings", []Finding(nil), e.findings(false))
}

func TestNamedOwnerTakesOverTheGeneratedOne(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("person", "jon", 0.5), node("person", "ada", 0.5), node("concept", "c", 0.5)}, link("ada", "thinks_about", "c", 0.9))
	made := neo.Text(e.raw(`MATCH (n:Person {team_id: $team, owner_of: 'u1'}) RETURN n.entity_key`)[0][0])
	e.write("u1", nil, link(made, "has_relationship_with", "jon", 0.8), link(made, "thinks_about", "c", 0.7), link("jon", "knows", made, 0.3),
		link(made, "knows", "ada", 0.1))
	e.source("u1", SourceWrite{EntityKey: "s1", Mentions: []string{made}})
	e.source("u1", SourceWrite{EntityKey: "s2", Mentions: []string{made, "ada"}})
	if _, err := e.store.AddNotes(t.Context(), e.as("u1"), PersonKind, made, []NoteWrite{{Content: "likes tides"}}); err != nil {
		t.Fatal(err)
	}
	e.write("u1", []NodeWrite{change("person", "ada", func(w *NodeWrite) { w.IsOwner = Some(true) })}, link(made, "engages_with", "c", 0.2))

	e.same("owner", [][]any{{"the ada", nil, "active", "u1"}}, e.ownersOf("u1"))
	for _, key := range []string{made, "ada"} {
		view := e.get("u1", "person", key)
		e.same(key, []any{"ada", int64(2), 1, "likes tides"}, []any{view.EntityKey, view.SourceCount.Value, len(view.Notes), view.Notes[0].Content})
	}
	e.same("relationships", [][]any{{"engages_with", "c"}, {"has_relationship_with", "jon"}, {"knows", "ada"}, {"mentions", "ada"},
		{"mentions", "ada"}, {"thinks_about", "c"}},
		e.raw(`MATCH (a:Memory {team_id: $team})-[r]->(b) WHERE 'ada' IN [a.entity_key, b.entity_key]
			WITH coalesce(r.type_word, type(r)) AS kind, b.entity_key AS to ORDER BY kind, to RETURN kind, to`))
	e.same("context", []string{"c", "jon"}, linkedKeys(e.sections("u1").Relationships)[:2])
	again := e.write("u1", []NodeWrite{change("person", made, described("by the old key"))}, link(made, "knows", "jon", 0.4))
	e.same("a write by the old key", []string{"ada", "ada"}, []string{again.Nodes[0].EntityKey, again.Relationships[0].From})
	e.same("a source by the old key", "ada", e.source("u1", SourceWrite{Mentions: []string{made}}).Mentions[0].EntityKey)
	e.same("findings", []Finding(nil), e.findings(false))
	page, err := e.store.Relationships(t.Context(), e.as("u1"),
		RelationshipList{Kind: PersonKind, Key: made, Direction: "outgoing", Types: []string{"engages_with"}, Limit: 9})
	e.same("relationships by the old key", []any{error(nil), 1, "ada"}, []any{err, len(page.Relationships), page.Relationships[0].From})
	linked, err := e.store.LinkedWith(t.Context(), e.as("u1"), LinkedQuery{Kind: PersonKind, Key: made, Most: 9})
	e.same("linked by the old key", []any{error(nil), "ada"}, []any{err, linked.Node.EntityKey})
	for user, want := range map[string]map[string]string{"u1": {made: "ada"}, "u2": {}} {
		current, err := e.store.CurrentKeys(t.Context(), e.as(user), []string{made, "ada", "jon"})
		e.same("current keys of "+user, []any{error(nil), want}, []any{err, current})
	}
	current, err := e.store.CurrentKeys(t.Context(), e.neighbour().as("u1"), []string{made})
	e.same("another team's", []any{error(nil), map[string]string{}}, []any{err, current})
	if _, err := e.store.Relationships(t.Context(), e.as("u2"), RelationshipList{Kind: PersonKind, Key: made, Limit: 9}); !errors.Is(err, ErrNotFound) {
		t.Errorf("somebody else's: %v", err)
	}

	_, err = e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Strict: true, Nodes: []NodeWrite{owner1("eve")}})
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) || invalid.Fields[0].Path.String() != "nodes[0].is_owner" {
		t.Fatalf("a second owner: %v", err)
	}
}

func TestTwoOwnersInOneWrite(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	two := &MemoryWrite{Strict: true, Nodes: []NodeWrite{owner1("ada"), owner1("eve")}}
	_, err := e.store.Write(t.Context(), e.as("u1"), two)
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) || invalid.Fields[0].Path.String() != "nodes[1].is_owner" {
		t.Fatalf("two owners: %v", err)
	}
	e.same("nothing is written", [][]any{{"u1", true, "active", "u1"}}, e.ownersOf("u1"))
	two.Strict = false
	result, err := e.store.Write(t.Context(), e.as("u1"), two)
	if err != nil {
		t.Fatal(err)
	}
	e.same("the first one", []Status{Created, Refused}, statuses(result))
	e.same("owner", [][]any{{"the ada", nil, "active", "u1"}}, e.ownersOf("u1"))
}

func TestGeneratedOwnerGoesWithTheUser(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	if _, err := e.store.EraseUser(t.Context(), e.as("u1")); err != nil {
		t.Fatal(err)
	}
	e.same("left", [][]any{{int64(0)}}, e.raw(`MATCH (n {team_id: $team}) WHERE n.user_id = 'u1' OR n.owner_of = 'u1' RETURN count(n)`))
}
