package eval

import (
	"io"
	"strings"
	"testing"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		gold, ids string
		k         int
		want      float64
	}{
		{"a", "a b", 1, 1},
		{"b", "a b", 1, 0},
		{"b", "a b", 5, 1},
		{"a b", "a x b", 1, 0.5},
		{"a a b", "a x b", 2, 0.5},
		{"a b", "a a b", 2, 1}, // distinct ids count
		{"a b c d", "", 20, 0},
	} {
		if got := recall(strings.Fields(test.gold), strings.Fields(test.ids), test.k); got != test.want {
			t.Errorf("recall@%d of %q in %q is %v, want %v", test.k, test.gold, test.ids, got, test.want)
		}
	}
}

func TestEvalLatency(t *testing.T) {
	t.Parallel()
	r := &report{answers: []answer{{took: 3e6, semantic: "on"}, {took: 1e6, semantic: "on"}, {took: 99e6, err: io.EOF}, {took: 2e6, semantic: "partial"}}}
	if got := r.latency(0.50) + " " + r.latency(0.95) + " " + r.semanticStates(); got != "2.0 ms 3.0 ms on 2, partial 1" {
		t.Error(got)
	}
}
