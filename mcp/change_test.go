package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
)

// What changed is asked by key or name, since a time in several forms, and comes within a budget.
func TestWhatChanged(t *testing.T) {
	t.Parallel()
	ada, boat := graph.NodeRef{EntityKey: "key-1", Kind: "person", Name: "Ada"}, graph.NodeRef{EntityKey: "key-2", Kind: "entity", Name: "ADA"}
	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, c := range []struct{ arguments, asked, says string }{
		{`{"about":"key-1"}`, "changes of person key-1 since 0001-01-01, 20", "# What changed about Ada (person)\n- created, 2026-10-01: \"works at A\"\n"},
		{`{"about":"key-1","since":"2026-10-03","limit":5}`, "changes of person key-1 since 2026-10-03, 5", "since 2026-10-03\n"},
		{`{"about":"key-1","since":"2026-10-03T23:30:00-02:00"}`, "changes of person key-1 since 2026-10-04, 20", ""},
		{`{"about":"key-1","since":"yesterday"}`, "changes of person key-1 since " + yesterday + ", 20", "since " + yesterday},
		{`{"about":"ada","kind":"person"}`, "changes of person key-1 since 0001-01-01, 20", ""},
		{`{"about":"Ada"}`, "changes of person key-1 since 0001-01-01, 20", ""},
		{`{"about":"aDA"}`, "named aDA", "is the name of several nodes"},
		{`{"about":"Eve"}`, "named Eve", "- about: is neither the entity key nor the name of a node that you may see"},
		{`{"about":"key-1","since":"whenever"}`, "", "- since: must be a day as 2026-05-31"},
		{`{"about":"key-1","kind":"thing"}`, "", "- kind: is no kind of nodes"},
		{`{}`, "", "required property about"},
	} {
		f := &fakes{named: map[string][]graph.NodeRef{"ada": {ada, boat}}}
		f.changes = []graph.NodeChange{{At: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), What: graph.CreatedOp, Description: "works at A"}}
		text := textOf(call(t, session(t, f, anybody, Options{}), "what_changed", c.arguments))
		asked := ""
		if n := len(f.asked); n > 0 {
			asked = f.asked[n-1]
		}
		if asked != c.asked || !strings.Contains(text, c.says) {
			t.Errorf("%s: asked %v: %s", c.arguments, f.asked, text)
		}
	}
	f := &fakes{}
	for i := range 200 {
		f.changes = append(f.changes, graph.NodeChange{What: graph.CreatedOp, Description: strings.Repeat(fmt.Sprint("detail ", i, " "), 20)})
	}
	s := session(t, f, anybody, Options{})
	for arguments, budget := range map[string]int{`{"about":"key-1"}`: changeTokens, `{"about":"key-1","max_tokens":100}`: 100} {
		if text := textOf(call(t, s, "what_changed", arguments)); !strings.Contains(text, "Left out to keep the token budget") {
			t.Errorf("%s: %s", arguments, text)
		} else {
			withinBudget(t, text, budget)
		}
	}
}
