// Package traverse walks the graph of a memory: the neighbours of a node, the shortest paths between two, what is close to
// some (personalised PageRank), and statements that callers write. It bounds and ranks walks. It does not
// depend on HTTP; only callers' statements know the database driver.
package traverse

import (
	"context"
	"slices"
	"time"

	"kith/graph"
)

// store is the part of the memory that a walk reads.
type store interface {
	Around(ctx context.Context, scope graph.Scope, w Walk, keys []string, kinds []graph.Kind, each int, now time.Time) ([]Around, error)
	Edges(ctx context.Context, scope graph.Scope, w Walk, keys []string, each int, now time.Time) ([]Edges, error)
	Steps(ctx context.Context, scope graph.Scope, w Walk, wishes []Wish, now time.Time) ([]*Step, error)
	NodesByKey(ctx context.Context, scope graph.Scope, keys []string) ([]graph.NodeView, error)
	CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
	Cypher(ctx context.Context, scope graph.Scope, text string, parameters map[string]any) (Records, graph.Recall, error)
	Census(ctx context.Context, scope graph.Scope) (Census, error)
	Now() time.Time
}

// Traverser walks a memory. It is safe for concurrent use.
type Traverser struct {
	store   store
	observe func(mode Mode, outcome Outcome)
}

// Outcome is how a walk ended, for metrics.
type Outcome string

// Found: the answer is complete. Nothing: it is empty. Truncated: not all was read.
const (
	Found     Outcome = "found"
	Nothing   Outcome = "nothing"
	Truncated Outcome = "truncated"
)

// New returns a Traverser of a store. observe is called after every answer.
func New(s store, observe func(mode Mode, outcome Outcome)) *Traverser {
	return &Traverser{store: s, observe: observe}
}

// Traverse answers a request. It also returns the nodes and relationships of the answer, for counting recalls. Errors:
// InvalidError, ErrNotFound for nodes that the scope may not see, ErrBusy, ErrUnavailable. An empty answer is no error.
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
	result, err := graph.AtCurrentKeys(ctx, t.store, scope, asked.startKeys(), func() (result Result, err error) {
		result, recall, err = walk(ctx, scope, &asked)
		return result, err
	})
	if err == nil {
		result, recall, err = asked.fitBudget(result, recall)
	}
	if err != nil {
		return nil, graph.Recall{}, err
	}
	t.observe(r.Mode, result.outcome())
	return result, recall, nil
}

// startKeys returns the keys of the nodes where a walk begins. It copies the list of seeds.
func (r *Request) startKeys() []*string {
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
	result := &Table{Mode: Cypher, Records: table}
	switch {
	case len(table.Rows) == 0:
		result.Message = "nothing was found. GET /v1/schema lists kinds, properties and relationship types"
	case table.Truncated:
		result.Message = "the result is too large: ask for fewer rows or properties, or continue with SKIP"
	}
	return result, recall, nil
}
