// Package workspace reads projects: lists, counts and the relationships of what belongs to one, and what nodes are linked with.
package workspace

import (
	"kith/graph"
	"kith/graph/neo"
)

// Store reads the projects of a memory. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the projects in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }
