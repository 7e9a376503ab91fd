package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// endless repeats a text until size bytes have been read, with a number in each so that no two are the same.
type endless struct {
	begin, format, end string
	size               int64
	rest               []byte
	n                  int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		switch {
		case e.n == 0 && e.begin != "":
			e.rest = []byte(e.begin)
		case e.size > 0:
			e.rest = fmt.Appendf(e.rest[:0], e.format, e.n)
		case e.end != "":
			e.rest, e.end = []byte(e.end), ""
		default:
			return 0, io.EOF
		}
		e.n++
	}
	n := copy(p, e.rest)
	e.rest, e.size = e.rest[n:], e.size-int64(n)
	return n, nil
}

// drain counts items and faults.
func drain(t testing.TB, r *Reader, each func()) (items, faults int) {
	t.Helper()
	for {
		_, fault, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return items, faults
		case err != nil:
			t.Fatal(err)
		case fault != nil:
			faults++
		default:
			items++
		}
		each()
	}
}

// TestMemoryIsBounded_slow reads 24 MB of each format (60 MB of Kith's own), and texts without an end of line or list, and
// checks the heap now and then.
func TestMemoryIsBounded_slow(t *testing.T) {
	text := strings.Repeat("a text of some length ", 40)
	for _, test := range []struct {
		name   string
		format Format
		in     *endless
		few    bool // items are
	}{
		{"kith", Kith, &endless{begin: header, format: `{"node":{"kind":"concept","name":"%d","description":"` + text + `"}}` + "\n"}, false},
		{"mcp", MCPMemory, &endless{format: `{"type":"entity","name":"%d","observations":["` + text + `"]}` + "\n"}, false},
		{"graphiti", Graphiti, &endless{begin: `{"nodes":[{"uuid":"a","name":"b"}`, format: `,{"uuid":"%d","name":"b","summary":"` + text + `"}`, end: "]}"}, false},
		{"mem0", Mem0, &endless{begin: `{"relations":[],"results":[{"memory":"a"}`,
			format: `,{"memory":"%d ` + text + `","relations":[{"source":"%[1]d","target":"b"}]}`, end: "]}"}, false},
		{"zep", Zep, &endless{begin: `{"users":[{"uuid":"a"}],"episodes":[{"uuid":"e","content":"c"}`,
			format: `,{"uuid":"%d","content":"` + text + `"}`, end: `],"nodes":[{"uuid":"n","name":"b","episode_uuids":["7"]}]}`}, false},
		{"letta", Letta, &endless{begin: `{"agents":[{"id":"a","name":"b","messages":[{"id":"m","role":"user","content":"c"}`,
			format: `,{"id":"%d","role":"user","content":"` + text + `"}`, end: "]}]}"}, false},
		{"cognee", Cognee, &endless{begin: `{"nodes":[{"id":"a","type":"Entity","name":"b"}`,
			format: `,{"id":"%d","type":"Entity","name":"b","description":"` + text + `"}`, end: `],"edges":[{"source":"7","target":"a"}]}`}, false},
		{"langgraph", LangGraph, &endless{format: `{"namespace":["a"],"key":"%d","value":{"text":"` + text + `"}}` + "\n"}, false},
		{"one line", Kith, &endless{begin: `{"node":"`, format: "%d" + text}, true},
		{"one element", Mem0, &endless{begin: `[{"memory":"`, format: "%d" + text, end: `"}]`}, true},
		{"a section nobody asked for", Graphiti, &endless{begin: `{"nodes":[],"x":["`, format: "%d" + text, end: `"]}`}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.size = 24 << 20 // more than the heap may grow
			if test.format == Kith {
				test.in.size = 60 << 20
			}
			before, most, n := heap(), uint64(0), 0
			r, err := NewReader(test.in, test.format)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			r.UserID = "u1"
			items, _ := drain(t, r, func() {
				if n++; n%20_000 == 1 {
					most = max(most, heap())
				}
			})
			most = max(most, heap())
			if grown := int64(most) - int64(before); grown > 16<<20 {
				t.Errorf("the heap grew by %d bytes", grown)
			}
			if many := items > 10_000; many == test.few {
				t.Errorf("%d items", items)
			}
			runtime.KeepAlive(r)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyKeysTakeNoQuadraticTime has an object with as many keys as a line may have; compared in pairs they would take
// seconds. One with more is refused.
func TestManyKeysTakeNoQuadraticTime(t *testing.T) {
	t.Parallel()
	line := []byte(`{"node":{"k":1`)
	for n := range MaxValues - 3 {
		line = fmt.Appendf(line, `,"%x":1`, n)
	}
	if flaw := Flaw(append(line, "}}"...)); flaw != "" {
		t.Error(flaw)
	}
	again := append(bytes.Replace(line, []byte(`,"0":1`), nil, 1), `,"10":1}}`...)
	if flaw := Flaw(again); !strings.HasPrefix(flaw, "has the same key twice in an object, at byte ") {
		t.Error(flaw)
	}
	if flaw := Flaw(append(line, `,"k2":1}}`...)); flaw != "must have at most 300000 values" {
		t.Error(flaw)
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		header + node + endOfNone, `{"node":{"a":"\ud83d\ude00","b":[1e9,-0.5]}}`, `{"type":"entity","name":"a","observations":["b"]}`,
		`{"type":"relation","from":"a","to":"b","relationType":"c d"}`, `{"nodes":[{"uuid":"a","name":"b"}],"edges":[{}]}`,
		`[{"memory":"a","relations":[{"source":"b","target":"c"}]}]`, "\ufeff\r\n{", `{"a":"\`,
		`{"agents":[{"id":"a","messages":[{"id":"b","role":"user","content":"c"}],"name":"d"}],"blocks":[{"id":"e","value":"f"}]}`,
		`{"users":[{"uuid":"a"}],"threads":[{"uuid":"b","user_uuid":"a"}],"episodes":[{"uuid":"c"}],"nodes":[{"uuid":"d","name":"e","episode_uuids":["c"]}]}`,
		`{"nodes":[{"id":"a","name":"b"}],"edges":[{"source":"a","target":"a"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, format := range Formats {
			r, err := NewReader(bytes.NewReader(in), format)
			if err != nil {
				t.Fatal(err)
			}
			r.UserID = "u1"
			for n := 0; ; n++ {
				item, fault, err := r.Next()
				if err != nil {
					_ = r.Close()
					break
				}
				if n > 10*len(in)+10 {
					t.Fatalf("%s: more items than bytes", format)
				}
				if fault == nil && (!json.Valid(item.Raw) || item.Raw[0] != '{' || !utf8.Valid(item.Raw) || item.Line < 1) {
					t.Fatalf("%s: bad item %q", format, item.Raw)
				}
			}
		}
	})
}

// FuzzFlaw compares the checker with encoding/json: it is stricter, never laxer, and what it calls invalid is invalid.
func FuzzFlaw(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":"\ud83d\ude00"}`, `"\ud83d"`, `[[[["\\u"]]]]`, `{"a":"\\\"","b":[1e9]}`, "\xff", `"\udc00\ud800"`, `-0.1E+2`, `01`, `1.`, `-`,
		`tru`, `nulll`, `{"a":1,"\u0061":2}`, `"\u00"`, `"\ud83d\u`, "\"\x01\"", `[1,]`, `{"a":1,}`, " \t\r\n1 ", ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		flaw, valid := Flaw(raw), json.Valid(raw)
		switch {
		case flaw == "" && !valid:
			t.Fatalf("%q passed, but is not JSON", raw)
		case valid && (strings.HasPrefix(flaw, "is not valid JSON") || strings.HasPrefix(flaw, "ends")):
			t.Fatalf("%q is JSON, but: %s", raw, flaw)
		case flaw == "":
			var v any
			if json.Unmarshal(raw, &v) != nil {
				return // a number too large for a float64
			}
			again, _ := json.Marshal(v)
			if bytes.ContainsRune(again, '\ufffd') && !bytes.ContainsRune(raw, '\ufffd') && !bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`)) {
				t.Fatalf("a decoder repaired %q to %q", raw, again)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := strings.Repeat("a text of some length, ", 10)
	for _, bench := range []struct {
		format Format
		in     endless
	}{
		{Kith, endless{begin: header, format: `{"node":{"kind":"concept","entity_key":"c-%d","user_id":"u1","name":"concept","description":"` + text +
			`","salience":0.5,"state":"active","created_at":"2026-01-01T00:00:00Z","properties":{"a":[1,2,3]}}}` + "\n"}},
		{MCPMemory, endless{format: `{"type":"entity","name":"%d","entityType":"site","observations":["` + text + `"]}` + "\n"}},
		{Graphiti, endless{begin: `{"nodes":[{"uuid":"a","name":"b"}`, format: `,{"uuid":"%d","name":"b","summary":"` + text + `"}`, end: "]}"}},
		{Mem0, endless{begin: `[{"memory":"a"}`, format: `,{"id":"%d","memory":"` + text + `"}`, end: "]"}},
	} {
		b.Run(string(bench.format), func(b *testing.B) {
			in := bench.in
			in.size = 8 << 20
			file, err := io.ReadAll(&in)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(file), bench.format)
				if err != nil {
					b.Fatal(err)
				}
				drain(b, r, func() {})
			}
		})
	}
}
