package exchange

import (
	"encoding/json"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

// A text with NUL is refused at its place; a JSON value of a caller may have it.
func TestNULOfTexts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"properties":{"\u0000":"a\u0000"},"parts":[{"\u0000":1}],"value":{"a":"\u0000"}}`: "",
		`{"name":"\\u0000"}`:               "",
		`{"name":"\\u0000\u0000"}`:         "name: must not contain NUL characters",
		`{"entity_key":"\u0000"}`:          "entity_key: must not contain NUL characters",
		`{"namespace":["a","\u0000"]}`:     "namespace[1]: must not contain NUL characters",
		`{"history":{"notes":["\u0000"]}}`: "history.notes[0]: must not contain NUL characters",
		`{"notes":[{"content":"\u0000"}]}`: "notes[0].content: must not contain NUL characters",
		`{"\u0000":1}`:                     ": has a field of the wrong type",
	} {
		var w struct {
			graph.NodeWrite
			inTeam
		}
		got := ""
		for _, f := range fault.Fields(decodeItem(json.RawMessage(line), &w, &w.inTeam, "t")) {
			got += f.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
