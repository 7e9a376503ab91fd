package duplicate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
)

// TestManyMergedNodesAreNotSent checks pairs of nodes into which many others were merged: a statement is given the keys of the pairs only, and
// looks for a bounded number of names.
func TestManyMergedNodesAreNotSent(t *testing.T) {
	for _, merged := range []int64{0, 100, 1000, 1_000_000} {
		var all []found
		for i := range examineBatch * mostProposals {
			n := &node{nodeRow: nodeRow{EntityKey: fmt.Sprint("a", i), Merged: merged}}
			all = append(all, found{pair: Pair{n.EntityKey, "b"}, a: n, b: n})
		}
		checked := 0
		for len(all) > 0 {
			some := firstPairs(all)
			if names := int64(some) * (2 + 2*min(merged, mostMerged)); some == 0 || names > checkedNames+2*(mostMerged+1) {
				t.Fatalf("%d pairs, %d names in a statement", some, names)
			}
			size := 0
			for i := range some {
				for name, value := range all[i].checked(i) {
					size += len(name) + len(fmt.Sprint(value))
				}
			}
			if size > 100*some {
				t.Errorf("%d bytes for %d pairs", size, some)
			}
			checked, all = checked+some, all[some:]
		}
		if checked != examineBatch*mostProposals {
			t.Errorf("%d pairs", checked)
		}
	}
}

// TestManyMergedNodes refuses pairs of nodes that are part of two, among many: the two are not proposed, whichever end the refusal names
// first.
func TestManyMergedNodes(t *testing.T) {
	e := fresh(t, 0)
	pairs := [][2]string{{"ann", "anne"}, {"bob", "robert"}, {"thomas", "tom"}, {"sue", "susan"}}
	families := []string{"Miller", "Petrova", "Verlinde", "Kowalska"}
	for i, p := range pairs {
		e.Write("u1", []graph.NodeWrite{named("person", p[0], "Katherina "+families[i]), named("person", p[1], "Katharina "+families[i])})
	}
	refuse := func(a, b string) {
		p := Pair{a, b}
		if b < a {
			p = Pair{b, a}
		}
		e.Raw(fmt.Sprintf(`CREATE (:DuplicateRefusal {team_id: $team, pair: '%[1]s\u001f%[2]s', of_user: 'u1', user_id: 'u1', kind: 'person', first_key: '%[1]s', second_key: '%[2]s'})`,
			p.First, p.Second))
	}
	for _, p := range pairs {
		for _, key := range p {
			e.Raw(fmt.Sprintf(`MATCH (n:Person {team_id: $team, entity_key: %q})
				SET n.merged_keys = [i IN range(1000, 999 + %d) | n.entity_key + '-' + right('' + i, 3)]`, key, mostMerged))
		}
	}
	refuse("bob-999", "robert-500")
	refuse("tom-000", "thomas")
	refuse("susan-999", "sue")
	refuse("ann-001", "robert-001")
	e.look()
	found := e.list("u1", Query{})
	for i, p := range pairs {
		if listed := slices.Contains(found, p[0]+" "+p[1]); listed != (i == 0) {
			t.Errorf("%s and %s are proposed: %t", p[0], p[1], listed)
		}
	}
}

// turns looks at some teams, as some turns do.
func (e *env) turns(count int, teams ...string) {
	e.Helper()
	for range count {
		if err := e.worker.lookAt(e.Context(), teams, newRound(e.worker.now())); err != nil {
			e.Fatal(err)
		}
	}
}

// TestOneTeamDoesNotStopOthers looks at a team of which each comparison fails, before another one.
func TestOneTeamDoesNotStopOthers(t *testing.T) {
	for name, failure := range map[string]error{"unavailable": graph.ErrUnavailable, "any other": errors.New("cannot be compared")} {
		t.Run(name, func(t *testing.T) {
			e := fresh(t, 0)
			other := &env{Env: e.Neighbour(), store: e.store}
			for _, of := range []*env{e, other} {
				of.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
			}
			e.worker.compare = func(ctx context.Context, team string, b batch) ([]found, error) {
				if team == e.Team {
					return nil, failure
				}
				return e.store.examine(ctx, team, b)
			}
			e.turns(1, e.Team, other.Team)
			e.Same("of the other team", []string{"bob robert"}, other.list("u1", Query{}))
		})
	}
}

