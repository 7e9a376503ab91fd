package traverse

import (
	"context"
	"log/slog"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

// Store reads relationships and runs callers' statements in Neo4j. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
	log   *slog.Logger

	gate     gate  // limits callers' statements
	planning gate  // limits statements that are planned for the first time
	plans    plans // known plans of statements
	heap     heap  // memory of the database
}

// NewStore returns the store of the walks in a memory's database. Close it before the memory's own store.
func NewStore(g *graph.Store, log *slog.Logger) *Store {
	s := &Store{db: g.DB(), graph: g, log: log}
	s.gate.atOnce, s.gate.wait = cypherAtOnce, cypherTime
	s.planning.atOnce, s.planning.wait = 1, cypherTime
	return s
}

// Close ends what watches over running statements.
func (s *Store) Close() { s.heap.close() }

// Now returns the current time of the memory.
func (s *Store) Now() time.Time { return s.graph.Now() }

// NodesByKey returns nodes of any kind that the scope may see, in the order of their keys.
func (s *Store) NodesByKey(ctx context.Context, scope graph.Scope, keys []string) ([]graph.NodeView, error) {
	return s.graph.NodesByKey(ctx, scope, keys)
}

// CurrentKeys returns the keys of the nodes that took over others.
func (s *Store) CurrentKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error) {
	return s.graph.CurrentKeys(ctx, scope, keys)
}
