package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// oddJSON draws a JSON value as callers may have one, as its text: NUL, other escapes, big numbers, empty names, deep nesting.
func oddJSON(r *rapid.T, depth int) string {
	text := func() string {
		return rapid.SampledFrom([]string{`""`, `"a"`, `"\u0000"`, `"a\u0000b"`, `"\\u0000"`, `"\u001f\n\t"`, `"\ud83d\ude00"`, `"😀<&>"`, `"\u2028"`, `"\/"`, `" "`}).Draw(r, "text")
	}
	switch rapid.IntRange(0, 5).Draw(r, "value") {
	case 0, 1:
		if depth > 0 {
			names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{`""`, `"a"`, `"\u0000"`, `"a\u0000"`, `"text"`, `"é"`}), 0, 3, rapid.ID[string]).Draw(r, "names")
			members := make([]string, len(names))
			for i, name := range names {
				members[i] = name + ":" + oddJSON(r, depth-1)
			}
			return "{" + strings.Join(members, ",") + "}"
		}
	case 2:
		if depth > 0 {
			return "[" + oddJSON(r, depth-1) + "]"
		}
	case 3:
		return rapid.SampledFrom([]string{"0", "-0", "1e300", "123456789012345678901234567890", "0.1000", "1E+2", "9007199254740993"}).Draw(r, "number")
	case 4:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(r, "word")
	}
	return text()
}

// nested returns a value of some levels.
func nested(inner string, levels int) string {
	return strings.Repeat(`{"a":`, levels) + inner + strings.Repeat("}", levels)
}

// Every JSON value that a write takes, an export has and an import takes: a second export is the same.
func TestEveryJSONValueComesBack(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from := s.team(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		object := func(depth int) string { return `{"a\u0000":` + oddJSON(r, depth) + `}` }
		deep := rapid.IntRange(1, 28).Draw(r, "levels")
		body := fmt.Sprintf(`{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"c%[1]d","name":"C %[1]d","properties":%[2]s},
			{"kind":"item","entity_key":"i%[1]d","namespace":["n"],"name":"i%[1]d","value":%[3]s},{"kind":"item","entity_key":"d%[1]d","namespace":["n"],"name":"d%[1]d","value":%[4]s}],
			"relationships":[{"from":"c%[1]d","to":"i%[1]d","type":"relates_to","properties":%[2]s}]}`, n, object(4), object(6), nested(oddJSON(r, 0), deep))
		if answer := from.do(t, http.MethodPost, "/v1/memory", body); answer.status != http.StatusOK || strings.Contains(string(answer.body), "refused") {
			r.Fatalf("%d %s for %s", answer.status, answer.body, body)
		}
		body = fmt.Sprintf(`{"user_id":"u1","entity_key":"s%[1]d","messages":[{"role":"tool","parts":[{"type":"text","text":"out\u0000put %[1]d"},%[2]s]}]}`, n, object(4))
		if answer := from.do(t, http.MethodPost, "/v1/sources", body); answer.status >= 300 {
			r.Fatalf("%d %s for %s", answer.status, answer.body, body)
		}
	})
	from.must(t, http.MethodPatch, "/v1/nodes/item/i1?user_id=u1", `{"value":`+nested(`"\u0000"`, 30)+`}`)
	if answer := from.do(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"odd","value":{"\u0000":["a\u0000b",1e300]}}]}`); answer.status >= 300 {
		t.Fatalf("%d %s", answer.status, answer.body)
	}
	to, file := s.team(t), from.exported(t)
	report, status := to.imported(t, file)
	if status != http.StatusOK || len(report.Refused)+len(report.Warnings) > 0 || !strings.Contains(file, `\u0000`) {
		t.Fatalf("%d %.2000v", status, report)
	}
	lines := func(file string) []string { return strings.Split(storyDue.ReplaceAllString(file, ""), "\n") }
	if diff := cmp.Diff(lines(file), lines(to.exported(t))); diff != "" {
		t.Errorf("-from +to:\n%s", diff)
	}
}

// What earlier versions took from JSON values with NUL into texts is imported with blanks. Other texts and names with NUL are refused.
func TestImportOfNUL(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	c.importComplete(t, strings.Join([]string{
		`{"node":{"kind":"item","entity_key":"i","user_id":"u1","namespace":["n"],"name":"i","value":{"a":"x\u0000y"},"description":"x\u0000y","history":{}}}`,
		`{"version":{"user_id":"u1","kind":"item","of":"i","until":"2026-01-01T00:00:00Z","properties":{"entity_key":"i","value":"{\"a\":\"x\\u0000y\"}","description":"x\u0000y","version":0}}}`,
		`{"node":{"kind":"source","entity_key":"s","user_id":"u1","history":{}}}`,
		`{"node":{"kind":"message","entity_key":"m","source_key":"s","user_id":"u1","role":"tool","text":"x\u0000y","parts":[{"type":"text","text":"x\u0000y"}],"history":{}}}`,
	}, "\n"))
	if file := c.exported(t); strings.Count(file, "x y") != 3 {
		t.Errorf("stored: %s", file)
	}
	for place, line := range map[string]string{
		"name":             `{"node":{"kind":"concept","name":"a\u0000b"}}`,
		"description":      `{"node":{"kind":"concept","name":"a","description":"a\u0000b"}}`,
		"text":             `{"node":{"kind":"message","source_key":"s","user_id":"u1","role":"user","text":"a\u0000b"}}`,
		"namespace[0]":     `{"node":{"kind":"item","user_id":"u1","namespace":["a\u0000b"],"name":"x","value":{}}}`,
		"history.notes[0]": `{"node":{"kind":"concept","name":"n","history":{"notes":["a\u0000b"]}}}`,
		"key":              `{"preference":{"user_id":"u1","key":"a\u0000b","value":1}}`,
		"properties":       `{"version":{"user_id":"u1","kind":"item","of":"i","until":"2026-01-01T00:00:00Z","properties":{"name":"a\u0000b"}}}`,
	} {
		report, _ := c.imported(t, line)
		if raw, _ := json.Marshal(report.Refused); len(report.Refused) == 0 || report.Refused[0].Location != place && !strings.HasSuffix(report.Refused[0].Location, "."+place) {
			t.Errorf("%s: %s", place, raw)
		}
	}
}
