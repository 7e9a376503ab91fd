package cypher

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// files returns all statement files as they are written, by name.
func files(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("queries/*.cypher")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no statements found: %v", err)
	}
	all := map[string]string{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".cypher")] = string(raw)
	}
	return all
}

// forEach runs a check for every statement.
func forEach(t *testing.T, check func(t *testing.T, q Query, raw string)) {
	t.Helper()
	t.Parallel()
	for name, raw := range files(t) {
		t.Run(name, func(t *testing.T) { check(t, Load(name), raw) })
	}
}

// header returns the comment at the top of a file.
func header(raw string) []string {
	var lines []string
	for line := range strings.Lines(raw) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimSpace(comment))
	}
	return lines
}

func TestNamesListEveryFile(t *testing.T) {
	t.Parallel()
	for name := range files(t) {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is not in Names", name)
		}
	}
	if !slices.IsSorted(Names()) {
		t.Error("Names are not sorted")
	}
}

func TestHeadersAreComplete(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	forEach(t, func(t *testing.T, q Query, raw string) {
		lines := header(raw)
		if len(lines) == 0 || regexp.MustCompile(`^[a-z]+:`).MatchString(lines[0]) || len(lines[0]) < 20 {
			t.Errorf("does not say first what it answers: %q", lines)
		}
		for _, field := range []string{"mode:", "params:", "returns:"} {
			if n := len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, field) })); n != 1 {
				t.Errorf("has %d lines %q", n, field)
			}
		}
		if !name.MatchString(q.Name) {
			t.Errorf("the name is not <noun>_<verb>")
		}
		if strings.HasPrefix(q.Text, "//") || q.Text == "" {
			t.Error("the header runs into the statement")
		}
	})
}

func TestParametersAreDeclared(t *testing.T) {
	used := regexp.MustCompile(`\$([a-zA-Z_]\w*)`)
	forEach(t, func(t *testing.T, q Query, _ string) {
		var inText []string
		for _, match := range used.FindAllStringSubmatch(q.Text, -1) {
			inText = append(inText, match[1])
		}
		slices.Sort(inText)
		declared := slices.Sorted(slices.Values(q.Params))
		if inText = slices.Compact(inText); !slices.Equal(inText, declared) {
			t.Errorf("declares %v, uses %v", declared, inText)
		}
	})
}

func TestReturnsAreDeclared(t *testing.T) {
	last := regexp.MustCompile(`(?s).*\nRETURN (.*)$`)
	alias := regexp.MustCompile(`\bAS (\w+)\s*$`)
	forEach(t, func(t *testing.T, q Query, _ string) {
		clause := last.FindStringSubmatch("\n" + q.Text)
		if clause == nil {
			t.Fatal("has no RETURN")
		}
		columns, _, _ := strings.Cut(clause[1], "\nLIMIT")
		var returned []string
		for _, column := range topLevel(columns) {
			name := strings.TrimSpace(column)
			if match := alias.FindStringSubmatch(name); match != nil {
				name = match[1]
			}
			returned = append(returned, name)
		}
		if !slices.Equal(returned, q.Returns) {
			t.Errorf("declares %v, returns %v", q.Returns, returned)
		}
	})
}

// topLevel splits a list at the commas that stand in no bracket.
func topLevel(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts, start = append(parts, list[start:i]), i+1
			}
		}
	}
	return append(parts, list[start:])
}

// A branch is what follows CALL, UNION or the beginning: its first pattern names the team, or continues from a node of
// a pattern that did (an imported variable).
func TestFirstPatternsNameTheTeam(t *testing.T) {
	pattern := regexp.MustCompile(`(?m)^\s*(?:OPTIONAL )?(?:MATCH|MERGE|CREATE) (.*(?:\n(?:\s+AND|\s*WHERE|\s*ON CREATE).*)*)`)
	forEach(t, func(t *testing.T, q Query, _ string) {
		if q.ServerWide {
			return
		}
		first := pattern.FindString(q.Text)
		if !strings.Contains(first, "team_id: $team_id") {
			t.Errorf("the first pattern is not of the team: %s", first)
		}
		for _, match := range pattern.FindAllStringSubmatch(q.Text, -1) {
			clause := strings.TrimSpace(match[1])
			bound := regexp.MustCompile(`^\((a|b|n|o|s)\)<?-`).MatchString(clause)
			if !strings.Contains(clause, "$team_id") && !bound {
				t.Errorf("a pattern stands without the team: %s", clause)
			}
		}
	})
}

