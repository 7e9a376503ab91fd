package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/explore"
)

// written holds the requests that write many items at once.
type written struct {
	UserID string            `json:"user_id,omitempty" maxLength:"256"`
	Nodes  []graph.NodeWrite `json:"nodes,omitempty" maxItems:"10000"`
}

func walkOf[T any]() Walk {
	registry := NewRegistry(refTo, Names{})
	return Walk{Registry: registry, Schema: registry.Schema(reflect.TypeFor[T](), true, ""), Root: "body"}
}

// repeated returns some items of a list or members of an object; # stands for their number.
func repeated(open, item, end string, n int) string {
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(item, "#", strconv.Itoa(i)))
	}
	return b.String() + end
}

// A fault that ends the walk names its place and the limit.
func TestWalkEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for raw, want := range map[string]string{
		repeated(`{"queries":[`, "0", "]}", 9):                                "body.queries: expected array length <= 8",
		repeated(`{"queries":[`, "0", "]}", 300_000):                          "body.queries: expected array length <= 8",
		repeated(`{"QUERIES":[`, "0", "]}", 9):                                "body.queries: expected array length <= 8",
		repeated(`{"text_matches":[`, `""`, "]}", 300_000):                    "body.text_matches: expected array length <= 16",
		repeated(`{"kinds":[`, `"task"`, "]}", 10_001):                        "body.kinds: expected array length <= 10000",
		repeated(`{"x":[`, "[0]", "]}", 150_000):                              "body: must have at most 200000 values, members and items among them",
		repeated(`{"x":{`, `"#":0`, "}}", 300_000):                            "body.x: must have at most 10000 members",
		`{"limit":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`: "body: must be nested at most 32 deep",
		strings.Repeat("[", 1<<20):                                            "body: must be nested at most 32 deep",
		strings.Repeat(`{"a":`, 1<<18):                                        "body: must be nested at most 32 deep",
		`{"limit":1,"limit":2}`:                                               "body: has the same name twice in an object, at byte 12",
		`{"limit":1,"Limit":2}`:                                               "body: has the same name twice in an object, at byte 12",
		`{"properties":{"a":1,"\u0061":2}}`:                                   "body: has the same name twice in an object, at byte 22",
		repeated(`{"x":{`, `"#":0`, `,"7":1}}`, 20):                           "body: has the same name twice in an object, at byte 137",
		`{"limit":1e999999}`:                                                  "body: has a number that is too large at byte 10",
		`{"x":[-1` + strings.Repeat("0", 400) + `]}`:                          "body: has a number that is too large at byte 7",
		`{"limit":` + strings.Repeat("1", 1<<20) + `}`:                        "body: has a number of more than 1000 digits at byte 10",
		"{\"a\":\"\xff\"}":                                                    "body: must be valid UTF-8",
		`{"a":"\ud800"}`:                                                      "body: has half a surrogate pair at byte 6",
		`{"a":"\ud800\u0041"}`:                                                "body: has half a surrogate pair at byte 6",
		`{"a":"\udc00"}`:                                                      "body: has half a surrogate pair at byte 6",
		`{"a":` + strings.Repeat(" ", 1<<20):                                  "body: is not valid JSON at byte 1048581",
		`{"a":"` + long:                                                       "body: is not valid JSON at byte 1048582",
		`{"a":1}}`:                                                            "body: is not valid JSON at byte 8",
		`{"a":01}`:                                                            "body: is not valid JSON at byte 6",
		`{"a":tru}`:                                                           "body: is not valid JSON at byte 6",
		`{"a":1,}`:                                                            "body: is not valid JSON at byte 8",
		`[1 2]`:                                                               "body: is not valid JSON at byte 4",
		"{\"a\":\"\n\"}":                                                      "body: is not valid JSON at byte 7",
		"":                                                                    "body: is not valid JSON at byte 0",
		"\x00":                                                                "body: is not valid JSON at byte 1",
	} {
		found := walkOf[explore.Request]().Faults([]byte(raw))
		if len(found) != 1 || found[0].Path.String()+": "+found[0].Message != want {
			t.Errorf("%.40s: %v, want %s", raw, found, want)
		}
	}
}

// An input with MaxFaults faults is answered with them, however large it is; names from the input are cut.
func TestWalkKeepsTheFirstFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ raw, first string }{
		"unknown names":  {repeated(`{`, `"#":0`, "}", 150_000), "body.0: unexpected property"},
		"long names":     {repeated(`{`, `"`+strings.Repeat("\\n<", 20_000)+`#":0`, "}", 120), "body." + strings.Repeat(" <", 125) + " …: unexpected property"},
		"wrong items":    {repeated(`{"nodes":[`, "0", "]}", 10_000), "body.nodes[0]: expected object"},
		"wrong members":  {repeated(`{"nodes":[`, `{"kind":7,"name":[1],"state":"nowhere"}`, "]}", 10_000), "body.nodes[0].kind: expected string"},
		"missing":        {repeated(`{"nodes":[`, `{"notes":[{}]}`, "]}", 10_000), "body.nodes[0].notes[0]: expected required property content to be present"},
		"too long texts": {repeated(`{"nodes":[`, `{"kind":"task","entity_key":"`+strings.Repeat("x", 4000)+`"}`, "]}", 1_000), "body.nodes[0].entity_key: expected length <= 256"},
	} {
		found := walkOf[written]().Faults([]byte(c.raw))
		written, _ := json.Marshal(found)
		if len(found) == 0 || len(found) > MaxFaults || len(written) > 64<<10 || found[0].Path.String()+": "+found[0].Message != c.first {
			t.Errorf("%s: %d faults of %d bytes, the first: %.400v", name, len(found), len(written), found[:min(len(found), 1)])
		}
	}
}

// For well-formed inputs within the limits the walk finds the same faults as huma.
func TestWalkAgreesWithHuma(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{}`, `null`, `[]`, `7`, `"x"`, `{"queries":null}`, `{"queries":[null]}`, `{"queries":[{}]}`, `{"queries":[{"query":7,"threshold":"x","more":{}}]}`,
		`{"limit":0.5}`, `{"limit":-1,"granularity":99,"LIMIT_":1}`, `{"Limit":"x"}`, `{"kinds":["nothing","task"]}`, `{"kinds":{}}`, `{"relationship_filters":{"x":1}}`,
		`{"relationship_filters":null}`, `{"user_id":"` + strings.Repeat("é", 257) + `"}`, `{"user_id":"` + strings.Repeat(`\u00e9`, 256) + `"}`, `{"return_explanations":"true"}`,
		`{"from":"not a time"}`, `{"from":1}`, `{"text_matches":[1,"",null]}`, `{"zz":1,"yy":[{"a":{}}]}`,
	} {
		compare(t, walkOf[explore.Request](), raw)
	}
	for _, raw := range []string{
		`{"nodes":[{"kind":"none","name":null,"properties":{"a":[{}]},"tags":[1],"notes":[{"content":7}],"salience":"x","history":{"notes":{}}}]}`,
		`{"nodes":[{"kind":"task","name":"x","is_goal":1,"created_at":"yesterday","participants":null},{"entity_key":null}]}`,
	} {
		compare(t, walkOf[written](), raw)
	}
	compare(t, walkOf[graph.SourceWrite](), `{"focus":{"project_id":"p","focus_kind":null,"focus_id":null}}`)
}

func compare(t *testing.T, w Walk, raw string) {
	t.Helper()
	p := &pass{Walk: w, raw: []byte(raw), path: []byte(w.Root), most: MaxValues}
	if !p.value(w.Schema, true) {
		t.Errorf("%s: ended: %v", raw, p.ended)
	}
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		t.Fatal(err)
	}
	var found huma.ValidateResult
	huma.Validate(w.Registry, w.Schema, huma.NewPathBuffer([]byte("body"), 4), huma.ModeWriteToServer, value, &found)
	if diff := cmp.Diff(sorted(Faults(found.Errors)), sorted(p.found)); diff != "" {
		t.Errorf("%s: huma found -, the walk found +: %s", raw, diff)
	}
}

func sorted(all []fault.FieldError) []string {
	texts := make([]string, len(all))
	for i, f := range all {
		texts[i] = strings.ToLower(f.Path.String()) + ": " + f.Message
	}
	slices.Sort(texts)
	return texts
}

// hostile holds inputs whose cost must be linear in their length; # is their size.
var hostile = map[string]func(n int) string{
	"unknown names":   func(n int) string { return repeated(`{`, `"#":0`, "}", n) },
	"dotted names":    func(n int) string { return repeated(`{"properties":{`, `"a.b.#":0`, "}}", n) },
	"wrong items":     func(n int) string { return repeated(`{"nodes":[`, "0", "]}", n) },
	"wrong members":   func(n int) string { return repeated(`{"nodes":[`, `{"kind":7,"x#":[]}`, "]}", n/4) },
	"empty texts":     func(n int) string { return repeated(`{"text_matches":[`, `""`, "]}", n) },
	"one long text":   func(n int) string { return `{"user_id":"` + strings.Repeat(`\u0041`, n) + `"}` },
	"one long name":   func(n int) string { return `{"` + strings.Repeat(`\n`, n) + `":1}` },
	"one long number": func(n int) string { return `{"salience":0.` + strings.Repeat("1", n) + `}` },
	"blanks":          func(n int) string { return strings.Repeat(" \n", n) + "{}" },
	"cut":             func(n int) string { return repeated(`{"nodes":[`, `{"kind":"task"}`, "", n/4) },
	"nested": func(n int) string {
		return repeated(`{"x":[`, strings.Repeat("[", 20)+strings.Repeat("]", 20), "]}", n/20)
	},
}

// Four times the input takes at most about four times the memory, and so the work: measured by counts, as times are
// unreliable on a busy machine. Not in parallel: all allocations of the process are counted.
func TestReadingIsLinear(t *testing.T) {
	form := Input[written]()
	const size = 16_000
	for name, make := range hostile {
		small, large := []byte(make(size)), []byte(make(4*size))
		one, four := allocated(t, form, small), allocated(t, form, large)
		if ratio := float64(len(large)) / float64(len(small)); float64(four) > 1.2*ratio*float64(max(one, 64<<10)) {
			t.Errorf("%s: %d bytes take %d, %d bytes take %d", name, len(small), one, len(large), four)
		}
		if most := 40*len(large) + 1<<20; four > most {
			t.Errorf("%s: %d bytes take %d, more than %d", name, len(large), four, most)
		}
	}
}

// allocated returns the bytes allocated by reading an input.
func allocated(t *testing.T, form Form, raw []byte) int {
	t.Helper()
	var (
		before, after runtime.MemStats
		in            written
		invalid       *fault.InvalidError
	)
	runtime.ReadMemStats(&before)
	err := form.Read(raw, &in)
	runtime.ReadMemStats(&after)
	if errors.As(err, &invalid) && len(invalid.Fields) > MaxFaults {
		t.Errorf("%d faults", len(invalid.Fields))
	}
	return int(after.TotalAlloc - before.TotalAlloc)
}

// FuzzWalk compares the walk with encoding/json: both accept the same texts, and no decoder repairs what the walk
// accepts.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":"\ud83d\ude00"}`, `"\ud83d"`, `[[[["\\u"]]]]`, `{"a":"\\\"","b":[1e9]}`, "\xff", `"\udc00\ud800"`, `-0.5E+3`, `[1,]`, `{"nodes":[{"kind":"x"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		found := walkOf[written]().Faults(raw)
		valid := json.Valid(raw)
		broken := len(found) == 1 && strings.HasPrefix(found[0].Message, "is not valid JSON")
		switch {
		case broken && valid, !valid && found == nil:
			t.Fatalf("%v, but valid: %t", found, valid)
		case found != nil:
			return
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("passed, but: %v", err)
		}
		again, _ := json.Marshal(v)
		if bytes.ContainsRune(again, '\ufffd') && !bytes.ContainsRune(raw, '\ufffd') && !bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`)) {
			t.Fatalf("a decoder repaired %q to %q", raw, again)
		}
	})
}
