package explore

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/tests/hostile"
)

// Whatever is stored, lines begin as they do with harmless texts, and nothing is there that is not seen.
func TestNothingStoredBeginsALine(t *testing.T) {
	t.Parallel()
	text := func(texts []string) (all string) {
		for granularity := range 2 {
			r := query("boat")
			r.Format, r.Expand, r.Granularity = Keyed, 5, granularity+1
			result, _ := explore(t, everything(t), nil, r)
			hostile.Fill(result, texts)
			all += result.Text()
		}
		return all
	}
	harmless := text(hostile.Harmless)
	for _, heading := range []string{"## People", "## Concepts", "## Relationships", "## Sources", "## Storylines", "## Documents"} {
		if !strings.Contains(harmless, heading) {
			t.Errorf("no %s: %s", heading, harmless)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := text(hostile.Texts().Draw(t, "texts"))
		if fault := hostile.Differs(harmless, got); fault != "" {
			t.Errorf("%s\n%s", fault, got)
		}
	})
}

// What is hardly believed stands in quotation marks.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	for granularity := range 3 {
		r := query("boat")
		r.Format, r.Expand, r.Granularity = Keyed, 5, granularity+1
		result, _ := explore(t, everything(t), nil, r)
		hostile.Distrust(result, "Name", "Description", "OneLiner", "Summary", "Text", "Role", "NotesSnippets", "FromName", "ToName", "RelationshipType")
		text := result.Text()
		if line := hostile.Plain(text); line != "" || !strings.Contains(text, hostile.Secret) {
			t.Errorf("%q in %s", line, text)
		}
	}
}
