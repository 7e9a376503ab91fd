package ontology

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/memory/workspace"
)

// GraphSnapshot is a small picture of a project: the nodes within two steps.
type GraphSnapshot struct {
	RootID   string              `json:"root_id"`
	RootKind string              `json:"root_kind"`
	MaxDepth int                 `json:"max_depth"`
	Nodes    []SnapshotNode      `json:"nodes" doc:"at most 60, of a kind 10; those near the project first, then by score"`
	Edges    []SnapshotEdge      `json:"edges" doc:"at most 80"`
	Coverage map[string]Coverage `json:"coverage" doc:"by kind, in the plural"`
}

// SnapshotNode is one of its nodes.
type SnapshotNode struct {
	ID          string    `json:"id"`
	Kind        string    `json:"kind"`
	Name        string    `json:"name"`
	StateKey    *string   `json:"state_key"`
	TypeKey     *string   `json:"type_key"`
	DirectEdge  bool      `json:"direct_edge"`
	LastUpdated time.Time `json:"last_updated"`

	score int64
	hops  int
	trust.Told
}

// SnapshotEdge is one of its relationships.
type SnapshotEdge struct {
	ID      string `json:"id"`
	SrcID   string `json:"src_id"`
	SrcKind string `json:"src_kind"`
	DstID   string `json:"dst_id"`
	DstKind string `json:"dst_kind"`
	Rel     string `json:"rel"`
}

// Coverage says how much of a kind is linked with the project itself.
type Coverage struct {
	Total    int64 `json:"total"`
	Direct   int64 `json:"direct"`
	Unlinked int64 `json:"unlinked"`
}

func snapshotOf(w *workspace.Workspace) *GraphSnapshot {
	s := &GraphSnapshot{
		RootID: w.Project.EntityKey, RootKind: "project", MaxDepth: 2, Nodes: []SnapshotNode{}, Edges: []SnapshotEdge{}, Coverage: map[string]Coverage{},
	}
	kinds := map[string]string{}
	for _, n := range w.Nodes {
		kinds[n.Key] = n.Kind
		s.Nodes = append(s.Nodes, SnapshotNode{
			ID: n.Key, Kind: n.Kind, Name: n.Name, StateKey: orNull(n.State), TypeKey: orNull(n.Type), DirectEdge: n.Direct,
			LastUpdated: n.UpdatedAt, score: n.Score, hops: n.Hops, Told: n.Told,
		})
	}
	for _, e := range w.Edges {
		s.Edges = append(s.Edges, SnapshotEdge{ID: e.Key, SrcID: e.From, SrcKind: kinds[e.From], DstID: e.To, DstKind: kinds[e.To], Rel: e.Type})
	}
	for _, kind := range graph.WorkspaceKinds {
		if c := w.Counts[kind]; c.Total > 0 {
			s.Coverage[plural(kind)] = Coverage{c.Total, c.Direct, c.Total - c.Direct}
		}
	}
	return s
}

// byScore returns the nodes but the project: those with the lowest score first, of equal ones the farthest.
func (s *GraphSnapshot) byScore() []SnapshotNode {
	order := slices.Clone(s.Nodes[1:])
	slices.SortStableFunc(order, func(a, b SnapshotNode) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.hops, a.hops)) })
	return order
}

// without returns the snapshot without count nodes: those with the lowest score, of equal ones the farthest.
func (s *GraphSnapshot) without(count int) *GraphSnapshot {
	gone := map[string]bool{}
	for _, n := range s.byScore()[:count] {
		gone[n.ID] = true
	}
	less := *s
	less.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n SnapshotNode) bool { return gone[n.ID] })
	less.Edges = slices.DeleteFunc(slices.Clone(s.Edges), func(e SnapshotEdge) bool { return gone[e.SrcID] || gone[e.DstID] })
	return &less
}

// state returns the state for a prompt: nil for none.
func (n *SnapshotNode) state() *string {
	return orNull(toldState(n.Told, n.Kind, textOrNone(n.StateKey)))
}

// typeKey returns the type for a prompt: nil for none.
func (n *SnapshotNode) typeKey() *string { return orNull(told(n.Told, textOrNone(n.TypeKey))) }

// rows returns the nodes for a prompt.
func (s *GraphSnapshot) rows() [][]any {
	rows := make([][]any, len(s.Nodes))
	for i, n := range s.Nodes {
		rows[i] = []any{i, n.ID, n.Kind, n.Line(n.Name), n.state(), n.typeKey(), n.DirectEdge, dateOf(&n.LastUpdated)}
	}
	return rows
}

// compact returns the snapshot for a prompt: each id once, edges by the numbers of their nodes.
func (s *GraphSnapshot) compact() (string, error) {
	numbers, edges := map[string]int{}, make([][]any, len(s.Edges))
	for i, n := range s.Nodes {
		numbers[n.ID] = i
	}
	for i, e := range s.Edges {
		edges[i] = []any{numbers[e.SrcID], e.Rel, numbers[e.DstID]}
	}
	raw, err := json.Marshal(struct {
		Node     []string            `json:"node"`
		Nodes    [][]any             `json:"nodes"`
		Edge     []string            `json:"edge"`
		Edges    [][]any             `json:"edges"`
		Coverage map[string]Coverage `json:"coverage"`
	}{
		[]string{"n", "id", "kind", "name", "state_key", "type_key", "direct_edge", "last_updated"}, s.rows(),
		[]string{"src", "rel", "dst"}, edges, s.Coverage,
	})
	return string(raw), err
}
