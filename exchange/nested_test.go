package exchange

import (
	"fmt"
	"strings"
	"testing"
)

// The messages of an agent are read one by one: together they may be longer than an element.
func TestAgentsWithMoreMessagesThanFitInMemory(t *testing.T) {
	t.Parallel()
	var messages []string
	for n := range 40 {
		messages = append(messages, fmt.Sprintf(`{"id":"m-%d","role":"user","content":"%s"}`, n, strings.Repeat("x", 60_000)))
	}
	got := readAll(t, Letta, strings.NewReader(`{"agents":[{"id":"a","name":"b","messages":[`+strings.Join(messages, ",")+`],"tags":["home"]}]}`))
	if len(got) != 43 || !strings.Contains(got[42], `"tags":["home"]`) {
		t.Errorf("%d results, the last is %s", len(got), got[len(got)-1])
	}
	got = readAll(t, Letta, strings.NewReader(`{"agents":[{"id":"a","system":"`+strings.Repeat("x", 3<<20)+`","messages":[`+messages[0]+`]},{"id":"b","name":"c"}]}`))
	if len(got) != 3 || got[0] != "!1 agents[0]: has more than 2097152 bytes" || got[1] != "?1 agents[0].messages[0]: messages of an agent whose id does not precede them are not imported" {
		t.Errorf("an agent that is too long: %q", got)
	}
}

func TestAgentsThatCannotBeReadOn(t *testing.T) {
	t.Parallel()
	agent := `{"agents":[{"id":"a","name":"b","messages":[`
	first := readAll(t, Letta, strings.NewReader(agent+`]}]}`))[0]
	for in, want := range map[string][]string{
		`{"agents":[{"id":"a"`:           {"error: line 1, column 21: the file ends in the middle of the document: it may be cut"},
		`{"agents":[{"id" "a"}]}`:        {"error: line 1, column 19: expected a colon"},
		`{"agents":[{7:"a"}]}`:           {"error: line 1, column 14: expected a key"},
		agent:                            {first, "error: line 1, column 45: the file ends in the middle of the document: it may be cut"},
		agent + `{"id":"m"`:              {first, "error: line 1, column 54: the file ends in the middle of the document: it may be cut"},
		agent + `{"id":"m","role":"owl`:  {first, "error: line 1, column 66: the file ends in the middle of the document: it may be cut"},
		agent + `}]}`:                    {first, "error: line 1, column 45: expected a value"},
		agent + `] "x":1}]}`:             {first, "error: line 1, column 47: expected a comma or the end of a list or object"},
		`{"agents":[{"messages":7}]}`:    {"!1 agents[0].id: is required"},
		`{"agents":[{"messages":[]}]}`:   {"!1 agents[0].id: is required"},
		agent + `],"messages":[7]}]}`:    {first},
		"\xff\xfe{\x00":                  {"error: line 1, column 1: the file is in UTF-16: save it in UTF-8"},
		`{"agents":[{"id":"a","id":"b"}`: {"!1 agents[0]: has the same key twice in an object, at byte 11", "error: line 1, column 31: the file ends in the middle of the document: it may be cut"},
	} {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			check(t, Letta, in, want...)
		})
	}
}
