package traverse

import (
	"log/slog"
	"testing"

	"kith/tests/graphtest"
)

// env is the memory of a team with its walks.
type env struct {
	*graphtest.Env
	walkStore *Store
}

// fresh returns the walks of a new team, for a test that runs beside others.
func fresh(t *testing.T) *env {
	t.Helper()
	return withWalks(graphtest.New(t))
}

func withWalks(e *graphtest.Env) *env {
	s := NewStore(e.Store, slog.New(slog.DiscardHandler))
	e.Cleanup(s.Close)
	return &env{e, s}
}

// neighbour returns another team on the same store.
func (e *env) neighbour() *env { return &env{e.Neighbour(), e.walkStore} }

// noon is the clock of a fresh store.
var noon = graphtest.Noon

// What the tests write.
var (
	node, shared       = graphtest.Node, graphtest.Shared
	link, closed, said = graphtest.Link, graphtest.Closed, graphtest.Said
)
