package duplicate

import (
	"context"
	"errors"
	"fmt"
	"testing"

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
