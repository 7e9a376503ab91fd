package consolidation

import (
	"testing"

	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// env is the memory of a team with the consolidations of its sources.
type env struct {
	*graphtest.Env
	sources *Store
}

// fresh returns a new team, for a test that runs beside others.
func fresh(t *testing.T) *env {
	t.Helper()
	e := graphtest.New(t)
	return &env{e, NewStore(e.Store)}
}

// neighbour returns another team on the same store.
func (e *env) neighbour() *env {
	other := e.Neighbour()
	return &env{other, NewStore(other.Store)}
}

// noon is the clock of a fresh store.
var noon = graphtest.Noon

// What the tests write.
var node, owner1, shared, change, inState = graphtest.Node, graphtest.Owner, graphtest.Shared, graphtest.Change, graphtest.InState
