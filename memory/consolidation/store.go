// Package consolidation lists the sources of a user that have faded, and archives those that an agent has summed up elsewhere.
package consolidation

import (
	"kith/graph"
	"kith/graph/neo"
)

// Store reads and archives sources in Neo4j. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the consolidations in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }
