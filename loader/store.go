package loader

import (
	"context"
	"slices"
	"sync"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

// Store reads contexts in Neo4j. It is safe for concurrent use.
type Store struct {
	db       *neo.DB
	graph    *graph.Store
	composed sync.Map // names of statements → cypher.Query of all of them
}

// NewStore returns the store of the contexts in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// Node returns a node that can be in a context, with its 100 strongest relationships, or ErrNotFound.
func (s *Store) Node(ctx context.Context, scope graph.Scope, key string, q SectionQuery) (graph.NodeView, error) {
	found, err := s.graph.NodesByKey(ctx, scope, []string{key})
	if err != nil {
		return graph.NodeView{}, err
	}
	if len(found) == 0 || !slices.Contains(contextKinds, found[0].Kind) {
		return graph.NodeView{}, fault.ErrNotFound
	}
	kind, _ := graph.KindOf(found[0].Kind)
	return s.graph.Node(ctx, scope, kind, key, graph.NodeQuery{AsOf: q.AsOf, Relationships: 100})
}

// contextKinds are the kinds of nodes that contexts show.
var contextKinds = []string{"person", "concept", "entity", "source"}

// CurrentKeys returns the keys of the owners that have replaced generated ones, by the keys of the generated ones.
func (s *Store) CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error) {
	return s.graph.CurrentKeys(ctx, scope, keys)
}
