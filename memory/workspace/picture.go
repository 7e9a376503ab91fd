package workspace

import (
	"cmp"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/trust"
)

// picture is the part of a workspace around its project: breadth first, two steps deep, along existing relationships,
// at each step the highest score first.
type picture struct {
	nodes  []Node
	places map[string]int // index of nodes, by key
	kinds  map[string]int // number of nodes by kind
	edges  map[string]Edge
}

// nearRow is a node linked with a project, in the order of workspace_project. Links has the direction, type and key of each
// relationship.
type nearRow struct {
	Kind, Key, Name, State, Type string
	UpdatedAt                    time.Time
	Rank                         int64
	Links                        []string
	Trust                        any
	Origin                       string
}

// furtherRow is a node linked with those of a picture, in the order of workspace_links, with its relationships.
type furtherRow struct {
	Labels                 graph.Labels
	Key, Name, State, Type string
	UpdatedAt              time.Time
	Rank                   int64
	Links                  []string
	Edges                  []edgeRow
	Trust                  any
	Origin                 string
}

// edgeRow is a relationship, in the order of workspace_links.
type edgeRow struct{ Key, Type, From, To string }

// newPicture returns a picture of the project and the nodes linked with it.
func newPicture(project string, p graph.NodeView, direct [][]nearRow) *picture {
	state, kind := "", ""
	if p.OwnFields != nil {
		state, kind = p.StateKey.Value, p.TypeKey.Value
	}
	all := &picture{places: map[string]int{}, kinds: map[string]int{}, edges: map[string]Edge{}}
	all.add(Node{Key: project, Kind: graph.ProjectKind.Name, Name: p.Name, State: state, Type: kind, UpdatedAt: p.UpdatedAt, Told: p.Told()})
	var near []Node
	links := map[string][]string{}
	for _, list := range direct {
		for _, r := range list {
			links[r.Key] = r.Links
			near = append(near, Node{
				Key: r.Key, Kind: r.Kind, Name: r.Name, State: r.State, Type: r.Type, UpdatedAt: r.UpdatedAt, Score: -r.Rank, Direct: true, Hops: 1,
				Told: trust.NewTold(r.Trust, r.Origin),
			})
		}
	}
	all.take(near)
	for _, n := range all.nodes[1:] {
		all.connect(edgesOf(project, n.Key, links[n.Key]))
	}
	return all
}

func (p *picture) add(n Node) {
	p.places[n.Key] = len(p.nodes)
	p.nodes = append(p.nodes, n)
	p.kinds[n.Kind]++
}

// take adds neighbours while there is room, highest score first.
func (p *picture) take(near []Node) {
	slices.SortFunc(near, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
	})
	for _, n := range near {
		if _, in := p.places[n.Key]; !in && len(p.nodes) < pictureNodes && p.kinds[n.Kind] < pictureOfKind {
			p.add(n)
		}
	}
}

func (p *picture) connect(edges []Edge) {
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
	for _, name := range graph.WorkspaceKinds {
		if kind, _ := graph.KindOf(name); len(p.nodes) < pictureNodes && p.kinds[name] < pictureOfKind {
			labels = append(labels, kind.Label)
		}
	}
	return labels
}

// grow adds the neighbours of the nodes, and returns all nodes and the edges between them.
func (p *picture) grow(edges []edgeRow, further []furtherRow) ([]Node, []Edge) {
	all := toEdges(edges)
	var next []Node
	for _, r := range further {
		next = append(next, Node{
			Key: r.Key, Kind: r.Labels.Kind().Name, Name: r.Name, State: r.State, Type: r.Type, UpdatedAt: r.UpdatedAt, Score: -r.Rank,
			Direct: len(r.Links) > 0, Hops: 2, Told: trust.NewTold(r.Trust, r.Origin),
		})
		all = append(all, toEdges(r.Edges)...)
	}
	p.take(next)
	p.connect(all)
	return p.nodes, p.first()
}

func toEdges(rows []edgeRow) []Edge {
	edges := make([]Edge, len(rows))
	for i, r := range rows {
		edges[i] = Edge{Key: r.Key, Type: r.Type, From: r.From, To: r.To}
	}
	return edges
}

// first returns the edges between the nodes with the highest scores.
func (p *picture) first() []Edge {
	score := func(e Edge) int64 { return p.nodes[p.places[e.From]].Score + p.nodes[p.places[e.To]].Score }
	edges := make([]Edge, 0, len(p.edges))
	for _, e := range p.edges {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.Key, b.Key))
	})
	return edges[:min(pictureEdges, len(edges))]
}
