package graph_test

import (
	"testing"

	"kith/graph"
	"kith/memory/preference"
)

// TestEverythingHasATeam writes data of all kinds and checks the whole database: fresh only checks the test's own
// team.
func TestEverythingHasATeam(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5), node("entity", "x", 0.5, shared)},
		link("me", "thinks_about", "c", 0.5), link("c", "involves", "x", 0.5))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "x")}, Mentions: []string{"c", "x"}})
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), []preference.Preference{{Key: "k", Value: []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.Same("nodes", int64(5), e.Stored()[0])
	e.Same("relationships", int64(5), e.Stored()[1])
	e.Same("nodes without a team", [][]any{{int64(0)}}, e.Raw(
		`MATCH (n) WHERE n.team_id IS NULL AND NOT n:KithSchema AND (n:Memory OR n:Preference OR n:ApiKey) RETURN count(n)`))
	e.Same("nodes without a key", [][]any{{int64(0)}}, e.Raw(
		`MATCH (n:Memory) WHERE n.entity_key IS NULL OR n.created_at IS NULL AND NOT n:Message RETURN count(n)`))
	e.Same("relationships over a border", [][]any{{int64(0)}}, e.Raw(
		`MATCH (a:Memory)-[r]->(b) WHERE r.made_by_test IS NULL AND (r.team_id IS NULL OR r.team_id <> a.team_id OR r.team_id <> b.team_id OR NOT (b:Memory OR b:Deleted)) RETURN count(r)`))
	e.Same("private nodes of two users linked", [][]any{{int64(0)}}, e.Raw(
		`MATCH (a:Memory {team_id: $team})-[r]->(b) WHERE a.user_id <> b.user_id OR r.user_id <> coalesce(a.user_id, b.user_id) RETURN count(r)`))
}
