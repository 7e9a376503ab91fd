package graph_test

import (
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

// TestAnEmptyUserIsNotTheTeam checks that an item with an empty user is refused: it would be shared by the team.
func TestAnEmptyUserIsNotTheTeam(t *testing.T) {
	t.Parallel()
	n := graph.NodeWrite{Kind: "concept", Name: graph.Some("a"), UserID: graph.Some("")}
	f := &graph.Faults{}
	n.CheckNamesForTest(f, fault.At("nodes").Index(0), graph.ConceptKind)
	if err := f.Err(); err == nil || !strings.Contains(err.Error(), "nodes[0].user_id") {
		t.Errorf("a node: %v", err)
	}
}
