package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

// The past of a record consists of its former versions: each write that makes a new version keeps the former one, until when it
// held. A read as of a time takes the version that was replaced first after that time, else the stored one. The times are Kith's own,
// not those that callers give.

// StoredNow is the end, in milliseconds, that statements return of a version that is stored now.
const StoredNow = 1<<53 - 1

var (
	nodesAt         = neo.Load[nodeAt]("record_at")
	relationshipsAt = neo.Load[relationshipAt]("relationship_at")
	listLinksAt     = neo.Load[linkAt]("links_at")
)

// nodeAt is a node at a time. Kind is empty and Properties is nil if the stored version was current then.
type nodeAt struct {
	Key, Kind        string
	Labels           Labels `neo:"label"`
	Name             string
	Trust            any
	Origin           string
	Existed, Current bool
	Salience         float64
	DecayRate        float64
	SalienceAt       int64
	Properties       Properties
}

// salienceAt returns the salience at a time.
func (n *nodeAt) salienceAt(at time.Time) float64 {
	alive := vitality{salience: n.Salience, rate: n.DecayRate, at: time.UnixMilli(n.SalienceAt).UTC()}
	return alive.current(at)
}

// ref identifies the node of the time.
func (n *nodeAt) ref() NodeRef {
	ref := NodeRef{EntityKey: n.Key, Kind: n.Kind, Name: n.Name, Told: trust.NewTold(n.Trust, n.Origin)}
	if n.Current {
		ref.Kind = n.Labels.Kind().Name
	}
	return ref
}

// relationshipAt is a relationship at a time, if another version is stored now, or none.
type relationshipAt struct {
	Key, Type, From, To string
	Existed             bool
	Before              bool // not the version of the time, but the last one that is kept of those replaced by then
	Properties          Properties
}

// linkAt is a relationship of a node that was valid at a time.
type linkAt struct {
	Key        string
	Outgoing   bool
	Type       string
	Other      string // key of the other end
	Properties Properties
}

// Past has some nodes and relationships as they were at a time, by their keys. It has none that have not changed since.
type Past struct {
	at            time.Time
	nodes         map[string]nodeAt
	relationships map[string]relationshipAt
	before        map[string]Properties // the last versions of relationships that were replaced by the time
}

// bareNames are the properties that are shown of a record whose texts of the time are not kept.
var bareNames = []string{
	"key", "entity_key", "user_id", "project_id", "system", "is_owner", "owner_of", "generated", "participants", "created_at", "created_by", "recorded_at", "recorded_by",
	"valid_from", "valid_to", "started_at", "ended_at", "at", "source_key", "number", "role", "content_type", "context_type", "seq", "from_key", "to_key", "type_word",
	"state", "ttl_policy", "salience", "salience_at", "decay_rate", "confidence", "restored_at", "node_key",
}

// compactedName is the property of a record of the past whose version of the time is not kept.
const compactedName = "compacted"

// asKnown returns a relationship as it was known at a time: the version of the time, or if that was written later, the last one that is
// kept from before, or else what is not text.
func (p *Past) asKnown(key string, r Properties) Properties {
	written := r.Moment("recorded_at")
	if version(r) > 1 {
		written = r.Moment("updated_at")
	}
	if written == nil || !written.After(p.at) {
		return r
	}
	known := Properties{}
	if before, ok := p.before[key]; ok {
		known = before.clone()
	} else {
		for _, name := range bareNames {
			known.putUnless(r[name] == nil, name, r[name])
		}
	}
	known[compactedName] = true
	return known
}

// maxPast is the maximum number of keys of a statement.
const maxPast = 10_000

// PastOf returns what the nodes and relationships with some keys were at a time, as far as the scope may see them. Nil
// stands for the present.
func (s *Store) PastOf(ctx context.Context, scope Scope, at *time.Time, nodes, relationships []string) (*Past, error) {
	if at == nil {
		return nil, nil //nolint:nilnil // a nil past is the present
	}
	p := &Past{at: at.UTC(), nodes: map[string]nodeAt{}, relationships: map[string]relationshipAt{}, before: map[string]Properties{}}
	params := func(keys []string) map[string]any {
		return map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "keys": keys, "at": p.at.UnixMilli(), "bare": bareNames}
	}
	for keys := range slices.Chunk(Distinct(slices.Clone(nodes)), maxPast) {
		rows, err := nodesAt.Read(ctx, s.db, params(keys))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Kind == "" {
				row.Kind = row.Labels.Kind().Name
			}
			p.nodes[row.Key] = row
		}
	}
	for keys := range slices.Chunk(Distinct(slices.Clone(relationships)), maxPast) {
		rows, err := relationshipsAt.Read(ctx, s.db, params(keys))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Before {
				p.before[row.Key] = row.Properties
				continue
			}
			p.relationships[row.Key] = row
		}
	}
	return p, nil
}

// Node returns the properties of a node at the time: the given ones if nothing of it has changed since. It returns false if the
// node was not there.
func (p *Past) Node(key string, stored Properties) (Properties, bool) {
	if p == nil {
		return stored, true
	}
	n, ok := p.nodes[key]
	switch {
	case !ok:
		return stored, true
	case !n.Existed:
		return nil, false
	case n.Current:
		return stored, true
	}
	return n.Properties, true
}

