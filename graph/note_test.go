package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// holder is a node or relationship that can have notes.
type holder struct {
	add    func(...graph.NoteWrite) ([]graph.Note, error)
	drop   func(id string) error
	notes  func() []graph.Note
	stored func(values string) []any             // stored properties, read without the store
	write  func(...graph.NoteWrite) graph.Status // through POST /v1/memory
}

func (e *env) holders() map[string]holder {
	key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5)).Relationships[0].Key
	ctx, scope := e.Context(), e.As("u1")
	return map[string]holder{
		"node": {
			add: func(w ...graph.NoteWrite) ([]graph.Note, error) {
				return e.Store.AddNotes(ctx, scope, graph.ConceptKind, "a", w)
			},
			drop: func(id string) error {
				_, err := e.Store.DeleteNote(ctx, scope, graph.ConceptKind, "a", id)
				return err
			},
			notes: func() []graph.Note { return e.get("u1", "concept", "a").Notes },
			stored: func(v string) []any {
				return e.Raw(`MATCH (x:Concept {team_id: $team, entity_key: 'a'}) RETURN ` + v)[0]
			},
			write: func(w ...graph.NoteWrite) graph.Status {
				return e.Write("u1", []graph.NodeWrite{{Kind: "concept", EntityKey: "a", Notes: w}}).Nodes[0].Status
			},
		},
		"relationship": {
			add: func(w ...graph.NoteWrite) ([]graph.Note, error) {
				return e.Store.AddRelationshipNotes(ctx, scope, key, w)
			},
			drop:  func(id string) error { _, err := e.Store.DeleteRelationshipNote(ctx, scope, key, id); return err },
			notes: func() []graph.Note { return e.relationship("u1", key).Notes },
			stored: func(v string) []any {
				return e.Raw(`MATCH (:Concept {team_id: $team})-[x:relates_to]->() RETURN ` + v)[0]
			},
			write: func(w ...graph.NoteWrite) graph.Status {
				return e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: "relates_to", To: "b", Notes: w}).Relationships[0].Status
			},
		},
	}
}

func contents(notes []graph.Note) []string {
	all := []string{}
	for _, n := range notes {
		all = append(all, n.Content)
	}
	return all
}

// eachHolder runs a test for nodes and for relationships, each in its own team.
func eachHolder(t *testing.T, test func(e *env, h holder)) {
	for _, name := range []string{"node", "relationship"} {
		t.Run(name, func(t *testing.T) {
			e := fresh(t)
			test(e, e.holders()[name])
		})
	}
}

func TestNotesLiveAsLongAsTheyAreGiven(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		lives := map[string]time.Duration{"week": 7 * graph.Day, "": 30 * graph.Day, "month": 30 * graph.Day, "year": 365 * graph.Day}
		for lifetime := range lives {
			if _, err := h.add(graph.NoteWrite{Content: "for a " + lifetime, Lifetime: lifetime}); err != nil {
				e.Fatal(err)
			}
		}
		if _, err := h.add(graph.NoteWrite{Content: "for ever", Lifetime: "forever", AddedBy: graph.Some("crew"), SourceEntityKey: graph.Some("s"),
			DateAdded: graph.Some(noon.Add(-graph.Day))}); err != nil {
			e.Fatal(err)
		}
		user := "u1"
		for _, n := range h.notes() {
			lifetime := strings.TrimPrefix(n.Content, "for a ")
			want := graph.Note{ID: n.ID, Content: n.Content, AddedBy: &user, DateAdded: noon}
			if life := lives[lifetime]; life > 0 {
				want.ExpiresAt = at(noon.Add(life))
			} else {
				crew, s := "crew", "s"
				want.AddedBy, want.SourceEntityKey, want.DateAdded = &crew, &s, noon.Add(-graph.Day)
			}
			e.Same(lifetime, want, n)
		}
		for _, c := range []struct {
			after time.Duration
			left  int
		}{
			{0, 5}, {7*graph.Day - time.Millisecond, 5}, {7 * graph.Day, 4}, {30*graph.Day - time.Millisecond, 4}, {30 * graph.Day, 2}, {365*graph.Day - time.Millisecond, 2},
			{365 * graph.Day, 1}, {3000 * graph.Day, 1},
		} {
			e.Now = noon.Add(c.after)
			e.Same(fmt.Sprint(c.after), c.left, len(h.notes()))
		}
	})
}

