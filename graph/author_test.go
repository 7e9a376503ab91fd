package graph

import (
	"fmt"
	"strings"
	"testing"

	"kith/internal/testenv"
)

// bound returns the scope of a key that is bound to a user.
func (e *env) bound(user string) Scope { return Scope{TeamID: e.team, UserID: user, Bound: true} }

// forged returns a write that names another user in every field for an author.
func forged(restoring bool) *MemoryWrite {
	by := Some("ua")
	notes := []NoteWrite{{Content: "ua agrees", AddedBy: by}}
	w := &MemoryWrite{
		Nodes: []NodeWrite{
			{Kind: "concept", EntityKey: "new", Name: Some("new"), UserID: Null[string](), Notes: notes},
			{Kind: "concept", EntityKey: "shared", Notes: notes},
		},
		Relationships: []RelationshipWrite{
			{From: "new", To: "shared", Type: "relates_to", RecordedBy: by, Notes: notes},
			{From: "shared", To: "other", Type: "relates_to", RecordedBy: by, Description: Some("changed"), Notes: notes},
		},
	}
	if restoring {
		raw := Some([]string{`{"id":"n1","content":"ua agrees","added_by":"ua","date_added":"2026-03-04T11:00:00Z","source_entity_key":null,"expires_at":null}`})
		for i := range w.Nodes {
			w.Nodes[i].Notes, w.Nodes[i].History = nil, &History{CreatedBy: by, Notes: raw, Version: Some(int64(7))}
			w.Nodes[i].Name = Some(w.Nodes[i].EntityKey)
		}
		for i := range w.Relationships {
			w.Relationships[i].Notes, w.Relationships[i].History = nil, &History{Notes: raw}
			w.Relationships[i].Key = fmt.Sprint("k", i)
		}
	}
	return w
}

// authors returns all names of authors in the memory.
func (e *env) authors() string {
	return fmt.Sprint(e.raw(`MATCH (n:Memory {team_id: $team}) OPTIONAL MATCH (n)-[r]->()
		WITH n.entity_key AS key, n.created_by AS created, n.notes AS notes, r ORDER BY key
		RETURN key, created, notes, r.recorded_by, r.notes`))
}

// TestBoundKeysSignWithTheirUser checks that a bound key always writes as its user, and that others keep their authorship.
func TestBoundKeysSignWithTheirUser(t *testing.T) {
	e := fresh(t)
	for name, write := range map[string]func(Scope) error{
		"write": func(s Scope) error { _, err := e.store.Write(t.Context(), s, forged(false)); return err },
		"import": func(s Scope) error {
			w := forged(true)
			_, err := e.store.Restore(t.Context(), s, &RestoreBatch{Nodes: w.Nodes, Relationships: w.Relationships}, ImportMark{},
				func(MemoryResult) string { return "" }, false)
			return err
		},
		"note": func(s Scope) error {
			_, err := e.store.AddNotes(t.Context(), s, ConceptKind, "shared", []NoteWrite{{Content: "ua agrees", AddedBy: Some("ua")}})
			return err
		},
	} {
		for _, scope := range []Scope{e.bound("ub"), e.as("ub")} {
			e.team = testenv.Team(t)
			scope.TeamID = e.team
			shared := func(key string) NodeWrite { return NodeWrite{Kind: "concept", EntityKey: key, Name: Some(key)} }
			e.write("", []NodeWrite{shared("shared"), shared("other")}, RelationshipWrite{From: "shared", To: "other", Type: "relates_to", RecordedBy: Some("uc")})
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
	e.write("ua", []NodeWrite{{Kind: "concept", EntityKey: "c", Name: Some("c"), UserID: Null[string](),
		Notes: []NoteWrite{{Content: "mine", Lifetime: "forever"}}}})
	stored := e.raw(`MATCH (n:Memory {team_id: $team}) RETURN n.created_by, n.notes`)
	var notes []string
	for _, n := range stored[0][1].([]any) {
		notes = append(notes, n.(string))
	}
	n := NodeWrite{Kind: "concept", EntityKey: "c", Name: Some("c"), Description: Some("changed"),
		History: &History{CreatedBy: Some("ub"), Notes: Some(notes), Version: Some(int64(3))}}
	if _, err := e.store.Restore(t.Context(), e.bound("ub"), &RestoreBatch{Nodes: []NodeWrite{n}}, ImportMark{}, func(MemoryResult) string { return "" },
		false); err != nil {
		t.Fatal(err)
	}
	e.same("authors", stored, e.raw(`MATCH (n:Memory {team_id: $team}) RETURN n.created_by, n.notes`))
}
