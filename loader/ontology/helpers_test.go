package ontology

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kith/graph"
	"kith/internal/cache"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/preference"
	"kith/memory/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	at    = time.Date(2026, 3, 18, 14, 0, 0, 0, time.UTC) // a Wednesday
	scope = graph.Scope{TeamID: "t", UserID: "u"}
)

func fixed() time.Time { return at }

func pointer[T any](v T) *T { return &v }

func node(key, name string) graph.Node {
	return graph.Node{
		EntityKey: key, UserID: pointer("u"), Name: name, State: "active", TTLPolicy: "decay", Salience: 0.5, Confidence: 0.5, CreatedAt: at, UpdatedAt: at,
	}
}

func newLoader(s *fakeStore) (*Loader, *passThrough) {
	c := &passThrough{}
	return New(loader.New(s, c, loader.Options{Now: fixed}), s, Options{Now: fixed}), c
}

// fakeStore answers with fixed workspaces and preferences.
type fakeStore struct {
	workspace  *workspace.Workspace
	workspaces *workspace.Workspaces
	focus      *workspace.Element

	linked      *workspace.LinkedEntities
	linkedFails error

	preferences     []preference.Preference
	preferencesFail error
}

func (f *fakeStore) Workspaces(context.Context, graph.Scope) (*workspace.Workspaces, error) {
	return f.workspaces, nil
}

func (f *fakeStore) WorkspaceOf(context.Context, graph.Scope, string) (*workspace.Workspace, error) {
	if f.workspace == nil {
		return nil, fault.ErrNotFound
	}
	return f.workspace, nil
}

func (f *fakeStore) WorkspaceWith(context.Context, graph.Scope, string, graph.Kind, string) (*workspace.Workspace, *workspace.Element, error) {
	if f.workspace == nil || f.focus == nil {
		return nil, nil, fault.ErrNotFound
	}
	return f.workspace, f.focus, nil
}

func (f *fakeStore) Focus(context.Context, graph.Scope, graph.Kind, string) (*workspace.Element, error) {
	return f.focus, nil
}

func (f *fakeStore) LinkedWith(context.Context, graph.Scope, workspace.LinkedQuery) (*workspace.LinkedEntities, error) {
	return f.linked, f.linkedFails
}

func (f *fakeStore) Available(context.Context, graph.Scope, string, string, []string, *time.Time) (map[string][]workspace.Available, error) {
	return map[string][]workspace.Available{"plan": {{Key: "plan-07", Name: "Quay Repair", State: "active", Linked: true}, {Key: "plan-08", Name: "Later"}}}, nil
}

func (f *fakeStore) ReadSections(context.Context, graph.Scope, []loader.Section, loader.SectionQuery) (*loader.Sections, error) {
	return &loader.Sections{Preferences: f.preferences}, f.preferencesFail
}

func (f *fakeStore) ReadSection(context.Context, graph.Scope, loader.Section, loader.SectionQuery, *loader.Sections) error {
	return f.preferencesFail
}

func (f *fakeStore) OfPast(context.Context, graph.Scope, loader.SectionQuery, *loader.Sections) error {
	return nil
}

func (f *fakeStore) CurrentKeys(context.Context, graph.Scope, []string) (map[string]string, error) {
	return map[string]string{}, nil
}

func (f *fakeStore) Node(context.Context, graph.Scope, string, loader.SectionQuery) (graph.NodeView, error) {
	return graph.NodeView{}, fault.ErrNotFound
}

func (f *fakeStore) Origins(_ context.Context, _ graph.Scope, keys, _ []string, _ loader.SectionQuery) (map[string]loader.Origin, error) {
	origins := map[string]loader.Origin{}
	for _, key := range keys {
		origins[key] = loader.Origin{Version: 2, Sources: []string{"s-new", "s-old"}, Recent: 1}
	}
	return origins, nil
}

// passThrough keeps nothing, and notes whether the bytes could be kept.
type passThrough struct {
	mu   sync.Mutex
	kept bool
}

func (p *passThrough) Get(ctx context.Context, _, _, _ string, load cache.Loader) ([]byte, error) {
	value, keep, err := load(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = keep
	return value, err
}