func TestNotesAreNewestFirst(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		e.Same("a new one", graph.Updated, h.write(graph.NoteWrite{Content: "now"}))
		e.Same("an older one and a newer one", graph.Updated, h.write(graph.NoteWrite{Content: "before", DateAdded: graph.Some(noon.Add(-time.Hour))},
			graph.NoteWrite{Content: "after", DateAdded: graph.Some(noon.Add(time.Hour))}))
		e.Same("order", []string{"after", "now", "before"}, contents(h.notes()))
	})
}

func TestTheSameNoteChangesNothing(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		e.Same("dirty before", []any{nil, int64(1)}, h.stored("x.is_dirty, x.version"))
		e.Same("added", graph.Updated, h.write(graph.NoteWrite{Content: "n", Lifetime: "week"}, graph.NoteWrite{Content: "n"}))
		e.Same("dirty", []any{true, int64(2), noon}, h.stored("x.is_dirty, x.version, x.updated_at"))
		e.Now = noon.Add(time.Hour)
		e.Same("again", graph.Unchanged, h.write(graph.NoteWrite{Content: "n", Lifetime: "year"}))
		if notes, err := h.add(graph.NoteWrite{Content: "n"}); err != nil || len(notes) != 1 {
			e.Fatal(notes, err)
		}
		e.Same("nothing changed", []any{int64(2), noon}, h.stored("x.version, x.updated_at"))
		e.Now = noon.Add(7 * graph.Day)
		e.Same("once it has expired", graph.Updated, h.write(graph.NoteWrite{Content: "n"}))
		e.Same("one", []any{int64(1)}, h.stored("size(x.notes)"))

		e.Same("one that has expired already", graph.Unchanged, h.write(graph.NoteWrite{Content: "old", Lifetime: "week", DateAdded: graph.Some(noon.Add(-graph.Day))}))
		e.Same("notes", []string{"n"}, contents(h.notes()))
	})
}

func TestAHundredNotesAreKept(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		var notes []graph.NoteWrite
		for i := range graph.MaxNotes {
			notes = append(notes, graph.NoteWrite{Content: fmt.Sprint(i), DateAdded: graph.Some(noon.Add(time.Duration(i-graph.MaxNotes) * time.Minute))})
		}
		h.write(notes...)
		e.Same("all", graph.MaxNotes, len(h.notes()))
		h.write(graph.NoteWrite{Content: "new"}, graph.NoteWrite{Content: "newer", DateAdded: graph.Some(noon.Add(time.Minute))})
		kept := contents(h.notes())
		e.Same("kept", []any{100, "newer", "new", "99", "2"}, []any{len(kept), kept[0], kept[1], kept[2], kept[99]})
		_, err := h.add(make([]graph.NoteWrite, graph.MaxNotes+1)...)
		e.Same("too many at once", []string{"notes"}, graphtest.Locations(err))
	})
}

func TestNotesAreTakenOff(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		h.write(graph.NoteWrite{Content: "a"}, graph.NoteWrite{Content: "b", Lifetime: "week"})
		b := h.notes()[1]
		for range 2 {
			err := h.drop(b.ID)
			if gone := len(h.notes()) == 1; !gone || err != nil && !errors.Is(err, fault.ErrNotFound) {
				e.Fatal(err)
			}
		}
		if err := h.drop(b.ID); !errors.Is(err, fault.ErrNotFound) {
			e.Error(err)
		}
		e.Same("left", []string{"a"}, contents(h.notes()))
		e.Same("the next to expire", []any{noon.Add(30 * graph.Day).UnixMilli(), int64(3)}, h.stored("x.notes_expire_at, x.version"))
		if err := h.drop(h.notes()[0].ID); err != nil {
			e.Error(err)
		}
		e.Same("none", []any{nil, nil}, h.stored("x.notes_expire_at, x.notes"))
	})
}

