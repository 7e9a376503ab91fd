package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/consolidation"
	"kith/memory/preference"
)

var deletePreference = neo.Load[int64]("preference_delete")

// TestAWriteThatSaysNothingChangesTheTeam checks that a transaction that does not report whose contexts it changes counts as
// a change of all memory of its team, unless it is known to change no context.
func TestAWriteThatSaysNothingChangesTheTeam(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5)})
	touch := func(name string, report func(*graph.Tx), err error) []graph.Change {
		e.Reports()
		got := e.Store.Transaction(t.Context(), name, func(t *graph.Tx) error {
			if report != nil {
				report(t)
			}
			if err := deletePreference.Run(t, map[string]any{"team_id": e.Team, "user_id": "u1", "key": "none", "replaced_at": 1, "thin_at": 1}); err != nil {
				return err
			}
			return err
		})
		if !errors.Is(got, err) {
			t.Errorf("%s: %v", name, got)
		}
		return e.Reports()
	}
	all := []graph.Change{{Team: e.Team, Users: []string{""}, Contexts: true}}
	e.Same("a new one", all, touch("new_route", nil, nil))
	e.Same("one that failed before its commit", []graph.Change(nil), touch("new_route", nil, fault.ErrConflict))
	e.Same("one without contexts", []graph.Change(nil), touch("lease_take", nil, nil))
	e.Same("one that reports nobody", []graph.Change(nil), touch("new_route", func(t *graph.Tx) { t.Changes(nil) }, nil))
	e.Same("one that the feed has", []graph.Change{{Team: e.Team, Feed: true}}, touch("feed_record", func(t *graph.Tx) {
		t.Changes(nil)
		t.Record("u1", graph.FeedItem{Op: graph.CreatedOp, Kind: "preference", Key: "k"})
	}, nil))
	e.Same("one that reports a user", []graph.Change{{Team: e.Team, Users: []string{"u1"}, IDs: []string{"a"}, Contexts: true}},
		touch("new_route", func(t *graph.Tx) { t.Changes([]string{"u1"}, "a") }, nil))
	e.Same("one with contexts of nobody", []graph.Change{{Team: e.Team, Users: []string{"u1"}, IDs: []string{"c"}}},
		touch("chat_turn_create", func(t *graph.Tx) { t.Notes([]string{"u1"}, "c") }, nil))
}

// TestEveryChangeOfAContextIsReported checks that each kind of write reports every user whose context it changes.
func TestEveryChangeOfAContextIsReported(t *testing.T) {
	e := fresh(t)
	users := []string{"u1", "u2"}
	e.Write("u1", []graph.NodeWrite{owner1("me-1"), node("concept", "a", 0.5), node("concept", "team", 0.5, shared)}, link("me-1", "thinks_about", "a", 0.5),
		link("me-1", "thinks_about", "team", 0.5))
	e.Write("u2", []graph.NodeWrite{owner1("me-2")}, link("me-2", "thinks_about", "team", 0.5))
	ctx, u1 := t.Context(), e.As("u1")
	now := e.Now
	var relationship string
	contexts := func() map[string]*loader.Sections {
		all := map[string]*loader.Sections{}
		for _, user := range users {
			all[user] = e.sections(user)
		}
		return all
	}
	written := func(w *graph.MemoryWrite) error { _, err := e.Store.Write(ctx, u1, w); return err }
	steps := []struct {
		name  string
		write func() error
		shown bool // the context of u1 differs
	}{
		{"a node", func() error { return written(&graph.MemoryWrite{Nodes: []graph.NodeWrite{node("entity", "b", 0.9)}}) }, true},
		{"a shared node", func() error {
			return written(&graph.MemoryWrite{Nodes: []graph.NodeWrite{change("concept", "team", described("for all"))}})
		}, true},
		{"a relationship", func() error {
			r, err := e.Store.Write(ctx, u1, &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link("me-1", "associated_with", "b", 0.9)}})
			relationship = r.Relationships[0].Key
			return err
		}, true},
		{"a note", func() error {
			_, err := e.Store.AddNotes(ctx, u1, graph.EntityKind, "b", []graph.NoteWrite{{Content: "n"}})
			return err
		}, true},
		{"a patch", func() error {
			_, err := e.Store.PatchNode(ctx, u1, change("entity", "b", described("d")), graph.NodeQuery{})
			return err
		}, true},
		{"a preference", func() error {
			return preference.NewStore(e.Store).SetPreference(ctx, u1, preference.Preference{Key: "k", Value: []byte("1")})
		}, true},
		{"all preferences", func() error {
			return preference.NewStore(e.Store).ReplacePreferences(ctx, u1, []preference.Preference{{Key: "l", Value: []byte("1")}})
		}, true},
		{"no preference", func() error { return preference.NewStore(e.Store).DeletePreference(ctx, u1, "l") }, true},
		{"a source", func() error {
			_, err := e.Store.WriteSource(ctx, u1, &graph.SourceWrite{
				EntityKey: "s", ContentType: graph.Some(graph.Conversation), StartedAt: graph.Some(now), Messages: []graph.MessageWrite{said("m", "x")}, Mentions: []string{"a"},
			})
			return err
		}, true},
		{"messages", func() error {
			_, err := e.Store.AppendMessages(ctx, u1, "s", []graph.MessageWrite{said("m2", "y")})
			return err
		}, false},
		{"an end", func() error {
			_, err := e.Store.EndConversation(ctx, u1, "s", &graph.ConversationEnd{Summary: graph.Some("told")})
			return err
		}, true},
		{"an archived source", func() error {
			_, err := consolidation.NewStore(e.Store).Consolidate(ctx, u1, &consolidation.Consolidation{EntityKeys: []string{"s"}})
			return err
		}, false},
		{"a deleted relationship", func() error { _, err := e.Store.DeleteRelationship(ctx, u1, relationship, 0); return err }, true},
		{"a restored relationship", func() error { _, err := e.Store.RestoreRelationship(ctx, u1, relationship); return err }, true},
		{"a deleted node", func() error { _, err := e.Store.DeleteNode(ctx, u1, graph.EntityKind, "b", 0); return err }, true},
		{"a restored node", func() error { _, err := e.Store.RestoreNode(ctx, u1, graph.EntityKind, "b"); return err }, true},
		{"a deleted shared node", func() error { _, err := e.Store.DeleteNode(ctx, u1, graph.ConceptKind, "team", 0); return err }, true},
		{"an erased user", func() error { _, err := e.eraseUser(ctx, "u1"); return err }, true},
	}
	before := contexts()
	for _, s := range steps {
		e.Reports()
		if err := s.write(); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		reported := e.ChangedUsers()
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
	if _, err := e.Store.Fence().ErasureOf(t.Context(), e.Team, "u1"); err != nil { // otherwise the transaction reads them last
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.Observe = func(query string, _ time.Duration, _ error) {
		if query == "team_commit" {
			cancel() // the commit is sent on a connection that is given up
		}
	}
	err := preference.NewStore(e.Store).SetPreference(ctx, e.As("u1"), preference.Preference{Key: "k", Value: []byte("1")})
	if err == nil {
		t.Fatal("the commit succeeded")
	}
	e.Same("reported", []string{"u1"}, e.ChangedUsers())
}
