package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// keyBetween returns the key of the relationship of a type that leads from one node to another.
func (e *env) keyBetween(from, kind, to string) string {
	e.Helper()
	return e.Raw(`MATCH (:Memory {team_id: $team, entity_key: '` + from + `'})-[r:` + kind + `]->(:Memory {entity_key: '` + to + `'}) RETURN r.key`)[0][0].(string)
}

// A restored relationship leads to the node into which its end was merged meanwhile, and back to that when the merge is undone.
func TestRestoredRelationshipFollowsMerges(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.Write("u1", []graph.NodeWrite{called("person", "rob", "Rob")})
	links := `MATCH (a:Memory {team_id: $team})-[r]->(b:Memory) RETURN a.entity_key, type(r), b.entity_key, r.key, CASE type(r) WHEN 'mentions' THEN r.node_key END, r.merged_from ORDER BY r.key`
	before := e.Raw(links)
	away, mention, between := e.keyBetween("bob", "engages_with", "sea"), e.keyBetween("s2", "mentions", "bob"), e.keyBetween("bob", "has_relationship_with", "robert")
	for _, key := range []string{away, mention, between} {
		if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
			t.Fatal(err)
		}
	}
	e.merge("u1", "person", "rob", graph.MergeWrite{Other: "bob"})
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "rob"})
	for _, key := range []string{away, mention} {
		view, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key)
		if err != nil || view.From != "robert" && view.To != "robert" {
			t.Errorf("%+v %v", view, err)
		}
	}
	_, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), between)
	e.Same("from a node to itself", true, errors.Is(err, fault.ErrConflict))
	e.Same("stored", [][]any{{"engages_with", nil}, {"mentions", "robert"}},
		e.Raw(`MATCH (:Person {team_id: $team, entity_key: 'robert'})-[r]-(x) WHERE x.entity_key IN ['sea', 's2'] AND type(r) <> 'involves' RETURN type(r), CASE type(r) WHEN 'mentions' THEN r.node_key END ORDER BY type(r)`))
	e.CheckIntegrity()

	e.restore("u1", "person", "rob")
	e.Same("with the node between", "rob", e.Raw(`MATCH (n {team_id: $team})-[r:engages_with]->() RETURN n.entity_key`)[0][0])
	e.restore("u1", "person", "bob")
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), between); err != nil {
		t.Error(err)
	}
	e.Same("relationships", before, e.Raw(links))
	e.CheckIntegrity()
}

// A restored relationship of a generated owner leads to the person that has replaced it.
func TestRestoredRelationshipFollowsTheOwner(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	made := e.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u1'}) RETURN n.entity_key`)[0][0].(string)
	key := e.Write("u1", nil, link(made, "thinks_about", "c", 0.7)).Relationships[0].Key
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	e.Now = e.Now.Add(time.Minute)
	e.Write("u1", []graph.NodeWrite{owner1("me")})
	view, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key)
	e.Same("restored", []any{error(nil), "me"}, []any{err, view.From})
	e.Same("stored", key, e.keyBetween("me", "thinks_about", "c"))
	e.CheckIntegrity()
}

// Of two merges into one node, the later one is undone first.
func TestMergesIntoOneNodeAreUndoneBackwards(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("entity", "a", "A"), called("entity", "b", "B"), called("entity", "c", "C")})
	before := e.content()
	e.merge("u1", "entity", "a", graph.MergeWrite{Other: "b"})
	e.merge("u1", "entity", "a", graph.MergeWrite{Other: "c"})
	_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.EntityKind, "b")
	e.Same("the earlier one", []any{true, true}, []any{errors.Is(err, fault.ErrConflict), err != nil && strings.Contains(err.Error(), "restore c first")})
	for _, key := range []string{"c", "b"} {
		if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.EntityKind, key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	e.Same("content", before, e.content())
	e.CheckIntegrity()
}

// An undo also restores what time and the order of names have changed.
func TestMergeIsUndoneAfterMaintenance(t *testing.T) {
	e := fresh(t)
	robert, bob := called("person", "robert", "Robert", "Bob", "R. M."), called("person", "bob", "Bob")
	robert.Salience, bob.Salience = graph.Some(0.4), graph.Some(0.9)
	e.Write("u1", []graph.NodeWrite{owner1("me"), robert, bob})
	before := e.content()
	e.Now = e.Now.Add(time.Hour)
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob", Take: []string{"name"}})
	later := e.Now.Add(48 * time.Hour)
	e.Raw(fmt.Sprintf(`MATCH (n:Person {team_id: $team, entity_key: 'robert'}) SET n.salience = n.salience * exp(-2.0 * n.decay_rate), n.salience_at = %d`, later.UnixMilli())) // as maintenance does
	e.Now = later
	e.restore("u1", "person", "bob")
	e.Same("content", before, e.content())
	e.CheckIntegrity()
}

// The stronger state of another node begins with the salience of now: a long time without decay does not count.
func TestMergeIntoACandidate(t *testing.T) {
	e := fresh(t)
	candidate, active := called("person", "n", "Noor"), called("person", "o", "Noor V.")
	candidate.State, candidate.Confidence, candidate.Salience = graph.Some("candidate"), graph.Some(0.9), graph.Some(0.5)
	active.Salience = graph.Some(0.3)
	e.Write("u1", []graph.NodeWrite{candidate})
	e.Now = e.Now.Add(200 * 24 * time.Hour)
	e.Write("u1", []graph.NodeWrite{active})
	n := e.merge("u1", "person", "n", graph.MergeWrite{Other: "o"}).Node
	e.Same("merged", []any{"active", 0.5}, []any{n.State, n.Salience})
	e.CheckIntegrity()
}

