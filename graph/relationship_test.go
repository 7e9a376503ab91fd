package graph_test

import (
	"encoding/json"
	"testing"
	"time"

	"kith/graph"
	"kith/tests/graphtest"
)

// relationships returns values of the relationships stored between two nodes, oldest first.
func (e *env) relationships(from, to, values string) [][]any {
	e.Helper()
	return e.Raw(`MATCH (a:Memory {team_id: $team, entity_key: '` + from + `'})-[r]->(b:Memory {team_id: $team, entity_key: '` + to + `'})
		WITH r ORDER BY r.key RETURN ` + values)
}

func TestRelationshipDefaults(t *testing.T) {
	e := fresh(t)
	result := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5, shared), node("concept", "c", 0.5, shared)},
		graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b"}, graph.RelationshipWrite{From: "b", Type: "of_caller", To: "c"})
	e.Same("statuses", []graph.Status{graph.Created, graph.Created, graph.Created, graph.Created, graph.Created}, statuses(result))
	e.Same("defaults", [][]any{{
		result.Relationships[0].Key, "", 0.5, 0.8, "active", nil, nil, nil, noon, nil, noon, "u1", noon, "u1", e.Team, nil,
	}}, e.relationships("a", "b", `r.key, r.description, r.salience, r.confidence, r.state, r.attitude, r.proximity, r.relationship_type,
		r.valid_from, r.valid_to, r.recorded_at, r.recorded_by, r.updated_at, r.user_id, r.team_id, r.owner_key`))
	e.Same("between shared nodes", [][]any{{nil}}, e.relationships("b", "c", "r.user_id"))
	e.ChangedUsers()
	e.Write("u1", nil, link("b", "of_caller", "c", 0.1))
	e.Same("users", []string{""}, e.ChangedUsers())
}

func TestRelationshipIsFoundByItsTriple(t *testing.T) {
	e := fresh(t)
	full := graph.RelationshipWrite{
		From: "a", Type: "relates_to", To: "b", Description: graph.Some("why"), RelationshipType: graph.Some("rival"), Salience: graph.Some(0.7),
		Confidence: graph.Some(0.6), Attitude: graph.Some(int64(1)), Proximity: graph.Some(int64(5)), State: graph.Some("core"),
		ValidFrom: graph.Some(weekAgo.In(time.FixedZone("", 3600))), RecordedBy: graph.Some("crew"), Properties: json.RawMessage(`{"n": 1}`),
	}
	values := `r.description, r.relationship_type, r.salience, r.confidence, r.attitude, r.proximity, r.state, r.valid_from, r.recorded_by,
		r.properties, r.updated_at`
	stored := []any{"why", "rival", 0.7, 0.6, int64(1), int64(5), "core", weekAgo, "crew", `{"n":1}`, noon}
	first := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, full)
	e.Same("stored", [][]any{stored}, e.relationships("a", "b", values))

	e.Now = noon.Add(time.Hour)
	again := e.Write("u1", nil, full, graph.RelationshipWrite{From: "b", Type: "relates_to", To: "a"})
	e.Same("again", []graph.Status{graph.Unchanged, graph.Created}, statuses(again))
	e.Same("key", first.Relationships[0].Key, again.Relationships[0].Key)
	e.Same("nothing written", [][]any{stored}, e.relationships("a", "b", values))

	changed := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b", Salience: graph.Some(0.1), Attitude: graph.Null[int64](),
		Description: graph.Null[string]()})
	e.Same("changed", graph.RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: graph.Updated, Version: 2},
		changed.Relationships[0])
	e.Same("stored", [][]any{{"", "rival", 0.1, 0.6, nil, int64(5), "core", weekAgo, "crew", `{"n":1}`, e.Now}}, e.relationships("a", "b", values))
	e.Write("u1", nil, link("a", "involves", "b", 0.2))
	e.Same("another type beside it", 2, len(e.relationships("a", "b", values)))
}

func TestContradictionClosesAndAdds(t *testing.T) {
	e := fresh(t)
	first := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.7))
	end := noon.Add(time.Hour)
	e.Now = end
	close := closed("a", "relates_to", "b", end.In(time.FixedZone("", 7200)))
	e.Same("closed", graph.RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: graph.Updated, Version: 2},
		e.Write("u1", nil, close).Relationships[0])
	e.Same("said again", graph.RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: graph.Unchanged, Version: 2},
		e.Write("u1", nil, close).Relationships[0])
	second := e.Write("u1", nil, link("a", "relates_to", "b", 0.2))
	e.Same("a new one", graph.Created, second.Relationships[0].Status)
	e.Same("both are kept", [][]any{{0.7, end}, {0.2, nil}}, e.relationships("a", "b", "r.salience, r.valid_to"))
	e.Same("said once more", graph.Unchanged, e.Write("u1", nil, close).Relationships[0].Status)
	e.Same("the new one stays open", [][]any{{0.7, end}, {0.2, nil}}, e.relationships("a", "b", "r.salience, r.valid_to"))

	result := e.Try("u1", nil, closed("b", "relates_to", "a", end.Add(time.Hour)))
	e.Same("nothing to close", []string{"relationships[0].valid_to: no current relationship to close"}, result.Warnings)

	history := graph.RelationshipWrite{From: "b", Type: "relates_to", To: "a", ValidFrom: graph.Some(weekAgo), ValidTo: graph.Some(noon), Salience: graph.Some(0.3)}
	e.Same("history", []graph.Status{graph.Created}, statuses(e.Write("u1", nil, history)))
	e.Same("history again", []graph.Status{graph.Unchanged}, statuses(e.Write("u1", nil, history)))
	e.Same("a current one beside it", []graph.Status{graph.Created}, statuses(e.Write("u1", nil, link("b", "relates_to", "a", 0.5))))
	e.Same("stored", 2, len(e.relationships("b", "a", "r.key")))
}

func TestRelationshipsToNothingAreRefused(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "s", 0.5, shared), node("concept", "theirs", 0.5, of("u2"))})
	e.Source("u1", graph.SourceWrite{EntityKey: "source"})
	e.Source("u1", graph.SourceWrite{EntityKey: "another source"})
	e.neighbour().Write("u1", []graph.NodeWrite{node("concept", "elsewhere", 0.5)})
	before := e.Stored()
	for name, c := range map[string]struct {
		user  string
		write graph.RelationshipWrite
		at    string
	}{
		"missing from":           {"u1", link("gone", "relates_to", "a", 1), "from"},
		"missing to":             {"u1", link("a", "relates_to", "gone", 1), "to"},
		"another user's":         {"u1", link("a", "relates_to", "theirs", 1), "to"},
		"from another user's":    {"u1", link("theirs", "relates_to", "s", 1), "from"},
		"another team's":         {"u1", link("a", "relates_to", "elsewhere", 1), "to"},
		"a private one, by team": {"", link("a", "relates_to", "s", 1), "from"},
		"mentions of a source":   {"u1", link("source", "mentions", "another source", 1), "type"},
		"mentions by a concept":  {"u1", link("a", "mentions", "s", 1), "type"},
	} {
		t.Run(name, func(t *testing.T) {
			e := e.of(t, e.Team)
			result := e.Try(c.user, nil, c.write)
			r := result.Relationships[0]
			if r.Status != graph.Refused || r.Error == nil || r.Key != "" {
				t.Fatalf("got %+v", r)
			}
			e.Same("warnings", []string{"relationships[0]." + c.at + ": " + *r.Error}, result.Warnings)
			_, err := e.Store.Write(t.Context(), e.As(c.user), &graph.MemoryWrite{
				Strict: true, Nodes: []graph.NodeWrite{node("concept", "fine", 1)}, Relationships: []graph.RelationshipWrite{c.write},
			})
			e.Same("faults", []string{"relationships[0]." + c.at}, graphtest.Locations(err))
			e.Same("stored", before, e.Stored())
		})
	}
}

func TestMentionsThroughMemory(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", StartedAt: graph.Some(weekAgo)})
	mention := graph.RelationshipWrite{From: "s", Type: "mentions", To: "a", Description: graph.Some("twice"), Properties: json.RawMessage(`{"n":2}`)}
	e.Same("statuses", []graph.Status{graph.Created}, statuses(e.Write("u1", nil, mention)))
	e.Same("what counts it, and what is given", [][]any{{e.Team, "u1", "a", weekAgo, "twice", `{"n":2}`, nil}},
		e.relationships("s", "a", "r.team_id, r.user_id, r.node_key, r.started_at, r.description, r.properties, r.salience"))
	e.Same("again", []graph.Status{graph.Unchanged}, statuses(e.Write("u1", nil, mention)))
}
