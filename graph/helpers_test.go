package graph

import (
	"context"
	"errors"
	testflag "flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"pgregory.net/rapid"

	"kith/internal/fault"
	"kith/internal/testenv"
	"kith/neo"
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
	noon    = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	weekAgo = noon.Add(-Week)
)

// env is a store and a team of one test.
type env struct {
	*testing.T
	store *Store
	team  string
	now   time.Time // the store's clock; a test changes it only between calls

	observe func(query string, took time.Duration, err error) // called after every statement; nil: none
}

// migrated records that the shared database has the schema.
var migrated struct {
	sync.Mutex
	done bool
}

// fresh returns a new team on the shared Neo4j. When the test ends, the team's data is checked for integrity.
func fresh(t *testing.T) *env {
	t.Helper()
	t.Parallel()
	return alone(t)
}

// twice runs a property check in two parallel subtests, so that two cores work. Each case has a new team.
func twice(t *testing.T, check func(*rapid.T, *env)) {
	t.Helper()
	fresh(t)
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			e := open(t, testenv.Neo4j(t), Options{}) // with its own clock
			rapid.Check(t, func(r *rapid.T) {
				e.team, e.now = testenv.Team(t), noon
				check(r, e)
			})
		})
	}
}

// alone is fresh for a test that breaks the database's rules for a while. It runs beside no other test.
func alone(t *testing.T) *env {
	t.Helper()
	e := open(t, testenv.Neo4j(t), Options{})
	migrated.Lock()
	defer migrated.Unlock()
	if !migrated.done {
		if err := e.store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		migrated.done = true
	}
	t.Cleanup(func() { audit(e) })
	return e
}

