package embedded

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestErasedTextLeavesTheLogs_slow deletes a text, and searches for it in the transaction logs of a running Neo4j.
// Checkpoints come every second here, not every five minutes: two new logs and two checkpoints remove it. Kith begins a
// new log after an erasure and then every 30 minutes, so that both come within 41 minutes.
func TestErasedTextLeavesTheLogs_slow(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := begin(t, Options{Dir: dir, checkpointIn: "1s"})
	e, logs := s.Endpoint(), filepath.Join(s.folder.home(), "data", "transactions")
	const canary = "canary-9f31c07e"
	mustRun(t, e, "CREATE (:Test {text: '"+strings.Repeat(canary+" ", 20)+"'})") // the letters of short texts are packed
	if !holds(t, logs, canary) {
		t.Fatal("the text is in no transaction log: the look finds nothing")
	}
	mustRun(t, e, "MATCH (n:Test) DELETE n")
	for range 2 {
		before := checkpoints(t, logs)
		mustRun(t, e, "CREATE (n:Test {filler: [i IN range(1, 40000) | randomUUID()]})")
		mustRun(t, e, "MATCH (n:Test) DELETE n")
		eventually(t, time.Minute, "a checkpoint", func() bool { return checkpoints(t, logs) != before })
	}
	eventually(t, time.Minute, "the text is in no transaction log", func() bool { return !holds(t, logs, canary) })
}

// checkpoints returns the contents of Neo4j's checkpoint files.
func checkpoints(t *testing.T, logs string) string {
	t.Helper()
	all := ""
	eachFile(t, logs, func(path string, content []byte) {
		if ok, _ := filepath.Match("checkpoint.*", filepath.Base(path)); ok { // the pattern is a good one
			all += string(content)
		}
	})
	return all
}

// holds reports whether a file in a folder has a text.
func holds(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	eachFile(t, dir, func(_ string, content []byte) { found = found || bytes.Contains(content, []byte(text)) })
	return found
}

// eachFile reads the files in a folder. They come and go while Neo4j runs.
func eachFile(t *testing.T, dir string, read func(path string, content []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		content, err := os.ReadFile(path)
		if err == nil {
			read(path, content)
		}
		return ignoreMissing(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
