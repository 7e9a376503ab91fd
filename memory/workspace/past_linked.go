package workspace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// linkedAt does the same as linkedWith at a time.
func (s *Store) linkedAt(ctx context.Context, scope graph.Scope, q *LinkedQuery) (*LinkedEntities, error) {
	n, err := s.nodeAt(ctx, scope, q.Kind, q.Key, *q.AsOf)
	if err != nil {
		return nil, err
	}
	around, nodes, err := s.linksOf(ctx, scope, q.Key, *q.AsOf)
	if err != nil {
		return nil, err
	}
	document, err := s.documentAt(ctx, scope, n.Text("project_id"), *q.AsOf)
	if err != nil {
		return nil, err
	}
	l := &LinkedEntities{
		Node: Ref{graph.NodeRef{EntityKey: q.Key, Kind: q.Kind.Name, Name: n.Text("name")}, n.Told()}, Project: n.Text("project_id"),
		Kinds: map[string]LinkedKind{}, Cut: around.Looked >= linkedWalked,
	}
	slices.SortFunc(around.Links, func(a, b graph.LinkAt) int { return cmp.Compare(a.Key, b.Key) })
	relations := map[string][]graph.LinkAt{}
	for _, link := range around.Links {
		relations[link.Node.EntityKey] = append(relations[link.Node.EntityKey], link)
	}
	for _, label := range labelsOf(q.Kinds) {
		kind := graph.KindOfLabel(label)
		var of []LinkedNode
		for _, key := range linkedOrder(nodes, kind) {
			if key != q.Key {
				of = append(of, linkedNode(key, nodes[key], relations[key], key == document, q.Whole))
			}
		}
		if len(of) > 0 {
			l.Kinds[kind.Name] = LinkedKind{len(of), of[min(q.Skip, len(of)):min(q.Skip+q.Most, len(of))]}
		}
	}
	return l, nil
}

// linkedOrder returns the keys of the nodes of a kind: those in progress first, then the newest.
func linkedOrder(nodes map[string]graph.StoredNode, kind graph.Kind) []string {
	var keys []string
	for key, n := range nodes {
		if n.Kind == kind && !n.IsScratch() {
			keys = append(keys, key)
		}
	}
	idle := func(key string) int {
		if slices.Contains([]string{"active", "in_progress", "todo"}, nodes[key].Text("state_key")) {
			return 0
		}
		return 1
	}
	created := func(key string) time.Time {
		if at := nodes[key].Moment("created_at"); at != nil {
			return *at
		}
		return time.Time{}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(idle(a), idle(b)), created(b).Compare(created(a)), strings.Compare(a, b))
	})
	return keys
}

func linkedNode(key string, n graph.StoredNode, relations []graph.LinkAt, isContext, whole bool) LinkedNode {
	l := LinkedNode{
		Key: key, Name: n.Text("name"), State: n.Text("state_key"), Type: n.Text("type_key"), DueAt: n.Moment("due_at"), Context: isContext, Told: n.Told(),
	}
	for i := range relations {
		r := &relations[i]
		l.relate(LinkedRelation{r.Key, r.Type, r.Direction == "outgoing"}, r.Told())
	}
	if whole {
		l.Description = n.Text("description")
	}
	return l
}

// nodeAt returns a node of a kind at a time, or ErrNotFound.
func (s *Store) nodeAt(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, at time.Time) (graph.StoredNode, error) {
	found, err := s.graph.StoredAt(ctx, scope, []string{key}, at)
	if n, ok := found[key]; err == nil && (!ok || n.Kind != kind) {
		return n, fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	return found[key], err
}

// linksOf returns the relationships of a node at a time, and the nodes at their other ends.
func (s *Store) linksOf(ctx context.Context, scope graph.Scope, key string, at time.Time) (graph.LinksAt, map[string]graph.StoredNode, error) {
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{At: at, Keys: []string{key}, Outgoing: true, Incoming: true, Each: linkedWalked})
	if err != nil || len(around) == 0 {
		return graph.LinksAt{}, nil, err
	}
	var keys []string
	for i := range around[0].Links {
		keys = append(keys, around[0].Links[i].Node.EntityKey)
	}
	nodes, err := s.graph.StoredAt(ctx, scope, keys, at)
	return around[0], nodes, err
}

// documentAt returns the key of the context document of a project at a time; empty: none.
func (s *Store) documentAt(ctx context.Context, scope graph.Scope, project string, at time.Time) (string, error) {
	if project == "" {
		return "", nil
	}
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{
		At: at, Keys: []string{project}, Outgoing: true, Types: []string{graph.ContextDocumentType}, Each: linkedWalked,
	})
	if err != nil || len(around) == 0 || len(around[0].Links) == 0 {
		return "", err
	}
	return slices.MinFunc(around[0].Links, func(a, b graph.LinkAt) int { return cmp.Compare(a.Key, b.Key) }).Node.EntityKey, nil
}

// availableAt does the same as Available at a time.
func (s *Store) availableAt(ctx context.Context, scope graph.Scope, project, key string, kinds []string, at time.Time) (map[string][]Available, error) {
	there, err := s.graph.StoredAt(ctx, scope, []string{key}, at)
	if err != nil || len(there) == 0 {
		return map[string][]Available{}, err
	}
	nodes, err := s.graph.ProjectAt(ctx, scope, project, at)
	if err != nil {
		return nil, err
	}
	around, _, err := s.linksOf(ctx, scope, key, at)
	if err != nil {
		return nil, err
	}
	all := map[string][]Available{}
	for _, other := range slices.Sorted(maps.Keys(nodes)) {
		n := nodes[other]
		if other == key || !slices.Contains(labelsOf(kinds), n.Kind.Label) || !n.IsCounted() || len(all[n.Kind.Name]) == availableShown {
			continue
		}
		linked := slices.ContainsFunc(around.Links, func(l graph.LinkAt) bool { return l.Node.EntityKey == other })
		all[n.Kind.Name] = append(all[n.Kind.Name], Available{other, n.Text("name"), n.Text("state_key"), linked})
	}
	return all, nil
}
