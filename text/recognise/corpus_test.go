package recognise

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kith/tests/golden"
)

const corpus = "testdata/corpus"

// corpusLines returns the lines of a file of the corpus as their columns.
func corpusLines(t *testing.T, path string, columns int) (lines [][]string) {
	t.Helper()
	raw, err := os.ReadFile(path) //nolint:gosec // as listed
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != columns || slices.Contains(fields, "") {
			t.Errorf("%s: %q does not have %d columns", path, line, columns)
			continue
		}
		lines = append(lines, fields)
	}
	return lines
}

// How many of the sentences that are worth keeping are found, and how many of what is found are, by file. The figures say what the forms
// do today, not what they should do: -update after a change, and look whether they rose.
func TestCorpus(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(corpus + "/*.tsv")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s%7s%7s%7s%10s%8s%8s\n", "file", "lines", "worth", "found", "precision", "recall", "noise")
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".tsv")
		columns := 7
		switch {
		case strings.HasPrefix(name, "pairs_"):
			for _, line := range corpusLines(t, path, 3) {
				if !slices.Contains([]string{"closes", "same", "beside"}, line[2]) {
					t.Errorf("%s: %q", path, line)
				}
			}
			continue
		case strings.HasPrefix(name, "sessions_"):
			columns = 8
		}
		var lines, worth, found, right, noise int
		for _, line := range corpusLines(t, path, columns) {
			grade, kind, stretch, text := line[0], line[1], line[5], line[6]
			if !slices.Contains([]string{"0", "1", "2"}, grade) || (grade == "0") != (kind == "-") || stretch != "=" && grade != "0" && !strings.Contains(text, stretch) {
				t.Errorf("%s: %q", path, line)
			}
			statements, err := Statements(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			statements = slices.DeleteFunc(statements, func(s Statement) bool { return s.Kind == End })
			lines++
			if grade == "2" {
				worth++
			}
			if len(statements) == 0 {
				continue
			}
			found++
			switch grade {
			case "0":
				noise++
			case "2":
				right++
			}
		}
		share := func(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }
		fmt.Fprintf(&table, "%-22s%7d%7d%7d%10.1f%8.1f%8.1f\n", name, lines, worth, found, share(right, found), share(right, worth), share(noise, found))
	}
	golden.Check(t, "testdata/corpus.txt", table.String())
}
