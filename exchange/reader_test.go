package exchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"kith/tests/golden"
)

// readAll returns the results of a reader, a line each: items as they are, faults after an exclamation mark, warnings after a
// question mark, and the error that ended it unless it is io.EOF.
func readAll(t testing.TB, format Format, in io.Reader) []string {
	t.Helper()
	r, err := NewReader(in, format)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	r.UserID = "u1"
	var out []string
	for seq := int64(1); ; {
		item, fault, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			return append(out, "error: "+err.Error())
		case fault != nil:
			mark := map[bool]string{false: "!", true: "?"}[fault.Warning]
			out = append(out, fmt.Sprintf("%s%d %s: %s", mark, fault.Line, fault.Location, fault.Message))
		default:
			if item.Seq != seq {
				t.Fatalf("item %d has number %d", seq, item.Seq)
			}
			seq++
			out = append(out, fmt.Sprintf("%d %s %s", item.Line, item.Kind, item.Raw))
		}
	}
}

func check(t *testing.T, format Format, in string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, readAll(t, format, strings.NewReader(in))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	whole := readAll(t, format, strings.NewReader(in))
	if diff := cmp.Diff(whole, readAll(t, format, iotest.OneByteReader(strings.NewReader(in)))); diff != "" {
		t.Errorf("read byte by byte (-whole +bytes):\n%s", diff)
	}
}

const (
	header    = `{"kith":{"version":1}}` + "\n"
	node      = `{"node":{"kind":"person","name":"Ada"}}` + "\n"
	endOfNone = `{"end":{"nodes":0,"relationships":0,"preferences":0}}` + "\n"
	gotHeader = `1 kith {"version":1}`
	cutFile   = "the file ends without its last line: it may be cut"
)

func TestKithReadsAnExport(t *testing.T) {
	t.Parallel()
	check(t, Kith, "\ufeff"+strings.TrimSpace(header)+"\r\n \r\n"+node+
		`  { "relationship" : {"from":"a","to":"b","type":"knows","description":"\ud83d\ude00"} }  `+"\n"+
		`{"preference":{"user_id":"u1","key":"tone","value":[1,2.5e3,true,null]}}`+"\n"+
		`{"end":{"nodes":1,"relationships":1,"preferences":1}}`,
		gotHeader,
		`3 node {"kind":"person","name":"Ada"}`,
		`4 relationship {"from":"a","to":"b","type":"knows","description":"\ud83d\ude00"}`,
		`5 preference {"user_id":"u1","key":"tone","value":[1,2.5e3,true,null]}`,
		`6 end {"nodes":1,"relationships":1,"preferences":1}`,
	)
}

func TestKithFaults(t *testing.T) {
	t.Parallel()
	const good = `2 node {"kind":"person","name":"Ada"}`
	for _, test := range []struct{ name, line, want string }{
		{"not JSON", `{"node":{},}`, "!1 : is not valid JSON at byte 11"},
		{"too deep", `{"node":` + strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40) + `}`, "!1 : must be nested at most 40 deep"},
		{"many values", `{"node":{"tags":[` + strings.Repeat(`"",`, 300_000) + `""]}}`, "!1 : must have at most 300000 values"},
		{"invalid UTF-8", "{\"node\":{\"name\":\"\xff\"}}", "!1 : must be valid UTF-8"},
		{"no escape", `{"node":{"name":"\u12x4"}}`, "!1 : is not valid JSON at byte 18"},
		{"cut with invalid UTF-8", "{\"node\":{\"name\":\"\xff", "!1 : must be valid UTF-8"},
		{"NUL", "{\"node\":{\"name\":\"\x00\"}}", "!1 : is not valid JSON at byte 18"},
		{"large number", `{"node":{"value":{"a":[1, -1E999]}}}`, "!1 : has a number that is too large at byte 27"},
		{"half a pair", `{"node":{"name":"\ud83d"}}`, "!1 : has half a surrogate pair at byte 18"},
		{"low half", `{"node":{"name":"\ude00"}}`, "!1 : has half a surrogate pair at byte 18"},
		{"two high halves", `{"node":{"name":"\ud83d\ud83d"}}`, "!1 : has half a surrogate pair at byte 18"},
		{"same key twice", `{"node":{"a":1,"b":{"a":2},"a":3}}`, "!1 : has the same key twice in an object, at byte 28"},
		{"same key, escaped", `{"node":{"a":1,"\u0061":3}}`, "!1 : has the same key twice in an object, at byte 16"},
		{"list", `[1]`, "!1 : must be an object"},
		{"number", `17`, "!1 : must be an object"},
		{"no key", `{}`, "!1 : must have exactly one key: kith, node, relationship, statement, pause, refusal, review, trust_rule, preference, chat_tree, chat_turn, version or end"},
		{"two keys", `{"node":{},"relationship":{}}`, "!1 : must have exactly one key: kith, node, relationship, statement, pause, refusal, review, trust_rule, preference, chat_tree, chat_turn, version or end"},
		{"unknown key", `{"nodes":{}}`, "!1 : has a key that is not kith, node, relationship, statement, pause, refusal, review, trust_rule, preference, chat_tree, chat_turn, version or end"},
		{"no object", `{"node":[]}`, "!1 : the value of its key must be an object"},
		{"null", `{"node":null}`, "!1 : the value of its key must be an object"},
		{"two values", `{"node":{}} {"node":{}}`, "!1 : is not valid JSON at byte 13"},
		{"header without version", `{"kith":{}}`, "!1 kith.version: must be from 1 to 1"},
		{"header with a text", `{"kith":{"version":"1"}}`, "!1 version: must be a number"},
		{"end with a text", `{"end":{"nodes":"1"}}`, "!1 nodes: must be a number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check(t, Kith, test.line+"\n"+node, test.want, good, "?2 : "+cutFile)
		})
	}
}

