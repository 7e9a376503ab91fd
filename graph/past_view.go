package graph

import (
	"context"
	"slices"
	"time"
)

// StoredNode is a node with its stored properties.
type StoredNode struct {
	Kind Kind
	Properties
}

// View returns the node as callers see it at a time.
func (n StoredNode) View(at time.Time) NodeView { return NewNodeView(n.Kind, n.Properties, at) }

// IsCounted reports whether the node counts in its project.
func (n StoredNode) IsCounted() bool { return placeOf(&stored{n.Kind, n.Properties}, nil).counts != "" }

// IsScratch reports whether the node is a scratch document, which is never shown.
func (n StoredNode) IsScratch() bool { return (&stored{n.Kind, n.Properties}).isScratch() }

// maxByKey is the maximum number of nodes that walk_nodes returns.
const maxByKey = 1_000

// StoredAt returns the nodes with some keys as they were at a time, also those that were deleted since, by key. It omits those
// that were not there, and those that the scope may not see.
func (s *Store) StoredAt(ctx context.Context, scope Scope, keys []string, at time.Time) (map[string]StoredNode, error) {
	keys = Distinct(slices.Clone(keys))
	stored := map[string]Properties{}
	for some := range slices.Chunk(keys, maxByKey) {
		rows, err := findByKey.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "keys": some})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			stored[row.Properties.Text("entity_key")] = row.Properties
		}
	}
	past, err := s.PastOf(ctx, scope, &at, keys, nil) // last: what is replaced meanwhile is a former version then
	if err != nil {
		return nil, err
	}
	found := map[string]StoredNode{}
	for key, n := range past.nodes {
		kind, _ := KindOf(n.ref().Kind)
		if p, existed := past.Node(key, stored[key]); existed && p != nil {
			found[key] = StoredNode{kind, p}
		}
	}
	return found, nil
}

// Ref returns what identified a node at the time. It returns false if the node was not there.
func (p *Past) Ref(stored NodeRef) (NodeRef, bool) {
	if p == nil {
		return stored, true
	}
	n, ok := p.nodes[stored.EntityKey]
	if !ok {
		return stored, true
	}
	return n.ref(), n.Existed
}

// Changed returns the node of the time if another version is stored now, or none. It returns false if the node was not there, or if
// nothing of it has changed since.
func (p *Past) Changed(key string) (StoredNode, bool) {
	n, ok := p.nodes[key]
	if !ok || !n.Existed || n.Current {
		return StoredNode{}, false
	}
	kind, _ := KindOf(n.Kind)
	return StoredNode{kind, n.Properties}, true
}

// There reports whether a node was there at the time, as far as that is known.
func (p *Past) There(key string) bool {
	n, ok := p.nodes[key]
	return !ok || n.Existed
}

// ValidAt reports whether a relationship was valid at a time.
func (p Properties) ValidAt(at time.Time) bool {
	from, to := p.Moment("valid_from"), p.Moment("valid_to")
	return (from == nil || !from.After(at)) && (to == nil || to.After(at))
}
