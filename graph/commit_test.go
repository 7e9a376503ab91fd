package graph

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAWriteThatSaysNothingChangesTheTeam checks that a transaction that does not report whose contexts it changes counts as
// a change of all memory of its team, unless it is known to change no context.
func TestAWriteThatSaysNothingChangesTheTeam(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5)})
	touch := func(name string, report func(*Tx), err error) []Change {
		e.reports()
		got := e.store.Transaction(t.Context(), name, func(t *Tx) error {
			if report != nil {
				report(t)
			}
			if err := deletePreference.Run(t, map[string]any{"team_id": e.team, "user_id": "u1", "key": "none"}); err != nil {
				return err
			}
			return err
		})
		if !errors.Is(got, err) {
			t.Errorf("%s: %v", name, got)
		}
		return e.reports()
	}
	all := []Change{{Team: e.team, Users: []string{""}, Contexts: true}}
	e.same("a new one", all, touch("new_route", nil, nil))
	e.same("one that failed before its commit", []Change(nil), touch("new_route", nil, ErrConflict))
	e.same("one without contexts", []Change(nil), touch("lease_take", nil, nil))
	e.same("one that reports nobody", []Change(nil), touch("new_route", func(t *Tx) { t.changes(nil) }, nil))
	e.same("one that reports a user", []Change{{Team: e.team, Users: []string{"u1"}, IDs: []string{"a"}, Contexts: true}},
		touch("new_route", func(t *Tx) { t.changes([]string{"u1"}, "a") }, nil))
	e.same("one with contexts of nobody", []Change{{Team: e.team, Users: []string{"u1"}, IDs: []string{"c"}}},
		touch("chat_turn_create", func(t *Tx) { t.Notes([]string{"u1"}, "c") }, nil))
}

// TestEveryChangeOfAContextIsReported checks that each kind of write reports every user whose context it changes.
func TestEveryChangeOfAContextIsReported(t *testing.T) {
	e := fresh(t)
	users := []string{"u1", "u2"}
	e.write("u1", []NodeWrite{owner1("me-1"), node("concept", "a", 0.5), node("concept", "team", 0.5, shared)}, link("me-1", "thinks_about", "a", 0.5),
		link("me-1", "thinks_about", "team", 0.5))
	e.write("u2", []NodeWrite{owner1("me-2")}, link("me-2", "thinks_about", "team", 0.5))
	ctx, u1 := t.Context(), e.as("u1")
	now := e.now
	var relationship string
	contexts := func() map[string]*Sections {
		all := map[string]*Sections{}
		for _, user := range users {
			all[user] = e.sections(user)
		}
		return all
	}
	written := func(w *MemoryWrite) error { _, err := e.store.Write(ctx, u1, w); return err }
	steps := []struct {
		name  string
		write func() error
		shown bool // the context of u1 differs
	}{
		{"a node", func() error { return written(&MemoryWrite{Nodes: []NodeWrite{node("entity", "b", 0.9)}}) }, true},
		{"a shared node", func() error {
			return written(&MemoryWrite{Nodes: []NodeWrite{change("concept", "team", described("for all"))}})
		}, true},
		{"a relationship", func() error {
			r, err := e.store.Write(ctx, u1, &MemoryWrite{Relationships: []RelationshipWrite{link("me-1", "associated_with", "b", 0.9)}})
			relationship = r.Relationships[0].Key
			return err
		}, true},
		{"a note", func() error {
			_, err := e.store.AddNotes(ctx, u1, EntityKind, "b", []NoteWrite{{Content: "n"}})
			return err
		}, true},
		{"a patch", func() error { _, err := e.store.PatchNode(ctx, u1, change("entity", "b", described("d"))); return err }, true},
		{"a preference", func() error { return e.store.SetPreference(ctx, u1, Preference{Key: "k", Value: []byte("1")}) }, true},
		{"all preferences", func() error { return e.store.ReplacePreferences(ctx, u1, []Preference{{Key: "l", Value: []byte("1")}}) }, true},
		{"no preference", func() error { return e.store.DeletePreference(ctx, u1, "l") }, true},
		{"a source", func() error {
			_, err := e.store.WriteSource(ctx, u1, &SourceWrite{
				EntityKey: "s", ContentType: Some(Conversation), StartedAt: Some(now), Messages: []MessageWrite{said("m", "x")}, Mentions: []string{"a"},
			})
			return err
		}, true},
		{"messages", func() error {
			_, err := e.store.AppendMessages(ctx, u1, "s", []MessageWrite{said("m2", "y")})
			return err
		}, false},
		{"an end", func() error {
			_, err := e.store.EndConversation(ctx, u1, "s", &ConversationEnd{Summary: Some("told")})
			return err
		}, true},
		{"an archived source", func() error {
			_, err := e.store.Consolidate(ctx, u1, &Consolidation{EntityKeys: []string{"s"}})
			return err
		}, false},
		{"a deleted relationship", func() error { _, err := e.store.DeleteRelationship(ctx, u1, relationship, 0); return err }, true},
		{"a restored relationship", func() error { _, err := e.store.RestoreRelationship(ctx, u1, relationship); return err }, true},
		{"a deleted node", func() error { _, err := e.store.DeleteNode(ctx, u1, EntityKind, "b", 0); return err }, true},
		{"a restored node", func() error { _, err := e.store.RestoreNode(ctx, u1, EntityKind, "b"); return err }, true},
		{"a deleted shared node", func() error { _, err := e.store.DeleteNode(ctx, u1, ConceptKind, "team", 0); return err }, true},
		{"an erased user", func() error { _, err := e.store.EraseUser(ctx, u1); return err }, true},
	}
	before := contexts()
	for _, s := range steps {
		e.reports()
		if err := s.write(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		reported := e.changedUsers()
		after := contexts()
		for _, user := range users {
			differs := !cmp.Equal(before[user], after[user])
			if differs && !slices.Contains(reported, user) && !slices.Contains(reported, "") {
				t.Errorf("%s changes the context of %s and reports %q", s.name, user, reported)
			}
			if user == "u1" && s.shown && !differs {
				t.Errorf("%s: the context of u1 does not show it", s.name)
			}
		}
		before = after
	}
}

// TestALostAnswerIsReported checks that a transaction is reported when its work was done and the answer to its commit was lost.
func TestALostAnswerIsReported(t *testing.T) {
	e := fresh(t)
	if err := e.store.lookForErasures(t.Context()); err != nil { // otherwise the transaction reads them last
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := e.store.Transaction(ctx, "preference_set", func(t *Tx) error {
		t.changes([]string{"u1"})
		err := setPreference.Run(t, map[string]any{
			"team_id": e.team, "user_id": "u1", "key": "k", "value": "1", "most": MaxPreferences, "now": e.now,
		})
		cancel() // the commit is sent on a connection that is given up
		return err
	})
	if err == nil {
		t.Fatal("the commit succeeded")
	}
	e.same("reported", []string{"u1"}, e.changedUsers())
}