func TestBadNotesAreRefused(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		before := e.Stored()
		for at, w := range map[string]graph.NoteWrite{
			"content": {Lifetime: "week"}, "lifetime": {Content: "x", Lifetime: "day"}, "added_by": {Content: "x", AddedBy: graph.Some(" ")},
			"source_entity_key": {Content: "x", SourceEntityKey: graph.Some("a\n")}, "date_added": {Content: "x", DateAdded: graph.Some(noon.Add(25 * time.Hour))},
		} {
			_, err := h.add(graph.NoteWrite{Content: "fine"}, w)
			e.Same(at, []string{"notes[1]." + at}, graphtest.Locations(err))
		}
		_, err := h.add(graph.NoteWrite{Content: strings.Repeat("é", graph.MaxNoteLength+1)})
		e.Same("too long", []string{"notes[0].content"}, graphtest.Locations(err))
		_, err = e.Store.Write(e.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "concept", EntityKey: "a", Notes: []graph.NoteWrite{{}}}}})
		e.Same("through memory", []string{"nodes[0].notes[0].content"}, graphtest.Locations(err))
		e.Same("stored", before, e.Stored())
	})
}

// Only callers who may change a node or relationship may add notes to it.
func TestNotesKeepToTheirScope(t *testing.T) {
	e := fresh(t)
	key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "s", 0.5, shared)}, link("a", "relates_to", "s", 0.5)).Relationships[0].Key
	note := []graph.NoteWrite{{Content: "x"}}
	for name, scope := range map[string]graph.Scope{"another user": e.As("u2"), "the team": e.As(""), "another team": {TeamID: e.Team + "-x", UserID: "u1"}} {
		_, onNode := e.Store.AddNotes(t.Context(), scope, graph.ConceptKind, "a", note)
		_, onRelationship := e.Store.AddRelationshipNotes(t.Context(), scope, key, note)
		_, ofKind := e.Store.AddNotes(t.Context(), e.As("u1"), graph.PersonKind, "a", note)
		for _, err := range []error{onNode, onRelationship, ofKind} {
			if !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	e.ChangedUsers()
	notes, err := e.Store.AddNotes(t.Context(), e.As("u2"), graph.ConceptKind, "s", note)
	e.Same("what is shared", []any{nil, []string{""}, []string{"x"}}, []any{err, e.ChangedUsers(), contents(notes)})
}

// Maintenance drops expired notes, and only those.
func TestMaintenanceDropsExpiredNotes(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		h.write(graph.NoteWrite{Content: "w", Lifetime: "week"}, graph.NoteWrite{Content: "m"}, graph.NoteWrite{Content: "f", Lifetime: "forever"})
		counted := int64(0)
		m := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{Observe: func(step string, count int64) {
			if step == "notes_expired" {
				counted += count
			}
		}})
		for _, c := range []struct {
			after time.Duration
			left  int64
			next  any
		}{
			{7*graph.Day - time.Millisecond, 3, noon.Add(7 * graph.Day).UnixMilli()}, {7 * graph.Day, 2, noon.Add(30 * graph.Day).UnixMilli()}, {30 * graph.Day, 1, nil}, {400 * graph.Day, 1, nil},
		} {
			e.Now = noon.Add(c.after)
			if _, _, err := m.BatchForTest(e.Context(), e.Team, ""); err != nil {
				e.Fatal(err)
			}
			e.Same(fmt.Sprint(c.after), []any{c.left, c.next}, h.stored("size(x.notes), x.notes_expire_at"))
		}
		e.Same("looked at", int64(2), counted)
	})
}
