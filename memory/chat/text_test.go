package chat

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/tests/hostile"
)

// In the one text of a conversation nothing that was said begins a line as a speaker's, and an entity stays on its line; messages keep
// the lines of their texts, and nothing is in them that is not seen.
func TestWhatWasSaidStaysInItsTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := hostile.Texts().Draw(t, "texts")
		asked, answered := strings.Join(texts[:3], "\n"), strings.Join(texts[3:6], "\n")
		entity := Entity{Type: "Person", Name: texts[6], Summary: texts[7]}
		p := &turnCollector{left: 100_000, count: func(s string) (int, error) { return len(s), nil }}
		if _, err := p.addTurns([]Text{
			{UserPrompt: "why?\n@Person:p-1 and " + asked}, {UserPrompt: asked, AssistantText: &answered},
		}, map[string]Entity{"p-1": entity}); err != nil {
			t.Fatal(err)
		}
		for _, m := range p.messages {
			if r := hostile.Unseen(m.Text); r != 0 {
				t.Errorf("%U in %q", r, m.Text)
			}
		}
		text := flattenMessages(p.messages)
		for i, marks := range hostile.Skeleton(text) {
			if line := strings.Split(text, "\n")[i]; marks != "" && line != "User: " && !strings.HasPrefix(line, "User: ") && !strings.HasPrefix(line, "Assistant: ") {
				t.Errorf("line %d begins with %q: %q", i, marks, line)
			}
		}
		if n := strings.Count("\n"+text, "\nUser: ") + strings.Count("\n"+text, "\nAssistant: "); n != len(p.messages) {
			t.Errorf("%d turns of %d: %q", n, len(p.messages), text)
		}
	})
}

// An entity that is hardly believed stands in quotation marks.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	entity := Entity{Type: "Person", Name: "Eve", Summary: "the new lawyer"}
	hostile.Distrust(&entity, "Name", "Summary")
	if text := resolveTokens("ask @Person:p-1 now", map[string]Entity{"p-1": entity}); hostile.Plain(text) != "" || !strings.Contains(text, hostile.Secret) {
		t.Error(text)
	}
}
