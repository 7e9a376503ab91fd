package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

func (e *env) merge(user, kind, key string, w graph.MergeWrite) graph.Merge {
	e.Helper()
	k, _ := graph.KindOf(kind)
	m, err := e.Store.MergeNodes(e.Context(), e.As(user), k, key, w)
	if err != nil {
		e.Fatal(err)
	}
	return m
}

// twice stores one person as two nodes, with relationships, mentions and notes of each, and some of both.
func (e *env) twice() {
	e.Helper()
	person := func(key, name, description string, salience float64, aliases ...string) graph.NodeWrite {
		w := called("person", key, name, aliases...)
		w.Description, w.Salience = graph.Some(description), graph.Some(salience)
		w.Notes = []graph.NoteWrite{{Content: "note of " + key}}
		return w
	}
	quay := called("entity", "quay", "Quay 4")
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), person("robert", "Robert Miller", "a sailor", 0.4, "R. M."), person("bob", "Bob", "her brother", 0.9, "Bobby"), quay,
		node("concept", "sea", 0.5),
	}, link("me", "has_relationship_with", "robert", 0.5), link("me", "has_relationship_with", "bob", 0.8), link("robert", "associated_with", "quay", 0.5),
		link("bob", "engages_with", "sea", 0.7), link("sea", "involves", "bob", 0.2), link("bob", "has_relationship_with", "robert", 0.1))
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", Mentions: []string{"robert", "bob"}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s2", Mentions: []string{"bob"}})
}

