package command

import "testing"

func TestHeapLimit(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int64{0: 100 << 20, 5 << 20: 100 << 20, 30 << 20: 100 << 20, 35 << 20: 110 << 20, 200 << 20: 440 << 20} {
		if got := heapLimit(live); got != want {
			t.Errorf("%d: %d, want %d", live, got, want)
		}
	}
}
