package exchange

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRelationType(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	for in, want := range map[string]string{
		"WORKS_AT": "works_at", "worksAt": "works_at", "works at": "works_at", "  works--at! ": "works_at", "HTTPServer2": "httpserver2",
		"v2Uses": "v2_uses", "2nd": "r_2nd", "": "related_to", "知り合い": "related_to", "has message": "r_has_message",
		"naïve": "na_ve", strings.Repeat("a", 70): strings.Repeat("a", 64), strings.Repeat("a", 63) + " b": strings.Repeat("a", 63),
	} {
		if got := relationType(in); got != want || !pattern.MatchString(got) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"2026-02-01T08:00:00.123456-08:00"`:    "2026-02-01T16:00:00.123456Z",
		`"2026-02-01T08:00:00.123456"`:          "2026-02-01T08:00:00.123456Z",
		`"2026-02-01 08:00:00+00:00"`:           "2026-02-01T08:00:00Z",
		`"2026-02-01 10:00:00.5+02"`:            "2026-02-01T08:00:00.5Z",
		`"2026-02-01 08:00:00"`:                 "2026-02-01T08:00:00Z",
		`"2026-02-01T08:00:00+0000"`:            "2026-02-01T08:00:00Z",
		`"2026-02-01T08:00:00Z[Europe/Lisbon]"`: "2026-02-01T08:00:00Z",
		`"2026-02-01"`:                          "2026-02-01T00:00:00Z",
		`"2016-12-31T23:59:60.5Z"`:              "2016-12-31T23:59:59.5Z",
		`1767225600`:                            "2026-01-01T00:00:00Z",
		`1767225600500`:                         "2026-01-01T00:00:00.5Z",
		`-14182980`:                             "1969-07-20T20:17:00Z",
		`-141829800000`:                         "1965-07-04T10:50:00Z",
		`"yesterday"`:                           "", `{}`: "", `1e300`: "", `-1e300`: "", `"0001-01-01T00:00:00Z"`: "", `"2200-01-01T00:00:00Z"`: "",
	} {
		r := &Reader{}
		if got := formatTime(r.readTime(1, "at", json.RawMessage(in))); got != want || (want == "") != (len(r.pending) == 1) {
			t.Errorf("%s: %q, want %q; told: %d", in, got, want, len(r.pending))
		}
	}
	for _, nothing := range []string{"", "null", `""`} {
		r := &Reader{}
		if at := r.readTime(1, "at", json.RawMessage(nothing)); !at.IsZero() || len(r.pending) > 0 {
			t.Errorf("%q: %v, told: %d", nothing, at, len(r.pending))
		}
	}
}

func TestKeysDifferByEveryPart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, parts := range [][]string{{"a", "b", "c"}, {"a", "bc"}, {"ab", "c"}, {"a", "b", ""}, {"a", "", "b"}, {"abc"}} {
		k := EntityKey(parts...)
		if other, again := seen[k]; again || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(k) {
			t.Errorf("%q: %s, also of %q", parts, k, other)
		}
		seen[k] = parts
	}
}

// TestUsersHaveKeysOfTheirOwn reads one file for two users.
func TestUsersHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, user := range []string{"", "u1", "u2", "u2"} {
		r, err := NewReader(strings.NewReader(`{"type":"entity","name":"Ada","entityType":"person","observations":[]}`), MCPMemory)
		if err != nil {
			t.Fatal(err)
		}
		r.UserID = user
		item, fault, err := r.Next()
		if err != nil || fault != nil {
			t.Fatal(err, fault)
		}
		var n wireNode
		if err := json.Unmarshal(item.Raw, &n); err != nil {
			t.Fatal(err)
		}
		keys[n.EntityKey] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys for three users", len(keys))
	}
}

// TestWhatIsTooLongIsCutAndTold has texts of two-byte characters just as long as allowed, and one longer.
func TestWhatIsTooLongIsCutAndTold(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, test := range []struct{ format, in, told string }{
		{"mcp-memory", fmt.Sprintf(`{"type":"entity","name":"%s","entityType":"%s","observations":["%s"]}`, long(512), long(128), long(4096)), ""},
		{"mcp-memory", fmt.Sprintf(`{"type":"entity","name":"%s","observations":[]}`, long(513)), "?1 name: was cut to 512 characters"},
		{"mcp-memory", fmt.Sprintf(`{"type":"entity","name":"a","entityType":"%s"}`, long(129)), "?1 entityType: was cut to 128 characters"},
		{"mcp-memory", fmt.Sprintf(`{"type":"entity","name":"a","observations":["%s"]}`, long(4097)), "?1 observations: was cut to 4096 characters"},
		{"mcp-memory", `{"type":"entity","name":"a","observations":["b"` + strings.Repeat(`,"b"`, 100) + `]}`,
			"?1 observations: has more than 100: the others are in the description alone"},
		{"mem0", fmt.Sprintf(`[{"id":"a","memory":"%s"}]`, long(16385)), "?1 [0].memory: was cut to 16384 characters"},
		{"mem0", fmt.Sprintf(`[{"id":"a","memory":"b","metadata":{"c":"%s"}}]`, long(8192)),
			"?1 [0].properties.metadata: was ignored: the properties would be too large or too deep"},
		{"graphiti", fmt.Sprintf(`{"nodes":[{"uuid":"a","name":"b","summary":"%s"}]}`, long(16385)), "?1 nodes[0].summary: was cut to 16384 characters"},
		{"graphiti", fmt.Sprintf(`{"episodes":[{"uuid":"a","name":"b","content":"%s"}]}`, long(16385)), "?1 episodes[0].content: was cut to 16384 characters"},
		{"graphiti", fmt.Sprintf(`{"edges":[{"source_node_uuid":"a","target_node_uuid":"b","fact":"%s"}]}`, long(16385)), "?1 edges[0].fact: was cut to 16384 characters"},
	} {
		got := readAll(t, Format(test.format), strings.NewReader(test.in))
		told := strings.Join(got[:len(got)-1], "\n")
		if told != test.told || !strings.HasPrefix(got[len(got)-1], "1 ") || !utf8.ValidString(got[len(got)-1]) {
			t.Errorf("%.60s…: told %q, want %q", test.in, told, test.told)
		}
	}
}

func TestDocumentsThatCannotBeReadOn(t *testing.T) {
	t.Parallel()
	item := `{"uuid":"a","name":"b"}`
	first := readAll(t, Graphiti, strings.NewReader(`{"nodes":[`+item+`]}`))[0]
	for in, want := range map[string][]string{
		"":                                     {"error: line 1, column 1: the file is empty"},
		" \n ":                                 {"error: line 2, column 2: the file is empty"},
		`[]`:                                   {"error: line 1, column 2: the file does not begin as one of this format; the formats are kith, mcp-memory, graphiti, mem0, zep, letta, cognee, langgraph"},
		`7`:                                    {"error: line 1, column 2: the file does not begin as one of this format; the formats are kith, mcp-memory, graphiti, mem0, zep, letta, cognee, langgraph"},
		`"{\"nodes\":[]}"`:                     {"error: line 1, column 2: the file is a JSON text with a document in it: take it out first, for example with jq -r ."},
		`{`:                                    {"error: line 1, column 2: the file ends in the middle of the document: it may be cut"},
		`{7:1}`:                                {"error: line 1, column 3: expected a key"},
		`{"nodes" []}`:                         {"error: line 1, column 11: expected a colon"},
		`{"nodes":[` + item + `}`:              {first, "error: line 1, column 34: expected a comma or the end of a list or object"},
		`{"nodes":[` + item + `,]}`:            {first, "error: line 1, column 35: expected a value"},
		`{"nodes":[` + item + `]]`:             {first, "error: line 1, column 35: expected a comma or the end of a list or object"},
		`{"nodes":[` + item + `]} {`:           {first, "error: line 1, column 37: unexpected text after the document"},
		`{"nodes":[{"uuid":"a"]]}]}`:           {"!1 nodes[0]: is not valid JSON at byte 12", "error: line 1, column 25: unexpected text after the document"},
		"{\"nodes\":[\n" + item[:9]:            {"error: line 2, column 10: the file ends in the middle of the document: it may be cut"},
		"\ufeff{\"nodes\":[" + item + "]}\r\n": {first},
		`{"nodes":[],"edges":{}}`:              {"!1 edges.source_node_uuid: is required"},
		`{"nodes":{"a":{}}}`:                   {"!1 nodes.uuid: is required"},
		`{}`:                                   nil,
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			check(t, Graphiti, in, want...)
		})
	}
}

// TestElementsThatAreTooLarge are stepped over; the rest of the document is read.
func TestElementsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	large := `{"uuid":"` + strings.Repeat("x", 3<<20) + `"}`
	check(t, Graphiti, `{"x`+strings.Repeat("y", 100)+`":`+large+`,"nodes":[`+large+`,{"uuid":""},`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`]}`,
		"!1 nodes[0]: has more than 2097152 bytes",
		"!1 nodes[1].uuid: is required",
		"!1 nodes[2]: must be nested at most 32 deep",
	)
	check(t, Graphiti, `{"`+strings.Repeat("y", 3<<20)+`":7}`, "error: line 1, column 3145732: a key is too long")
}
