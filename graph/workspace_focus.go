package graph

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// WorkspaceFocus is a node of a project in a user's focus.
type WorkspaceFocus struct {
	Node    NodeView
	Project *NodeView      // with its columns; nil: the scope may see no project of the node
	Edges   []WorkspaceEnd // its relationships: at most 20, highest score of the other node first
	Direct  bool           // linked with the project itself
	Level   *int           // steps from the project along incoming relationships; nil: not within five
	Links   WorkspaceLinks
	First   map[string][]string // keys of the first three linked plans, goals, outputs, dependencies, dependents and tasks
}

// WorkspaceEnd is a relationship of a node with the node at its other end.
type WorkspaceEnd struct {
	Type     string
	Outgoing bool
	Node     NodeRef
}

// WorkspaceWith is WorkspaceOf with a node in focus. It returns ErrNotFound if the node does not belong to the
// project. It needs no more consecutive round trips.
func (s *Store) WorkspaceWith(ctx context.Context, scope Scope, project string, kind Kind, key string) (*Workspace, *WorkspaceFocus, error) {
	var (
		w       *Workspace
		focus   *WorkspaceFocus
		derived any
	)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		focus, err = s.focus(ctx, scope, kind, key)
		if err == nil && (focus.Project == nil || focus.Project.EntityKey != project) {
			err = fmt.Errorf("focus: %w", ErrNotFound)
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
func (s *Store) Focus(ctx context.Context, scope Scope, kind Kind, key string) (*WorkspaceFocus, error) {
	f, err := s.focus(ctx, scope, kind, key)
	if err != nil || f.Project == nil {
		return f, err
	}
	row, err := s.links(ctx, scope, f.Project.EntityKey, []string{key}, key, nil)
	if err != nil {
		return nil, err
	}
	f.derive(row[0])
	return f, nil
}

func (s *Store) focus(ctx context.Context, scope Scope, kind Kind, key string) (*WorkspaceFocus, error) {
	row, err := s.readOne(ctx, "workspace_element", map[string]any{
		"team_id": scope.TeamID, "user_id": scope.user(), "entity_key": key, "label": kind.Label, "walk": pictureWalked,
		"project_fields": projectFields,
	})
	if err != nil {
		return nil, err
	}
	f := &WorkspaceFocus{Node: nodeView(kind, pairsFrom(row[0]), s.now()), First: map[string][]string{}}
	f.Direct = len(texts(row[4])) > 0
	for _, project := range items(row[1]) {
		view := nodeView(projectKind, pairsFrom(project), s.now())
		f.Project = &view
	}
	for _, edge := range items(row[2]) {
		e := items(edge)
		f.Edges = append(f.Edges, WorkspaceEnd{text(e[0]), truth(e[1]), refFrom(e[2:])})
	}
	if level, ok := row[3].(int64); ok {
		steps := int(level)
		f.Level = &steps
	}
	return f, nil
}

// derive reads the counts of the links of the node in focus.
func (f *WorkspaceFocus) derive(v any) {
	for _, item := range items(v) {
		l := items(item)
		if text(l[0]) != f.Node.EntityKey {
			continue
		}
		f.Links = linksFrom(f.Node.Kind, items(l[1]))
		for i, name := range []string{"plans", "goals", "outputs", "dependencies", "dependents", "tasks"} {
			f.First[name] = texts(items(l[2])[i])
		}
	}
}