func TestKithBeginsAndEnds(t *testing.T) {
	t.Parallel()
	const gotNone = `end {"nodes":0,"relationships":0,"preferences":0}`
	long := `{"node":{"name":"` + strings.Repeat("x", 3<<20) + `"}}` + "\n"
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{"?1 : " + cutFile}},
		{"only an end", endOfNone, []string{"1 " + gotNone}},
		{"header in the middle", node + header + endOfNone, []string{
			`1 node {"kind":"person","name":"Ada"}`, "!2 kith: must be the first line", "3 " + gotNone,
		}},
		{"newer", `{"kith":{"version":2}}` + "\n" + node, []string{"error: line 1, column 1: the file was written by a newer version of kith"}},
		{"half a line", header + node[:20], []string{gotHeader, "!2 : is cut: the file ends in the middle of it, at byte 43", "?2 : " + cutFile}},
		{"half a line with newline", header + node[:20] + "\n", []string{gotHeader, "!2 : ends in the middle at byte 20", "?2 : " + cutFile}},
		{"long line", header + long + node + endOfNone, []string{
			gotHeader, "!2 : has more than 2097152 bytes", `3 node {"kind":"person","name":"Ada"}`, "4 " + gotNone,
		}},
		{"long line at the end", header + strings.TrimSpace(long), []string{gotHeader, "!2 : has more than 2097152 bytes", "?2 : " + cutFile}},
		{"lines missing", header + endOfNone[:16] + "7" + endOfNone[17:], []string{
			gotHeader, "?2 end: the file has another number of lines than this line says: some may be missing", `2 end {"nodes":7,"relationships":0,"preferences":0}`,
		}},
		{"lines after the end", endOfNone + node, []string{"1 " + gotNone, "!2 : follows the last line of the export"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check(t, Kith, test.in, test.want...)
		})
	}
}

func TestALineMayBeJustAsLong(t *testing.T) {
	t.Parallel()
	frame := `{"node":{"name":""}}`
	for extra, want := range map[int]bool{0: true, 1: false} {
		line := `{"node":{"name":"` + strings.Repeat("x", MaxLine-len(frame)+extra) + `"}}`
		for _, newline := range []string{"\n", "\r\n"} {
			got := readAll(t, Kith, strings.NewReader(line+newline+endOfNone))
			if strings.HasPrefix(got[0], "1 node ") != want {
				t.Errorf("%d bytes: %.60s", len(line), got[0])
			}
		}
	}
}

func TestReadErrorsStay(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, format := range Formats {
		r, err := NewReader(io.MultiReader(strings.NewReader(`{"type":`), iotest.ErrReader(broken)), format)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, _, err = r.Next(); !errors.Is(err, broken) {
				t.Errorf("%s: %v", format, err)
			}
		}
	}
	if _, err := NewReader(strings.NewReader(""), "xml"); err == nil || !strings.Contains(err.Error(), "kith, mcp-memory, graphiti, mem0, zep, letta, cognee, langgraph") {
		t.Errorf("unknown format: %v", err)
	}
}

func TestLinesAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	out, err := AppendLine(nil, HeaderItem, Header{Version: Version})
	if err != nil {
		t.Fatal(err)
	}
	if out, err = AppendLine(out, NodeItem, map[string]any{"name": "<Ada> & Bo"}); err != nil {
		t.Fatal(err)
	}
	begin := len(out)
	if out, err = AppendLine(out, EndItem, End{Nodes: 1}); err != nil {
		t.Fatal(err)
	}
	check(t, Kith, string(out), gotHeader, `2 node {"name":"<Ada> & Bo"}`, `3 end {"nodes":1,"relationships":0,"preferences":0}`)
	if end, ok := ParseEnd(out[begin:]); !ok || end != (End{Nodes: 1}) {
		t.Errorf("end: %v, %v", end, ok)
	}
	for _, line := range []string{"", node, `{"end":7}`, `{"end":{},"node":{}}`} {
		if _, ok := ParseEnd([]byte(line)); ok {
			t.Errorf("%q is taken for an end", line)
		}
	}
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for file, format := range map[string]Format{
		"mcp-memory.jsonl": MCPMemory, "graphiti.json": Graphiti, "graphiti-sections.json": Graphiti,
		"mem0.json": Mem0, "mem0-list.json": Mem0, "zep.json": Zep, "zep-faults.json": Zep, "letta.af": Letta, "letta-faults.af": Letta,
		"langgraph.jsonl": LangGraph, "langgraph-faults.jsonl": LangGraph, "cognee.json": Cognee, "cognee-faults.json": Cognee,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", file)
			in, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(readAll(t, format, strings.NewReader(string(in))), "\n") + "\n"
			golden.Check(t, path+".golden", got)
		})
	}
}
