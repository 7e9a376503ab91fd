package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/explore"
	"kith/memory/preference"
	"kith/memory/statement"
	"kith/memory/system"
	"kith/memory/traverse"
)

// fakes answer with err, where it is set, and with nothing otherwise.
type fakes struct {
	err    error
	panics bool
	text   string // of contexts; their object has it too
	asked  []string
	wanted loader.Request // the last context

	node   graph.NodeView
	nodes  []graph.NodeView
	named  map[string][]graph.NodeRef // by graph.NameKey
	system system.Memory
	reader reader
	found  traverse.Result

	changes []graph.NodeChange
}

func (f *fakes) ask(format string, args ...any) {
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
}

func (f *fakes) Write(_ context.Context, s graph.Scope, w *graph.MemoryWrite) (graph.MemoryResult, error) {
	var r graph.MemoryResult
	for i, n := range w.Nodes {
		f.ask("write %s for %s, shared %t", n.Name.Value, s.UserID, n.UserID.Null)
		r.Nodes = append(r.Nodes, graph.NodeResult{EntityKey: fmt.Sprint("key-", i), Status: graph.Created})
	}
	for _, e := range w.Relationships {
		f.ask("relate %s to %s", e.From, e.To)
		r.Relationships = append(r.Relationships, graph.RelationshipResult{Key: "r", Status: graph.Created})
	}
	return r, f.err
}

func (f *fakes) WriteSource(context.Context, graph.Scope, *graph.SourceWrite) (graph.SourceResult, error) {
	return graph.SourceResult{}, f.err
}

func (f *fakes) Knowledge(context.Context, graph.Scope) (loader.Knowledge, error) {
	return loader.Knowledge{Cut: true}, f.err
}

func (f *fakes) Relationships(context.Context, graph.Scope, graph.RelationshipList) (graph.RelationshipPage, error) {
	return graph.RelationshipPage{Relationships: []graph.RelationshipView{{Key: "r", Type: "knows", Node: &graph.NodeRef{Name: "Ada"}}}}, f.err
}

func (f *fakes) NodesByKey(_ context.Context, _ graph.Scope, keys []string) ([]graph.NodeView, error) {
	var found []graph.NodeView
	for _, key := range keys {
		if strings.HasPrefix(key, "key-") {
			found = append(found, graph.NodeView{Kind: "person", Node: graph.Node{EntityKey: key, Name: "Ada"}})
		}
	}
	return found, f.err
}

// CurrentKeys says that key-1 has taken over what had the key former.
func (f *fakes) CurrentKeys(_ context.Context, _ graph.Scope, keys []string) (map[string]string, error) {
	current := map[string]string{}
	if slices.Contains(keys, "former") {
		current["former"] = "key-1"
	}
	return current, f.err
}

func (f *fakes) NodesNamed(_ context.Context, _ graph.Scope, names []string) (map[string][]graph.NodeRef, error) {
	f.ask("named %s", strings.Join(names, ", "))
	return f.named, f.err
}

func (f *fakes) Node(_ context.Context, _ graph.Scope, kind graph.Kind, key string, _ graph.NodeQuery) (graph.NodeView, error) {
	f.node.Kind, f.node.EntityKey = kind.Name, key
	return f.node, f.err
}

func (f *fakes) Nodes(_ context.Context, _ graph.Scope, l graph.NodeList) (graph.NodePage, error) {
	f.ask("list %d of %s in %s", l.Limit, l.Kind.Name, l.ProjectID)
	page := graph.NodePage{Nodes: f.nodes[:min(int(l.Limit), len(f.nodes))]}
	if len(page.Nodes) < len(f.nodes) {
		page.Next = fmt.Sprint("after-", len(page.Nodes))
	}
	return page, f.err
}

func (f *fakes) NodeChanges(_ context.Context, _ graph.Scope, kind graph.Kind, key string, p graph.ChangePeriod) (graph.ChangeList, error) {
	if !strings.HasPrefix(key, "key-") {
		return graph.ChangeList{}, fault.ErrNotFound
	}
	f.ask("changes of %s %s since %s, %d", kind.Name, key, p.Since.Format(time.DateOnly), p.Limit)
	return graph.ChangeList{Node: graph.NodeRef{EntityKey: key, Kind: kind.Name, Name: "Ada"}, Changes: f.changes}, nil
}

func (f *fakes) UserIDs(_ context.Context, team, beginning string, limit int) ([]string, error) {
	f.ask("%d users of %s", limit, team)
	return []string{beginning + "da", beginning + "ve"}, f.err
}

func (f *fakes) Systems(context.Context, graph.Scope, string, int64) ([]system.System, error) {
	return []system.System{{System: "shop", Counts: system.Counts{Entities: 2}}}, f.err
}

func (f *fakes) SystemMemory(_ context.Context, s graph.Scope, system string) (system.Memory, error) {
	f.ask("system %s of %s", system, s.TeamID)
	return f.system, f.err
}

func (f *fakes) MergeSystem(_ context.Context, _ graph.Scope, name string, w *system.Write) (system.Result, error) {
	f.ask("merge %d and %d into %s", len(w.Entities), len(w.Relationships), name)
	return system.Result{Entities: []system.EntityResult{{Name: "api", Status: system.Added}, {Status: graph.Refused}}, Warnings: []string{"entities[1].type is required"}}, f.err
}

