package exchange

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kith/tests/golden"
	"kith/tests/testenv"
)

// The files in testdata are what the systems' own classes write: a file that they write now is read in the same way.
func TestFilesOfTheirOwnClasses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, program string
		format        Format
		light         bool // quickly installed
		packages      []string
	}{
		{"zep.json", "zep_file.py", Zep, true, []string{"letta-client==1.12.1", "zep-cloud==4.0.1"}},
		{"langgraph.jsonl", "langgraph_file.py", LangGraph, true, []string{"langgraph-checkpoint==4.3.2"}},
		{"letta.af", "letta_file.py", Letta, false, []string{"--no-binary=demjson3", "letta==0.16.8", "asyncpg==0.32.0", "pgvector==0.5.1"}},
		{"cognee.json", "cognee_file.py", Cognee, false, []string{"--no-binary=langdetect,pympler", "cognee==1.6.5"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			if !test.light && os.Getenv("KITH_TEST_ADAPTERS") == "" {
				t.Skip("installs a gigabyte: make test-adapters")
			}
			path := filepath.Join(t.TempDir(), test.file)
			command := exec.CommandContext(t.Context(), testenv.Python(t, test.packages...), filepath.Join("testdata", test.program), path) //nolint:gosec // the test's own
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }()
			golden.Check(t, filepath.Join("testdata", test.file+".golden"), strings.Join(readAll(t, test.format, file), "\n")+"\n")
		})
	}
}
