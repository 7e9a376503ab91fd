package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"kith/graph"
	"kith/tests/testenv"
)

// bound returns the scope of a key that is bound to a user.
func (e *env) bound(user string) graph.Scope {
	return graph.Scope{TeamID: e.Team, UserID: user, Bound: true}
}

// forged returns a write that names another user in every field for an author.
func forged(restoring bool) *graph.MemoryWrite {
	by := graph.Some("ua")
	notes := []graph.NoteWrite{{Content: "ua agrees", AddedBy: by}}
	w := &graph.MemoryWrite{
		Nodes: []graph.NodeWrite{
			{Kind: "concept", EntityKey: "new", Name: graph.Some("new"), UserID: graph.Null[string](), Notes: notes},
			{Kind: "concept", EntityKey: "shared", Notes: notes},
		},
		Relationships: []graph.RelationshipWrite{
			{From: "new", To: "shared", Type: "relates_to", RecordedBy: by, Notes: notes},
			{From: "shared", To: "other", Type: "relates_to", RecordedBy: by, Description: graph.Some("changed"), Notes: notes},
		},
	}
	if restoring {
		raw := graph.Some([]string{`{"id":"n1","content":"ua agrees","added_by":"ua","date_added":"2026-03-04T11:00:00Z","source_entity_key":null,"expires_at":null}`})
		for i := range w.Nodes {
			w.Nodes[i].Notes, w.Nodes[i].History = nil, &graph.History{CreatedBy: by, Notes: raw, Version: graph.Some(int64(7))}
			w.Nodes[i].Name = graph.Some(w.Nodes[i].EntityKey)
		}
		for i := range w.Relationships {
			w.Relationships[i].Notes, w.Relationships[i].History = nil, &graph.History{Notes: raw}
			w.Relationships[i].Key = fmt.Sprint("k", i)
		}
	}
	return w
}

// authors returns all names of authors in the memory.
func (e *env) authors() string {
	return fmt.Sprint(e.Raw(`MATCH (n:Memory {team_id: $team}) OPTIONAL MATCH (n)-[r]->()
		WITH n.entity_key AS key, n.created_by AS created, n.notes AS notes, r ORDER BY key
		RETURN key, created, notes, r.recorded_by, r.notes`))
}

// TestBoundKeysSignWithTheirUser checks that a bound key always writes as its user, and that others keep their authorship.
func TestBoundKeysSignWithTheirUser(t *testing.T) {
	e := fresh(t)
	for name, write := range map[string]func(graph.Scope) error{
		"write": func(s graph.Scope) error { _, err := e.Store.Write(t.Context(), s, forged(false)); return err },
		"import": func(s graph.Scope) error {
			w := forged(true)
			_, err := e.Store.Restore(t.Context(), s, &graph.RestoreBatch{Nodes: w.Nodes, Relationships: w.Relationships}, graph.ImportMark{},
				func(graph.MemoryResult) string { return "" }, false)
			return err
		},
		"note": func(s graph.Scope) error {
			_, err := e.Store.AddNotes(t.Context(), s, graph.ConceptKind, "shared", []graph.NoteWrite{{Content: "ua agrees", AddedBy: graph.Some("ua")}})
			return err
		},
	} {
		for _, scope := range []graph.Scope{e.bound("ub"), e.As("ub")} {
			e.Team = testenv.Team(t)
			scope.TeamID = e.Team
			shared := func(key string) graph.NodeWrite {
				return graph.NodeWrite{Kind: "concept", EntityKey: key, Name: graph.Some(key)}
			}
			e.Write("", []graph.NodeWrite{shared("shared"), shared("other")}, graph.RelationshipWrite{From: "shared", To: "other", Type: "relates_to", RecordedBy: graph.Some("uc")})
			if err := write(scope); err != nil {
				t.Fatal(name, err)
			}
			got := e.authors()
			if named := strings.Contains(got, `"ua"`) || strings.Contains(got, " ua "); named == scope.Bound {
				t.Errorf("%s with a bound key %t: %s", name, scope.Bound, got)
			}
			if scope.Bound && !strings.Contains(got, `"added_by":"ub"`) {
				t.Errorf("%s: nobody signed %s", name, got)
			}
		}
	}
}

