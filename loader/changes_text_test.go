package loader

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/text/tokens"
)

func changed(field, was, is string) []graph.FieldChange {
	c := graph.FieldChange{Field: field}
	if was != "" {
		c.Was = json.RawMessage(was)
	}
	if is != "" {
		c.Is = json.RawMessage(is)
	}
	return []graph.FieldChange{c}
}

func TestChangesText(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, 10, d, 9, 0, 0, 0, time.UTC) }
	at := day(3)
	conversation := &graph.ChangeSource{EntityKey: "s-1", ContentType: "conversation", StartedAt: &at}
	sarah := &graph.ChangedLink{Key: "r", Type: "has_relationship_with", Direction: "outgoing", Node: graph.NodeRef{EntityKey: "sarah", Kind: "person", Name: "Sarah"}}
	incoming := &graph.ChangedLink{Key: "r2", Type: "mentions", Direction: "incoming", Node: graph.NodeRef{EntityKey: "s-1", Kind: "source", Name: "Planning"}}
	l := &graph.ChangeList{Node: graph.NodeRef{EntityKey: "ada", Kind: "person", Name: "Ada"}, Changes: []graph.NodeChange{
		{At: day(9), What: graph.DeletedOp, Relationship: sarah},
		{At: day(8), What: graph.EndedOp, Relationship: sarah, Changes: append(changed("valid_to", "null", `"2026-10-08T00:00:00Z"`), changed("attitude", "4", "2")...)},
		{At: day(7), What: graph.UpdatedOp, Relationship: sarah, Changes: changed("description", `"her sister"`, `"her elder sister"`)},
		{At: day(6), What: graph.CreatedOp, Relationship: incoming, Through: "mcp:add_conversation"},
		{At: day(5), What: graph.CreatedOp, Relationship: sarah, Description: "her sister"},
		{At: day(4), What: graph.UpdatedOp, Through: "patch-node", Changes: changed("properties", `{"a":1}`, "")},
		{At: day(3), What: graph.UpdatedOp, Through: "end-conversation", Source: conversation, Changes: changed("description", `"works at A"`, `"works at B"`)},
		{At: day(2), What: graph.UpdatedOp, Changes: changed("type", "", `"x"`)},
		{At: day(1), What: graph.CreatedOp, Description: "works at A"},
	}}
	got, err := ChangesText(l, time.Date(2026, 9, 30, 0, 0, 0, 0, time.UTC), 0)
	if want := `# What changed about Ada (person) since 2026-09-30
- relationship to **Sarah** (has_relationship_with), 2026-10-09: deleted
- relationship to **Sarah** (has_relationship_with), 2026-10-08: ended 2026-10-08
- relationship to **Sarah** (has_relationship_with), 2026-10-08: attitude was 4, now 2
- relationship to **Sarah** (has_relationship_with), 2026-10-07: description was "her sister", now "her elder sister"
- relationship from **Planning** (mentions), 2026-10-06: new (mcp:add_conversation)
- relationship to **Sarah** (has_relationship_with), 2026-10-05: new: "her sister"
- properties, 2026-10-04: was {"a":1}, now empty (patch-node)
- description, 2026-10-03: was "works at A", now "works at B" (from the conversation of 2026-10-03)
- type, 2026-10-02: now "x"
- created, 2026-10-01: "works at A"
`; err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	cut, err := ChangesText(l, time.Time{}, 100)
	if n, _ := tokens.Count(cut); err != nil || n > 100 || !strings.Contains(cut, "Left out to keep the token budget: the ") || !strings.HasPrefix(cut, "# What changed about Ada (person)\n- relationship") {
		t.Errorf("%d tokens, %v\n%s", n, err, cut)
	}
	l.More = true
	if more, err := ChangesText(l, time.Time{}, 0); err != nil || !strings.Contains(more, "There are older changes") {
		t.Errorf("%v\n%s", err, more)
	}
	if none, err := ChangesText(&graph.ChangeList{}, time.Time{}, 100); err != nil || !strings.Contains(none, "Nothing that is kept.") {
		t.Errorf("%v\n%s", err, none)
	}
}

// No stored text ends a line, or a value, of the text about changes.
func TestTextsOfChangesStayInTheirLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.SampledFrom([]string{`"`, `\`, "\n- ", `", now "`, "**", "_Left out_", " (from the conversation of 2026-01-01)", "\u2028"}), rapid.String())
		text := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, name), "") }
		raw, _ := json.Marshal(text("was"))
		list, _ := json.Marshal([]string{text("item")})
		l := &graph.ChangeList{Node: graph.NodeRef{Kind: "person", Name: text("name")}, Changes: []graph.NodeChange{
			{What: graph.CreatedOp, Description: text("description"), Relationship: &graph.ChangedLink{Type: "knows", Node: graph.NodeRef{Name: text("other")}}},
			{What: graph.UpdatedOp, Through: text("through"), Changes: changed("description", string(raw), string(list))},
		}}
		got, err := ChangesText(l, time.Time{}, 0)
		if err != nil || strings.Count(got, "\n") != 3 || strings.Count(got, "\n- ") != 2 {
			t.Errorf("%v\n%q", err, got)
		}
		if plain, was, found := strings.Cut(got, "was "); found && !strings.Contains(was, `, now [`) {
			t.Errorf("%q\n%q", plain, was)
		}
	})
}
