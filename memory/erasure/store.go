// Package erasure removes everything that is stored of a user or of a team, and leaves a receipt.
package erasure

import (
	"context"

	"kith/graph"
	"kith/graph/neo"
)

// Store erases in Neo4j. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the erasures in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// transaction runs one write transaction that may name erased users.
func (s *Store) transaction(ctx context.Context, name string, work func(neo.Execer) error) error {
	return s.graph.Transaction(ctx, name, func(t *graph.Tx) error {
		t.PassFence()
		return work(t)
	})
}
