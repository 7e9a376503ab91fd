package compact

import (
	"slices"
	"strings"
	"testing"
)

// TestCopyParts checks that a write of a copy has a bounded text, whatever the nodes hold, and that no row is lost.
func TestCopyParts(t *testing.T) {
	rows := make([]map[string]any, 0, 5)
	for i, size := range []int{copyText / 2, copyText / 2, 1, 3 * copyText, 0} {
		rows = append(rows, map[string]any{"properties": map[string]any{"place": i, "text": strings.Repeat("é", size)}})
	}
	var parts []int
	var all []map[string]any
	for part := range copyParts(rows) {
		parts, all = append(parts, len(part)), append(all, part...)
	}
	if !slices.Equal(parts, []int{2, 1, 1, 1}) || len(all) != len(rows) {
		t.Errorf("parts of %v rows, %d in all", parts, len(all))
	}
	for i, row := range all {
		if properties := row["properties"].(map[string]any); properties["place"] != i {
			t.Errorf("row %d is at place %d", properties["place"], i)
		}
	}
	for range copyParts(nil) {
		t.Error("a part of nothing")
	}
}
