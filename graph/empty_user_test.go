package graph

import (
	"strings"
	"testing"

	"kith/internal/fault"
)

// TestAnEmptyUserIsNotTheTeam checks that an item with an empty user is refused: it would be shared by the team.
func TestAnEmptyUserIsNotTheTeam(t *testing.T) {
	t.Parallel()
	n := NodeWrite{Kind: "concept", Name: Some("a"), UserID: Some("")}
	f := &Faults{}
	n.checkNames(f, fault.At("nodes").Index(0), ConceptKind)
	if err := f.Err(); err == nil || !strings.Contains(err.Error(), "nodes[0].user_id") {
		t.Errorf("a node: %v", err)
	}
}
