package graph

import (
	"errors"
	"slices"
	"testing"
)

// TestConversationsRememberTheirFocus checks that a new focus replaces the old one, null clears it, and an omitted one leaves it.
func TestConversationsRememberTheirFocus(t *testing.T) {
	e := fresh(t)
	in := func(project, key, user string) NodeWrite {
		w := node("task", key, 0.5)
		w.UserID, w.OwnFields = Null[string](), &OwnFields{ProjectID: Some(project)}
		if user != "" {
			w.UserID = Some(user)
		}
		return w
	}
	e.write("u", []NodeWrite{node("project", "p", 0.5, shared), node("project", "q", 0.5, shared), in("p", "t", ""), in("q", "other", ""), in("p", "mine", "u"),
		in("p", "secret", "v")})
	task := &ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "t"}
	e.source("u", SourceWrite{EntityKey: "s", Focus: Some(*task)})
	has := func(what string, want *ConversationFocus) {
		t.Helper()
		e.same(what, want, e.see("u", "s").Focus)
	}
	set := func(focus *ConversationFocus) error {
		_, err := e.store.SetFocus(t.Context(), e.as("u"), "s", focus)
		return err
	}
	has("given at the start", task)
	e.source("u", SourceWrite{EntityKey: "s", Summary: Some("Said.")})
	has("not given again", task)
	mine := &ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "mine"}
	e.same("replaced", nil, set(mine))
	has("replaced", mine)
	e.same("the project as a whole", nil, set(&ConversationFocus{ProjectID: "q", FocusKind: "project-wide"}))
	has("the project as a whole", &ConversationFocus{ProjectID: "q"})
	for what, c := range map[string]struct {
		focus ConversationFocus
		at    string
		is    error
	}{
		"an unknown project":       {ConversationFocus{ProjectID: "nothing"}, "focus.project_id", ErrNotFound},
		"no project":               {ConversationFocus{ProjectID: "t"}, "focus.project_id", ErrNotFound},
		"a node of another one":    {ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "other"}, "focus.focus_id", ErrNotFound},
		"a node of another user":   {ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "secret"}, "focus.focus_id", ErrNotFound},
		"a node of another kind":   {ConversationFocus{ProjectID: "p", FocusKind: "plan", FocusID: "t"}, "focus.focus_id", ErrNotFound},
		"a kind without a node":    {ConversationFocus{ProjectID: "p", FocusKind: "plan"}, "focus.focus_id", ErrInvalid},
		"a kind that cannot be it": {ConversationFocus{ProjectID: "p", FocusKind: "signal", FocusID: "t"}, "focus.focus_kind", ErrInvalid},
		"a node without its kind":  {ConversationFocus{ProjectID: "p", FocusID: "t"}, "focus.focus_kind", ErrInvalid},
		"nothing":                  {ConversationFocus{}, "focus.project_id", ErrInvalid},
	} {
		_, written := e.store.WriteSource(t.Context(), e.as("u"), &SourceWrite{EntityKey: "s", Focus: Some(c.focus), Summary: Some("Not stored.")})
		for _, err := range []error{set(&c.focus), written} {
			if !errors.Is(err, c.is) || !slices.Equal(faultsAt(err), []string{c.at}) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	has("as it was", &ConversationFocus{ProjectID: "q"})
	e.same("nothing else was written", "Said.", e.see("u", "s").Summary)
	e.same("cleared", nil, set(nil))
	has("cleared", nil)
	e.same("cleared again", nil, set(nil))
	for what, scope := range map[string]Scope{"another user": e.as("v"), "another team": e.neighbour().as("u")} {
		if _, err := e.store.SetFocus(t.Context(), scope, "s", nil); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := e.store.SetFocus(t.Context(), e.as("u"), "nothing", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("no conversation: %v", err)
	}
}
