package graph_test

import (
	"encoding/json"
	"testing"

	"kith/graph"
	"kith/loader"
	"kith/tests/graphtest"
)

func TestOwnerIsNullWithoutOne(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("person", "p-1", 0.9)})
	e.disown("u1")
	for _, user := range []string{"u1", ""} {
		s := e.sections(user)
		e.Same("owner", (*loader.ContextNode)(nil), s.Owner)
		e.Same("relationships", []loader.OwnerRelationship{}, byRule(s.Relationships))
	}
}

func TestOwnerHasAllProperties(t *testing.T) {
	e := fresh(t)
	user := "u1"
	e.Write(user, []graph.NodeWrite{{
		Kind: "person", EntityKey: "me", Name: graph.Some("Ada  Quay"), Description: graph.Some("Keeps the tide tables."), IsOwner: graph.Some(true),
		State: graph.Some("core"), TTLPolicy: graph.Some("keep_forever"), Confidence: graph.Some(0.75), LastAccessedAt: graph.Some(weekAgo),
		Properties: json.RawMessage(`{"boat": {"name": "Tern"}}`),
	}})
	accessedAt := weekAgo
	e.Same("owner", &loader.ContextNode{Node: graph.Node{
		EntityKey: "me", UserID: &user, Name: "Ada  Quay", CanonicalName: "ada quay", Description: "Keeps the tide tables.",
		IsOwner: true, State: "core", TTLPolicy: "keep_forever", Salience: 1, Confidence: 0.75, LastAccessedAt: &accessedAt,
		CreatedAt: noon, UpdatedAt: noon, Properties: json.RawMessage(`{"boat":{"name":"Tern"}}`),
	}}, e.sections(user).Owner)
}

func TestOwnerIsTheUsersOwn(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me-1"), node("person", "p-1", 1)})
	e.Write("u2", []graph.NodeWrite{owner1("me-2")})
	other := e.neighbour()
	other.Write("u1", []graph.NodeWrite{owner1("me-1"), node("concept", "only-here", 1)})
	for user, want := range map[string]string{"u1": "me-1", "u2": "me-2"} {
		if got := e.sections(user).Owner; got == nil || got.EntityKey != want || *got.UserID != user {
			t.Errorf("owner of %s: %+v", user, got)
		}
	}
	e.Same("a user without one", (*loader.ContextNode)(nil), e.sections("u3").Owner)
	e.Same("the same user in another team", (*loader.ContextNode)(nil), e.neighbour().sections("u1").Owner)
}

func TestOwnerMoves(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("person", "p-1", 0.4), node("concept", "c-1", 0.5)},
		link("me", "thinks_about", "c-1", 0.9), link("p-1", "relates_to", "c-1", 0.3), link("p-1", "has_relationship_with", "me", 0.2))
	e.Same("of me", []string{"c-1", "p-1"}, linkedKeys(e.sections("u1").Relationships))

	e.Write("u1", []graph.NodeWrite{change("person", "me", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(false) })})
	e.Same("nobody's", []string{}, linkedKeys(e.sections("u1").Relationships))

	// Changes during the time without an owner count afterwards.
	e.Write("u1", []graph.NodeWrite{change("concept", "c-1", inState("archived"))})
	e.Write("u1", []graph.NodeWrite{change("person", "me", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })})
	e.Same("of me again", []string{"p-1"}, linkedKeys(e.sections("u1").Relationships))

	// In one write, from one to another.
	e.Write("u1", []graph.NodeWrite{
		change("concept", "c-1", inState("core")),
		change("person", "me", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(false) }),
		change("person", "p-1", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) }),
	})
	s := e.sections("u1")
	e.Same("owner", "p-1", s.Owner.EntityKey)
	e.Same("of p-1", []string{"c-1", "me"}, linkedKeys(s.Relationships))

	// To one that is created in the same write.
	e.Write("u1", []graph.NodeWrite{change("person", "p-1", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(false) }), owner1("p-2")})
	e.Same("owner", "p-2", e.sections("u1").Owner.EntityKey)
}

func TestOwnerIsOneAndPrivate(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me")})
	e.Write("u1", []graph.NodeWrite{node("person", "everyones", 0.5, shared)})
	before := e.Stored()
	result := e.Try("u1", []graph.NodeWrite{
		owner1("p-2"),
		change("person", "everyones", func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) }),
	})
	e.Same("statuses", []graph.Status{graph.Refused, graph.Refused}, statuses(result))
	e.Same("warnings", []string{
		"nodes[0].is_owner: the user already has an owner",
		"nodes[1].is_owner: is only for the person node of a user, and this one is shared",
	}, result.Warnings)
	e.Same("stored", before, e.Stored())
	_, err := e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Nodes: []graph.NodeWrite{owner1("p-3")}})
	e.Same("without a user", []string{"nodes[0].is_owner"}, graphtest.Locations(err))
}
