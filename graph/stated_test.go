package graph

import (
	"testing"
	"time"
)

// lived returns state, salience, last access and version of a node.
func (e *env) lived(user, kind, key string) []any {
	e.Helper()
	n := e.get(user, kind, key)
	return []any{n.State, n.Salience, *n.LastAccessedAt, n.Version}
}

func TestWhatACallerWritesAgainIsActive(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	for _, state := range States {
		nodes = append(nodes, node("concept", state, 0.5, inState(state)))
	}
	rel := link("candidate", "relates_to", "core", 0.5)
	rel.State = Some("candidate")
	key := e.write("u1", nodes, rel).Relationships[0].Key
	e.now = noon.Add(time.Minute)
	e.write("u1", []NodeWrite{change("concept", "candidate", described("x")), change("concept", "active"), change("concept", "core"),
		change("concept", "archived")},
		RelationshipWrite{From: "candidate", Type: "relates_to", To: "core"})
	for _, state := range []string{"candidate", "active", "archived"} {
		e.same(state, "active", e.get("u1", "concept", state).State)
	}
	e.same("core", "core", e.get("u1", "concept", "core").State)
	e.same("relationship", "active", e.relationship("u1", key).State)
	e.write("u1", []NodeWrite{change("concept", "active", inState("candidate"))})
	e.same("as named", "candidate", e.get("u1", "concept", "active").State)
	e.write("u1", []NodeWrite{node("concept", "noted", 0.5, inState("candidate"))})
	e.now = noon.Add(time.Hour)
	if _, err := e.store.AddNotes(t.Context(), e.as("u1"), ConceptKind, "noted", []NoteWrite{{Content: "x"}}); err != nil {
		t.Fatal(err)
	}
	e.same("by a note", []any{"active", 0.4992, e.now, int64(2)}, e.lived("u1", "concept", "noted"))
}

// A write that changes nothing is an access, but not a change.
func TestToldAgainIsAnAccess(t *testing.T) {
	e := fresh(t)
	said := []NodeWrite{node("concept", "c", 0.5, keptForEver), node("concept", "shared", 0.5, shared, keptForEver),
		node("concept", "given", 0.5, keptForEver, accessed(weekAgo))}
	for i := range said[:2] {
		said[i].LastAccessedAt = Optional[time.Time]{}
	}
	e.write("u1", said)
	e.now = noon.Add(touchEvery - time.Millisecond)
	e.write("u1", said)
	e.same("sent twice", []any{"active", 1.0, noon, int64(1)}, e.lived("u1", "concept", "c"))
	e.now = noon.Add(day)
	e.changedUsers()
	result := e.write("u1", said)
	e.same("outcome", []Status{Unchanged, Unchanged, Unchanged}, statuses(result))
	e.same("whose context may have changed", []string{"u1"}, e.changedUsers())
	e.same("a day later", []any{"active", 1.0, e.now, int64(1)}, e.lived("u1", "concept", "c"))
	e.same("what others see", []any{"active", 1.0, noon, int64(1)}, e.lived("u1", "concept", "shared"))
	e.same("as given", []any{"active", 1.0, weekAgo, int64(1)}, e.lived("u1", "concept", "given"))
}

func keptForEver(w *NodeWrite) { w.TTLPolicy, w.Salience = Some("keep_forever"), Some(1.0) }

// unused is for nodes that were written at noon, and last accessed before.
func unused(at time.Time) func(*NodeWrite) {
	return func(w *NodeWrite) { w.LastAccessedAt, w.UpdatedAt = Some(at), Some(noon) }
}

func TestMentionsAreAccesses(t *testing.T) {
	e := fresh(t)
	long := noon.Add(-20 * day)
	e.write("u1", []NodeWrite{
		owner1("me"), goal("old", 0.5, unused(long)), node("concept", "new", 0.5, inState("candidate"), unused(long)),
		node("concept", "shared", 0.5, shared, unused(long)), node("concept", "over", 0.5, inState("archived"), unused(long)),
	}, link("me", "thinks_about", "new", 0.5))
	e.same("not in use", []string{}, keysOf(e.sections("u1").PrimaryGoals))
	first := SourceWrite{EntityKey: "s1", StartedAt: Some(noon.Add(-2 * day)), Mentions: []string{"old", "new", "shared", "over"}}
	e.source("u1", first)
	e.same("in use", []string{"old"}, keysOf(e.sections("u1").PrimaryGoals))
	e.same("old", []any{"active", 0.575, noon.Add(-2 * day), int64(1)}, e.lived("u1", "concept", "old"))
	e.same("new", []any{"candidate", 0.575, noon.Add(-2 * day), int64(1)}, e.lived("u1", "concept", "new"))
	e.same("shared", []any{"active", 0.5, long, int64(1)}, e.lived("u1", "concept", "shared"))
	e.same("archived after the source began", "archived", e.get("u1", "concept", "over").State)
	e.source("u1", first)
	e.same("the same source again", []any{"candidate", 0.575, noon.Add(-2 * day), int64(1)}, e.lived("u1", "concept", "new"))
	e.same("in the context", []string{}, linkedKeys(e.sections("u1").Relationships))

	e.source("u1", SourceWrite{EntityKey: "s2", StartedAt: Some(noon.Add(-9 * day)), Mentions: []string{"new"}})
	e.same("of two sources", []any{"active", 0.65, noon.Add(-2 * day), int64(1)}, e.lived("u1", "concept", "new"))
	e.same("in the context", []string{"new"}, linkedKeys(e.sections("u1").Relationships))
	e.now = noon.Add(day)
	e.source("u1", SourceWrite{EntityKey: "s3", Mentions: []string{"over"}})
	e.same("archived before the source began", "active", e.get("u1", "concept", "over").State)
	e.same("findings", []Finding(nil), e.findings(false))
}

func TestProposedIsCandidate(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("person", "p-jon", 0.5, inState("candidate"), accessed(weekAgo), func(w *NodeWrite) { w.Name = Some("Jon") })})
	e.source("u1", SourceWrite{EntityKey: "s"})
	result := e.accept("u1", "s", proposal())
	for i, n := range result.Nodes {
		e.same("proposed", [][]any{{"candidate"}}, e.raw(`MATCH (n:Memory {team_id: $team, entity_key: '`+n.EntityKey+`'}) RETURN n.state`))
		e.same("so are its relationships", "candidate", e.relationship("u1", result.Relationships[i].Key).State)
	}
}
