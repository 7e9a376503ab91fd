package graph_test

import (
	"testing"
	"time"

	"kith/graph"
)

// lived returns state, salience, last access and version of a node.
func (e *env) lived(user, kind, key string) []any {
	e.Helper()
	n := e.get(user, kind, key)
	return []any{n.State, n.Salience, *n.LastAccessedAt, n.Version}
}

func TestWhatACallerWritesAgainIsActive(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for _, state := range graph.States {
		nodes = append(nodes, node("concept", state, 0.5, inState(state)))
	}
	rel := link("candidate", "relates_to", "core", 0.5)
	rel.State = graph.Some("candidate")
	key := e.Write("u1", nodes, rel).Relationships[0].Key
	e.Now = noon.Add(time.Minute)
	e.Write("u1", []graph.NodeWrite{change("concept", "candidate", described("x")), change("concept", "active"), change("concept", "core"),
		change("concept", "archived")},
		graph.RelationshipWrite{From: "candidate", Type: "relates_to", To: "core"})
	for _, state := range []string{"candidate", "active", "archived"} {
		e.Same(state, "active", e.get("u1", "concept", state).State)
	}
	e.Same("core", "core", e.get("u1", "concept", "core").State)
	e.Same("relationship", "active", e.relationship("u1", key).State)
	e.Write("u1", []graph.NodeWrite{change("concept", "active", inState("candidate"))})
	e.Same("as named", "candidate", e.get("u1", "concept", "active").State)
	e.Write("u1", []graph.NodeWrite{node("concept", "noted", 0.5, inState("candidate"))})
	e.Now = noon.Add(time.Hour)
	if _, err := e.Store.AddNotes(t.Context(), e.As("u1"), graph.ConceptKind, "noted", []graph.NoteWrite{{Content: "x"}}); err != nil {
		t.Fatal(err)
	}
	e.Same("by a note", []any{"active", 0.4992, e.Now, int64(2)}, e.lived("u1", "concept", "noted"))
}

// A write that changes nothing is an access, but not a change.
func TestToldAgainIsAnAccess(t *testing.T) {
	e := fresh(t)
	said := []graph.NodeWrite{node("concept", "c", 0.5, keptForEver), node("concept", "shared", 0.5, shared, keptForEver),
		node("concept", "given", 0.5, keptForEver, accessed(weekAgo))}
	for i := range said[:2] {
		said[i].LastAccessedAt = graph.Optional[time.Time]{}
	}
	e.Write("u1", said)
	e.Now = noon.Add(graph.TouchEvery - time.Millisecond)
	e.Write("u1", said)
	e.Same("sent twice", []any{"active", 1.0, noon, int64(1)}, e.lived("u1", "concept", "c"))
	e.Now = noon.Add(graph.Day)
	e.ChangedUsers()
	result := e.Write("u1", said)
	e.Same("outcome", []graph.Status{graph.Unchanged, graph.Unchanged, graph.Unchanged}, statuses(result))
	e.Same("whose context may have changed", []string{"u1"}, e.ChangedUsers())
	e.Same("a day later", []any{"active", 1.0, e.Now, int64(1)}, e.lived("u1", "concept", "c"))
	e.Same("what others see", []any{"active", 1.0, noon, int64(1)}, e.lived("u1", "concept", "shared"))
	e.Same("as given", []any{"active", 1.0, weekAgo, int64(1)}, e.lived("u1", "concept", "given"))
}

func keptForEver(w *graph.NodeWrite) {
	w.TTLPolicy, w.Salience = graph.Some("keep_forever"), graph.Some(1.0)
}

// unused is for nodes that were written at noon, and last accessed before.
func unused(at time.Time) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.LastAccessedAt, w.UpdatedAt = graph.Some(at), graph.Some(noon) }
}

func TestMentionsAreAccesses(t *testing.T) {
	e := fresh(t)
	long := noon.Add(-20 * graph.Day)
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), goal("old", 0.5, unused(long)), node("concept", "new", 0.5, inState("candidate"), unused(long)),
		node("concept", "shared", 0.5, shared, unused(long)), node("concept", "over", 0.5, inState("archived"), unused(long)),
	}, link("me", "thinks_about", "new", 0.5))
	e.Same("not in use", []string{}, keysOf(e.sections("u1").PrimaryGoals))
	first := graph.SourceWrite{EntityKey: "s1", StartedAt: graph.Some(noon.Add(-2 * graph.Day)), Mentions: []string{"old", "new", "shared", "over"}}
	e.Source("u1", first)
	e.Same("in use", []string{"old"}, keysOf(e.sections("u1").PrimaryGoals))
	e.Same("old", []any{"active", 0.575, noon.Add(-2 * graph.Day), int64(1)}, e.lived("u1", "concept", "old"))
	e.Same("new", []any{"candidate", 0.575, noon.Add(-2 * graph.Day), int64(1)}, e.lived("u1", "concept", "new"))
	e.Same("shared", []any{"active", 0.5, long, int64(1)}, e.lived("u1", "concept", "shared"))
	e.Same("archived after the source began", "archived", e.get("u1", "concept", "over").State)
	e.Source("u1", first)
	e.Same("the same source again", []any{"candidate", 0.575, noon.Add(-2 * graph.Day), int64(1)}, e.lived("u1", "concept", "new"))
	e.Same("in the context", []string{}, linkedKeys(e.sections("u1").Relationships))

	e.Source("u1", graph.SourceWrite{EntityKey: "s2", StartedAt: graph.Some(noon.Add(-9 * graph.Day)), Mentions: []string{"new"}})
	e.Same("of two sources", []any{"active", 0.65, noon.Add(-2 * graph.Day), int64(1)}, e.lived("u1", "concept", "new"))
	e.Same("in the context", []string{"new"}, linkedKeys(e.sections("u1").Relationships))
	e.Now = noon.Add(graph.Day)
	e.Source("u1", graph.SourceWrite{EntityKey: "s3", Mentions: []string{"over"}})
	e.Same("archived before the source began", "active", e.get("u1", "concept", "over").State)
	e.Same("findings", []graph.Finding(nil), e.findings(false))
}

func TestProposedIsCandidate(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("person", "p-jon", 0.5, inState("candidate"), accessed(weekAgo), func(w *graph.NodeWrite) { w.Name = graph.Some("Jon") })})
	e.Source("u1", graph.SourceWrite{EntityKey: "s"})
	result := e.accept("u1", "s", proposal())
	for i, n := range result.Nodes {
		e.Same("proposed", [][]any{{"candidate"}}, e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: '`+n.EntityKey+`'}) RETURN n.state`))
		e.Same("so are its relationships", "candidate", e.relationship("u1", result.Relationships[i].Key).State)
	}
}
