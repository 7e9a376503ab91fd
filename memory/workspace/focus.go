package workspace

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/fault"
)

// findElement finds a node of a project in full.
var findElement = neo.Load[elementRow]("workspace_element")

// elementRow is a node of a project with its relationships.
type elementRow struct {
	Properties    graph.Properties
	Project       []graph.Properties // at most one
	Relationships []endRow
	Level         *int
	Links         []string
}

// endRow is a relationship of a node with its other end, in the order of workspace_element.
type endRow struct {
	Type     string
	Outgoing bool
	Key      string
	Labels   graph.Labels
	Name     string
	Trust    any // the least of both, as its origin
	Origin   string
}

// Element is a node of a project in a user's focus.
type Element struct {
	Node    graph.NodeView
	Project *graph.NodeView // with its columns; nil: the scope may see no project of the node
	Edges   []End           // its relationships: at most 20, highest score of the other node first
	Direct  bool            // linked with the project itself
	Level   *int            // steps from the project along incoming relationships; nil: not within five
	Links   Links
	First   map[string][]string // keys of the first three linked plans, goals, outputs, dependencies, dependents and tasks
}

// End is a relationship of a node with the node at its other end.
type End struct {
	Type     string
	Outgoing bool
	Node     Ref // with the least trust of both
}

// WorkspaceWith is WorkspaceOf with a node in focus. It returns ErrNotFound if the node does not belong to the
// project. It needs no more consecutive round trips.
func (s *Store) WorkspaceWith(ctx context.Context, scope graph.Scope, project string, kind graph.Kind, key string) (*Workspace, *Element, error) {
	var focus *Element
	w, err := graph.AtCurrentKeys(ctx, s.graph, scope, []*string{&project}, func() (w *Workspace, err error) {
		w, focus, err = s.workspaceWith(ctx, scope, project, kind, key)
		return w, err
	})
	return w, focus, err
}

func (s *Store) workspaceWith(ctx context.Context, scope graph.Scope, project string, kind graph.Kind, key string) (*Workspace, *Element, error) {
	var (
		w       *Workspace
		focus   *Element
		derived []derivedRow
	)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		focus, err = s.focus(ctx, scope, kind, key)
		if err == nil && (focus.Project == nil || focus.Project.EntityKey != project) {
			err = fmt.Errorf("focus: %w", fault.ErrNotFound)
		}
		return err
	})
	group.Go(func() (err error) {
		w, derived, err = s.workspace(ctx, scope, project, key)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	focus.derive(derived)
	return w, focus, nil
}

// Focus returns a node of a kind of projects in a user's focus, or ErrNotFound.
func (s *Store) Focus(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (*Element, error) {
	f, err := s.focus(ctx, scope, kind, key)
	if err != nil || f.Project == nil {
		return f, err
	}
	links, err := s.links(ctx, scope, f.Project.EntityKey, []string{key}, key, nil)
	if err != nil {
		return nil, err
	}
	f.derive(links.Derived)
	return f, nil
}

func (s *Store) focus(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (*Element, error) {
	row, err := findElement.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_key": key, "label": kind.Label, "walk": pictureWalked,
		"project_fields": projectFields, "now": s.graph.Now(),
	})
	if err != nil {
		return nil, err
	}
	f := &Element{
		Node: graph.NewNodeView(kind, row.Properties, s.graph.Now()), Direct: len(row.Links) > 0, Level: row.Level, First: map[string][]string{},
	}
	for _, project := range row.Project {
		view := graph.NewNodeView(graph.ProjectKind, project, s.graph.Now())
		f.Project = &view
	}
	for _, e := range row.Relationships {
		f.Edges = append(f.Edges, End{e.Type, e.Outgoing, Ref{
			graph.NodeRef{EntityKey: e.Key, Kind: e.Labels.Kind().Name, Name: e.Name}, trust.NewTold(e.Trust, e.Origin),
		}})
	}
	return f, nil
}

// derive reads the counts of the links of the node in focus.
func (f *Element) derive(rows []derivedRow) {
	for i := range rows {
		if rows[i].Key != f.Node.EntityKey {
			continue
		}
		first := &rows[i].First
		f.Links = rows[i].Counts.ofKind(f.Node.Kind)
		f.First = map[string][]string{
			"plans": first.Plans, "goals": first.Goals, "outputs": first.Outputs,
			"dependencies": first.Dependencies, "dependents": first.Dependents, "tasks": first.Tasks,
		}
	}
}
