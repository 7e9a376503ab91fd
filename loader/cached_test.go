package loader

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeptSurvivesItsEncoding(t *testing.T) {
	t.Parallel()
	k := cachedContext{Body: []byte(`{"a":1`), Sum: "s", Whole: "w", Made: at, Erased: true, Temporal: true, Nothing: true, Zone: "Europe/Berlin", HasLast: true, LastStarted: at, LastType: "planning"}
	got, err := decodeCached(k.encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(k, got); diff != "" {
		t.Error(diff)
	}
	raw := k.encode()
	for i := range len(raw) - len(k.Body) {
		if _, err := decodeCached(raw[:i]); err == nil {
			t.Errorf("the first %d bytes pass for the whole", i)
		}
	}
}