// Relationship does the same as Node for a relationship whose validity includes the time. It counts also before it was recorded.
func (p *Past) Relationship(key string, stored Properties) (Properties, bool) {
	if p == nil {
		return stored, true
	}
	r, ok := p.relationships[key]
	switch {
	case !ok:
		return p.asKnown(key, stored), stored.integer("restored_at") <= p.at.UnixMilli()
	case !r.Existed:
		return nil, false
	}
	return p.asKnown(key, r.Properties), true
}

// nodeAt returns a node as it was at a time, also one that was deleted since, or ErrNotFound.
func (s *Store) nodeAt(ctx context.Context, scope Scope, kind Kind, key string, q NodeQuery) (NodeView, error) {
	past, err := s.PastOf(ctx, scope, q.AsOf, []string{key}, nil)
	if err != nil {
		return NodeView{}, err
	}
	found, ok := past.nodes[key]
	if !ok { // a key that another node has taken over
		return s.node(ctx, scope, kind, key, q)
	}
	if !found.Existed || found.Current && found.Labels.Kind() != kind || !found.Current && found.Kind != kind.Name {
		return NodeView{}, fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	view := NewNodeView(kind, found.Properties, past.at)
	view.LastWrite = found.Properties.lastWrite()
	if found.Current {
		if view, err = s.node(ctx, scope, kind, key, NodeQuery{AsOf: q.AsOf}); err != nil {
			return NodeView{}, err
		}
	}
	if q.Relationships == 0 {
		return view, nil
	}
	links, err := s.linksAt(ctx, scope, &RelationshipList{Key: key, AsOf: q.AsOf, Limit: maxPast}, "")
	slices.SortStableFunc(links.Relationships, func(a, b RelationshipView) int {
		return cmp.Or(cmp.Compare(b.Salience, a.Salience), cmp.Compare(b.Key, a.Key))
	})
	view.Relationships = links.Relationships[:min(int64(len(links.Relationships)), q.Relationships)]
	return view, err
}

// linksAt returns a page of the relationships of a node as they were at a time.
func (s *Store) linksAt(ctx context.Context, scope Scope, l *RelationshipList, after string) (RelationshipPage, error) {
	page := RelationshipPage{Relationships: []RelationshipView{}}
	types := any(nil)
	if len(l.Types) > 0 {
		types = l.Types
	}
	rows, err := listLinksAt.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": l.Key, "as_of": l.AsOf.UTC(), "types": types,
		"outgoing": l.Direction != "incoming", "incoming": l.Direction != "outgoing", "after": after, "limit": l.Limit + 1,
	})
	if err != nil {
		return page, err
	}
	if int64(len(rows)) > l.Limit {
		rows = rows[:l.Limit]
		page.Next = cursors.Encode(rows[l.Limit-1].Key)
	}
	nodes, keys := []string{l.Key}, []string{}
	for _, r := range rows {
		nodes, keys = append(nodes, r.Other), append(keys, r.Key)
	}
	past, err := s.PastOf(ctx, scope, l.AsOf, nodes, keys)
	if err != nil {
		return page, err
	}
	for _, r := range rows {
		other, seen := past.nodes[r.Other]
		p, existed := past.Relationship(r.Key, r.Properties)
		if seen && other.Existed && existed {
			page.Relationships = append(page.Relationships, NewLinkView(l.Key, r.Outgoing, r.Type, other.ref(), p, past.at))
		}
	}
	return page, nil
}

// relationshipAt returns a relationship as it was at a time, also one that was deleted since, or ErrNotFound.
func (s *Store) relationshipAt(ctx context.Context, scope Scope, key string, at *time.Time) (RelationshipView, error) {
	past, err := s.PastOf(ctx, scope, at, nil, []string{key})
	if err != nil {
		return RelationshipView{}, err
	}
	r, replaced := past.relationships[key]
	if !replaced {
		stored, err := s.locateAt(ctx, s.db, scope, key, at)
		if err != nil {
			return RelationshipView{}, err
		}
		r = relationshipAt{Type: stored.kind, From: stored.from, To: stored.to, Properties: stored.Properties}
	}
	p, existed := past.Relationship(key, r.Properties)
	if recorded := r.Properties.Moment("recorded_at"); recorded != nil && recorded.After(past.at) {
		existed = false
	}
	if existed {
		existed, err = s.existed(ctx, scope, at, r.From, r.To)
	}
	if err != nil {
		return RelationshipView{}, err
	}
	if !existed {
		return RelationshipView{}, fmt.Errorf("relationship: %w", fault.ErrNotFound)
	}
	view := NewRelationshipView(r.From, r.Type, r.To, p, past.at)
	view.LastWrite = p.lastWrite()
	return view, nil
}

// existed reports whether the scope could see all of some nodes at a time.
func (s *Store) existed(ctx context.Context, scope Scope, at *time.Time, keys ...string) (bool, error) {
	past, err := s.PastOf(ctx, scope, at, keys, nil)
	if err != nil {
		return false, err
	}
	for _, key := range keys {
		if n, seen := past.nodes[key]; !seen || !n.Existed {
			return false, nil
		}
	}
	return true, nil
}

// utc returns a time as a parameter; nil for none.
func utc(at *time.Time) any {
	if at == nil {
		return nil
	}
	return at.UTC()
}
