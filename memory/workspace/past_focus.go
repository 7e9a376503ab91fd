package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// workspacesAt returns the view of all projects at a time.
func (s *Store) workspacesAt(ctx context.Context, scope graph.Scope, at time.Time) (*Workspaces, error) {
	keys, err := s.graph.ProjectsAt(ctx, scope, at)
	if err != nil {
		return nil, err
	}
	found, err := s.graph.StoredAt(ctx, scope, keys, at)
	if err != nil {
		return nil, err
	}
	counts, err := s.graph.CountsAt(ctx, scope, keys, at)
	if err != nil {
		return nil, err
	}
	w := &Workspaces{Total: int64(len(found)), Counts: map[string]Counts{}}
	for kind, n := range counts {
		w.Counts[kind] = Counts{Total: n}
	}
	for _, n := range found {
		w.Projects = append(w.Projects, graph.NewNodeView(n.Kind, pick(n.Properties, nil, projectFields), at))
	}
	slices.SortFunc(w.Projects, func(a, b graph.NodeView) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.EntityKey, b.EntityKey))
	})
	w.Projects = w.Projects[:min(projectsShown, len(w.Projects))]
	return w, nil
}

// workspaceWithAt does the same as WorkspaceWith at a time.
func (s *Store) workspaceWithAt(ctx context.Context, scope graph.Scope, project string, kind graph.Kind, key string, at time.Time) (*Workspace, *Element, error) {
	n, err := s.nodeAt(ctx, scope, kind, key, at)
	if err == nil && n.Text("project_id") != project {
		err = fmt.Errorf("focus: %w", fault.ErrNotFound)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := s.projectAt(ctx, scope, project, at)
	if err != nil {
		return nil, nil, err
	}
	f, err := s.elementAt(ctx, scope, key, n, p, at)
	return p.workspace(), f, err
}

// focusAt does the same as Focus at a time.
func (s *Store) focusAt(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, at time.Time) (*Element, error) {
	n, err := s.nodeAt(ctx, scope, kind, key, at)
	if err != nil {
		return nil, err
	}
	var p *past
	if project := n.Text("project_id"); project != "" {
		if p, err = s.projectAt(ctx, scope, project, at); err != nil && !errors.Is(err, fault.ErrNotFound) {
			return nil, err
		}
	}
	return s.elementAt(ctx, scope, key, n, p, at)
}

// nodeAt returns a node of a kind at a time, or ErrNotFound.
func (s *Store) nodeAt(ctx context.Context, scope graph.Scope, kind graph.Kind, key string, at time.Time) (graph.StoredNode, error) {
	found, err := s.graph.StoredAt(ctx, scope, []string{key}, at)
	if n, ok := found[key]; err == nil && (!ok || n.Kind != kind) {
		return n, fmt.Errorf("%s: %w", kind.Name, fault.ErrNotFound)
	}
	return found[key], err
}

// elementAt returns a node in focus at a time, in its project if there is one.
func (s *Store) elementAt(ctx context.Context, scope graph.Scope, key string, n graph.StoredNode, p *past, at time.Time) (*Element, error) {
	f := &Element{Node: n.View(at), First: map[string][]string{}}
	if p != nil {
		project := graph.NewNodeView(graph.ProjectKind, pick(p.project.Properties, nil, projectFields), at)
		f.Project, f.Level = &project, p.level(key)
		if in := p.nodes[key]; in != nil {
			l := p.linked(in)
			f.Direct = len(in.links) > 0
			f.derive([]derivedRow{{key, *l.counts(), l.first()}})
		}
	}
	around, nodes, err := s.linksOf(ctx, scope, key, pictureWalked, at)
	if err != nil {
		return nil, err
	}
	rank := func(l graph.LinkAt) int64 { return -nodes[l.Node.EntityKey].WorkspacePlace(nil).Score }
	links := slices.DeleteFunc(around.Links, func(l graph.LinkAt) bool { return !nodes[l.Node.EntityKey].WorkspacePlace(nil).Counted })
	slices.SortFunc(links, func(a, b graph.LinkAt) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Node.EntityKey, b.Node.EntityKey), cmp.Compare(a.Key, b.Key))
	})
	for _, l := range links[:min(edgesShown, len(links))] {
		f.Edges = append(f.Edges, End{l.Type, l.Direction == "outgoing", Ref{*l.Node, nodes[l.Node.EntityKey].Told().Least(l.Told())}})
	}
	return f, nil
}

// linksOf returns the relationships of a node at a time, and the nodes at their other ends.
func (s *Store) linksOf(ctx context.Context, scope graph.Scope, key string, each int, at time.Time) (graph.LinksAt, map[string]graph.StoredNode, error) {
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{At: at, Keys: []string{key}, Outgoing: true, Incoming: true, Each: each})
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

// highest is the most steps that are walked up to a project.
const highest = 5

// level returns how many incoming relationships lead up to the project; nil: more than five.
func (p *past) level(key string) *int {
	up := map[string]bool{key: true}
	for level := 1; level <= highest; level++ {
		next := map[string]bool{}
		for _, e := range p.edges {
			if up[e.To] && e.From == p.key {
				return &level
			}
			next[e.From] = next[e.From] || up[e.To]
		}
		up = next
	}
	return nil
}
