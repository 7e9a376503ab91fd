package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A killed compaction leaves one complete store at any step, and the next start removes the rest.
func TestKilledCompaction(t *testing.T) {
	t.Parallel()
	const old, next = "the old store", "the new store"
	for name, c := range map[string]struct {
		files map[string]string // by their names in the data folder
		want  string
		kept  bool
	}{
		"before it":                    {map[string]string{"neo4j/store": old}, old, false},
		"while it copies":              {map[string]string{"neo4j/store": old, "compact/neo4j/store": next}, old, false},
		"when the copy is whole":       {map[string]string{"neo4j/store": old, "compact/neo4j/store": next, "compact/complete": ""}, old, false},
		"between the two names":        {map[string]string{"neo4j.old/store": old, "compact/neo4j/store": next, "compact/complete": ""}, next, false},
		"between the two, kept":        {map[string]string{"neo4j.kept/store": old, "compact/neo4j/store": next, "compact/complete": ""}, next, true},
		"between the two, copy broken": {map[string]string{"neo4j.old/store": old, "compact/neo4j/store": next}, old, false},
		"between the two, copy gone":   {map[string]string{"neo4j.old/store": old}, old, false},
		"while it removes the old one": {map[string]string{"neo4j/store": next, "neo4j.old/store": old, "compact/complete": ""}, next, false},
		"at its end":                   {map[string]string{"neo4j/store": next, "compact/complete": ""}, next, false},
		"of an earlier one, kept":      {map[string]string{"neo4j/store": next, "neo4j.kept/store": old}, next, true},
	} {
		dir := t.TempDir()
		for file, content := range c.files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			writeTestFile(t, path, content, 0o600)
		}
		f, err := existingFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // and again
			if err := f.finishCompaction(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got, err := os.ReadFile(filepath.Join(f.home(), "store")); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %s", name, got, err, c.want)
		}
		for _, path := range []string{f.next(), f.old()} {
			if exists(path) {
				t.Errorf("%s: %s is left", name, path)
			}
		}
		if exists(f.kept()) != c.kept {
			t.Errorf("%s: the kept store is there: %v", name, !c.kept)
		}
	}
}

// A folder in which a compaction was killed between its last two steps still has a database.
func TestExistsWhileSwapping(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if Exists(dir) {
		t.Error("an empty folder has a database")
	}
	if err := os.MkdirAll(filepath.Join(dir, "neo4j.old", "data", "databases"), 0o700); err != nil {
		t.Fatal(err)
	}
	if !Exists(dir) {
		t.Error("a folder whose store has another name has no database")
	}
	if _, err := Compact(t.Context(), Options{Dir: filepath.Join(dir, "none")}, false, nil); !errors.Is(err, ErrNoDatabase) {
		t.Errorf("no folder: %v", err)
	}
}