// content is all that is stored of the team but what a merge and its undo count up: versions and times of changes. A node that was ranked once
// stays marked as such: that only has writes look whether it still is.
func (e *env) content() []string {
	e.Helper()
	var lines []string
	for _, row := range e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL RETURN labels(n), [k IN keys(n) WHERE NOT k IN ['version', 'updated_at', 'written', 'restored_at', 'notes_expire_at', 'is_dirty', 'ranked'] | [k, n[k]]]`) {
		lines = append(lines, sortedText(row))
	}
	for _, row := range e.Raw(`MATCH (a:Memory {team_id: $team})-[r]->(b:Memory) WHERE a.entity_key IS NOT NULL RETURN a.entity_key, type(r), b.entity_key, [k IN keys(r) | [k, r[k]]]`) {
		lines = append(lines, sortedText(row))
	}
	slices.Sort(lines)
	return lines
}

// sortedText returns a row as text, with its lists of properties sorted.
func sortedText(row []any) string {
	for _, value := range row {
		if list, ok := value.([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return slices.Compare([]byte(fmt.Sprint(a)), []byte(fmt.Sprint(b))) })
		}
	}
	return fmt.Sprint(row)
}

// A merged node lives on in the other one: its relationships, mentions, notes and names, and its key.
func TestMerge(t *testing.T) {
	e := fresh(t)
	e.twice()
	before := e.content()
	e.Now = e.Now.Add(time.Hour)

	m := e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob", DryRun: true})
	e.Same("nothing is done in a dry run", before, e.content())
	e.Same("relationships of a dry run", int64(3), m.Relationships)
	again := e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Same("the dry run tells what is done", m, again)
	e.Same("left", int64(3), m.Left) // with the owner, of source s1, and between the two
	e.Same("merged", graph.NodeRef{EntityKey: "bob", Kind: "person", Name: "Bob"}, m.Merged)
	e.Same("conflicts", []graph.MergeConflict{{Field: "description", Kept: []byte(`"a sailor"`), Dropped: []byte(`"her brother"`)}}, m.Conflicts)

	for _, key := range []string{"robert", "bob"} { // the old key leads to the node
		n := e.get("u1", "person", key)
		e.Same("key", "robert", n.EntityKey)
		e.Same("name", "Robert Miller", n.Name)
		e.Same("aliases", []string{"R. M.", "Bob", "Bobby"}, n.Aliases.Value)
		e.Same("description", "a sailor", n.Description)
		e.Same("notes", 2, len(n.Notes))
		e.Same("sources", int64(2), n.SourceCount.Value)
		e.Same("salience", true, n.Salience > 0.8)
	}
	e.Same("relationships", [][]any{{"engages_with", "sea"}, {"involves", "sea"}, {"associated_with", "quay"}, {"has_relationship_with", "me"}, {"mentions", "s1"}, {"mentions", "s2"}},
		e.Raw(`MATCH (n:Person {team_id: $team, entity_key: 'robert'})-[r]-(x:Memory) RETURN type(r), x.entity_key ORDER BY x.entity_key = 'sea' DESC, type(r), x.entity_key`)[0:6])
	e.Same("a write by the old key", "robert", e.Write("u1", []graph.NodeWrite{change("person", "bob", described("a sailor"))}).Nodes[0].EntityKey)
	e.Same("a write by the old name", "robert", e.Write("u1", []graph.NodeWrite{called("person", "", "Bob")}).Nodes[0].EntityKey)
	linked := e.Write("u1", nil, link("bob", "associated_with", "sea", 0.3))
	e.Same("a relationship by the old key", "robert", linked.Relationships[0].From)
	page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.PersonKind, Deleted: true, Limit: 10})
	if err != nil || len(page.Nodes) != 1 || page.Nodes[0].EntityKey != "bob" || page.Nodes[0].MergedInto != "robert" {
		t.Errorf("deleted: %+v %v", page.Nodes, err)
	}
	e.CheckIntegrity()
}

// An undo restores both nodes to the byte, if nothing was written meanwhile.
func TestMergeIsUndone(t *testing.T) {
	e := fresh(t)
	for i, take := range [][]string{nil, {"name", "description"}} {
		if i == 0 {
			e.twice()
		}
		before := e.content()
		e.Now = e.Now.Add(time.Hour)
		e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob", Take: take})
		e.restore("u1", "person", "bob")
		e.Same("content", before, e.content())
		e.CheckIntegrity()
	}
}

// Whoever does not know the kind of a node restores it by its key alone, of a delete or a merge.
func TestRestoreWithoutKind(t *testing.T) {
	e := fresh(t)
	e.twice()
	before := e.content()
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Remove("u1", "concept", "sea")
	for _, key := range []string{"bob", "sea"} {
		if _, err := e.Store.RestoreNode(t.Context(), e.As("u2"), graph.Kind{}, key); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s by another user: %v", key, err)
		}
		if n, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.Kind{}, key); err != nil || n.EntityKey != key {
			t.Errorf("%s: %+v %v", key, n, err)
		}
	}
	e.Same("content", before, e.content())
	_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.Kind{}, "quay")
	e.Same("not deleted", true, errors.Is(err, fault.ErrNotFound))
	e.CheckIntegrity()
}

// After an undo, what was written since the merge stays with the node of the merge.
func TestMergeIsUndoneAfterWrites(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.Now = e.Now.Add(time.Hour)
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Write("u1", []graph.NodeWrite{change("person", "bob", described("a captain"), func(w *graph.NodeWrite) {
		w.Notes = []graph.NoteWrite{{Content: "later"}}
	})}, link("robert", "thinks_about", "sea", 0.4))
	e.Source("u1", graph.SourceWrite{EntityKey: "s3", Mentions: []string{"bob"}})
	e.restore("u1", "person", "bob")

	robert, bob := e.get("u1", "person", "robert"), e.get("u1", "person", "bob")
	e.Same("robert", []any{"a captain", []string{"R. M."}, int64(2)}, []any{robert.Description, robert.Aliases.Value, robert.SourceCount.Value})
	e.Same("bob", []any{"her brother", []string{"Bobby"}, int64(2)}, []any{bob.Description, bob.Aliases.Value, bob.SourceCount.Value})
	e.Same("notes", []int{2, 1}, []int{len(robert.Notes), len(bob.Notes)})
	e.Same("what was linked since", [][]any{{"robert"}, {"robert"}}, e.Raw(`MATCH (n:Person {team_id: $team})-[r]-(x:Memory) WHERE type(r) = 'thinks_about' OR x.entity_key = 's3' RETURN n.entity_key`))
	e.Same("what was linked before", [][]any{{"bob"}, {"bob"}}, e.Raw(`MATCH (n:Person {team_id: $team})-[r:engages_with|involves]-(:Memory) RETURN n.entity_key`))
	e.CheckIntegrity()
}

// Merges of merged nodes are undone in the reverse order.
func TestMergesInARow(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("entity", "a", "A"), called("entity", "b", "B"), called("entity", "c", "C"), node("concept", "x", 0.5)},
		link("a", "associated_with", "x", 0.5), link("b", "connected_to", "x", 0.5))
	before := e.content()
	e.merge("u1", "entity", "b", graph.MergeWrite{Other: "a"})
	e.merge("u1", "entity", "c", graph.MergeWrite{Other: "b"})
	for _, key := range []string{"a", "b", "c"} {
		n := e.get("u1", "entity", key)
		e.Same(key, []any{"c", []string{"B", "A"}}, []any{n.EntityKey, n.Aliases.Value})
	}
	_, err := e.Store.MergeNodes(t.Context(), e.As("u1"), graph.EntityKind, "a", graph.MergeWrite{Other: "c"})
	e.Same("a ring", true, errors.Is(err, fault.ErrInvalid))
	_, err = e.Store.RestoreNode(t.Context(), e.As("u1"), graph.EntityKind, "a")
	e.Same("the first before the second", true, errors.Is(err, fault.ErrConflict))
	e.restore("u1", "entity", "b")
	e.Same("a leads to b", "b", e.get("u1", "entity", "a").EntityKey)
	e.restore("u1", "entity", "a")
	e.Same("content", before, e.content())

	e.merge("u1", "entity", "b", graph.MergeWrite{Other: "a"})
	e.Remove("u1", "entity", "b")
	_, err = e.Store.RestoreNode(t.Context(), e.As("u1"), graph.EntityKind, "a")
	e.Same("into a deleted node", true, errors.Is(err, fault.ErrConflict))
	e.restore("u1", "entity", "b")
	e.restore("u1", "entity", "a")
	e.Same("content", before, e.content())
	e.CheckIntegrity()
}

func TestMergesThatAreRefused(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("person", "shared", "Ada")})
	e.Write("u2", []graph.NodeWrite{called("person", "theirs", "Ada")})
	e.Write("u1", []graph.NodeWrite{owner1("me"), called("person", "p", "Ada"), called("entity", "e", "Ada"), called("task", "x", "X"), called("task", "y", "Y")})
	e.Write("u1", []graph.NodeWrite{called("entity", "outer", "Outer"), called("entity", "middle", "Middle"), called("entity", "inner", "Inner")},
		link("outer", "contains", "middle", 0.5), link("middle", "contains", "inner", 0.5))
	before := e.content()
	for what, c := range map[string]struct {
		kind, key string
		write     graph.MergeWrite
		want      error
	}{
		"itself":          {"person", "p", graph.MergeWrite{Other: "p"}, fault.ErrInvalid},
		"another kind":    {"person", "p", graph.MergeWrite{Other: "e"}, fault.ErrInvalid},
		"another user":    {"person", "p", graph.MergeWrite{Other: "theirs"}, fault.ErrInvalid},
		"shared":          {"person", "p", graph.MergeWrite{Other: "shared"}, fault.ErrInvalid},
		"into shared":     {"person", "shared", graph.MergeWrite{Other: "p"}, fault.ErrInvalid},
		"the owner":       {"person", "p", graph.MergeWrite{Other: "me"}, fault.ErrInvalid},
		"unknown":         {"person", "p", graph.MergeWrite{Other: "nobody"}, fault.ErrInvalid},
		"into unknown":    {"person", "nobody", graph.MergeWrite{Other: "p"}, fault.ErrNotFound},
		"of another user": {"person", "theirs", graph.MergeWrite{Other: "p"}, fault.ErrNotFound},
		"no field":        {"person", "p", graph.MergeWrite{Other: "theirs", Take: []string{"salience"}}, fault.ErrInvalid},
		"a ring":          {"entity", "outer", graph.MergeWrite{Other: "inner"}, fault.ErrInvalid},
		"tasks":           {"task", "x", graph.MergeWrite{Other: "y"}, fault.ErrInvalid},
		"of a project":    {"person", "p", graph.MergeWrite{Other: "e", Take: []string{"state_key"}}, fault.ErrInvalid},
	} {
		kind, _ := graph.KindOf(c.kind)
		if _, err := e.Store.MergeNodes(t.Context(), e.As("u1"), kind, c.key, c.write); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Same("content", before, e.content())
}

// A merge of what the team shares moves everybody's relationships, and tells of those that the caller may see.
func TestMergeOfSharedNodes(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{called("entity", "mill", "Mill"), called("entity", "windmill", "Windmill"), called("entity", "river", "River")},
		link("windmill", "connected_to", "river", 0.5))
	e.Write("u2", []graph.NodeWrite{node("concept", "idea", 0.5)}, link("idea", "relates_to", "windmill", 0.5))
	m := e.merge("u1", "entity", "mill", graph.MergeWrite{Other: "windmill"})
	e.Same("told", []int64{1, 0}, []int64{m.Relationships, m.Left})
	e.Same("moved", [][]any{{"idea"}, {"river"}}, e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'mill'})-[r]-(x:Memory) RETURN x.entity_key ORDER BY x.entity_key`))
	e.CheckIntegrity()
}

