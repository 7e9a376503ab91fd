package graph

import (
	"encoding/json"
	"testing"
	"time"
)

// relationships returns values of the relationships stored between two nodes, oldest first.
func (e *env) relationships(from, to, values string) [][]any {
	e.Helper()
	return e.raw(`MATCH (a:Memory {team_id: $team, entity_key: '` + from + `'})-[r]->(b:Memory {team_id: $team, entity_key: '` + to + `'})
		WITH r ORDER BY r.key RETURN ` + values)
}

func TestRelationshipDefaults(t *testing.T) {
	e := fresh(t)
	result := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5, shared), node("concept", "c", 0.5, shared)},
		RelationshipWrite{From: "a", Type: "relates_to", To: "b"}, RelationshipWrite{From: "b", Type: "of_caller", To: "c"})
	e.same("statuses", []Status{Created, Created, Created, Created, Created}, statuses(result))
	e.same("defaults", [][]any{{
		result.Relationships[0].Key, "", 0.5, 0.8, "active", nil, nil, nil, noon, nil, noon, "u1", noon, "u1", e.team, nil,
	}}, e.relationships("a", "b", `r.key, r.description, r.salience, r.confidence, r.state, r.attitude, r.proximity, r.relationship_type,
		r.valid_from, r.valid_to, r.recorded_at, r.recorded_by, r.updated_at, r.user_id, r.team_id, r.owner_key`))
	e.same("between shared nodes", [][]any{{nil}}, e.relationships("b", "c", "r.user_id"))
	e.changedUsers()
	e.write("u1", nil, link("b", "of_caller", "c", 0.1))
	e.same("users", []string{""}, e.changedUsers())
}

func TestRelationshipIsFoundByItsTriple(t *testing.T) {
	e := fresh(t)
	full := RelationshipWrite{
		From: "a", Type: "relates_to", To: "b", Description: Some("why"), RelationshipType: Some("rival"), Salience: Some(0.7),
		Confidence: Some(0.6), Attitude: Some(int64(1)), Proximity: Some(int64(5)), State: Some("core"),
		ValidFrom: Some(weekAgo.In(time.FixedZone("", 3600))), RecordedBy: Some("crew"), Properties: json.RawMessage(`{"n": 1}`),
	}
	values := `r.description, r.relationship_type, r.salience, r.confidence, r.attitude, r.proximity, r.state, r.valid_from, r.recorded_by,
		r.properties, r.updated_at`
	stored := []any{"why", "rival", 0.7, 0.6, int64(1), int64(5), "core", weekAgo, "crew", `{"n":1}`, noon}
	first := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, full)
	e.same("stored", [][]any{stored}, e.relationships("a", "b", values))

	e.now = noon.Add(time.Hour)
	again := e.write("u1", nil, full, RelationshipWrite{From: "b", Type: "relates_to", To: "a"})
	e.same("again", []Status{Unchanged, Created}, statuses(again))
	e.same("key", first.Relationships[0].Key, again.Relationships[0].Key)
	e.same("nothing written", [][]any{stored}, e.relationships("a", "b", values))

	changed := e.write("u1", nil, RelationshipWrite{From: "a", Type: "relates_to", To: "b", Salience: Some(0.1), Attitude: Null[int64](),
		Description: Null[string]()})
	e.same("changed", RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: Updated, Version: 2},
		changed.Relationships[0])
	e.same("stored", [][]any{{"", "rival", 0.1, 0.6, nil, int64(5), "core", weekAgo, "crew", `{"n":1}`, e.now}}, e.relationships("a", "b", values))
	e.write("u1", nil, link("a", "involves", "b", 0.2))
	e.same("another type beside it", 2, len(e.relationships("a", "b", values)))
}

func TestContradictionClosesAndAdds(t *testing.T) {
	e := fresh(t)
	first := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.7))
	end := noon.Add(time.Hour)
	e.now = end
	close := closed("a", "relates_to", "b", end.In(time.FixedZone("", 7200)))
	e.same("closed", RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: Updated, Version: 2},
		e.write("u1", nil, close).Relationships[0])
	e.same("said again", RelationshipResult{Key: first.Relationships[0].Key, From: "a", To: "b", Type: "relates_to", Status: Unchanged, Version: 2},
		e.write("u1", nil, close).Relationships[0])
	second := e.write("u1", nil, link("a", "relates_to", "b", 0.2))
	e.same("a new one", Created, second.Relationships[0].Status)
	e.same("both are kept", [][]any{{0.7, end}, {0.2, nil}}, e.relationships("a", "b", "r.salience, r.valid_to"))
	e.same("said once more", Unchanged, e.write("u1", nil, close).Relationships[0].Status)
	e.same("the new one stays open", [][]any{{0.7, end}, {0.2, nil}}, e.relationships("a", "b", "r.salience, r.valid_to"))

	result := e.try("u1", nil, closed("b", "relates_to", "a", end))
	e.same("nothing to close", []string{"relationships[0].valid_to: no current relationship to close"}, result.Warnings)

	history := RelationshipWrite{From: "b", Type: "relates_to", To: "a", ValidFrom: Some(weekAgo), ValidTo: Some(noon), Salience: Some(0.3)}
	e.same("history", []Status{Created}, statuses(e.write("u1", nil, history)))
	e.same("history again", []Status{Unchanged}, statuses(e.write("u1", nil, history)))
	e.same("a current one beside it", []Status{Created}, statuses(e.write("u1", nil, link("b", "relates_to", "a", 0.5))))
	e.same("stored", 2, len(e.relationships("b", "a", "r.key")))
}

func TestRelationshipsToNothingAreRefused(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "s", 0.5, shared), node("concept", "theirs", 0.5, of("u2"))})
	e.source("u1", SourceWrite{EntityKey: "source"})
	e.source("u1", SourceWrite{EntityKey: "another source"})
	e.neighbour().write("u1", []NodeWrite{node("concept", "elsewhere", 0.5)})
	before := e.stored()
	for name, c := range map[string]struct {
		user  string
		write RelationshipWrite
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
			e := &env{T: t, store: e.store, team: e.team, now: noon}
			result := e.try(c.user, nil, c.write)
			r := result.Relationships[0]
			if r.Status != Refused || r.Error == nil || r.Key != "" {
				t.Fatalf("got %+v", r)
			}
			e.same("warnings", []string{"relationships[0]." + c.at + ": " + *r.Error}, result.Warnings)
			_, err := e.store.Write(t.Context(), e.as(c.user), &MemoryWrite{
				Strict: true, Nodes: []NodeWrite{node("concept", "fine", 1)}, Relationships: []RelationshipWrite{c.write},
			})
			e.same("faults", []string{"relationships[0]." + c.at}, locations(err))
			e.same("stored", before, e.stored())
		})
	}
}

func TestMentionsThroughMemory(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5)})
	e.source("u1", SourceWrite{EntityKey: "s", StartedAt: Some(weekAgo)})
	mention := RelationshipWrite{From: "s", Type: "mentions", To: "a", Description: Some("twice"), Properties: json.RawMessage(`{"n":2}`)}
	e.same("statuses", []Status{Created}, statuses(e.write("u1", nil, mention)))
	e.same("what counts it, and what is given", [][]any{{e.team, "u1", "a", weekAgo, "twice", `{"n":2}`, nil}},
		e.relationships("s", "a", "r.team_id, r.user_id, r.node_key, r.started_at, r.description, r.properties, r.salience"))
	e.same("again", []Status{Unchanged}, statuses(e.write("u1", nil, mention)))
}