// open returns a store on a database.
func open(t *testing.T, db testenv.Database, o Options) *env {
	t.Helper()
	e := &env{T: t, team: testenv.Team(t), now: noon}
	o.Now = func() time.Time { return e.now }
	o.Changed = func(_ context.Context, c Change) {
		reported.Lock()
		defer reported.Unlock()
		reported.byTeam[c.Team] = append(reported.byTeam[c.Team], c)
	}
	if o.Observe == nil {
		o.Observe = func(query string, took time.Duration, err error) {
			if e.observe != nil {
				e.observe(query, took, err)
			}
		}
	}
	s, err := Open(neo.Connection(db), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	e.store = s
	// As Kith does before it serves. The driver's first connection must be alone: connector.Connect (v5.28.4) writes a field that
	// it reads without a lock.
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// reported has the changes that stores reported, by team.
var reported = struct {
	sync.Mutex
	byTeam map[string][]Change
}{byTeam: map[string][]Change{}}

// reports returns the changes of the team since the last call.
func (e *env) reports() []Change {
	reported.Lock()
	defer reported.Unlock()
	changes := reported.byTeam[e.team]
	delete(reported.byTeam, e.team)
	return changes
}

// changed returns the users whose contexts may have changed since the last call, and the keys of what changed.
func (e *env) changed() (users, ids []string) {
	users = []string{}
	for _, c := range e.reports() {
		if c.Contexts {
			users = append(users, c.Users...)
		}
		ids = append(ids, c.IDs...)
	}
	return Distinct(users), ids
}

func (e *env) changedUsers() []string {
	users, _ := e.changed()
	return users
}

// neighbour returns another team on the same store.
func (e *env) neighbour() *env {
	other := &env{T: e.T, store: e.store, team: testenv.Team(e.T), now: e.now}
	e.Cleanup(func() { audit(other) })
	return other
}

// audit checks that the data of a test is consistent and stays within its team.
func audit(e *env) {
	e.Helper()
	a := &auditor{store: e.store, options: AuditOptions{Report: func(f Finding) { e.Errorf("audit: %+v", f) }}}
	if err := a.team(context.Background(), e.team); err != nil {
		e.Errorf("audit: %v", err)
	}
}

// raw runs a statement on the database without the store.
func (e *env) raw(text string) [][]any {
	e.Helper()
	ctx := context.Background() // also in cleanups, where the test's own context has ended
	session := e.store.db.Session(ctx, neo4j.AccessModeWrite, "", neo4j.FetchAll)
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, text, map[string]any{"team": e.team})
	if err != nil {
		e.Fatal(err)
	}
	records, err := result.Collect(ctx)
	if err != nil {
		e.Fatal(err)
	}
	rows := make([][]any, len(records))
	for i := range records {
		rows[i] = records[i].Values
	}
	return rows
}

// stored counts the team's nodes and relationships, and the writes to them.
func (e *env) stored() []any {
	e.Helper()
	return e.raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL OPTIONAL MATCH (n)-[r]->()
		WITH n, count(r) AS out, sum(size(keys(r))) AS fields
		RETURN count(n), sum(out), sum(fields), sum(size(keys(n))), max(n.updated_at)`)[0]
}

func (e *env) as(user string) Scope { return Scope{TeamID: e.team, UserID: user} }

// write stores nodes and relationships for a user. All must be accepted.
func (e *env) write(user string, nodes []NodeWrite, relationships ...RelationshipWrite) MemoryResult {
	e.Helper()
	result, err := e.store.Write(e.Context(), e.as(user), &MemoryWrite{Nodes: nodes, Relationships: relationships, Strict: true})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// try does the same as write without Strict: refused items are in the result.
func (e *env) try(user string, nodes []NodeWrite, relationships ...RelationshipWrite) MemoryResult {
	e.Helper()
	result, err := e.store.Write(e.Context(), e.as(user), &MemoryWrite{Nodes: nodes, Relationships: relationships})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// source stores a source of a user.
func (e *env) source(user string, w SourceWrite) SourceResult {
	e.Helper()
	result, err := e.store.WriteSource(e.Context(), e.as(user), &w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// sections reads all sections of a user at once, and each alone. The two must agree.
func (e *env) sections(user string) *Sections {
	e.Helper()
	return e.sectionsAsOf(user, nil)
}

// same compares; want comes first.
func (e *env) same(what string, want, got any) {
	e.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// node returns an active node of a kind, named by its key.
func node(kind, key string, salience float64, change ...func(*NodeWrite)) NodeWrite {
	w := NodeWrite{
		Kind: kind, EntityKey: key, Name: Some("the " + key), State: Some("active"), Salience: Some(salience),
	}
	for _, c := range change {
		c(&w)
	}
	return w
}

// owner1 returns the owner node of a user.
func owner1(key string) NodeWrite {
	return node("person", key, 1, func(w *NodeWrite) { w.IsOwner = Some(true) })
}

func inState(state string) func(*NodeWrite) { return func(w *NodeWrite) { w.State = Some(state) } }
func described(text string) func(*NodeWrite) {
	return func(w *NodeWrite) { w.Description = Some(text) }
}
func accessed(at time.Time) func(*NodeWrite) {
	return func(w *NodeWrite) { w.LastAccessedAt = Some(at) }
}
func shared(w *NodeWrite)             { w.UserID = Null[string]() }
func of(user string) func(*NodeWrite) { return func(w *NodeWrite) { w.UserID = Some(user) } }
func change(kind, key string, c ...func(*NodeWrite)) NodeWrite {
	w := NodeWrite{Kind: kind, EntityKey: key}
	for _, f := range c {
		f(&w)
	}
	return w
}

func link(from, relationship, to string, salience float64) RelationshipWrite {
	return RelationshipWrite{
		From: from, Type: relationship, To: to, Salience: Some(salience), Description: Some(from + " " + relationship + " " + to),
	}
}

func closed(from, relationship, to string, at time.Time) RelationshipWrite {
	return RelationshipWrite{From: from, Type: relationship, To: to, ValidTo: Some(at)}
}

// keysOf returns the keys of the nodes that the rule of their section selects.
func keysOf(nodes []ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if !nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// countByRule returns how many relationships the rule of their section selects.
func countByRule(relationships []OwnerRelationship) (n int) {
	for i := range relationships {
		if !relationships[i].Filled {
			n++
		}
	}
	return n
}

// filledKeys returns the keys of filled nodes.
func filledKeys(nodes []ContextNode) []string {
	keys := []string{}
	for i := range nodes {
		if nodes[i].Filled {
			keys = append(keys, nodes[i].EntityKey)
		}
	}
	return keys
}

// byRule returns the relationships that the rule of their section selects.
func byRule(relationships []OwnerRelationship) []OwnerRelationship {
	return slices.DeleteFunc(slices.Clone(relationships), func(r OwnerRelationship) bool { return r.Filled })
}

// linkedKeys returns the keys of the nodes that the rule of their section selects.
func linkedKeys(relationships []OwnerRelationship) []string {
	keys := []string{}
	for _, r := range byRule(relationships) {
		keys = append(keys, r.Node.EntityKey)
	}
	return keys
}

// locations returns the locations of the faults in an fault.InvalidError; nil for any other error.
func locations(err error) []string {
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) {
		return nil
	}
	at := make([]string, len(invalid.Fields))
	for i, f := range invalid.Fields {
		at[i] = f.Path.String()
	}
	slices.Sort(at)
	return at
}

func statuses(result MemoryResult) []Status {
	var all []Status
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
