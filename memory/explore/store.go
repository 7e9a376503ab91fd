package explore

import (
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/llm"
)

// Store searches in Neo4j. It is safe for concurrent use.
type Store struct {
	db       *neo.DB
	graph    *graph.Store
	embedder llm.Embedder // of the stored texts; nil: no vectors
}

// NewStore returns the store of the searches in a memory's database. embedder must be the memory's own.
func NewStore(g *graph.Store, embedder llm.Embedder) *Store {
	return &Store{db: g.DB(), graph: g, embedder: embedder}
}
