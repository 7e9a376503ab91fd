package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/testenv"
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
