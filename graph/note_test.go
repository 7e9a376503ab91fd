package graph

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// holder is a node or relationship that can have notes.
type holder struct {
	add    func(...NoteWrite) ([]Note, error)
	drop   func(id string) error
	notes  func() []Note
	stored func(values string) []any // stored properties, read without the store
	write  func(...NoteWrite) Status // through POST /v1/memory
}

func (e *env) holders() map[string]holder {
	key := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5)).Relationships[0].Key
	ctx, scope := e.Context(), e.as("u1")
	return map[string]holder{
		"node": {
			add: func(w ...NoteWrite) ([]Note, error) {
				return e.store.AddNotes(ctx, scope, ConceptKind, "a", w)
			},
			drop:  func(id string) error { _, err := e.store.DeleteNote(ctx, scope, ConceptKind, "a", id); return err },
			notes: func() []Note { return e.get("u1", "concept", "a").Notes },
			stored: func(v string) []any {
				return e.raw(`MATCH (x:Concept {team_id: $team, entity_key: 'a'}) RETURN ` + v)[0]
			},
			write: func(w ...NoteWrite) Status {
				return e.write("u1", []NodeWrite{{Kind: "concept", EntityKey: "a", Notes: w}}).Nodes[0].Status
			},
		},
		"relationship": {
			add: func(w ...NoteWrite) ([]Note, error) {
				return e.store.AddRelationshipNotes(ctx, scope, key, w)
			},
			drop:  func(id string) error { _, err := e.store.DeleteRelationshipNote(ctx, scope, key, id); return err },
			notes: func() []Note { return e.relationship("u1", key).Notes },
			stored: func(v string) []any {
				return e.raw(`MATCH (:Concept {team_id: $team})-[x:relates_to]->() RETURN ` + v)[0]
			},
			write: func(w ...NoteWrite) Status {
				return e.write("u1", nil, RelationshipWrite{From: "a", Type: "relates_to", To: "b", Notes: w}).Relationships[0].Status
			},
		},
	}
}

func contents(notes []Note) []string {
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
		lives := map[string]time.Duration{"week": 7 * day, "": 30 * day, "month": 30 * day, "year": 365 * day}
		for lifetime := range lives {
			if _, err := h.add(NoteWrite{Content: "for a " + lifetime, Lifetime: lifetime}); err != nil {
				e.Fatal(err)
			}
		}
		if _, err := h.add(NoteWrite{Content: "for ever", Lifetime: "forever", AddedBy: Some("crew"), SourceEntityKey: Some("s"),
			DateAdded: Some(noon.Add(-day))}); err != nil {
			e.Fatal(err)
		}
		user := "u1"
		for _, n := range h.notes() {
			lifetime := strings.TrimPrefix(n.Content, "for a ")
			want := Note{ID: n.ID, Content: n.Content, AddedBy: &user, DateAdded: noon}
			if life := lives[lifetime]; life > 0 {
				want.ExpiresAt = at(noon.Add(life))
			} else {
				crew, s := "crew", "s"
				want.AddedBy, want.SourceEntityKey, want.DateAdded = &crew, &s, noon.Add(-day)
			}
			e.same(lifetime, want, n)
		}
		for _, c := range []struct {
			after time.Duration
			left  int
		}{
			{0, 5}, {7*day - time.Millisecond, 5}, {7 * day, 4}, {30*day - time.Millisecond, 4}, {30 * day, 2}, {365*day - time.Millisecond, 2},
			{365 * day, 1}, {3000 * day, 1},
		} {
			e.now = noon.Add(c.after)
			e.same(fmt.Sprint(c.after), c.left, len(h.notes()))
		}
	})
}

func TestNotesAreNewestFirst(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		e.same("a new one", Updated, h.write(NoteWrite{Content: "now"}))
		e.same("an older one and a newer one", Updated, h.write(NoteWrite{Content: "before", DateAdded: Some(noon.Add(-time.Hour))},
			NoteWrite{Content: "after", DateAdded: Some(noon.Add(time.Hour))}))
		e.same("order", []string{"after", "now", "before"}, contents(h.notes()))
	})
}

func TestTheSameNoteChangesNothing(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		e.same("dirty before", []any{nil, int64(1)}, h.stored("x.is_dirty, x.version"))
		e.same("added", Updated, h.write(NoteWrite{Content: "n", Lifetime: "week"}, NoteWrite{Content: "n"}))
		e.same("dirty", []any{true, int64(2), noon}, h.stored("x.is_dirty, x.version, x.updated_at"))
		e.now = noon.Add(time.Hour)
		e.same("again", Unchanged, h.write(NoteWrite{Content: "n", Lifetime: "year"}))
		if notes, err := h.add(NoteWrite{Content: "n"}); err != nil || len(notes) != 1 {
			e.Fatal(notes, err)
		}
		e.same("nothing changed", []any{int64(2), noon}, h.stored("x.version, x.updated_at"))
		e.now = noon.Add(7 * day)
		e.same("once it has expired", Updated, h.write(NoteWrite{Content: "n"}))
		e.same("one", []any{int64(1)}, h.stored("size(x.notes)"))

		e.same("one that has expired already", Unchanged, h.write(NoteWrite{Content: "old", Lifetime: "week", DateAdded: Some(noon.Add(-day))}))
		e.same("notes", []string{"n"}, contents(h.notes()))
	})
}