// A look-up of memory by a key names the index of the key. Otherwise a plan for a database that is almost empty may seek by the team
// alone, and reads the whole team for each key when it has grown. Plans that are kept are compared by TestOwnServer_slow of graph.
func TestLookUpsNameTheirIndex(t *testing.T) {
	lookUp := regexp.MustCompile(`MATCH \((\w+):(?:Memory|Person) \{team_id: \$team_id, (entity_key|natural_key|owner_of): `)
	forEach(t, func(t *testing.T, q Query, _ string) {
		lines := strings.Split(q.Text, "\n")
		for i, line := range lines {
			if found := lookUp.FindStringSubmatch(line); found != nil && !q.KeepPlan {
				hint := regexp.MustCompile(`USING INDEX SEEK ` + found[1] + `:\w+\(team_id, ` + found[2] + `\)`)
				if !hint.MatchString(strings.Join(lines[i+1:min(i+4, len(lines))], "\n")) {
					t.Errorf("names no index: %s", line)
				}
			}
		}
	})
}

func TestReadsAreLimited(t *testing.T) {
	forEach(t, func(t *testing.T, q Query, _ string) {
		if q.Write {
			return
		}
		if strings.HasPrefix(q.Name, "context_") && !regexp.MustCompile(`RETURN (collect\(|CASE WHEN n IS NULL|\[(relationships|sources), \w+\] AS)`).MatchString(q.Text) {
			t.Error("a section of a context is one row: a collected list, maybe with a count, or one optional node")
		}
		// Each branch that walks an index ends in a limit of its own; a count of one node's mentions does not.
		branches := regexp.MustCompile(`UNION ALL|CALL \(\w*\) \{`).Split(q.Text, -1)
		for _, branch := range branches {
			walks := strings.Contains(branch, "ORDER BY") || len(branches) == 1
			if walks && !strings.Contains(branch, "LIMIT") {
				t.Errorf("is read without a limit: %s", branch)
			}
		}
	})
}

func TestVariableLengthsAreBounded(t *testing.T) {
	unbounded := regexp.MustCompile(`\[[^\]]*\*\s*(\d*\.\.)?\s*[\]{]|\*\d+\.\.\s*\]|\)[*+]|\{\d*,\s*\}`)
	for _, text := range []string{"-[*]-", "-[r:x*2..]->", "-[:x*..]-", "((a)-->(b))+", "((a)-->(b)){1,}"} {
		if !unbounded.MatchString(text) {
			t.Errorf("the test does not see %s", text)
		}
	}
	forEach(t, func(t *testing.T, q Query, _ string) {
		if found := unbounded.FindString(q.Text); found != "" {
			t.Errorf("has a path without an upper bound: %s", found)
		}
	})
}

func TestWritesSayWrite(t *testing.T) {
	writing := regexp.MustCompile(`(?m)\b(CREATE|MERGE|SET|DELETE|REMOVE)\b`)
	forEach(t, func(t *testing.T, q Query, _ string) {
		if writing.MatchString(q.Text) != q.Write {
			t.Errorf("mode write is %v", q.Write)
		}
	})
}

func TestNothingIsReadThatMayNotLeave(t *testing.T) {
	whole := regexp.MustCompile(`(?m)RETURN\s+(n|s|m|r|k|p)\s*$|properties\((n|s|m|r|k|p)\)|embedding`)
	forEach(t, func(t *testing.T, q Query, _ string) {
		outer := strings.ReplaceAll(q.Text[strings.LastIndex(q.Text, "RETURN"):], "WHERE name <> 'embedding'", "")
		if found := whole.FindString(outer); found != "" {
			t.Errorf("returns a whole node or a vector: %s", found)
		}
		listed := strings.Count(q.Text, "[name, n[name]]")
		if listed != strings.Count(q.Text, "keys(n) WHERE NOT name IN ['vector', 'vector_scope', ") {
			t.Error("returns properties of a node without leaving its vector out")
		}
	})
}

// TestEveryFileIsUsed looks for each name in the code of the packages that run statements.
func TestEveryFileIsUsed(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "../clients" || path == "../tests"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		raw, err := os.ReadFile(path)
		code.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files(t) {
		section, isSection := strings.CutPrefix(name, "context_")
		switch {
		case strings.Contains(code.String(), `"`+name+`"`):
		case isSection && strings.Contains(code.String(), `Section = "`+section+`"`):
		default:
			t.Errorf("%s.cypher is used nowhere", name)
		}
	}
}