// TestImportsKeepTheAuthorsOfOthers checks that an import by a bound key leaves the authorship and the notes of others.
func TestImportsKeepTheAuthorsOfOthers(t *testing.T) {
	e := fresh(t)
	e.Write("ua", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Name: graph.Some("c"), UserID: graph.Null[string](),
		Notes: []graph.NoteWrite{{Content: "mine", Lifetime: "forever"}}}})
	stored := e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.created_by, n.notes`)
	var notes []string
	for _, n := range stored[0][1].([]any) {
		notes = append(notes, n.(string))
	}
	n := graph.NodeWrite{Kind: "concept", EntityKey: "c", Name: graph.Some("c"), Description: graph.Some("changed"),
		History: &graph.History{CreatedBy: graph.Some("ub"), Notes: graph.Some(notes), Version: graph.Some(int64(3))}}
	if _, err := e.Store.Restore(t.Context(), e.bound("ub"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{n}}, graph.ImportMark{}, func(graph.MemoryResult) string { return "" },
		false); err != nil {
		t.Fatal(err)
	}
	e.Same("authors", stored, e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.created_by, n.notes`))
}

// What Kith itself forms of shared sources is not imported by a key of one user; of the user's own it is.
func TestBoundKeysImportNoSharedStories(t *testing.T) {
	e := fresh(t)
	story := graph.NodeWrite{Kind: "storyline", EntityKey: "story", Name: graph.Some("S"), UserID: graph.Null[string](), History: &graph.History{}}
	e.Same("shared", graph.Refused, e.imports(e.bound("u1"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{story}}).Nodes[0].Status)
	e.Same("by the team's key", graph.Created, e.imports(e.As(""), &graph.RestoreBatch{Nodes: []graph.NodeWrite{story}}).Nodes[0].Status)
	e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'story'}) DELETE n`)
}

// Of a shared record a line of a bound key is a write: nothing else of it is stored, and a second one changes nothing.
func TestSharedLinesOfBoundKeysAreWrites(t *testing.T) {
	e := fresh(t)
	e.Source("", graph.SourceWrite{EntityKey: "s", ContentType: graph.Some("meeting")})
	e.Write("", []graph.NodeWrite{called("concept", "c", "C")})
	line := graph.NodeWrite{Kind: "concept", EntityKey: "c", UserID: graph.Null[string](), Description: graph.Some("new"), History: &graph.History{
		Version: graph.Some(int64(40)), Written: graph.Some("deadbeef put-by-admin"), AccessCount: graph.Some(int64(900)), Evidence: graph.Some([]string{"x\x1fexternal\x1f0.1\x1feve"}),
		MergedKeys: graph.Some([]string{"free"}),
	}}
	source := graph.NodeWrite{Kind: "source", EntityKey: "s", UserID: graph.Null[string](), OwnFields: &graph.OwnFields{WithdrawnAt: graph.Some(noon), MessageCount: graph.Some(int64(9))}, History: &graph.History{}}
	ctx := graph.WithWriter(t.Context(), graph.Writer{KeyID: "key1", Through: "import:kith"})
	for i, want := range []graph.Status{graph.Updated, graph.Unchanged} {
		r, err := e.Store.Restore(ctx, e.bound("u1"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{line, source}}, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
		if err != nil {
			t.Fatal(err)
		}
		e.Same(fmt.Sprint("import ", i), want, r.Nodes[0].Status)
	}
	e.Same("stored", [][]any{{"key1 import:kith", int64(2), nil, nil, "new"}}, e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'c'}) RETURN n.written, n.version, n.evidence, n.merged_keys, n.description`))
	e.Same("source", [][]any{{nil, int64(0)}}, e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 's'}) RETURN n.withdrawn_at, n.message_count`))
	e.CheckIntegrity()
}
