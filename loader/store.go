package loader

import (
	"context"
	"sync"

	"kith/graph"
	"kith/neo"
)

// Store reads contexts in Neo4j. It is safe for concurrent use.
type Store struct {
	db       *neo.DB
	graph    *graph.Store
	composed sync.Map // names of statements → cypher.Query of all of them
}

// NewStore returns the store of the contexts in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// CurrentKeys returns the keys of the owners that have replaced generated ones, by the keys of the generated ones.
func (s *Store) CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error) {
	return s.graph.CurrentKeys(ctx, scope, keys)
}
