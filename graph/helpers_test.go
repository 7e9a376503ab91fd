package graph_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/chat"
	"kith/memory/erasure"
	"kith/memory/traverse"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// TestMain starts what the tests need. The Neo4j of TestOwnServer_slow lives for minutes, so it gets all of Java's compilers (211 s instead of 275 s).
func TestMain(m *testing.M) {
	const options = "JDK_JAVA_OPTIONS"
	if err := os.Setenv(options, strings.ReplaceAll(os.Getenv(options), "-XX:TieredStopAtLevel=1", "")); err != nil {
		panic(err)
	}
	testenv.DrawHistories()
	testenv.Main(m)
}

// noon is the clock of a fresh store, and weekAgo the limit of its contexts.
var (
	noon    = graphtest.Noon
	weekAgo = noon.Add(-graph.Week)
)

// env is a store and a team of one test.
type env struct{ *graphtest.Env }

// fresh returns a new team on the shared Neo4j. When the test ends, the team's data is checked for integrity.
func fresh(t *testing.T) *env {
	t.Helper()
	return &env{graphtest.New(t)}
}

// alone is fresh for a test that breaks the database's rules for a while. It runs beside no other test.
func alone(t *testing.T) *env {
	t.Helper()
	return &env{graphtest.Alone(t)}
}

// twice runs a property check in two parallel subtests, so that two cores work. Each case has a new team.
func twice(t *testing.T, check func(*rapid.T, *env)) {
	t.Helper()
	graphtest.Twice(t, func(r *rapid.T, e *graphtest.Env) { check(r, &env{e}) })
}

// open returns a new team on a database, which must have the schema.
func open(t *testing.T, db testenv.Database, o graph.Options) *env {
	t.Helper()
	return &env{graphtest.Open(t, db, o)}
}

// of returns another test's view of a team on the same store, at noon.
func (e *env) of(t *testing.T, team string) *env {
	return &env{&graphtest.Env{T: t, Store: e.Store, Team: team, Now: noon}}
}

// neighbour returns another team on the same store.
func (e *env) neighbour() *env { return &env{e.Neighbour()} }

// chats returns the chats of the team's database.
func (e *env) chats() *chat.Store { return chat.NewStore(e.Store) }

// walks returns the walks of the team's database.
func (e *env) walks() *traverse.Store {
	return traverse.NewStore(e.Store, slog.New(slog.DiscardHandler))
}

// eraseUser erases a user.
func (e *env) eraseUser(ctx context.Context, user string) (erasure.Receipt, error) {
	return erasure.NewStore(e.Store).EraseUser(ctx, e.As(user), erasure.Beside{})
}

// contexts returns the contexts of the team's database.
func (e *env) contexts() *loader.Store { return loader.NewStore(e.Store) }

// tree stores a chat tree of a user.
func (e *env) tree(user string) chat.Tree {
	e.Helper()
	tree, _, err := e.chats().CreateChatTree(e.Context(), e.As(user), "", &chat.TreeWrite{})
	if err != nil {
		e.Fatal(err)
	}
	return tree
}

// turn stores a turn of a chat tree, whose prompt has its id.
func (e *env) turn(user, tree, parent, id string) chat.Turn {
	e.Helper()
	turn, _, err := e.chats().AddChatTurn(e.Context(), e.As(user), tree, chat.TurnWrite{ID: id, ParentID: parent, UserPrompt: "prompt of " + id})
	if err != nil {
		e.Fatal(err)
	}
	return turn
}

// sections reads all sections of a user at once, and each alone. The two must agree.
func (e *env) sections(user string) *loader.Sections {
	e.Helper()
	return e.sectionsAsOf(user, nil)
}

// What the tests write.
var (
	node, owner1, change             = graphtest.Node, graphtest.Owner, graphtest.Change
	inState, described, accessed, of = graphtest.InState, graphtest.Described, graphtest.Accessed, graphtest.Of
	shared                           = graphtest.Shared
	link, closed, said               = graphtest.Link, graphtest.Closed, graphtest.Said
	statuses                         = graphtest.Statuses
)

// keysOf returns the keys of the nodes that the rule of their section selects.
func keysOf(nodes []loader.ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if !nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// countByRule returns how many relationships the rule of their section selects.
func countByRule(relationships []loader.OwnerRelationship) (n int) {
	for i := range relationships {
		if !relationships[i].Filled {
			n++
		}
	}
	return n
}

// filledKeys returns the keys of filled nodes.
func filledKeys(nodes []loader.ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// byRule returns the relationships that the rule of their section selects.
func byRule(relationships []loader.OwnerRelationship) []loader.OwnerRelationship {
	return slices.DeleteFunc(slices.Clone(relationships), func(r loader.OwnerRelationship) bool { return r.Filled })
}

// linkedKeys returns the keys of the nodes that the rule of their section selects.
func linkedKeys(relationships []loader.OwnerRelationship) []string {
	keys := []string{}
	for _, r := range byRule(relationships) {
		keys = append(keys, r.Node.EntityKey)
	}
	return keys
}

// faultsAt returns the locations in an error.
func faultsAt(err error) (at []string) {
	var fields []fault.FieldError
	var invalid *fault.InvalidError
	var missing *fault.MissingError
	if errors.As(err, &invalid) {
		fields = invalid.Fields
	} else if errors.As(err, &missing) {
		fields = missing.Fields
	}
	for _, f := range fields {
		at = append(at, f.Path.String())
	}
	return at
}
