package workspace

import (
	"context"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
)

var (
	findLinked    = neo.Load[linkedRow]("linked_entities")
	listAvailable = neo.Load[availableRow]("linked_available")
)

// linkedRow is a node with the nodes that are linked with it. Walked is how many relationships were read, Context the
// document that describes its project, if there is one.
type linkedRow struct {
	EntityKey, Name, Project string
	Trust                    any
	Origin                   string
	Context                  []string
	Walked                   int64
	Kinds                    []linkedKindRow
}

// linkedKindRow is a part of the linked nodes with a label, and their total number.
type linkedKindRow struct {
	Label string
	Total int
	Nodes []linkedNodeRow
}

// linkedNodeRow is a linked node.
type linkedNodeRow struct {
	Key, Name, State, Type string
	DueAt                  *time.Time
	Description            string
	Relations              []linkedRelationRow
	Trust                  any
	Origin                 string
}

// linkedRelationRow is a relationship of the node with a linked one.
type linkedRelationRow struct {
	Key, Type string
	Outgoing  bool
	Trust     any
	Origin    string
}

// availableRow is the nodes with a label that may be linked.
type availableRow struct {
	Kind      string
	Available []Available
}

// LinkedKinds are the kinds of nodes to which nodes of projects are linked, in their order in texts for agents.
var LinkedKinds = []string{"plan", "goal", "document", "task", "milestone", "output", "risk", "decision", "requirement"}

// LinkedEntities are the nodes that are linked with a node.
type LinkedEntities struct {
	Node    Ref
	Project string // entity key; empty: none
	Kinds   map[string]LinkedKind
	Cut     bool // it has more relationships than are read
}

// LinkedKind is a part of the linked nodes of one kind, and their total number.
type LinkedKind struct {
	Total int
	Nodes []LinkedNode
}

// LinkedNode is a linked node, with the least trust of it and its relationships. Description is set if it was requested.
type LinkedNode struct {
	Key, Name, State, Type, Description string
	DueAt                               *time.Time
	Context                             bool // the document that describes the project
	Relations                           []LinkedRelation
	trust.Told
}

// LinkedRelation is a relationship, seen from the node of the query.
type LinkedRelation struct {
	Key, Type string
	Outgoing  bool
}

// relate adds a relationship, which may be believed less.
func (n *LinkedNode) relate(r LinkedRelation, told trust.Told) {
	n.Relations, n.Told = append(n.Relations, r), n.Least(told)
}

// LinkedQuery asks for a part of the nodes that are linked with a node.
type LinkedQuery struct {
	Kind  graph.Kind
	Key   string
	Kinds []string   // of LinkedKinds; none: all
	Skip  int        // of each kind
	Most  int        // of each kind
	Whole bool       // with descriptions
	AsOf  *time.Time // what was linked at a time; nil: now
}

// availableShown is the most nodes of a kind that may be linked.
const availableShown = 100

// linkedWalked is the most relationships of a node that are read.
const linkedWalked = 10_000

// LinkedWith reads the nodes that are linked with a node: of each kind those in progress first, then the newest. It returns
// ErrNotFound for an unknown node.
func (s *Store) LinkedWith(ctx context.Context, scope graph.Scope, q LinkedQuery) (*LinkedEntities, error) {
	return graph.AtCurrentKeys(ctx, s.graph, scope, []*string{&q.Key}, func() (*LinkedEntities, error) { return s.linkedWith(ctx, scope, &q) })
}

func (s *Store) linkedWith(ctx context.Context, scope graph.Scope, q *LinkedQuery) (*LinkedEntities, error) {
	if q.AsOf != nil {
		return s.linkedAt(ctx, scope, q)
	}
	row, err := findLinked.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": q.Key, "label": q.Kind.Label, "labels": labelsOf(q.Kinds),
		"skip": q.Skip, "until": q.Skip + q.Most, "whole": q.Whole, "walk": linkedWalked, "now": s.graph.Now(),
	})
	if err != nil {
		return nil, err
	}
	l := &LinkedEntities{
		Node: Ref{graph.NodeRef{EntityKey: row.EntityKey, Kind: q.Kind.Name, Name: row.Name}, trust.NewTold(row.Trust, row.Origin)}, Project: row.Project,
		Kinds: map[string]LinkedKind{}, Cut: row.Walked >= linkedWalked,
	}
	for _, k := range row.Kinds {
		kind := LinkedKind{Total: k.Total}
		for _, n := range k.Nodes {
			node := LinkedNode{
				Key: n.Key, Name: n.Name, State: n.State, Type: n.Type, DueAt: n.DueAt, Description: n.Description,
				Context: slices.Contains(row.Context, n.Key), Told: trust.NewTold(n.Trust, n.Origin),
			}
			for _, r := range n.Relations {
				node.relate(LinkedRelation{r.Key, r.Type, r.Outgoing}, trust.NewTold(r.Trust, r.Origin))
			}
			kind.Nodes = append(kind.Nodes, node)
		}
		l.Kinds[graph.KindOfLabel(k.Label).Name] = kind
	}
	return l, nil
}

func labelsOf(kinds []string) []string {
	if len(kinds) == 0 {
		kinds = LinkedKinds
	}
	labels := make([]string, len(kinds))
	for i, name := range kinds {
		kind, _ := graph.KindOf(name)
		labels[i] = kind.Label
	}
	return labels
}

// Available is a node that may be linked with another one.
type Available struct {
	Key, Name, State string
	Linked           bool // the two are linked already
}

// Available reads the nodes of a node's project by kind, at most 100 of each, as they are or were at a time.
func (s *Store) Available(ctx context.Context, scope graph.Scope, project, key string, kinds []string, at *time.Time) (map[string][]Available, error) {
	if at != nil {
		return s.availableAt(ctx, scope, project, key, kinds, *at)
	}
	rows, err := listAvailable.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "project_id": project, "entity_key": key, "labels": labelsOf(kinds), "now": s.graph.Now(),
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]Available{}
	for _, row := range rows {
		if len(row.Available) > 0 {
			all[graph.KindOfLabel(row.Kind).Name] = row.Available
		}
	}
	return all, nil
}
