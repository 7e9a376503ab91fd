package graph

import (
	"cmp"
	"slices"
	"time"
)

// picture is the part of a workspace around its project: breadth first, two steps deep, along existing relationships,
// at each step the highest score first.
type picture struct {
	nodes  []WorkspaceNode
	places map[string]int // index of nodes, by key
	kinds  map[string]int // number of nodes by kind
	edges  map[string]WorkspaceEdge
}

// newPicture returns a picture of the project and the nodes linked with it.
func newPicture(project string, p NodeView, direct any) *picture {
	state, kind := "", ""
	if p.OwnFields != nil {
		state, kind = p.StateKey.Value, p.TypeKey.Value
	}
	all := &picture{places: map[string]int{}, kinds: map[string]int{}, edges: map[string]WorkspaceEdge{}}
	all.add(WorkspaceNode{Key: project, Kind: projectKind.Name, Name: p.Name, State: state, Type: kind, UpdatedAt: p.UpdatedAt})
	var near []WorkspaceNode
	links := map[string][]string{}
	for _, list := range items(direct) {
		for _, item := range items(list) {
			l := items(item)
			n := pictured(text(l[0]), text(l[1]), l[2:])
			links[n.Key] = texts(l[7])
			n.Direct, n.Hops = true, 1
			near = append(near, n)
		}
	}
	all.take(near)
	for _, n := range all.nodes[1:] {
		all.connect(edgesOf(project, n.Key, links[n.Key]))
	}
	return all
}

// pictured reads name, state, type, time and rank.
func pictured(kind, key string, l []any) WorkspaceNode {
	n := WorkspaceNode{Key: key, Kind: kind, Name: text(l[0]), State: text(l[1]), Type: text(l[2]), Score: -integer(l[4])}
	if at, ok := l[3].(time.Time); ok {
		n.UpdatedAt = at.UTC()
	}
	return n
}

func (p *picture) add(n WorkspaceNode) {
	p.places[n.Key] = len(p.nodes)
	p.nodes = append(p.nodes, n)
	p.kinds[n.Kind]++
}

// take adds neighbours while there is room, highest score first.
func (p *picture) take(near []WorkspaceNode) {
	slices.SortFunc(near, func(a, b WorkspaceNode) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
	})
	for _, n := range near {
		if _, in := p.places[n.Key]; !in && len(p.nodes) < pictureNodes && p.kinds[n.Kind] < pictureOfKind {
			p.add(n)
		}
	}
}

func (p *picture) connect(edges []WorkspaceEdge) {
	for _, e := range edges {
		_, from := p.places[e.From]
		_, to := p.places[e.To]
		if from && to {
			p.edges[e.Key] = e
		}
	}
}

// keys returns the keys of all nodes except the project.
func (p *picture) keys() []string {
	keys := make([]string, 0, len(p.nodes))
	for _, n := range p.nodes[1:] {
		keys = append(keys, n.Key)
	}
	return keys
}

// open returns the labels of the kinds for which there is room.
func (p *picture) open() []string {
	labels := []string{}
	for _, name := range WorkspaceKinds {
		if kind, _ := KindOf(name); len(p.nodes) < pictureNodes && p.kinds[name] < pictureOfKind {
			labels = append(labels, kind.Label)
		}
	}
	return labels
}

// grow adds the neighbours of the nodes, and returns all nodes and the edges between them.
func (p *picture) grow(edges, further any) ([]WorkspaceNode, []WorkspaceEdge) {
	all := pairedFrom(edges)
	var next []WorkspaceNode
	for _, item := range items(further) {
		l := items(item)
		n := pictured(kindFrom(l[0]).Name, text(l[1]), l[2:])
		n.Direct, n.Hops = len(texts(l[7])) > 0, 2
		next = append(next, n)
		all = append(all, pairedFrom(l[8])...)
	}
	p.take(next)
	p.connect(all)
	return p.nodes, p.first()
}

// pairedFrom reads relationships as key, type and both ends.
func pairedFrom(v any) []WorkspaceEdge {
	l := items(v)
	edges := make([]WorkspaceEdge, len(l))
	for i := range l {
		e := texts(l[i])
		edges[i] = WorkspaceEdge{Key: e[0], Type: e[1], From: e[2], To: e[3]}
	}
	return edges
}

// first returns the edges between the nodes with the highest scores.
func (p *picture) first() []WorkspaceEdge {
	score := func(e WorkspaceEdge) int64 { return p.nodes[p.places[e.From]].Score + p.nodes[p.places[e.To]].Score }
	edges := make([]WorkspaceEdge, 0, len(p.edges))
	for _, e := range p.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b WorkspaceEdge) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.Key, b.Key))
	})
	return edges[:min(pictureEdges, len(edges))]
}
