package system

import (
	"testing"

	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) {
	testenv.DrawHistories()
	testenv.Main(m)
}

// env is the memory of a team with its systems.
type env struct {
	*graphtest.Env
	systems *Store
}

// fresh returns the systems of a new team, for a test that runs beside others.
func fresh(t *testing.T) *env {
	t.Helper()
	return withSystems(graphtest.New(t))
}

func withSystems(e *graphtest.Env) *env { return &env{e, NewStore(e.Store)} }

// neighbour returns another team on the same store.
func (e *env) neighbour() *env { return withSystems(e.Neighbour()) }

// noon is the clock of a fresh store.
var noon = graphtest.Noon

// node is what the tests write.
var node = graphtest.Node
