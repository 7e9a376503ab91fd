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

// NodesAt returns the nodes of StoredAt as callers see them, in the order of their keys. Without a time it is NodesByKey.
func (s *Store) NodesAt(ctx context.Context, scope Scope, keys []string, at *time.Time) ([]NodeView, error) {
	if at == nil {
		return s.NodesByKey(ctx, scope, keys)
	}
	found, err := s.StoredAt(ctx, scope, keys, *at)
	if err != nil {
		return nil, err
	}
	var nodes []NodeView
	for _, key := range keys {
		if n, ok := found[key]; ok {
			nodes = append(nodes, n.View(*at))
			delete(found, key)
		}
	}
	return nodes, nil
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

// Refs returns the references of those nodes that were there.
func (p *Past) Refs(stored []NodeRef) []NodeRef {
	if p == nil {
		return stored
	}
	there := []NodeRef{}
	for _, ref := range stored {
		if was, existed := p.Ref(ref); existed {
			there = append(there, was)
		}
	}
	return there
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

// StoredLink is a relationship with its stored properties.
type StoredLink struct {
	Type, From, To string
	Properties
}

// ChangedLink does the same as Changed for a relationship, which may have been valid at another time only.
func (p *Past) ChangedLink(key string) (StoredLink, bool) {
	r, ok := p.relationships[key]
	return StoredLink{r.Type, r.From, r.To, p.asKnown(key, r.Properties)}, ok && r.Existed
}

// ValidAt reports whether a relationship was valid at a time.
func (p Properties) ValidAt(at time.Time) bool {
	from, to := p.Moment("valid_from"), p.Moment("valid_to")
	return (from == nil || !from.After(at)) && (to == nil || to.After(at))
}

// LinkThere reports whether a relationship was there at the time, as far as that is known.
func (p *Past) LinkThere(key string) bool {
	r, ok := p.relationships[key]
	return !ok || r.Existed
}
