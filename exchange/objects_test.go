package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// indented returns JSON over several lines.
func indented(t *testing.T, raw string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(raw), "", "\t"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// withoutLines returns what was read, without the numbers of lines and without blanks.
func withoutLines(read []string) string {
	return regexp.MustCompile(`(?m)^[!?]?\d+ |\s+`).ReplaceAllString(strings.Join(read, "\n"), "")
}

// TestObjectsHoweverWritten reads the same objects on lines, in lists, over several lines, and as read_graph returns them.
func TestObjectsHoweverWritten(t *testing.T) {
	t.Parallel()
	const ada, bo = `{"type":"entity","name":"Ada","entityType":"person","observations":["sails"]}`, `{"type":"entity","name":"Bo","entityType":"","observations":[]}`
	const knows = `{"type":"relation","from":"Ada","to":"Bo","relationType":"knows"}`
	bare := strings.NewReplacer(`"type":"entity",`, "", `"type":"relation",`, "")
	list := "[" + strings.Join([]string{ada, bo, knows}, ",") + "]"
	graph := bare.Replace(`{"entities":[` + ada + "," + bo + `],"relations":[` + knows + `]}`)
	items := `{"namespace":["a"],"key":"k","value":{"x":1}}`
	for format, files := range map[Format][]string{
		MCPMemory: {
			strings.Join([]string{ada, bo, knows}, "\n"), bare.Replace(strings.Join([]string{ada, bo, knows}, "\n")), list, indented(t, list), graph, "\ufeff" + indented(t, graph),
			indented(t, ada) + "\n" + indented(t, bo) + "\n" + indented(t, knows),
		},
		LangGraph: {items + "\n" + items, "[" + items + "," + items + "]", indented(t, items) + "\n\n" + indented(t, items)},
		Kith:      {header + node + endOfNone, indented(t, header) + "\r\n" + indented(t, node) + indented(t, endOfNone)},
	} {
		want := withoutLines(readAll(t, format, strings.NewReader(files[0])))
		for _, file := range files[1:] {
			if diff := cmp.Diff(want, withoutLines(readAll(t, format, strings.NewReader(file)))); diff != "" {
				t.Errorf("%s: %s\n%s", format, file, diff)
			}
		}
	}
}

// TestForeignFilesHaveOneFault reads files of none of the formats.
func TestForeignFilesHaveOneFault(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"[12.01.26, 09:00] Ada: Hello\n[12.01.26, 09:01] Bo: Hi\n", "12/01/26, 09:00 - Ada: Hello\n12/01/26, 09:01 - Bo: Hi\n",
		"[\n  {\n    \"type\": \"message\",\n    \"ts\": \"1\"\n  }\n]\n", `["a","b"]`, "\"a\"\n\"b\"", "id,text\n1,Hello\n", `{"messages":[]}`, "{\n  \"messages\": []\n}", "<html>\n</html>",
	} {
		got := readAll(t, Kith, strings.NewReader(file))
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: ") || !strings.Contains(got[0], "graphiti, mem0, zep, letta") {
			t.Errorf("%q: %q", file, got)
		}
	}
	for format, file := range map[Format]string{
		Graphiti: `{"messages":[{"a":1}]}`, Zep: `{"a":1}`, Letta: `{"a":[]}`, Cognee: `{"data":{}}`, MCPMemory: "09:00 - Ada: Hello\n09:01 - Bo: Hi\n", LangGraph: "a\nb\n",
	} {
		got := readAll(t, format, strings.NewReader(file))
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: ") {
			t.Errorf("%s, %q: %q", format, file, got)
		}
	}
}

// TestLinesAreReadAsTheyCome reads each line before the next one is sent, and the lines before an error.
func TestLinesAreReadAsTheyCome(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	lines := []string{"\ufeff" + header, node, node}
	sent := make(chan int, len(lines))
	go func() {
		for i, line := range lines {
			sent <- i
			_, _ = io.WriteString(out, line)
		}
		_ = out.CloseWithError(iotest.ErrTimeout)
	}()
	objects := newObjects(in, isKithLine)
	for i, line := range lines {
		raw, err := objects.read()
		if err != nil || len(sent) > i+2 || !strings.Contains(line, string(raw)) {
			t.Errorf("line %d: %q, %v, %d lines were sent", i, raw, err, len(sent))
		}
	}
	for range 2 {
		if _, err := objects.read(); !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("at the end: %v", err)
		}
	}
}
