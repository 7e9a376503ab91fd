package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// The places of nodes in projects are stored as they are now. The view of a past project is made from all of its nodes and
// relationships of the time, as rows like those of the statements.

// Limits of a project whose past is shown.
const (
	pastLimit = 5_000  // nodes
	pastLinks = 10_000 // relationships from one of them, or from the project
)

// pastNode is a node of a project at a time, with its place.
type pastNode struct {
	graph.StoredNode
	graph.WorkspacePlace
	key, list string   // the list of its kind and user
	links     []string // with the project: direction, type and key
}

// past is a project at a time, with the nodes that belong to it and the relationships between all of them.
type past struct {
	at      time.Time
	key     string
	project graph.StoredNode
	nodes   map[string]*pastNode
	order   []*pastNode // by score, the highest first
	edges   []Edge      // by key
}

// projectAt reads a project at a time, or returns ErrNotFound.
func (s *Store) projectAt(ctx context.Context, scope graph.Scope, project string, at time.Time) (*past, error) {
	found, err := s.graph.StoredAt(ctx, scope, []string{project}, at)
	if err != nil {
		return nil, err
	}
	p := &past{at: at, key: project, project: found[project], nodes: map[string]*pastNode{}}
	if p.project.Kind != graph.ProjectKind {
		return nil, fmt.Errorf("project: %w", fault.ErrNotFound)
	}
	nodes, err := s.graph.ProjectAt(ctx, scope, project, at)
	if err == nil && len(nodes) > pastLimit {
		err = fault.Invalid(fault.At("as_of"), fault.OutOfRange, "the project had more than %d nodes then", pastLimit)
	}
	if err != nil {
		return nil, err
	}
	keys := []string{project}
	for key := range nodes {
		keys = append(keys, key)
	}
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{At: at, Keys: keys, Outgoing: true, Each: pastLinks})
	if err != nil {
		return nil, err
	}
	for i := range around {
		if around[i].Looked >= pastLinks {
			return nil, fault.Invalid(fault.At("as_of"), fault.OutOfRange, "%s had %d relationships or more then", around[i].Key, pastLinks)
		}
	}
	p.connect(around, nodes)
	p.place(nodes)
	return p, nil
}

// connect keeps the relationships between the nodes of the project and itself.
func (p *past) connect(around []graph.LinksAt, nodes map[string]graph.StoredNode) {
	for i := range around {
		for l := range around[i].Links {
			link := &around[i].Links[l]
			if _, in := nodes[link.To]; in || link.To == p.key {
				p.edges = append(p.edges, Edge{Key: link.Key, From: link.From, To: link.To, Type: link.Type})
			}
		}
	}
	slices.SortFunc(p.edges, func(a, b Edge) int { return cmp.Compare(a.Key, b.Key) })
}

// maxLinks is how many relationships with its project a node stores.
const maxLinks = 8

// place computes the places of the nodes.
func (p *past) place(nodes map[string]graph.StoredNode) {
	links := map[string][]string{}
	for _, e := range p.edges {
		key, direction := e.From, "out"
		if e.From == p.key {
			key, direction = e.To, "in"
		}
		if (e.From == p.key || e.To == p.key) && len(links[key]) < maxLinks {
			links[key] = append(links[key], strings.Join([]string{direction, e.Type, e.Key}, graph.KeySeparator))
		}
	}
	for key, n := range nodes {
		if place := n.WorkspacePlace(links[key]); place.Counted && n.Kind != graph.ProjectKind {
			p.nodes[key] = &pastNode{n, place, key, n.Kind.Name + graph.KeySeparator + n.Text("user_id"), links[key]}
			p.order = append(p.order, p.nodes[key])
		}
	}
	slices.SortFunc(p.order, func(a, b *pastNode) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.key, b.key)) })
	p.edges = slices.DeleteFunc(p.edges, func(e Edge) bool { return !p.has(e.From) || !p.has(e.To) })
}

// has reports whether a key is the project, or one of its nodes.
func (p *past) has(key string) bool { return key == p.key || p.nodes[key] != nil }

// workspace returns the view of the project.
func (p *past) workspace() *Workspace {
	w := p.row().view(p.key, p.at)
	picture := newPicture(p.key, w.Project, p.near())
	for _, key := range w.derived() {
		n := p.nodes[key]
		links := p.linked(n)
		counts := links.counts()
		for _, shown := range [][]Item{w.Shown["goal"], w.Shown["plan"], w.Shown["output"], w.Recent, w.Upcoming} {
			for i := range shown {
				if shown[i].EntityKey == key {
					shown[i].Links = counts.ofKind(n.Kind.Name)
				}
			}
		}
	}
	w.Nodes, w.Edges = picture.grow(p.rows(), p.further(picture))
	return w
}

// rows returns the relationships as rows.
func (p *past) rows() []edgeRow {
	rows := make([]edgeRow, len(p.edges))
	for i, e := range p.edges {
		rows[i] = edgeRow{e.Key, e.Type, e.From, e.To}
	}
	return rows
}

// pick returns some properties.
func (n *pastNode) pick(names []string) graph.Properties { return pick(n.Properties, n.links, names) }

func pick(p graph.Properties, links, names []string) graph.Properties {
	some := graph.Properties{}
	for _, name := range names {
		if value, ok := p[name]; ok {
			some[name] = value
		}
	}
	delete(some, "workspace_links")
	if len(links) > 0 && slices.Contains(names, "workspace_links") {
		some["workspace_links"] = links
	}
	return some
}

// state and kind of a node of a project.
func (n *pastNode) stateKey() string { return n.Text("state_key") }
func (n *pastNode) typeKey() string  { return n.Text("type_key") }

func (n *pastNode) updated() time.Time {
	if at := n.Moment("updated_at"); at != nil {
		return *at
	}
	return time.Time{}
}
