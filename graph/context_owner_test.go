package graph

import (
	"encoding/json"
	"testing"
)

func TestOwnerIsNullWithoutOne(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("person", "p-1", 0.9)})
	e.disown("u1")
	for _, user := range []string{"u1", ""} {
		s := e.sections(user)
		e.same("owner", (*ContextNode)(nil), s.Owner)
		e.same("relationships", []OwnerRelationship{}, byRule(s.Relationships))
	}
}

func TestOwnerHasAllProperties(t *testing.T) {
	e := fresh(t)
	user := "u1"
	e.write(user, []NodeWrite{{
		Kind: "person", EntityKey: "me", Name: Some("Ada  Quay"), Description: Some("Keeps the tide tables."), IsOwner: Some(true),
		State: Some("core"), TTLPolicy: Some("keep_forever"), Confidence: Some(0.75), LastAccessedAt: Some(weekAgo),
		Properties: json.RawMessage(`{"boat": {"name": "Tern"}}`),
	}})
	accessedAt := weekAgo
	e.same("owner", &ContextNode{Node: Node{
		EntityKey: "me", UserID: &user, Name: "Ada  Quay", CanonicalName: "ada quay", Description: "Keeps the tide tables.",
		IsOwner: true, State: "core", TTLPolicy: "keep_forever", Salience: 1, Confidence: 0.75, LastAccessedAt: &accessedAt,
		CreatedAt: noon, UpdatedAt: noon, Properties: json.RawMessage(`{"boat":{"name":"Tern"}}`),
	}}, e.sections(user).Owner)
}

func TestOwnerIsTheUsersOwn(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me-1"), node("person", "p-1", 1)})
	e.write("u2", []NodeWrite{owner1("me-2")})
	other := e.neighbour()
	other.write("u1", []NodeWrite{owner1("me-1"), node("concept", "only-here", 1)})
	for user, want := range map[string]string{"u1": "me-1", "u2": "me-2"} {
		if got := e.sections(user).Owner; got == nil || got.EntityKey != want || *got.UserID != user {
			t.Errorf("owner of %s: %+v", user, got)
		}
	}
	e.same("a user without one", (*ContextNode)(nil), e.sections("u3").Owner)
	e.same("the same user in another team", (*ContextNode)(nil), e.neighbour().sections("u1").Owner)
}

func TestOwnerMoves(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("person", "p-1", 0.4), node("concept", "c-1", 0.5)},
		link("me", "thinks_about", "c-1", 0.9), link("p-1", "relates_to", "c-1", 0.3), link("p-1", "has_relationship_with", "me", 0.2))
	e.same("of me", []string{"c-1", "p-1"}, linkedKeys(e.sections("u1").Relationships))

	e.write("u1", []NodeWrite{change("person", "me", func(w *NodeWrite) { w.IsOwner = Some(false) })})
	e.same("nobody's", []string{}, linkedKeys(e.sections("u1").Relationships))

	// Changes during the time without an owner count afterwards.
	e.write("u1", []NodeWrite{change("concept", "c-1", inState("archived"))})
	e.write("u1", []NodeWrite{change("person", "me", func(w *NodeWrite) { w.IsOwner = Some(true) })})
	e.same("of me again", []string{"p-1"}, linkedKeys(e.sections("u1").Relationships))

	// In one write, from one to another.
	e.write("u1", []NodeWrite{
		change("concept", "c-1", inState("core")),
		change("person", "me", func(w *NodeWrite) { w.IsOwner = Some(false) }),
		change("person", "p-1", func(w *NodeWrite) { w.IsOwner = Some(true) }),
	})
	s := e.sections("u1")
	e.same("owner", "p-1", s.Owner.EntityKey)
	e.same("of p-1", []string{"c-1", "me"}, linkedKeys(s.Relationships))

	// To one that is created in the same write.
	e.write("u1", []NodeWrite{change("person", "p-1", func(w *NodeWrite) { w.IsOwner = Some(false) }), owner1("p-2")})
	e.same("owner", "p-2", e.sections("u1").Owner.EntityKey)
}

func TestOwnerIsOneAndPrivate(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me")})
	e.write("u1", []NodeWrite{node("person", "everyones", 0.5, shared)})
	before := e.stored()
	result := e.try("u1", []NodeWrite{
		owner1("p-2"),
		change("person", "everyones", func(w *NodeWrite) { w.IsOwner = Some(true) }),
	})
	e.same("statuses", []Status{Refused, Refused}, statuses(result))
	e.same("warnings", []string{
		"nodes[0].is_owner: the user already has an owner",
		"nodes[1].is_owner: is only for the person node of a user, and this one is shared",
	}, result.Warnings)
	e.same("stored", before, e.stored())
	_, err := e.store.Write(t.Context(), e.as(""), &MemoryWrite{Nodes: []NodeWrite{owner1("p-3")}})
	e.same("without a user", []string{"nodes[0].is_owner"}, locations(err))
}
