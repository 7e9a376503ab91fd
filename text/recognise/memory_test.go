package recognise

import (
	"runtime"
	"testing"
)

// TestMemory checks that the forms of all languages take at most 20 MB. It runs beside no other test of the package.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	loaded := load()
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d KB for %d languages", grown>>10, len(loaded.languages))
	if grown < 1<<10 || grown > 20<<20 {
		t.Errorf("the forms of %d languages take %d bytes", len(loaded.languages), grown)
	}
}