// The key of a merged node leads to the other one also when an undo is no longer possible.
func TestMergedKeysStay(t *testing.T) {
	e := fresh(t)
	e.Now = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC) // long before the deletes of other tests: a purge is for all teams
	e.twice()
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	e.Now = e.Now.Add(31 * 24 * time.Hour)
	m := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{})
	for range 2 {
		if err := m.PurgeForTest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	e.Same("key", "robert", e.get("u1", "person", "bob").EntityKey)
	_, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.PersonKind, "bob")
	e.Same("an undo", true, errors.Is(err, fault.ErrNotFound))
	left := func() int64 {
		return e.Raw(`MATCH (d {team_id: $team, user_id: 'u1'}) RETURN count(d)`)[0][0].(int64)
	}
	e.Same("is kept", true, left() > 0)
	if _, err := e.eraseUser(t.Context(), "u1"); err != nil {
		t.Fatal(err)
	}
	e.Same("left of an erased user", int64(0), left())
}

// Two merges at once, in opposite directions: one wins.
func TestMergesAtOnce(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("entity", "a", "A"), called("entity", "b", "B")})
	atOnce(t, func(i int) error {
		key, other := "a", "b"
		if i%2 == 0 {
			key, other = other, key
		}
		_, err := e.Store.MergeNodes(t.Context(), e.As("u1"), graph.EntityKind, key, graph.MergeWrite{Other: other})
		if errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrNotFound) {
			return nil
		}
		return err
	})
	e.Same("nodes", [][]any{{int64(1)}}, e.Raw(`MATCH (n:Entity {team_id: $team}) RETURN count(n)`))
	e.CheckIntegrity()
}

