// Package user lists the users of a team.
package user

import (
	"kith/graph"
	"kith/graph/neo"
)

// Store finds users in Neo4j by what is stored for them. It is safe for concurrent use.
type Store struct{ db *neo.DB }

// NewStore returns the store of the users in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB()} }
