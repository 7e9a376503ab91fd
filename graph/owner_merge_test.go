package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

// madeOwner returns the key of the person that Kith has generated for a user.
func (e *env) madeOwner(user string) string {
	e.Helper()
	return neo.Text(e.Raw(`MATCH (n:Person {team_id: $team, owner_of: '` + user + `', owner_generated: true}) RETURN n.entity_key`)[0][0])
}

// asOwner returns a change that makes a person the owner.
func asOwner(key string) graph.NodeWrite {
	return change("person", key, func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })
}

func (e *env) note(kind graph.Kind, key string, contents ...string) {
	e.Helper()
	var notes []graph.NoteWrite
	for _, content := range contents {
		notes = append(notes, graph.NoteWrite{Content: content})
	}
	if _, err := e.Store.AddNotes(e.Context(), e.As("u1"), kind, key, notes); err != nil {
		e.Fatal(err)
	}
}

// Of what both persons have, the generated one keeps its own. The write says so, and an undo brings it back.
func TestNamedOwnerDestroysNothing(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("person", "ada", "Ada"), node("concept", "tea", 0.5)})
	made := e.madeOwner("u1")
	allergic := link(made, "thinks_about", "tea", 0.9)
	allergic.Description = graph.Some("is allergic")
	e.Write("u1", []graph.NodeWrite{change("person", made, described("sails")), change("person", "ada", described("reads"))}, allergic, link("ada", "thinks_about", "tea", 0.2))
	key := e.keyBetween(made, "thinks_about", "tea")
	if _, err := e.Store.AddRelationshipNotes(t.Context(), e.As("u1"), key, []graph.NoteWrite{{Content: "the doctor said so"}}); err != nil {
		t.Fatal(err)
	}
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprint("own note ", i)
	}
	e.note(graph.PersonKind, "ada", many...)
	e.Now = e.Now.Add(time.Hour) // the notes that stay are not the newest ones
	for i := range many {
		many[i] = fmt.Sprint("note ", i)
	}
	e.note(graph.PersonKind, made, many...)
	before := e.content()

	r := e.Write("u1", []graph.NodeWrite{asOwner("ada")})
	e.Same("warnings", 1, len(r.Warnings))
	for _, part := range []string{"nodes[0].is_owner", "1 relationship, its description, 20 notes", "restore " + made} {
		if !strings.Contains(r.Warnings[0], part) {
			t.Errorf("%q has no %q", r.Warnings[0], part)
		}
	}
	n, own := e.get("u1", "person", made), 0
	for _, note := range n.Notes {
		if strings.HasPrefix(note.Content, "own note") {
			own++
		}
	}
	e.Same("owner", []any{"ada", r.Nodes[0].Version, 100, 60, "reads"}, []any{n.EntityKey, n.Version, len(n.Notes), own, n.Description})
	e.Same("owners", [][]any{{"Ada", nil, "active", "u1"}}, e.ownersOf("u1"))
	e.CheckIntegrity()

	e.restore("u1", "person", made)
	e.Same("after an undo", before, e.content())
	page, err := e.Store.RelationshipVersions(t.Context(), e.As("u1"), key, "", 10)
	e.Same("history", []any{error(nil), "is allergic"}, []any{err, page.Versions[0].Relationship.Description})
	e.CheckIntegrity()
}

// A write that gives the owner's lifecycle fields keeps them; otherwise the person has those of an owner.
func TestNamedOwnerLivesAsWritten(t *testing.T) {
	e := fresh(t)
	for user, c := range map[string]struct {
		change    func(*graph.NodeWrite)
		ttl       string
		salience  float64
		condition string
	}{
		"u1": {func(*graph.NodeWrite) {}, "keep_forever", 1, "not given"},
		"u2": {func(w *graph.NodeWrite) { w.TTLPolicy, w.Salience = graph.Some("ephemeral"), graph.Some(0.3) }, "ephemeral", 0.3, "given"},
	} {
		e.Write(user, []graph.NodeWrite{called("person", "p-"+user, "Ada")})
		w := asOwner("p-" + user)
		c.change(&w)
		e.Write(user, []graph.NodeWrite{w})
		n := e.get(user, "person", "p-"+user)
		e.Same(c.condition, []any{c.ttl, c.salience}, []any{n.TTLPolicy, n.Salience})
	}
	e.CheckIntegrity()
}

// The name of the generated owner may be that of the named one, and both are restored by an undo.
func TestNamedOwnerOfTheSameNameIsUndone(t *testing.T) {
	e := fresh(t)
	e.Write("ada", []graph.NodeWrite{node("concept", "c", 0.5)})
	made := e.madeOwner("ada")
	e.Write("ada", nil, link(made, "thinks_about", "c", 0.5))
	e.Write("ada", []graph.NodeWrite{change("person", "p-ada", func(w *graph.NodeWrite) { w.Name, w.IsOwner = graph.Some("Ada"), graph.Some(true) })})
	e.Same("aliases", [][]any{{nil}}, e.Raw(`MATCH (n:Person {team_id: $team, entity_key: 'p-ada'}) RETURN n.aliases`))
	e.restore("ada", "person", made)
	e.Same("the owner", [][]any{{"ada", true, "active", "ada"}}, e.ownersOf("ada"))
	e.Same("the person", "Ada", e.get("ada", "person", "p-ada").Name)
	e.Same("relationships", made, neo.Text(e.Raw(`MATCH (n:Person {team_id: $team})-[:thinks_about]->() RETURN n.entity_key`)[0][0]))
	e.CheckIntegrity()
}

// A piece of an import may have the generated owner and the person that is guessed to be the user.
func TestImportedOwnerTakesOver(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "tea", 0.5)})
	made := e.madeOwner("u1")
	kept := link(made, "thinks_about", "tea", 0.5)
	kept.Description = graph.Some("is allergic")
	e.Write("u1", nil, kept)
	guessed := called("person", "ada", "Ada")
	guessed.MayOwn = true
	b := &graph.RestoreBatch{Nodes: []graph.NodeWrite{guessed}, Relationships: []graph.RelationshipWrite{link("ada", "thinks_about", "tea", 0.3)}}
	if _, err := e.Store.Restore(t.Context(), e.As("u1"), b, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false); err != nil {
		t.Fatal(err)
	}
	e.Same("owner", [][]any{{"Ada", nil, "active", "u1"}}, e.ownersOf("u1"))
	e.Same("by the old key", "ada", e.get("u1", "person", made).EntityKey)
	if _, err := e.Store.RestoreNode(t.Context(), e.As("u1"), graph.PersonKind, made); err != nil {
		t.Fatal(err)
	}
	e.Same("undone", made, e.madeOwner("u1"))
	e.CheckIntegrity()
}

// A file from after a take-over has the key of the generated owner as one that was merged. Where that one is still the owner, it is merged, too.
func TestImportFromAfterATakeOver(t *testing.T) {
	e := fresh(t)
	exported := func() *graph.RestoreBatch {
		b := &graph.RestoreBatch{}
		if err := e.Store.ExportNodes(t.Context(), e.Team, func(w *graph.NodeWrite) error { b.Nodes = append(b.Nodes, *w); return nil }); err != nil {
			t.Fatal(err)
		}
		return b
	}
	e.Write("u1", []graph.NodeWrite{node("concept", "tea", 0.5)})
	made, earlier := e.madeOwner("u1"), exported()
	e.Write("u1", []graph.NodeWrite{owner1("ada")})

	d := e.neighbour()
	d.imports(d.As("u1"), earlier)
	for range 2 {
		for _, r := range d.imports(d.As("u1"), exported()).Nodes {
			d.Same(r.EntityKey, false, r.Status == graph.Refused)
		}
		d.Same("owner", [][]any{{"the ada", nil, "active", "u1"}}, d.ownersOf("u1"))
		d.Same("its keys", [][]any{{[]any{made}}}, d.Raw(`MATCH (n:Person {team_id: $team, entity_key: 'ada'}) RETURN n.merged_keys`))
	}
	d.restore("u1", "person", made)
	d.Same("undone", made, d.madeOwner("u1"))
	d.Same("its keys after the undo", [][]any{{nil}}, d.Raw(`MATCH (n:Person {team_id: $team, entity_key: 'ada'}) RETURN n.merged_keys`))
	d.CheckIntegrity()
}

// Whatever the two persons have, naming one is undone without a trace, and never loses a note or relationship meanwhile.
func TestNamedOwnersAreUndone(t *testing.T) {
	types := []string{"thinks_about", "engages_with", "knows"}
	twice(t, func(r *rapid.T, e *env) {
		e.Write("u1", []graph.NodeWrite{called("person", "ada", "Ada"), node("concept", "a", 0.5), node("concept", "b", 0.5), called("person", "jon", "Jon")})
		made := e.madeOwner("u1")
		ends := []string{made, "ada", "a", "b", "jon"}
		for i := range rapid.IntRange(1, 8).Draw(r, "links") {
			from, to := rapid.SampledFrom(ends).Draw(r, "from"), rapid.SampledFrom(ends).Draw(r, "to")
			if from == to {
				continue
			}
			l := link(from, rapid.SampledFrom(types).Draw(r, "type"), to, 0.5)
			l.Description = graph.Some(fmt.Sprint("text ", i))
			e.Try("u1", nil, l) // some types do not connect such nodes
		}
		e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{made, "ada"}})
		for i := range rapid.IntRange(0, 3).Draw(r, "sources") {
			e.Source("u1", graph.SourceWrite{EntityKey: fmt.Sprint("s", i), Mentions: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{made, "ada"}), 1, 2, rapid.ID[string]).Draw(r, "mentions")})
		}
		if rapid.Bool().Draw(r, "note") {
			e.note(graph.PersonKind, made, "likes tides")
		}
		if rapid.Bool().Draw(r, "described") {
			e.Write("u1", []graph.NodeWrite{change("person", made, described("sails"))})
		}
		count := `MATCH ({team_id: $team})-[r]->({team_id: $team}) WHERE r.key IS NOT NULL RETURN count(r)`
		before, links := e.content(), e.Raw(count)
		w := asOwner("ada")
		isNew := rapid.Bool().Draw(r, "new")
		if isNew {
			w = owner1("eve")
		}
		e.Write("u1", []graph.NodeWrite{w})
		e.Same("relationships", links, e.Raw(count))
		e.CheckIntegrity()
		e.restore("u1", "person", made)
		if isNew {
			e.Raw(`MATCH (n:Person|Former {team_id: $team}) WHERE n.entity_key = 'eve' DETACH DELETE n`) // with the version that the undo has made a former one
		}
		e.Same("undone", before, e.content())
		e.CheckIntegrity()
	})
}

// A generated owner that cannot be merged is a fault of the person that is to replace it.
func TestNamedOwnerInARing(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{called("person", "ada", "Ada"), node("concept", "c", 0.5)})
	made := e.madeOwner("u1")
	e.Write("u1", nil, link("ada", "contains", "c", 0.5), link("c", "contains", made, 0.5))
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{asOwner("ada")}})
	faults := fault.Fields(err)
	if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), "nodes[0].is_owner: the person that Kith made") {
		t.Errorf("%v", err)
	}
	e.Same("nothing is written", made, e.madeOwner("u1"))
}