// TestWhatFailsIsSkipped compares all nodes of a team but one, with which nothing can be compared: it is tried again, then alone, and then
// skipped, also if another process goes on.
func TestWhatFailsIsSkipped(t *testing.T) {
	e := fresh(t, 0)
	var nodes []graph.NodeWrite
	for i := range 120 {
		nodes = append(nodes, numbered(i))
	}
	e.Write("u1", nodes)
	compared, tried := map[string]bool{}, 0
	failing := func(ctx context.Context, team string, b batch) ([]found, error) {
		if slices.Contains(b.keys, "c070") {
			tried++
			return nil, graph.ErrUnavailable
		}
		for _, key := range b.keys {
			compared[key] = true
		}
		return e.store.examine(ctx, team, b)
	}
	e.worker.compare = failing
	e.turns(2, e.Team)
	e.worker = e.newWorker(0)
	e.worker.compare = failing
	for range 20 {
		e.turns(1, e.Team)
	}
	e.Same("nothing waits", false, e.waits())
	e.Same("compared", 119+1, len(compared)) // and the user
	e.Same("skipped", int64(1), e.counts[Skipped])
	if tried < mostTries || tried > 3*mostTries {
		t.Errorf("tried %d times", tried)
	}
	e.Write("u1", []graph.NodeWrite{named("concept", "c070", "Harbour")})
	tried = 0
	e.turns(10, e.Team)
	e.Same("a change of it is tried again", []any{false, mostTries}, []any{e.waits(), tried})
}

func numbered(i int) graph.NodeWrite {
	return named("concept", fmt.Sprintf("c%03d", i), fmt.Sprintf("Thing %d", i))
}

// TestBacklogLeavesRoom looks at a team with much to look at, and one that has changed again and again, beside others: a team has its share of
// a turn, the turn ends, and the next one begins behind.
func TestBacklogLeavesRoom(t *testing.T) {
	e := fresh(t, 0)
	busy := &env{Env: e.Neighbour(), store: e.store}
	for i := range 3 * examineBatch {
		busy.Write("u1", []graph.NodeWrite{numbered(i)})
	}
	e.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
	now := time.Now()
	e.worker.now = func() time.Time { return now }
	steps := map[string]int{}
	e.worker.compare = func(ctx context.Context, team string, b batch) ([]found, error) {
		now = now.Add(teamShare * 3 / 4)
		steps[team]++
		return e.store.examine(ctx, team, b)
	}
	r := newRound(now)
	for range 3 { // as if it had changed in this process
		if err := e.worker.lookAt(e.Context(), []string{busy.Team, e.Team}, r); err != nil {
			t.Fatal(err)
		}
	}
	e.Same("steps of a turn", map[string]int{busy.Team: 2, e.Team: 1}, steps)
	e.Same("more is left", true, r.left)
	e.Same("of the other team", []string{"bob robert"}, e.list("u1", Query{}))
	r.ends = now
	r.spent = map[string]time.Duration{}
	e.turnAt(r, busy.Team)
	e.Same("steps after the end of the turn", 2, steps[busy.Team])
}

func (e *env) turnAt(r *round, teams ...string) {
	e.Helper()
	if err := e.worker.lookAt(e.Context(), teams, r); err != nil {
		e.Fatal(err)
	}
}

// TestHostileTeam looks at a team whose names and merged nodes were made to take long, and at another one in the same turn.
func TestHostileTeam(t *testing.T) {
	e := fresh(t, 0)
	other := &env{Env: e.Neighbour(), store: e.store}
	var nodes []graph.NodeWrite
	for i := range 60 {
		var aliases []string
		for k := range 19 {
			aliases = append(aliases, strings.Repeat("a", 245-k)+" "+fmt.Sprint(i))
		}
		nodes = append(nodes, named("entity", fmt.Sprintf("e%d", i), strings.Repeat("a", 180+i), aliases...))
	}
	e.Write("u1", nodes)
	e.Raw(`MATCH (n:Entity {team_id: $team}) SET n.merged_keys = [i IN range(1, 101) | n.entity_key + '-' + i]`)
	other.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
	began := time.Now()
	e.turns(1, e.Team, other.Team)
	t.Log(time.Since(began))
	e.Same("of the other team", []string{"bob robert"}, other.list("u1", Query{}))
}
