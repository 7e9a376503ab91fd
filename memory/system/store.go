// Package system keeps the knowledge of software systems: entities and relationships under their names, in the form of memory files.
package system

import (
	"kith/graph"
	"kith/graph/neo"
)

// Store keeps systems in Neo4j, beside the memory. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the systems in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }
