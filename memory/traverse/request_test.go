package traverse

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/internal/fault"
)

// faultsOf are the places of an InvalidError's faults, in their order.
func faultsOf(t testing.TB, err error) (locations []string) {
	t.Helper()
	var invalid *fault.InvalidError
	if err != nil && !errors.As(err, &invalid) {
		t.Fatalf("not an InvalidError: %v", err)
	}
	if invalid == nil {
		return nil
	}
	for _, f := range invalid.Fields {
		locations = append(locations, f.Path.String())
		if f.Message == "" || strings.Contains(f.Message, "secret") {
			t.Errorf("at %s: %q", f.Path.String(), f.Message)
		}
	}
	return locations
}

func requestOf(t testing.TB, body string) *Request {
	t.Helper()
	var r Request
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// many is a JSON list.
func many(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// All faults are reported at once, with locations and without values.
func TestValidate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 257)
	for body, want := range map[string]string{
		`{}`:                "mode",
		`{"mode":"secret"}`: "mode",
		`{"mode":"secret","format":"secret","user_id":"secret\u0000"}`: "format mode user_id",

		`{"mode":"neighbors"}`:                                                                           "entity_key",
		`{"mode":"neighbors","entity_key":"` + long + `"}`:                                               "entity_key",
		`{"mode":"neighbors","entity_key":"secret\n"}`:                                                   "entity_key",
		`{"mode":"neighbors","entity_key":"x","max_hops":4}`:                                             "max_hops",
		`{"mode":"neighbors","entity_key":"x","max_hops":-1}`:                                            "max_hops",
		`{"mode":"neighbors","entity_key":"x","limit":101}`:                                              "limit",
		`{"mode":"neighbors","entity_key":"x","limit":-1}`:                                               "limit",
		`{"mode":"neighbors","entity_key":"x","direction":"secret"}`:                                     "direction",
		`{"mode":"neighbors","entity_key":"x","direction":"outgoing"}`:                                   "direction",
		`{"mode":"neighbors","entity_key":"x","kinds":["concept","secret","Concept"]}`:                   "kinds[1] kinds[2]",
		`{"mode":"neighbors","entity_key":"x","relationship_types":["relates_to","secret type"]}`:        "relationship_types[1]",
		"{\"mode\":\"neighbors\",\"entity_key\":\"x\",\"relationship_types\":[\"secret`]-() DELETE\"]}":  "relationship_types[0]",
		`{"mode":"neighbors","entity_key":"x","exclude_relationship_types":["","A"]}`:                    "exclude_relationship_types[0] exclude_relationship_types[1]",
		`{"mode":"neighbors","entity_key":"x","relationship_types":["` + strings.Repeat("a", 65) + `"]}`: "relationship_types[0]",
		`{"mode":"neighbors","entity_key":"x","relationship_types":` + many(65, `"a"`) + `}`:             "relationship_types",
		`{"mode":"neighbors","entity_key":"x","exclude_relationship_types":` + many(65, `"a"`) + `}`:     "exclude_relationship_types",
		`{"mode":"neighbors","entity_key":"x","user_id":"` + long + `"}`:                                 "user_id",
		`{"mode":"neighbors","entity_key":"x","format":"markdown"}`:                                      "format",
		`{"mode":"neighbors","max_hops":9,"limit":999,"direction":"secret","kinds":["secret"],"relationship_types":["Secret"],"exclude_relationship_types":["Secret"],"format":"secret","user_id":"secret\u0007"}`: "direction entity_key exclude_relationship_types[0] format kinds[0] limit max_hops relationship_types[0] user_id",

		`{"mode":"path"}`:                                  "from to",
		`{"mode":"path","from":"x"}`:                       "to",
		`{"mode":"path","from":"x","to":"x"}`:              "to",
		`{"mode":"path","from":"","to":"secret\u0000"}`:    "from to",
		`{"mode":"path","from":"x","to":"y","max_hops":7}`: "max_hops",
		`{"mode":"path","from":"x","to":"y","limit":11}`:   "limit",

		`{"mode":"ppr"}`:                                       "seed_nodes",
		`{"mode":"ppr","seed_nodes":[]}`:                       "seed_nodes",
		`{"mode":"ppr","seed_nodes":` + many(21, `"x"`) + `}`:  "seed_nodes",
		`{"mode":"ppr","seed_nodes":["x","","secret\n"]}`:      "seed_nodes[1] seed_nodes[2]",
		`{"mode":"ppr","seed_nodes":["x"],"max_depth":4}`:      "max_depth",
		`{"mode":"ppr","seed_nodes":["x"],"top_k":101}`:        "top_k",
		`{"mode":"ppr","seed_nodes":["x"],"damping":1}`:        "damping",
		`{"mode":"ppr","seed_nodes":["x"],"damping":0.9901}`:   "damping",
		`{"mode":"ppr","seed_nodes":["x"],"damping":-0.1}`:     "damping",
		`{"mode":"ppr","seed_nodes":["x"],"damping":1e300}`:    "damping",
		`{"mode":"ppr","max_depth":9,"top_k":-1,"damping":42}`: "damping max_depth seed_nodes top_k",

		`{"mode":"cypher"}`:                  "cypher",
		`{"mode":"cypher","cypher":" \n\t"}`: "cypher",
		`{"mode":"cypher","cypher":"` + strings.Repeat("é", maxCypher/2+1) + `"}`:    "cypher",
		`{"mode":"cypher","parameters":{"a":9223372036854775808,"b":1,"c":[1e999]}}`: "cypher parameters.a parameters.c",
	} {
		err := requestOf(t, body).Validate()
		got := faultsOf(t, err)
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%.150s: faults at %v, not %s", body, got, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%.150s: the value comes back: %v", body, err)
		}
	}
	invalid := &Request{Mode: Cypher, Cypher: "\xff"}
	if got := faultsOf(t, invalid.Validate()); len(got) != 1 || got[0] != "cypher" {
		t.Errorf("not UTF-8: %v", got)
	}
}

// What is at a bound is within it.
func TestBoundsAreIncluded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"mode":"neighbors","entity_key":"` + strings.Repeat("é", 256) + `","max_hops":3,"limit":100,"relationship_types":` + many(64, `"`+strings.Repeat("a", 64)+`"`) + `}`,
		`{"mode":"path","from":"x","to":"y","max_hops":6,"limit":10,"direction":"inbound","format":"json"}`,
		`{"mode":"path","from":"x","to":"X"}`,
		`{"mode":"ppr","seed_nodes":` + many(20, `"x"`) + `,"max_depth":3,"top_k":100,"damping":0.01,"format":"text"}`,
		`{"mode":"cypher","cypher":"` + strings.Repeat("x", maxCypher) + `"}`,
	} {
		if err := requestOf(t, body).Validate(); err != nil {
			t.Errorf("%.150s: %v", body, err)
		}
	}
}

// fieldsOf are fields with a value that some mode takes, and the modes.
var fieldsOf = map[string]string{
	`"entity_key":"secret"`:                   "neighbors",
	`"from":"secret"`:                         "path",
	`"to":"secret2"`:                          "path",
	`"seed_nodes":["secret"]`:                 "ppr",
	`"direction":"both"`:                      "neighbors path ppr",
	`"relationship_types":["secret"]`:         "neighbors path ppr",
	`"exclude_relationship_types":["secret"]`: "neighbors path ppr",
	`"kinds":["concept"]`:                     "neighbors ppr",
	`"max_hops":1`:                            "neighbors path",
	`"max_depth":1`:                           "ppr",
	`"damping":0.5`:                           "ppr",
	`"top_k":1`:                               "ppr",
	`"limit":1`:                               "neighbors path",
	`"cursor":"secret"`:                       "neighbors",
	`"cypher":"secret"`:                       "cypher",
	`"parameters":{"x":"secret"}`:             "cypher",
	`"verbose":true`:                          "neighbors path ppr cypher",
	`"format":"text"`:                         "neighbors path ppr cypher",
	`"user_id":"secret"`:                      "neighbors path ppr cypher",
}

// A mode refuses what only others take: who gives it expects something that would not come.
func TestFieldsOfOtherModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"neighbors", "path", "ppr", "cypher"} {
		for field, modes := range fieldsOf {
			name, _, _ := strings.Cut(strings.TrimPrefix(field, `"`), `"`)
			got := faultsOf(t, requestOf(t, `{"mode":"`+mode+`",`+field+`}`).Validate())
			if taken := slices.Contains(strings.Fields(modes), mode); slices.Contains(got, name) == taken {
				t.Errorf("%s with %s: faults at %v", mode, field, got)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Request{
		`{"mode":"neighbors","entity_key":"x"}`:                                                          {MaxHops: 1, Limit: 20, Direction: "outbound"},
		`{"mode":"path","from":"x","to":"y"}`:                                                            {MaxHops: 6, Limit: 1, Direction: "both"},
		`{"mode":"ppr","seed_nodes":["x"]}`:                                                              {MaxDepth: 3, TopK: 20, Damping: 0.85, Direction: "both"},
		`{"mode":"cypher","cypher":"RETURN 1"}`:                                                          {},
		`{"mode":"neighbors","entity_key":"x","max_hops":2,"limit":3,"direction":"inbound"}`:             {MaxHops: 2, Limit: 3, Direction: "inbound"},
		`{"mode":"path","from":"x","to":"y","max_hops":2,"limit":3,"direction":"outbound"}`:              {MaxHops: 2, Limit: 3, Direction: "outbound"},
		`{"mode":"ppr","seed_nodes":["x"],"max_depth":1,"top_k":5,"damping":0.5,"direction":"outbound"}`: {MaxDepth: 1, TopK: 5, Damping: 0.5, Direction: "outbound"},
	} {
		r := requestOf(t, body)
		for range 2 { // what has been put in is as good as what is given
			if err := r.Validate(); err != nil {
				t.Errorf("%s: %v", body, err)
			}
		}
		got := Request{MaxHops: r.MaxHops, Limit: r.Limit, Direction: r.Direction, MaxDepth: r.MaxDepth, TopK: r.TopK, Damping: r.Damping}
		if a, b := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got); a != b {
			t.Errorf("%s: %s", body, cmp.Diff(a, b))
		}
	}
}

// Whoever reads faults sees them in the same order each time.
func TestFaultsHaveOneOrder(t *testing.T) {
	t.Parallel()
	body := `{"mode":"neighbors","entity_key":"x","relationship_types":["A"],"exclude_relationship_types":["A"]}`
	first := faultsOf(t, requestOf(t, body).Validate())
	for range 50 {
		if diff := cmp.Diff(first, faultsOf(t, requestOf(t, body).Validate())); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Lists that come from callers are bounded: what has more than it can have is one fault.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"neighbors","entity_key":"x","kinds":` + many(1000, `"concept"`) + `}`:      "kinds",
		`{"mode":"ppr","seed_nodes":` + many(1000, `""`) + `}`:                               "seed_nodes",
		`{"mode":"path","from":"x","to":"y","relationship_types":` + many(1000, `"A"`) + `}`: "relationship_types",
	} {
		if got := faultsOf(t, requestOf(t, body).Validate()); strings.Join(got, " ") != want {
			t.Errorf("%.80s: %d faults: %.100s", body, len(got), strings.Join(got, " "))
		}
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]any{
		`7`:                      int64(7),
		`-7`:                     int64(-7),
		`-0`:                     int64(0),
		`9223372036854775807`:    int64(9223372036854775807),
		`-9223372036854775808`:   int64(-9223372036854775808),
		`7.0`:                    7.0,
		`7e2`:                    700.0,
		`1E-400`:                 0.0,
		`"7"`:                    "7",
		`true`:                   true,
		`null`:                   nil,
		`[1,[2.5,"x"],null]`:     []any{int64(1), []any{2.5, "x"}, nil},
		`{"a":{"b":1},"c":[1]}`:  map[string]any{"a": map[string]any{"b": int64(1)}, "c": []any{int64(1)}},
		nested(15, `1`):          nestedValue(15, int64(1)),
		`"2026-01-01T00:00:00Z"`: "2026-01-01T00:00:00Z",
	} {
		r := &Request{Mode: Cypher, Cypher: "RETURN $p", Parameters: map[string]json.RawMessage{"p": json.RawMessage(raw)}}
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, r.given["p"]); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func nested(depth int, inner string) string {
	return strings.Repeat("[", depth) + inner + strings.Repeat("]", depth)
}

