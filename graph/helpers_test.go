package graph_test

import (
	"errors"
	testflag "flag"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/chat"
	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/fault"
	"kith/internal/testenv"
)

// TestMain has random histories tried fifty times instead of rapid's hundred, unless -rapid.checks is set: each runs on the
// database.
func TestMain(m *testing.M) {
	if err := testflag.Set("rapid.checks", "50"); err != nil {
		panic(err)
	}
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

// stored counts the team's nodes and relationships, and the writes to them.
func (e *env) stored() []any {
	e.Helper()
	return e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL OPTIONAL MATCH (n)-[r]->()
		WITH n, count(r) AS out, sum(size(keys(r))) AS fields
		RETURN count(n), sum(out), sum(fields), sum(size(keys(n))), max(n.updated_at)`)[0]
}

// write stores nodes and relationships for a user. All must be accepted.
func (e *env) write(user string, nodes []graph.NodeWrite, relationships ...graph.RelationshipWrite) graph.MemoryResult {
	e.Helper()
	result, err := e.Store.Write(e.Context(), e.As(user), &graph.MemoryWrite{Nodes: nodes, Relationships: relationships, Strict: true})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// try does the same as write without Strict: refused items are in the result.
func (e *env) try(user string, nodes []graph.NodeWrite, relationships ...graph.RelationshipWrite) graph.MemoryResult {
	e.Helper()
	result, err := e.Store.Write(e.Context(), e.As(user), &graph.MemoryWrite{Nodes: nodes, Relationships: relationships})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// source stores a source of a user.
func (e *env) source(user string, w graph.SourceWrite) graph.SourceResult {
	e.Helper()
	result, err := e.Store.WriteSource(e.Context(), e.As(user), &w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// sections reads all sections of a user at once, and each alone. The two must agree.
func (e *env) sections(user string) *graph.Sections {
	e.Helper()
	return e.sectionsAsOf(user, nil)
}

// node returns an active node of a kind, named by its key.
func node(kind, key string, salience float64, change ...func(*graph.NodeWrite)) graph.NodeWrite {
	w := graph.NodeWrite{
		Kind: kind, EntityKey: key, Name: graph.Some("the " + key), State: graph.Some("active"), Salience: graph.Some(salience),
	}
	for _, c := range change {
		c(&w)
	}
	return w
}

// owner1 returns the owner node of a user.
func owner1(key string) graph.NodeWrite {
	return node("person", key, 1, func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })
}

func inState(state string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.State = graph.Some(state) }
}
func described(text string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.Description = graph.Some(text) }
}
func accessed(at time.Time) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.LastAccessedAt = graph.Some(at) }
}
func shared(w *graph.NodeWrite) { w.UserID = graph.Null[string]() }
func of(user string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.UserID = graph.Some(user) }
}
func change(kind, key string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
	w := graph.NodeWrite{Kind: kind, EntityKey: key}
	for _, f := range c {
		f(&w)
	}
	return w
}

func link(from, relationship, to string, salience float64) graph.RelationshipWrite {
	return graph.RelationshipWrite{
		From: from, Type: relationship, To: to, Salience: graph.Some(salience), Description: graph.Some(from + " " + relationship + " " + to),
	}
}

func closed(from, relationship, to string, at time.Time) graph.RelationshipWrite {
	return graph.RelationshipWrite{From: from, Type: relationship, To: to, ValidTo: graph.Some(at)}
}

// keysOf returns the keys of the nodes that the rule of their section selects.
func keysOf(nodes []graph.ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if !nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// countByRule returns how many relationships the rule of their section selects.
func countByRule(relationships []graph.OwnerRelationship) (n int) {
	for i := range relationships {
		if !relationships[i].Filled {
			n++
		}
	}
	return n
}

// filledKeys returns the keys of filled nodes.
func filledKeys(nodes []graph.ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// byRule returns the relationships that the rule of their section selects.
func byRule(relationships []graph.OwnerRelationship) []graph.OwnerRelationship {
	return slices.DeleteFunc(slices.Clone(relationships), func(r graph.OwnerRelationship) bool { return r.Filled })
}

// linkedKeys returns the keys of the nodes that the rule of their section selects.
func linkedKeys(relationships []graph.OwnerRelationship) []string {
	keys := []string{}
	for _, r := range byRule(relationships) {
		keys = append(keys, r.Node.EntityKey)
	}
	return keys
}

func statuses(result graph.MemoryResult) []graph.Status {
	var all []graph.Status
	for _, n := range result.Nodes {
		all = append(all, n.Status)
	}
	for _, r := range result.Relationships {
		all = append(all, r.Status)
	}
	return all
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
