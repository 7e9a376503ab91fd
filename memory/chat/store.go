package chat

import (
	"context"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

// Store keeps trees and turns in Neo4j, beside the memory. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the chats in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

func (s *Store) now() time.Time { return s.graph.Now() }

// transaction runs one write transaction. It may call work again after a transient error.
func (s *Store) transaction(ctx context.Context, name string, work func(*tx) error) error {
	return s.graph.Transaction(ctx, name, func(t *graph.Tx) error { return work(&tx{t}) })
}

// tx runs statements in a write transaction.
type tx struct{ *graph.Tx }
