// Package graphtest gives tests a memory on a real Neo4j. Only tests import it.
package graphtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"pgregory.net/rapid"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/tests/testenv"
)

// Noon is the time at which the clock of a test starts.
var Noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// Env is the memory of one team for one test.
type Env struct {
	*testing.T
	Store *graph.Store
	Team  string
	Now   time.Time // the clock of the store; a test changes it only between calls

	Observe func(query string, took time.Duration, err error) // called after every statement; nil: none
}

// migrated records that the shared database has the schema.
var migrated struct {
	sync.Mutex
	done bool
}

// New returns a new team on the shared Neo4j, for a test that runs beside others. When the test ends, the team's data is
// checked for integrity.
func New(t *testing.T) *Env {
	t.Helper()
	t.Parallel()
	return Alone(t)
}

// Alone does the same as New for a test that runs beside no other.
func Alone(t *testing.T) *Env {
	t.Helper()
	return AloneWith(t, graph.Options{})
}

// AloneWith does the same as Alone with options of the store.
func AloneWith(t *testing.T, o graph.Options) *Env {
	t.Helper()
	e := Open(t, testenv.Neo4j(t), o)
	migrated.Lock()
	defer migrated.Unlock()
	if !migrated.done {
		if err := e.Store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		migrated.done = true
	}
	t.Cleanup(e.CheckIntegrity)
	return e
}

// Twice runs a property check in two parallel subtests, so that two cores work. Each case has a new team.
func Twice(t *testing.T, check func(*rapid.T, *Env)) {
	t.Helper()
	New(t)
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			e := Open(t, testenv.Neo4j(t), graph.Options{}) // with its own clock
			rapid.Check(t, func(r *rapid.T) {
				e.Team, e.Now = testenv.Team(t), Noon
				check(r, e)
			})
		})
	}
}

// Open returns a new team on a database, which must have the schema, see New. The clock of the store is the test's.
func Open(t *testing.T, db testenv.Database, o graph.Options) *Env {
	t.Helper()
	e := &Env{T: t, Team: testenv.Team(t), Now: Noon}
	o.Now = func() time.Time { return e.Now }
	changed := o.Changed
	o.Changed = func(ctx context.Context, c graph.Change) {
		if changed != nil {
			changed(ctx, c)
		}
		reported.Lock()
		defer reported.Unlock()
		reported.byTeam[c.Team] = append(reported.byTeam[c.Team], c)
	}
	if o.Observe == nil {
		o.Observe = func(query string, took time.Duration, err error) {
			if e.Observe != nil {
				e.Observe(query, took, err)
			}
		}
	}
	s, err := graph.Open(neo.Connection(db), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	e.Store = s
	if err := s.Ping(t.Context()); err != nil { // the driver's first connection must be alone
		t.Fatal(err)
	}
	return e
}

// reported has the changes that stores reported, by team.
var reported = struct {
	sync.Mutex
	byTeam map[string][]graph.Change
}{byTeam: map[string][]graph.Change{}}

// Reports returns the changes of the team since the last call.
func (e *Env) Reports() []graph.Change {
	reported.Lock()
	defer reported.Unlock()
	changes := reported.byTeam[e.Team]
	delete(reported.byTeam, e.Team)
	return changes
}

// Changed returns the users whose contexts may have changed since the last call, and the keys of what changed.
func (e *Env) Changed() (users, ids []string) {
	users = []string{}
	for _, c := range e.Reports() {
		if c.Contexts {
			users = append(users, c.Users...)
		}
		ids = append(ids, c.IDs...)
	}
	return graph.Distinct(users), ids
}

// ChangedUsers returns the users of Changed.
func (e *Env) ChangedUsers() []string {
	users, _ := e.Changed()
	return users
}

// Neighbour returns another team on the same store.
func (e *Env) Neighbour() *Env {
	other := &Env{T: e.T, Store: e.Store, Team: testenv.Team(e.T), Now: e.Now}
	e.Cleanup(other.CheckIntegrity)
	return other
}

// CheckIntegrity checks that the team's data is consistent.
func (e *Env) CheckIntegrity() {
	e.Helper()
	_, err := e.Store.CheckIntegrity(context.Background(), graph.IntegrityOptions{
		TeamID: e.Team, Report: func(f graph.Finding) { e.Errorf("integrity: %+v", f) },
	})
	if err != nil {
		e.Errorf("integrity: %v", err)
	}
}

// As returns the scope of a user of the team.
func (e *Env) As(user string) graph.Scope { return graph.Scope{TeamID: e.Team, UserID: user} }

// Raw runs a statement on the database without the store.
func (e *Env) Raw(text string) [][]any {
	e.Helper()
	ctx := context.Background() // also in cleanups, where the test's own context has ended
	session := e.Store.DB().Session(ctx, neo4j.AccessModeWrite, "", neo4j.FetchAll)
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, cypher.Language+text, map[string]any{"team": e.Team})
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

// Blocked returns how many transactions with statements of the team wait for a lock.
func (e *Env) Blocked() int64 {
	e.Helper()
	rows := e.Raw(`SHOW TRANSACTIONS YIELD status, parameters WHERE status STARTS WITH 'Blocked' AND parameters.p.team_id = $team RETURN count(*)`)
	return rows[0][0].(int64) //nolint:forcetypeassert // a count
}

// Same reports a difference between two values.
func (e *Env) Same(what string, want, got any) {
	e.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Locations returns the locations of the faults in a fault.InvalidError, sorted; nil for any other error.
func Locations(err error) []string {
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