// Merges and writes of both nodes at once: each is done whole, or refused.
func TestMergesAndWritesAtOnce(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("entity", "a", "A"), called("entity", "b", "B"), node("concept", "x", 0.5)})
	atOnce(t, func(i int) error {
		key := []string{"a", "b"}[i%2]
		var err error
		switch i % 3 {
		case 0:
			_, err = e.Store.MergeNodes(t.Context(), e.As("u1"), graph.EntityKind, "a", graph.MergeWrite{Other: "b"})
		case 1:
			_, err = e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{
				Nodes:         []graph.NodeWrite{change("entity", key, described(fmt.Sprint("text ", i)))},
				Relationships: []graph.RelationshipWrite{{From: key, To: "x", Type: fmt.Sprint("type_", i)}},
			})
		default:
			_, err = e.Store.RestoreNode(t.Context(), e.As("u1"), graph.EntityKind, "b")
		}
		if errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrNotFound) || errors.Is(err, fault.ErrConflict) {
			return nil
		}
		return err
	})
	e.CheckIntegrity()
	_, _ = e.Store.MergeNodes(t.Context(), e.As("u1"), graph.EntityKind, "a", graph.MergeWrite{Other: "b"})
	e.Same("no relationship is lost, or doubled", true, e.Raw(`MATCH (:Memory {team_id: $team})-[r]->(x:Memory {entity_key: 'x'}) RETURN count(r) = count(DISTINCT r.type_word)`)[0][0])
	e.CheckIntegrity()
}

// TestMergedKeysStayAfterAPurge does the same for the purge of a team, which quotas recommend.
func TestMergedKeysStayAfterAPurge(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	for range 2 {
		if _, err := e.Store.PurgeTeam(t.Context(), e.Team); err != nil {
			t.Fatal(err)
		}
	}
	e.Same("key", "robert", e.get("u1", "person", "bob").EntityKey)
	e.CheckIntegrity()
}

// A merge repeats nothing that a deleted node and a deleted source have with both nodes: once, they come back with it.
func TestMergeBesideDeletedNodes(t *testing.T) {
	e := fresh(t)
	e.twice()
	e.Write("u1", nil, link("bob", "associated_with", "quay", 0.5))
	e.Remove("u1", "entity", "quay")
	e.Remove("u1", "source", "s1")
	e.merge("u1", "person", "robert", graph.MergeWrite{Other: "bob"})
	for kind, key := range map[string]string{"entity": "quay", "source": "s1"} {
		k, _ := graph.KindOf(kind)
		if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), k, key); err != nil {
			t.Fatal(err)
		}
	}
	e.Same("relationships with the node", int64(1), e.Raw(`MATCH (:Person {team_id: $team, entity_key: 'robert'})-[r]-(:Entity {entity_key: 'quay'}) RETURN count(r)`)[0][0])
	e.Same("mentions of the source, and sources", [][]any{{int64(1), int64(2)}}, e.Raw(`MATCH (n:Person {team_id: $team, entity_key: 'robert'})
		MATCH (n)<-[r:mentions]-(:Source {entity_key: 's1'}) RETURN count(r), n.source_count`))
}
