// Package embedding computes the vectors of stored texts.
package embedding

import (
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/llm"
)

// Store keeps vectors in Neo4j, with the nodes whose texts they are of. It is safe for concurrent use.
type Store struct {
	db       *neo.DB
	graph    *graph.Store
	embedder llm.Embedder // nil: none
}

// NewStore returns the store of the vectors in a memory's database. embedder must be the memory's own.
func NewStore(g *graph.Store, embedder llm.Embedder) *Store {
	return &Store{db: g.DB(), graph: g, embedder: embedder}
}