func nestedValue(depth int, inner any) any {
	for range depth {
		inner = []any{inner}
	}
	return inner
}

func TestParameterFaults(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		`{"p":9223372036854775808}`:                "parameters.p",
		`{"p":-9223372036854775809}`:               "parameters.p",
		`{"p":1` + strings.Repeat("0", 5000) + `}`: "parameters.p",
		`{"p":1e400}`:                              "parameters.p",
		`{"p":[{"a":[9223372036854775808]}]}`:      "parameters.p",
		`{"p":` + nested(16, `1`) + `}`:            "parameters.p",
		`{"p":` + nested(5000, ``) + `}`:           "parameters.p",
		`{"p":` + strings.Repeat(`{"a":`, 16) + `"secret"` + strings.Repeat(`}`, 17): "parameters.p",
		`{"p":` + many(20_000, `1`) + `}`:                                            "parameters.p",
		`{"a":` + many(10_001, `1`) + `,"b":` + many(10_001, `1`) + `}`:              "parameters.b",
		`{"p":"` + strings.Repeat("secret", 50_000) + `"}`:                           "parameters",
		`{"b":1e400,"a":1e400,"c":1}`:                                                "parameters.a parameters.b",
	} {
		got := faultsOf(t, requestOf(t, `{"mode":"cypher","cypher":"RETURN 1","parameters":`+parameters+`}`).Validate())
		if strings.Join(got, " ") != want {
			t.Errorf("%.80s: faults at %v, not %s", parameters, got, want)
		}
	}
	r := &Request{Mode: Cypher, Cypher: "RETURN 1", Parameters: map[string]json.RawMessage{}}
	for i := range 101 {
		r.Parameters[fmt.Sprint("p", i)] = json.RawMessage("1")
	}
	if got := faultsOf(t, r.Validate()); strings.Join(got, " ") != "parameters" {
		t.Errorf("101 parameters: %v", got)
	}
	delete(r.Parameters, "p0")
	if err := r.Validate(); err != nil || len(r.given) != 100 {
		t.Errorf("100 parameters: %v", err)
	}
	for _, broken := range []string{"", "{", "secret", "1 2"} { // of callers that read no JSON
		r := &Request{Mode: Cypher, Cypher: "RETURN 1", Parameters: map[string]json.RawMessage{"p": json.RawMessage(broken)}}
		if got := faultsOf(t, r.Validate()); strings.Join(got, " ") != "parameters.p" {
			t.Errorf("%q: %v", broken, got)
		}
	}
}
