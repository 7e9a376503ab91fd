package graph_test

import (
	"errors"
	"slices"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

// TestConversationsRememberTheirFocus checks that a new focus replaces the old one, null clears it, and an omitted one leaves it.
func TestConversationsRememberTheirFocus(t *testing.T) {
	e := fresh(t)
	in := func(project, key, user string) graph.NodeWrite {
		w := node("task", key, 0.5)
		w.UserID, w.OwnFields = graph.Null[string](), &graph.OwnFields{ProjectID: graph.Some(project)}
		if user != "" {
			w.UserID = graph.Some(user)
		}
		return w
	}
	e.Write("u", []graph.NodeWrite{node("project", "p", 0.5, shared), node("project", "q", 0.5, shared), in("p", "t", ""), in("q", "other", ""), in("p", "mine", "u"),
		in("p", "secret", "v")})
	task := &graph.ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "t"}
	e.Source("u", graph.SourceWrite{EntityKey: "s", Focus: graph.Some(*task)})
	has := func(what string, want *graph.ConversationFocus) {
		t.Helper()
		e.Same(what, want, e.see("u", "s").Focus)
	}
	set := func(focus *graph.ConversationFocus) error {
		_, err := e.Store.SetFocus(t.Context(), e.As("u"), "s", focus)
		return err
	}
	has("given at the start", task)
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("Said.")})
	has("not given again", task)
	mine := &graph.ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "mine"}
	e.Same("replaced", nil, set(mine))
	has("replaced", mine)
	e.Same("the project as a whole", nil, set(&graph.ConversationFocus{ProjectID: "q", FocusKind: "project-wide"}))
	has("the project as a whole", &graph.ConversationFocus{ProjectID: "q"})
	for what, c := range map[string]struct {
		focus graph.ConversationFocus
		at    string
		is    error
	}{
		"an unknown project":       {graph.ConversationFocus{ProjectID: "nothing"}, "focus.project_id", fault.ErrNotFound},
		"no project":               {graph.ConversationFocus{ProjectID: "t"}, "focus.project_id", fault.ErrNotFound},
		"a node of another one":    {graph.ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "other"}, "focus.focus_id", fault.ErrNotFound},
		"a node of another user":   {graph.ConversationFocus{ProjectID: "p", FocusKind: "task", FocusID: "secret"}, "focus.focus_id", fault.ErrNotFound},
		"a node of another kind":   {graph.ConversationFocus{ProjectID: "p", FocusKind: "plan", FocusID: "t"}, "focus.focus_id", fault.ErrNotFound},
		"a kind without a node":    {graph.ConversationFocus{ProjectID: "p", FocusKind: "plan"}, "focus.focus_id", fault.ErrInvalid},
		"a kind that cannot be it": {graph.ConversationFocus{ProjectID: "p", FocusKind: "signal", FocusID: "t"}, "focus.focus_kind", fault.ErrInvalid},
		"a node without its kind":  {graph.ConversationFocus{ProjectID: "p", FocusID: "t"}, "focus.focus_kind", fault.ErrInvalid},
		"nothing":                  {graph.ConversationFocus{}, "focus.project_id", fault.ErrInvalid},
	} {
		_, written := e.Store.WriteSource(t.Context(), e.As("u"), &graph.SourceWrite{EntityKey: "s", Focus: graph.Some(c.focus), Summary: graph.Some("Not stored.")})
		for _, err := range []error{set(&c.focus), written} {
			if !errors.Is(err, c.is) || !slices.Equal(faultsAt(err), []string{c.at}) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	has("as it was", &graph.ConversationFocus{ProjectID: "q"})
	e.Same("nothing else was written", "Said.", e.see("u", "s").Summary)
	e.Same("cleared", nil, set(nil))
	has("cleared", nil)
	e.Same("cleared again", nil, set(nil))
	for what, scope := range map[string]graph.Scope{"another user": e.As("v"), "another team": e.neighbour().As("u")} {
		if _, err := e.Store.SetFocus(t.Context(), scope, "s", nil); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := e.Store.SetFocus(t.Context(), e.As("u"), "nothing", nil); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("no conversation: %v", err)
	}
}
