package keytable

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// TestTable checks that a table returns the last text of each key, from memory or from its file, and that its memory is
// bounded.
func TestTable(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const keys = 400_000
	table := New()
	key := func(n int) string { return fmt.Sprintf("0192f000-aaaa-7000-8000-%012d", n) }
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range keys {
		if err := table.Put(key(n), fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
		if n%10 == 0 { // one is set again, sometimes much later
			if err := table.Put(key(n/2), "again"); err != nil {
				t.Fatal(err)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3*freshBytes || len(table.levels) < 2 {
		t.Errorf("%d bytes for %d keys, in %d levels", grown, keys, len(table.levels))
	}
	for n := range keys {
		want := fmt.Sprint(n)
		if n%5 == 0 && n < keys/2 {
			want = "again"
		}
		if got, found, err := table.Get(key(n)); err != nil || !found || got != want {
			t.Fatalf("%d: %q, %v, %v; want %q", n, got, found, err, want)
		}
		if got, found, err := table.Get("no " + key(n)); err != nil || found {
			t.Fatalf("%d, which is not there: %q, %v", n, got, err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := New().Close(); err != nil {
		t.Error(err)
	}
}
