package graph

import "testing"

// TestEverythingHasATeam writes data of all kinds and checks the whole database: fresh only checks the test's own
// team.
func TestEverythingHasATeam(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5), node("entity", "x", 0.5, shared)},
		link("me", "thinks_about", "c", 0.5), link("c", "involves", "x", 0.5))
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m", "x")}, Mentions: []string{"c", "x"}})
	if err := e.store.ReplacePreferences(t.Context(), e.as("u1"), []Preference{{"k", []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.same("nodes", int64(5), e.stored()[0])
	e.same("relationships", int64(5), e.stored()[1])
	e.same("nodes without a team", [][]any{{int64(0)}}, e.raw(
		`MATCH (n) WHERE n.team_id IS NULL AND NOT n:KithSchema AND (n:Memory OR n:Preference OR n:ApiKey) RETURN count(n)`))
	e.same("nodes without a key", [][]any{{int64(0)}}, e.raw(
		`MATCH (n:Memory) WHERE n.entity_key IS NULL OR n.created_at IS NULL AND NOT n:Message RETURN count(n)`))
	e.same("relationships over a border", [][]any{{int64(0)}}, e.raw(
		`MATCH (a:Memory)-[r]->(b) WHERE r.made_by_test IS NULL AND (r.team_id IS NULL OR r.team_id <> a.team_id OR r.team_id <> b.team_id OR NOT (b:Memory OR b:Deleted)) RETURN count(r)`))
	e.same("private nodes of two users linked", [][]any{{int64(0)}}, e.raw(
		`MATCH (a:Memory {team_id: $team})-[r]->(b) WHERE a.user_id <> b.user_id OR r.user_id <> coalesce(a.user_id, b.user_id) RETURN count(r)`))
}
