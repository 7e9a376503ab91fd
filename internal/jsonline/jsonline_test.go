package jsonline

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, wrong, fault string }{
		{`{"name":"Ada"}`, "", ""},
		{`{"name":7}`, "name", ""},
		{`[]`, "", "is not a JSON object"},
		{`{`, "", "is not valid JSON: unexpected end of JSON input"},
		{"\"\xff\"", "", "is not valid UTF-8"},
	} {
		var into struct {
			Name string `json:"name"`
		}
		wrong, fault := Decode([]byte(test.line), &into)
		field := ""
		if wrong != nil {
			field = wrong.Field
		}
		if field != test.wrong || fault != test.fault {
			t.Errorf("%q: field %q, fault %q", test.line, field, fault)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "|": 0, "a": 1, "a\n": 1, "a|b\n|": 1, "a\n|b": 2, "\n\n": 2} {
		var c Counter
		for piece := range strings.SplitSeq(text, "|") {
			_, _ = c.Write([]byte(piece))
		}
		if c.Lines() != want {
			t.Errorf("%q has %d lines, want %d", text, c.Lines(), want)
		}
	}
}
