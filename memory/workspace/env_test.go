package workspace

import (
	"testing"

	"kith/tests/graphtest"
	"kith/tests/testenv"

	"pgregory.net/rapid"
)

// env is the memory of a team with its projects.
type env struct {
	*graphtest.Env
	projects *Store
}

// fresh returns the projects of a new team, for a test that runs beside others.
func fresh(t *testing.T) *env {
	t.Helper()
	return withProjects(graphtest.New(t))
}

func withProjects(e *graphtest.Env) *env { return &env{e, NewStore(e.Store)} }

// twice runs a property check in two parallel subtests, so that two cores work. Each case has a new team.
func twice(t *testing.T, check func(*rapid.T, *env)) {
	t.Helper()
	graphtest.Twice(t, func(r *rapid.T, e *graphtest.Env) { check(r, withProjects(e)) })
}

// neighbour returns another team on the same store.
func (e *env) neighbour() *env { return withProjects(e.Neighbour()) }

// noon is the clock of a fresh store.
var noon = graphtest.Noon

// What the tests write.
var node, shared, link = graphtest.Node, graphtest.Shared, graphtest.Link

func TestMain(m *testing.M) {
	testenv.DrawHistories()
	testenv.Main(m)
}
