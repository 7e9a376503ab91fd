package audit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Several writers of one file, in one process and in two, write whole lines.
func TestLinesAreWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte("{\"before\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ids := strings.Split(strings.Repeat("an-id ", 2000), " ")
	var writers sync.WaitGroup
	for range 2 {
		log, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = log.Close() })
		for range 4 {
			writers.Go(func() {
				for range 25 {
					if err := log.Write(Entry{At: time.Now(), Operation: "x", IDs: ids}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
	if len(lines) != 201 || string(lines[0]) != `{"before":1}` {
		t.Fatalf("%d lines, the first %.30s", len(lines), lines[0])
	}
	for _, line := range lines[1:] {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil || len(e.IDs) != len(ids) {
			t.Fatalf("%v: %.50s", err, line)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	none, err := Open("", nil)
	if err != nil || none.Write(Entry{}) != nil || none.Close() != nil {
		t.Errorf("no log: %v", err)
	}
	var out bytes.Buffer
	standard, err := Open("-", &out)
	if err != nil || standard.Write(Entry{Operation: "x"}) != nil || standard.Close() != nil || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("standard output: %v %s", err, out.String())
	}
	if _, err := Open(t.TempDir(), nil); err == nil {
		t.Error("a folder is opened")
	}
}
