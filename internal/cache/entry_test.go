package cache

import (
	"context"
	"testing"
	"time"
)

// An entry is used before its end, and computed anew from then on.
func TestEntriesEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	c, err := New(Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	loads, end := 0, now.Add(10*time.Second)
	get := func() {
		t.Helper()
		_, err := c.Get(t.Context(), "t", "u", "v", func(ctx context.Context) ([]byte, bool, error) {
			loads++
			Until(ctx, end.Add(time.Hour))
			Until(ctx, end)
			return []byte("value"), true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		after time.Duration
		loads int
	}{{0, 1}, {10*time.Second - time.Millisecond, 1}, {10 * time.Second, 2}, {11 * time.Second, 3}} {
		now = end.Add(step.after - 10*time.Second)
		if get(); loads != step.loads {
			t.Errorf("after %s: %d loads, want %d", step.after, loads, step.loads)
		}
	}
	Until(context.Background(), now) // outside a load it has no effect
}

func TestSealedEntriesCarryTheirEnd(t *testing.T) {
	t.Parallel()
	end := time.UnixMilli(1_790_000_000_123)
	for _, e := range []entry{{value: []byte("value")}, {[]byte("value"), end}, {nil, end}} {
		got, ok := unsealEntry("key", e.seal("key"))
		if !ok || string(got.value) != string(e.value) || !got.until.Equal(e.until) {
			t.Errorf("got %v %v, want %v", got, ok, e)
		}
		if _, ok := unsealEntry("other", e.seal("key")); ok {
			t.Error("the entry of another key is taken")
		}
		if sealed := e.seal("key"); !e.until.IsZero() {
			sealed[5]++
			if _, ok := unsealEntry("key", sealed); ok {
				t.Error("a changed end is taken")
			}
		}
	}
}
