package tokens

import (
	"fmt"
	"testing"
)

// Texts have the same tokens when they are counted again, for each owner, and when there are more than are kept.
func TestCounts(t *testing.T) {
	t.Parallel()
	counts := NewCounts()
	for range 2 {
		for i := range maxCounts + 1000 {
			text := fmt.Sprintf("- **Thing %d**", i)
			want, _ := Count(text)
			for _, owner := range []string{"ada", "grace"} {
				if n, err := counts.Of(owner)(text); n != want || err != nil {
					t.Fatalf("%q: %d, %v; want %d", text, n, err, want)
				}
			}
		}
	}
	if known := counts.known.EstimatedSize(); known > maxCounts+1000 { // it drops some a moment later
		t.Errorf("%d texts are kept", known)
	}
}

func TestCountsOfAnOwner(t *testing.T) {
	t.Parallel()
	counts := NewCounts()
	for _, owner := range []string{"ada", "grace", "ada"} {
		_, _ = counts.Of(owner)("the same text")
	}
	if known := counts.known.EstimatedSize(); known != 2 {
		t.Errorf("%d texts are known, want that of each owner", known)
	}
}
