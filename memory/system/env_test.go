package system

import (
	"flag"
	"testing"

	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// TestMain has random histories tried 15 times instead of rapid's hundred, unless -rapid.checks is set: each runs on the database.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
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