func TestAHundredNotesAreKept(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		var notes []NoteWrite
		for i := range maxNotes {
			notes = append(notes, NoteWrite{Content: fmt.Sprint(i), DateAdded: Some(noon.Add(time.Duration(i-maxNotes) * time.Minute))})
		}
		h.write(notes...)
		e.same("all", maxNotes, len(h.notes()))
		h.write(NoteWrite{Content: "new"}, NoteWrite{Content: "newer", DateAdded: Some(noon.Add(time.Minute))})
		kept := contents(h.notes())
		e.same("kept", []any{100, "newer", "new", "99", "2"}, []any{len(kept), kept[0], kept[1], kept[2], kept[99]})
		_, err := h.add(make([]NoteWrite, maxNotes+1)...)
		e.same("too many at once", []string{"notes"}, locations(err))
	})
}

func TestNotesAreTakenOff(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		h.write(NoteWrite{Content: "a"}, NoteWrite{Content: "b", Lifetime: "week"})
		b := h.notes()[1]
		for range 2 {
			err := h.drop(b.ID)
			if gone := len(h.notes()) == 1; !gone || err != nil && !errors.Is(err, ErrNotFound) {
				e.Fatal(err)
			}
		}
		if err := h.drop(b.ID); !errors.Is(err, ErrNotFound) {
			e.Error(err)
		}
		e.same("left", []string{"a"}, contents(h.notes()))
		e.same("the next to expire", []any{noon.Add(30 * day).UnixMilli(), int64(3)}, h.stored("x.notes_expire_at, x.version"))
		if err := h.drop(h.notes()[0].ID); err != nil {
			e.Error(err)
		}
		e.same("none", []any{nil, nil}, h.stored("x.notes_expire_at, x.notes"))
	})
}

func TestBadNotesAreRefused(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		before := e.stored()
		for at, w := range map[string]NoteWrite{
			"content": {Lifetime: "week"}, "lifetime": {Content: "x", Lifetime: "day"}, "added_by": {Content: "x", AddedBy: Some(" ")},
			"source_entity_key": {Content: "x", SourceEntityKey: Some("a\n")}, "date_added": {Content: "x", DateAdded: Some(noon.Add(25 * time.Hour))},
		} {
			_, err := h.add(NoteWrite{Content: "fine"}, w)
			e.same(at, []string{"notes[1]." + at}, locations(err))
		}
		_, err := h.add(NoteWrite{Content: strings.Repeat("é", maxNoteLength+1)})
		e.same("too long", []string{"notes[0].content"}, locations(err))
		_, err = e.store.Write(e.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{{Kind: "concept", EntityKey: "a", Notes: []NoteWrite{{}}}}})
		e.same("through memory", []string{"nodes[0].notes[0].content"}, locations(err))
		e.same("stored", before, e.stored())
	})
}

// Only callers who may change a node or relationship may add notes to it.
func TestNotesKeepToTheirScope(t *testing.T) {
	e := fresh(t)
	key := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "s", 0.5, shared)}, link("a", "relates_to", "s", 0.5)).Relationships[0].Key
	note := []NoteWrite{{Content: "x"}}
	for name, scope := range map[string]Scope{"another user": e.as("u2"), "the team": e.as(""), "another team": {TeamID: e.team + "-x", UserID: "u1"}} {
		_, onNode := e.store.AddNotes(t.Context(), scope, ConceptKind, "a", note)
		_, onRelationship := e.store.AddRelationshipNotes(t.Context(), scope, key, note)
		_, ofKind := e.store.AddNotes(t.Context(), e.as("u1"), PersonKind, "a", note)
		for _, err := range []error{onNode, onRelationship, ofKind} {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	e.changedUsers()
	notes, err := e.store.AddNotes(t.Context(), e.as("u2"), ConceptKind, "s", note)
	e.same("what is shared", []any{nil, []string{""}, []string{"x"}}, []any{err, e.changedUsers(), contents(notes)})
}

// Maintenance drops expired notes, and only those.
func TestMaintenanceDropsExpiredNotes(t *testing.T) {
	t.Parallel()
	eachHolder(t, func(e *env, h holder) {
		h.write(NoteWrite{Content: "w", Lifetime: "week"}, NoteWrite{Content: "m"}, NoteWrite{Content: "f", Lifetime: "forever"})
		counted := int64(0)
		m := NewMaintenance(e.store, MaintenanceOptions{Observe: func(step string, count int64) {
			if step == "notes_expired" {
				counted += count
			}
		}})
		for _, c := range []struct {
			after time.Duration
			left  int64
			next  any
		}{
			{7*day - time.Millisecond, 3, noon.Add(7 * day).UnixMilli()}, {7 * day, 2, noon.Add(30 * day).UnixMilli()}, {30 * day, 1, nil}, {400 * day, 1, nil},
		} {
			e.now = noon.Add(c.after)
			if _, err := m.batch(e.Context(), e.team, ""); err != nil {
				e.Fatal(err)
			}
			e.same(fmt.Sprint(c.after), []any{c.left, c.next}, h.stored("size(x.notes), x.notes_expire_at"))
		}
		e.same("looked at", int64(2), counted)
	})
}
