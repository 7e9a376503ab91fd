// Package ontology builds what an agent gets of a workspace: ontology contexts, the nodes linked with one, and the messages of prompts.
// It loads them, renders them as JSON or as text within a token budget, and caches the result through the loader of users' contexts.
package ontology

import (
	"context"
	"log/slog"
	"time"

	"kith/graph"
	"kith/loader"
	"kith/memory/workspace"
)

// workspaces reads projects, and what nodes are linked with, as it is or was at a time.
type workspaces interface {
	Workspaces(ctx context.Context, scope graph.Scope) (*workspace.Workspaces, error)
	WorkspaceOf(ctx context.Context, scope graph.Scope, project string) (*workspace.Workspace, error)
	WorkspaceWith(ctx context.Context, scope graph.Scope, project string, kind graph.Kind, key string) (*workspace.Workspace, *workspace.Element, error)
	Focus(ctx context.Context, scope graph.Scope, kind graph.Kind, key string) (*workspace.Element, error)
	LinkedWith(ctx context.Context, scope graph.Scope, q workspace.LinkedQuery) (*workspace.LinkedEntities, error)
	Available(ctx context.Context, scope graph.Scope, project, key string, kinds []string, at *time.Time) (map[string][]workspace.Available, error)
}

// Options configure a Loader.
type Options struct {
	Now func() time.Time // default time.Now
	Log *slog.Logger     // default: discards
}

// Loader assembles ontology contexts and prompts. It is safe for concurrent use.
type Loader struct {
	users      *loader.Loader
	workspaces workspaces
	options    Options
}

// New returns a Loader. users keeps its answers, and reads the preferences in prompts and what receipts say of nodes.
func New(users *loader.Loader, w workspaces, o Options) *Loader {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Loader{users: users, workspaces: w, options: o}
}