func (f *fakes) SetPreference(_ context.Context, s graph.Scope, p preference.Preference) error {
	f.ask("set %s to %s for %s", p.Key, p.Value, s.UserID)
	return f.err
}

func (f *fakes) DeletePreference(_ context.Context, s graph.Scope, key string) error {
	f.ask("remove %s for %s", key, s.UserID)
	return f.err
}

func (f *fakes) Statements(_ context.Context, s graph.Scope, q statement.Query) (statement.Page, error) {
	f.ask("statements of %s after %q", s.UserID, q.Cursor)
	return statement.Page{Statements: []statement.Statement{{Key: "m#0", Kind: "preference", State: "active", Text: "I like *tea*."}}, Next: "next"}, f.err
}

func (f *fakes) Decide(_ context.Context, s graph.Scope, decisions []statement.Decision) error {
	f.ask("decide %v for %s", decisions, s.UserID)
	return f.err
}

func (f *fakes) DeleteNode(_ context.Context, _ graph.Scope, kind graph.Kind, key string, _ int64) (graph.Deletion, error) {
	f.ask("delete %s %s", kind.Name, key)
	return graph.Deletion{}, f.err
}

func (f *fakes) DeleteNote(context.Context, graph.Scope, graph.Kind, string, string) ([]graph.Note, error) {
	return nil, f.err
}

func (f *fakes) DeleteRelationship(context.Context, graph.Scope, string, int64) (graph.Deletion, error) {
	return graph.Deletion{}, f.err
}

func (f *fakes) MergeNodes(_ context.Context, _ graph.Scope, kind graph.Kind, key string, w graph.MergeWrite) (graph.Merge, error) {
	f.ask("merge %s %s into %s, dry run %t", kind.Name, w.Other, key, w.DryRun)
	if w.Other == key {
		return graph.Merge{}, fault.Invalid(fault.At("other"), fault.Contrary, "is this node itself")
	}
	return graph.Merge{
		Node: graph.NodeView{Kind: kind.Name, Node: graph.Node{EntityKey: key, Name: "Ada"}}, Relationships: 3, Left: 1,
		Conflicts: []graph.MergeConflict{{Field: "description", Kept: []byte(`"a"`), Dropped: []byte(`"b\n# c"`)}},
	}, f.err
}

func (f *fakes) RestoreNode(_ context.Context, _ graph.Scope, kind graph.Kind, key string) (graph.NodeView, error) {
	f.ask("restore %q %s", kind.Name, key)
	return graph.NodeView{}, f.err
}

func (f *fakes) RestoreRelationship(_ context.Context, _ graph.Scope, key string) (graph.RelationshipView, error) {
	f.ask("restore relationship %s", key)
	return graph.RelationshipView{}, f.err
}

func (f *fakes) Context(_ context.Context, r loader.Request, _ *loader.CurrentConversation) (loader.Answer, error) {
	f.wanted = r
	if f.panics {
		panic("secret")
	}
	if f.named != nil && !strings.HasPrefix(r.FocusID, "key-") {
		return loader.Answer{}, fault.ErrNotFound
	}
	f.ask("context with %s %s", r.FocusKind, r.FocusID)
	return loader.Answer{Head: []byte(f.text)}, f.err
}

func (f *fakes) Ontology(_ context.Context, r ontology.Request) (loader.Answer, error) {
	if f.named != nil && !strings.HasPrefix(r.ProjectID, "key-") {
		return loader.Answer{}, fault.ErrNotFound
	}
	f.ask("ontology of %s with %s %s", r.ProjectID, r.FocusKind, r.FocusID)
	return loader.Answer{Head: []byte(`{}`)}, f.err
}

func (f *fakes) Linked(_ context.Context, r ontology.LinkedRequest) (loader.Answer, error) {
	if r.Format == loader.Text {
		return loader.Answer{Head: []byte(f.text)}, f.err
	}
	return loader.Answer{Head: []byte(`{}`)}, f.err
}

func (f *fakes) Explore(_ context.Context, s graph.Scope, r *explore.Request) (*explore.Result, graph.Recall, error) {
	f.ask("explore for %s, %d tokens", s.UserID, r.MaxTokens)
	return &explore.Result{}, graph.Recall{}, f.err
}

func (f *fakes) Traverse(_ context.Context, _ graph.Scope, r *traverse.Request) (traverse.Result, graph.Recall, error) {
	f.ask("traverse from %s, %d tokens", r.EntityKey, r.MaxTokens)
	if f.named != nil && !strings.HasPrefix(r.EntityKey, "key-") {
		return nil, graph.Recall{}, fault.ErrNotFound
	}
	return cmp.Or[traverse.Result](f.found, &traverse.Rows{}), graph.Recall{}, f.err
}

func (f *fakes) Schema(context.Context, graph.Scope, int) (*traverse.Schema, error) {
	return &traverse.Schema{}, f.err
}

func (f *fakes) Recalled(graph.Scope, graph.Recall) {}