// What is merged into the generated owner stays when a caller names another person the owner: that is refused, and the undo still possible.
func TestMergeIntoTheGeneratedOwner(t *testing.T) {
	e := fresh(t)
	bob := called("person", "bob", "Bob", "Bobby")
	bob.Description = graph.Some("a sailor")
	e.Write("u1", []graph.NodeWrite{bob})
	made := e.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u1'}) RETURN n.entity_key`)[0][0].(string)
	before := e.content()
	e.merge("u1", "person", made, graph.MergeWrite{Other: "bob"})
	e.Same("another owner", []graph.Status{graph.Refused}, statuses(e.Try("u1", []graph.NodeWrite{owner1("me")})))
	e.Same("merged", "a sailor", e.get("u1", "person", "bob").Description)
	e.restore("u1", "person", "bob")
	e.Same("content", before, e.content())
	e.Same("after the undo", graph.Created, e.Write("u1", []graph.NodeWrite{owner1("me")}).Nodes[0].Status)
	e.CheckIntegrity()
}

// A write may name one node by several keys: each item is stored, and one relationship is only once.
func TestWriteByTwoKeysOfANode(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("person", "robert", "Robert"), called("person", "bob", "Bob"), node("concept", "sea", 0.5)})
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	version := e.get("u1", "person", "robert").Version
	noted := func(key, note string) graph.NodeWrite {
		return change("person", key, func(w *graph.NodeWrite) { w.Notes = []graph.NoteWrite{{Content: note}} })
	}
	e.Write("u1", []graph.NodeWrite{noted("robert", "x"), noted("bob", "y")})
	n := e.get("u1", "person", "robert")
	e.Same("notes and versions", []any{2, version + 2}, []any{len(n.Notes), n.Version})

	r := e.Try("u1", nil, link("robert", "thinks_about", "sea", 0.5), link("bob", "thinks_about", "sea", 0.7))
	e.Same("the second changes the first", []graph.Status{graph.Created, graph.Updated}, []graph.Status{r.Relationships[0].Status, r.Relationships[1].Status})
	e.Same("stored", [][]any{{r.Relationships[0].Key, 0.7}}, e.Raw(`MATCH (:Person {team_id: $team, entity_key: 'robert'})-[r:thinks_about]->() RETURN r.key, r.salience`))
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", Mentions: []string{"robert", "bob"}})
	e.Same("mentions", int64(1), e.get("u1", "person", "robert").SourceCount.Value)
	e.CheckIntegrity()
}

// An import of a file from before a merge leaves the node into which it was merged as it is, with its keys and relationships.
func TestImportFromBeforeAMerge(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.Source("u1", graph.SourceWrite{EntityKey: "s0"}) // of no mention
	b := &graph.RestoreBatch{}
	if err := e.Store.ExportNodes(t.Context(), e.Team, func(w *graph.NodeWrite) error { b.Nodes = append(b.Nodes, *w); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := e.Store.ExportRelationships(t.Context(), e.Team, func(w *graph.RelationshipWrite) error { b.Relationships = append(b.Relationships, *w); return nil }); err != nil {
		t.Fatal(err)
	}
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	links := `MATCH (:Person {team_id: $team, entity_key: 'robert'})-[r]-(x:Memory) WHERE type(r) <> 'mentions' RETURN type(r), x.entity_key, r.key, r.salience ORDER BY r.key`
	before := e.Raw(links)
	plain := called("person", "bob", "Bob")
	for _, nodes := range [][]graph.NodeWrite{b.Nodes, {plain}} {
		r, err := e.Store.Restore(t.Context(), e.As("u1"), &graph.RestoreBatch{Nodes: nodes, Relationships: b.Relationships}, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range nodes {
			if w.EntityKey == "bob" {
				e.Same("bob", []any{graph.Unchanged, "robert"}, []any{r.Nodes[i].Status, r.Nodes[i].EntityKey})
			}
		}
		e.Same("a warning", true, slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "merged into") }))
		n := e.get("u1", "person", "robert")
		e.Same("robert", []any{"Robert Miller", "a sailor"}, []any{n.Name, n.Description})
		e.Same("relationships", before, e.Raw(links))
	}
	e.Same("a write by the old key", "robert", e.Write("u1", []graph.NodeWrite{change("person", "bob", described("a captain"))}).Nodes[0].EntityKey)
	e.CheckIntegrity()
}

// Answers to requests that name a node by the key of one that was merged into it are about the node.
func TestAnswersByTheOldKey(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.Source("u1", graph.SourceWrite{EntityKey: "s4", Mentions: []string{"robert"}})
	m := e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Same("sources of the merge", e.get("u1", "person", "robert").SourceCount, m.Node.SourceCount)
	back, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.PersonKind, "bob")
	e.Same("sources of the undo", []any{error(nil), e.get("u1", "person", "bob").SourceCount}, []any{err, back.SourceCount})

	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Reports()
	e.Now = e.Now.Add(24 * time.Hour)
	if _, err := e.Store.AddNotes(t.Context(), e.As("u1"), graph.PersonKind, "bob", []graph.NoteWrite{{Content: "new"}}); err != nil {
		t.Fatal(err)
	}
	_, ids := e.Changed()
	e.Same("changed", []string{"robert"}, ids)
	d, err := e.Store.DeleteNode(t.Context(), e.As("u1"), graph.PersonKind, "bob", 0)
	e.Same("the receipt of a delete", []any{error(nil), "robert"}, []any{err, d.Key})
	e.restore("u1", "person", d.Key)
	e.CheckIntegrity()
}
