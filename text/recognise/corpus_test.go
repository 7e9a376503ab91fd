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

// graded is a line of the corpus.
type graded struct{ file, grade, kind, stretch, text string }

// gradedLines returns the lines of the corpus but for the pairs, in their order.
func gradedLines(t *testing.T) (all []graded) {
	t.Helper()
	for _, path := range corpusFiles(t) {
		file := strings.TrimSuffix(filepath.Base(path), ".tsv")
		if strings.HasPrefix(file, "pairs_") {
			continue
		}
		columns := 7
		if strings.HasPrefix(file, "sessions_") {
			columns = 8
		}
		for _, f := range corpusLines(t, path, columns) {
			line := graded{file, f[0], f[1], f[5], f[6]}
			if grades[line.grade] == 0 != (line.kind == "-") || line.stretch != whole && line.kind != "-" && !strings.Contains(line.text, line.stretch) {
				t.Errorf("%s: %q", path, f)
			}
			all = append(all, line)
		}
	}
	return all
}

func corpusFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(corpus + "/*.tsv")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

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

// TestCorpus says how many of the sentences that are worth keeping are found, and how many of what is found are, by file. Each fifth of the
// corpus is read with a model that the other four trained. The figures say what is so today, not what should be: -update after a change, and
// look whether they rose. It checks that the stored model is the one that all of the corpus trains.
func TestCorpus(t *testing.T) {
	lines := gradedLines(t)
	more := slices.Concat(pairExamples(t), slices.Repeat(saidExamples(t), 4)) // what TestLanguages checks must be right
	stored := trained
	defer func() { trained = stored }()
	type count struct{ lines, worth, found, right, noise, kind int }
	counts := map[string]*count{}
	for part := range parts {
		trained = train(slices.Concat(examplesOf(lines, func(i int) bool { return partOf(i) != part }), more))
		for i, line := range lines {
			if partOf(i) != part {
				continue
			}
			n := counts[line.file]
			if n == nil {
				n = &count{}
				counts[line.file] = n
			}
			found := foundIn(line.text)
			n.lines++
			if line.grade == "2" {
				n.worth++
			}
			if len(found) == 0 {
				continue
			}
			n.found++
			switch line.grade {
			case "0":
				n.noise++
			case "2":
				n.right++
				if slices.ContainsFunc(found, func(s Statement) bool { return s.Kind == modelKinds[strings.Index(letters, line.kind)] }) {
					n.kind++
				}
			}
		}
	}
	share := func(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s%7s%7s%7s%10s%8s%8s%8s\n", "file", "lines", "worth", "found", "precision", "recall", "noise", "kind")
	row := func(file string, n *count) {
		fmt.Fprintf(&table, "%-22s%7d%7d%7d%10.1f%8.1f%8.1f%8.1f\n", file, n.lines, n.worth, n.found, share(n.right, n.found), share(n.right, n.worth), share(n.noise, n.found), share(n.kind, n.right))
	}
	all := &count{}
	for _, file := range slices.Compact(slices.Collect(func(yield func(string) bool) {
		for _, line := range lines {
			if !yield(line.file) {
				return
			}
		}
	})) {
		n := counts[file]
		row(file, n)
		all.lines, all.worth, all.found, all.right, all.noise, all.kind = all.lines+n.lines, all.worth+n.worth, all.found+n.found, all.right+n.right, all.noise+n.noise, all.kind+n.kind
	}
	row("all", all)
	golden.Check(t, "testdata/corpus.txt", table.String())

	trained = train(slices.Concat(examplesOf(lines, func(int) bool { return true }), more))
	if golden.Updating() {
		if err := os.WriteFile("worth.bin", trained, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(trained) != string(stored) {
		t.Error("worth.bin is not what the corpus trains: renew it with -update")
	}
}

// foundIn returns the statements in a message that nothing was said before.
func foundIn(message string) (found []Statement) {
	for _, s := range statementsOf(message) {
		switch {
		case s.Kind != End:
			found = append(found, s)
		case s.Instead != nil && s.Instead.Confidence >= Worthy:
			found = append(found, *s.Instead)
		}
	}
	return found
}

const parts = 5

// partOf returns the part of the corpus to which a line belongs. Lines that follow each other are about the same.
func partOf(line int) int { return line / 50 % parts }
