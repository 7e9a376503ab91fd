// Package traverse walks the graph of a memory: the neighbours of a node, the shortest paths between two, what is close to
// some (personalised PageRank), and statements that callers write. It decides how far a walk goes and how it is ranked;
// statements are the part of graph. It knows nothing of HTTP, and no database driver.
package traverse

import (
	"context"
	"slices"
	"time"

	"kith/graph"
)

// store is what a walk asks of the memory.
type store interface {
	Around(ctx context.Context, scope graph.Scope, w graph.Walk, keys []string, kinds []graph.Kind, each int, now time.Time) ([]graph.Around, error)
	Edges(ctx context.Context, scope graph.Scope, w graph.Walk, keys []string, each int, now time.Time) ([]graph.Edges, error)
	Steps(ctx context.Context, scope graph.Scope, w graph.Walk, wishes []graph.Wish, now time.Time) ([]*graph.Step, error)
	NodesByKey(ctx context.Context, scope graph.Scope, keys []string) ([]graph.NodeView, error)
	CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
	Cypher(ctx context.Context, scope graph.Scope, text string, parameters map[string]any) (graph.Table, graph.Recall, error)
	Census(ctx context.Context, scope graph.Scope) (graph.Census, error)
	Now() time.Time
}

// Traverser walks a memory. It is safe for concurrent use.
type Traverser struct {
	store   store
	observe func(mode Mode, outcome Outcome)
}

// Outcome is how a walk ended, for metrics.
type Outcome string

// Found: there is an answer. Nothing: there is none. Truncated: there is one, but not all was looked at.
const (
	Found     Outcome = "found"
	Nothing   Outcome = "nothing"
	Truncated Outcome = "truncated"
)

// New makes a traverser of a store. Observe is called after every answer.
func New(s store, observe func(mode Mode, outcome Outcome)) *Traverser {
	return &Traverser{store: s, observe: observe}
}

// Traverse answers a request, and says what it returned, for whoever counts recalls. Errors: InvalidError, ErrNotFound for
// nodes that the scope may not see, ErrBusy, ErrUnavailable. That nothing is found is no error.
func (t *Traverser) Traverse(ctx context.Context, scope graph.Scope, r *Request) (Result, graph.Recall, error) {
	if err := r.Validate(); err != nil {
		return nil, graph.Recall{}, err
	}
	walk := map[Mode]func(context.Context, graph.Scope, *Request) (Result, graph.Recall, error){
		Neighbors: t.neighbors, Path: t.path, PPR: t.pageRank, Cypher: t.cypher,
	}[r.Mode]
	asked := *r
	asked.UserID = scope.UserID
	var recall graph.Recall
	result, err := graph.AtCurrentKeys(ctx, t.store, scope, asked.starts(), func() (result Result, err error) {
		result, recall, err = walk(ctx, scope, &asked)
		return result, err
	})
	if err == nil {
		result, recall, err = asked.within(result, recall)
	}
	if err != nil {
		return nil, graph.Recall{}, err
	}
	t.observe(r.Mode, result.outcome())
	return result, recall, nil
}

// starts are the keys of the nodes that a walk begins with. The list of seeds becomes the request's own.
func (r *Request) starts() []*string {
	keys := []*string{&r.EntityKey, &r.From, &r.To}
	r.SeedNodes = slices.Clone(r.SeedNodes)
	for i := range r.SeedNodes {
		keys = append(keys, &r.SeedNodes[i])
	}
	return keys
}

func (t *Traverser) cypher(ctx context.Context, scope graph.Scope, r *Request) (Result, graph.Recall, error) {
	table, recall, err := t.store.Cypher(ctx, scope, r.Cypher, r.given)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	result := &Table{Mode: Cypher, Table: table}
	switch {
	case len(table.Rows) == 0:
		result.Message = "nothing was found. GET /v1/schema tells which kinds, properties and relationship types there are"
	case table.Truncated:
		result.Message = "there is more than an answer may have: ask for fewer rows or properties, or go on with SKIP"
	}
	return result, recall, nil
}
