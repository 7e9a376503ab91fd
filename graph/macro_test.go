package graph_test

import (
	"slices"
	"testing"
	"time"

	"kith/graph"
)

// TestMacros groups two storylines that share a theme and span thirty days.
func TestMacros(t *testing.T) {
	e := fresh(t)
	macros := func() [][]any {
		return e.Raw(`MATCH (m:Memory:Macro {team_id: $team})-[:rooted_in]->(a) OPTIONAL MATCH (m)-[:groups]->(s)
			WITH m, a, s ORDER BY s.anchor_key RETURN a.entity_key, m.storyline_count, m.source_count, collect(s.anchor_key) ORDER BY a.entity_key`)
	}
	var nodes []graph.NodeWrite
	for _, key := range []string{"a", "b", "c", "d"} {
		nodes = append(nodes, node("concept", key, 0.5))
	}
	e.Write("u1", append(nodes, owner1("me"), node("person", "theme", 0.5), node("person", "less", 0.5)))
	e.Raw(`MATCH (n:Person {team_id: $team}) WHERE n.entity_key IN ['theme', 'less'] SET n.state = 'archived', n.salience_at = n.salience_at + 86400000000`) // no mention wakes them
	shift := func(by time.Duration) []time.Duration {
		agos := slices.Clone(enough)
		for i := range agos {
			agos[i] += by
		}
		return agos
	}
	e.tell("u1", "a", shift(0)[:3], "a", "theme", "me", "less")
	e.tell("u1", "a2", shift(0)[3:], "a", "me") // theme: 3 of 5
	e.tell("u1", "b", shift(27*graph.Day - time.Millisecond)[:3], "b", "theme", "me")
	e.tell("u1", "b2", shift(27*graph.Day - time.Millisecond)[3:], "b", "me", "less") // less: 2 of 5
	e.stories()
	e.Same("a millisecond too short", [][]any{}, macros())
	e.told("u1", "b3", 30*graph.Day, "b", "theme")
	e.Same("formed", graph.StoryResult{Sources: 1, Joined: 1, Macros: 1}, e.stories())
	e.Same("macro", [][]any{{"theme", int64(2), int64(11), []any{"a", "b"}}}, macros())

	list, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.MacroKind, Limit: 10})
	if err != nil || len(list.Nodes) != 1 {
		t.Fatal(list, err)
	}
	n := list.Nodes[0]
	e.Same("as a node", []any{"core", "keep_forever", 1.0, "the theme", "Storylines around the theme, 2026-02-02 to 2026-03-04", noon.Add(-30 * graph.Day), noon},
		[]any{n.State, n.TTLPolicy, n.Salience, n.Name, n.Description, n.FirstSourceAt.Value, n.LastSourceAt.Value})

	e.told("u1", "b4", 20*graph.Day, "b", "less") // less: 3 of 7
	e.Same("less than half", 0, e.stories().Macros)
	e.told("u1", "b5", 20*graph.Day, "b", "less") // 4 of 8
	e.Same("half", 1, e.stories().Macros)
	e.Same("macros", [][]any{{"less", int64(2), int64(13), []any{"a", "b"}}, {"theme", int64(2), int64(13), []any{"a", "b"}}}, macros())

	e.told("u1", "a3", 0, "a") // theme: 3 of 6
	e.told("u1", "a4", 0, "a") // 3 of 7: no longer a theme, but existing groups stay
	e.stories()
	e.Same("counted again", [][]any{{"less", int64(2), int64(15), []any{"a", "b"}}, {"theme", int64(2), int64(15), []any{"a", "b"}}}, macros())
	e.tell("u1", "c", enough, "c", "theme")
	e.stories()
	e.Same("one more", [][]any{{"less", int64(2), int64(15), []any{"a", "b"}}, {"theme", int64(3), int64(20), []any{"a", "b", "c"}}}, macros())

	e.Write("u1", []graph.NodeWrite{{Kind: "person", EntityKey: "theme", Name: graph.Some("the renamed")}})
	e.told("u1", "c2", 0, "c") // a source that does not mention it
	e.stories()
	e.Same("the present name", []any{"the renamed", "Storylines around the renamed, 2026-02-02 to 2026-03-04"},
		e.Raw(`MATCH (m:Macro {team_id: $team, anchor_key: 'theme'}) RETURN m.name, m.description`)[0])
}

// TestStoriesOfWhatIsDeleted checks that deleted sources do not count, and that a deleted anchor deletes its stories.
func TestStoriesOfWhatIsDeleted(t *testing.T) {
	e := fresh(t)
	counts := func() [][]any {
		return e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n:Storyline OR n:Macro
			RETURN n.natural_key, n.source_count, n.storyline_count ORDER BY n.natural_key`)
	}
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	e.tell("u1", "s", append(days(40), enough...), "c", "d")
	e.stories()
	all := counts()
	e.Same("stories", 4, len(all))
	remove := func(kind graph.Kind, key string) {
		t.Helper()
		if _, err := e.Store.DeleteNode(t.Context(), e.As("u1"), kind, key, 0); err != nil {
			t.Fatal(err)
		}
	}
	restore := func(kind graph.Kind, key string) {
		t.Helper()
		if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), kind, key); err != nil {
			t.Fatal(err)
		}
		e.Same("restored "+key, all, counts())
	}
	remove(graph.SourceKind, "s-1")
	e.Same("without a source", [][]any{
		{"macro\x1fu1\x1fc", int64(10), int64(2)}, {"macro\x1fu1\x1fd", int64(10), int64(2)},
		{"storyline\x1fu1\x1fc", int64(5), nil}, {"storyline\x1fu1\x1fd", int64(5), nil},
	}, counts())
	restore(graph.SourceKind, "s-1")
	remove(graph.ConceptKind, "d")
	e.Same("without an anchor", [][]any{{"macro\x1fu1\x1fc", int64(6), int64(1)}, {"storyline\x1fu1\x1fc", int64(6), nil}}, counts())
	e.Same("no trace of its name", [][]any{{int64(0)}},
		e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.name CONTAINS 'the d' OR n.description CONTAINS 'the d' RETURN count(n)`))
	restore(graph.ConceptKind, "d")
	storyline := e.Raw(`MATCH (n:Storyline {team_id: $team, anchor_key: 'c'}) RETURN n.entity_key`)[0][0].(string) //nolint:forcetypeassert // a key
	remove(graph.StorylineKind, storyline)
	e.Same("without a storyline", [][]any{
		{"macro\x1fu1\x1fc", int64(6), int64(1)}, {"macro\x1fu1\x1fd", int64(6), int64(1)}, {"storyline\x1fu1\x1fd", int64(6), nil},
	}, counts())
	restore(graph.StorylineKind, storyline)
}
