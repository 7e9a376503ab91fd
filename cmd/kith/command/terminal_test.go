package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/cmd/kith/internal/terminal"
	"kith/cmd/kith/internal/transfer"
	"kith/graph"
	"kith/tests/hostile"
)

// Whatever is stored, commands print as many lines as for harmless texts, and no control characters.
func TestNothingStoredIsObeyedByATerminal(t *testing.T) {
	t.Parallel()
	prints := func(texts []string) map[string]string {
		all := map[string]string{}
		print := func(name string, write func(out *bytes.Buffer) error) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				all[name] = err.Error()
				return
			}
			all[name] = out.String()
		}
		print("table", func(out *bytes.Buffer) error {
			return terminal.PrintTable(out, [][]string{{"KEY", "TEAM"}, {texts[0], texts[1]}})
		})
		print("findings", func(out *bytes.Buffer) error {
			return printFindings(Streams{Out: out}, terminal.Paint{}, []finding{{What: "Neo4j", Seen: texts[2], Advice: "start it"}})
		})
		print("check", func(out *bytes.Buffer) error {
			(&checkCmd{}).printFinding(out, graph.Finding{Check: "x", TeamID: texts[3], Kind: "person", Key: texts[4], Detail: texts[5]})
			return nil
		})
		print("import", func(out *bytes.Buffer) error {
			(&transfer.Report{
				Refused:  []transfer.Note{{Line: 3, Location: texts[6], Message: texts[7]}},
				Warnings: []transfer.Note{{Message: texts[8]}, {Line: 4, Location: texts[9]}},
			}).PrintNotes(terminal.NewProgress(out))
			return nil
		})
		print("json", func(out *bytes.Buffer) error {
			return terminal.PrintJSON(out, map[string]string{"a": texts[0], "b": texts[1]})
		})
		print("line of json", func(out *bytes.Buffer) error { return terminal.PrintLine(out, graph.Finding{Key: texts[2]}) })
		print("error", func(out *bytes.Buffer) error {
			code := Run(t.Context(), []string{"export", "--url", "http://127.0.0.1:1", "--key", "k", "/none/" + strings.ReplaceAll(texts[3], "/", "")}, nil, Streams{nil, out, out})
			if code != 1 {
				return errors.New("no error")
			}
			return nil
		})
		return all
	}
	words := make([]string, 10)
	for i := range words {
		words[i] = hostile.Harmless[0]
	}
	want := prints(words)
	rapid.Check(t, func(t *rapid.T) {
		texts := hostile.Texts().Draw(t, "texts")
		for name, got := range prints(texts) {
			if r := hostile.Unseen(got); r != 0 || strings.Count(got, "\n") != strings.Count(want[name], "\n") {
				t.Errorf("%s: %U in %q", name, r, got)
			}
			var back map[string]string
			if name == "json" && (json.Unmarshal([]byte(got), &back) != nil || back["a"] != texts[0]) {
				t.Errorf("another value: %s", got)
			}
		}
		if got := (terminal.Paint{}).Markdown(strings.Join(texts, "\n")); hostile.Unseen(got) != 0 {
			t.Errorf("text: %q", got)
		}
	})
}
