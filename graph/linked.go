package graph

import (
	"context"
	"time"
)

// LinkedKinds are the kinds of nodes to which nodes of projects are linked, in their order in texts for agents.
var LinkedKinds = []string{"plan", "goal", "document", "task", "milestone", "output", "risk", "decision", "requirement"}

// LinkedEntities are the nodes that are linked with a node.
type LinkedEntities struct {
	Node    NodeRef
	Project string // entity key; empty: none
	Kinds   map[string]LinkedKind
	Cut     bool // it has more relationships than are read
}

// LinkedKind is a part of the linked nodes of one kind, and their total number.
type LinkedKind struct {
	Total int
	Nodes []LinkedNode
}

// LinkedNode is a linked node. Description is set if it was requested.
type LinkedNode struct {
	Key, Name, State, Type, Description string
	DueAt                               *time.Time
	Context                             bool // the document that describes the project
	Relations                           []LinkedRelation
}

// LinkedRelation is a relationship, seen from the node of the query.
type LinkedRelation struct {
	Key, Type string
	Outgoing  bool
}

// LinkedQuery asks for a part of the nodes that are linked with a node.
type LinkedQuery struct {
	Kind  Kind
	Key   string
	Kinds []string // of LinkedKinds; none: all
	Skip  int      // of each kind
	Most  int      // of each kind
	Whole bool     // with descriptions
}

// linkedWalked is the most relationships of a node that are read.
const linkedWalked = 10_000

// LinkedWith reads the nodes that are linked with a node: of each kind those in progress first, then the newest. It returns
// ErrNotFound for an unknown node.
func (s *Store) LinkedWith(ctx context.Context, scope Scope, q LinkedQuery) (*LinkedEntities, error) {
	return AtCurrentKeys(ctx, s, scope, []*string{&q.Key}, func() (*LinkedEntities, error) { return s.linkedWith(ctx, scope, &q) })
}

func (s *Store) linkedWith(ctx context.Context, scope Scope, q *LinkedQuery) (*LinkedEntities, error) {
	row, err := s.readOne(ctx, "linked_entities", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "entity_key": q.Key, "label": q.Kind.Label, "labels": labelsOf(q.Kinds),
		"skip": q.Skip, "until": q.Skip + q.Most, "whole": q.Whole, "walk": linkedWalked,
	})
	if err != nil {
		return nil, err
	}
	v := row
	l := &LinkedEntities{
		Node: NodeRef{EntityKey: text(v[0]), Kind: q.Kind.Name, Name: text(v[1])}, Project: text(v[2]),
		Kinds: map[string]LinkedKind{}, Cut: integer(v[4]) >= linkedWalked,
	}
	contexts := texts(v[3])
	for _, item := range items(v[5]) {
		k := items(item)
		kind := LinkedKind{Total: int(integer(k[1]))}
		for _, node := range items(k[2]) {
			n := linkedFrom(items(node))
			n.Context = len(contexts) > 0 && contexts[0] == n.Key
			kind.Nodes = append(kind.Nodes, n)
		}
		l.Kinds[kindOfLabel(text(k[0])).Name] = kind
	}
	return l, nil
}

func linkedFrom(l []any) LinkedNode {
	n := LinkedNode{Key: text(l[0]), Name: text(l[1]), State: text(l[2]), Type: text(l[3]), DueAt: optionalMoment(l[4]), Description: text(l[5])}
	for _, relation := range items(l[6]) {
		r := items(relation)
		n.Relations = append(n.Relations, LinkedRelation{text(r[0]), text(r[1]), truth(r[2])})
	}
	return n
}

func labelsOf(kinds []string) []string {
	if len(kinds) == 0 {
		kinds = LinkedKinds
	}
	labels := make([]string, len(kinds))
	for i, name := range kinds {
		kind, _ := KindOf(name)
		labels[i] = kind.Label
	}
	return labels
}

// Available is a node that may be linked with another one.
type Available struct {
	Key, Name, State string
	Linked           bool // the two are linked already
}

// Available reads the nodes of a node's project by kind, at most 100 of each.
func (s *Store) Available(ctx context.Context, scope Scope, project, key string, kinds []string) (map[string][]Available, error) {
	rows, err := s.read(ctx, s.queries["linked_available"], map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "project_id": project, "entity_key": key, "labels": labelsOf(kinds),
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]Available{}
	for _, row := range rows {
		kind := kindOfLabel(text(row[0])).Name
		for _, item := range items(row[1]) {
			a := items(item)
			all[kind] = append(all[kind], Available{text(a[0]), text(a[1]), text(a[2]), truth(a[3])})
		}
	}
	return all, nil
}
