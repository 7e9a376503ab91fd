package explore

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kith/graph"
)

func asksFor(queries ...string) []ask {
	asks := make([]ask, len(queries))
	for i, q := range queries {
		asks[i] = (&plan{Request: &Request{}}).newAsk(q, 0)
	}
	return asks
}

// A snippet has the text around the words, in any script.
func TestAround(t *testing.T) {
	t.Parallel()
	const length = 100
	filler := strings.Repeat("And then the day went on as the days go. ", 20)
	for what, c := range map[string]struct{ text, query, has string }{
		"short":               {"The boat.", "tide", "The boat."},
		"at the end":          {filler + "The boat leaks.", "boat", "boat leaks."},
		"in the middle":       {filler + "The boat leaks. " + filler, "what of the boat", "boat leaks"},
		"not by a common one": {filler + "The lantern. " + filler, "where is the lantern", "The lantern."},
		"another form":        {filler + "She repaired boats. " + filler, "boat repairing", "repaired boats"},
		"most of the words":   {filler + "A boat. " + filler + "The oak beam of the boat. " + filler, "oak beam boat", "oak beam of the boat"},
		"lower case is short": {strings.Repeat("İİİİ ", 200) + "ferry İİİ" + strings.Repeat(" İİİİ", 200), "ferry", "ferry"},
		"lower case is long":  {strings.Repeat("ȺȺȺȺ ", 200) + "ferry ȺȺȺ" + strings.Repeat(" ȺȺȺȺ", 200), "Ferry", "ferry"},
		"long and near":       {strings.Repeat("Ⱥ ", 300) + "ferry", "ferry", "ferry"},
		"ideographs":          {strings.Repeat("天気がいいですね。", 60) + "船が港に着いた。" + strings.Repeat("天気がいいですね。", 60), "船", "船が港"},
		"emoji":               {strings.Repeat("🙂 ", 300) + "🚢 " + strings.Repeat("🙂 ", 300), "🚢", "🚢"},
		"no such word":        {filler, "zebra", "And then the day"},
		"only signs":          {filler, "?!", "And then the day"},
		"not inside others":   {filler + strings.Repeat("theart oxart ", 20) + "art " + filler, "art", " art "},
	} {
		got := excerpt(c.text, asksFor(c.query), length)
		if !strings.Contains(got, c.has) || !utf8.ValidString(got) || utf8.RuneCountInString(got) > length+2 {
			t.Errorf("%s: %q", what, got)
		}
		if inner := strings.Trim(got, "…"); !strings.Contains(c.text, inner) {
			t.Errorf("%s: %q is not of the text", what, got)
		}
	}
}

func FuzzAround(f *testing.F) {
	f.Add("The boat \xff leaks", "boat", 5)
	f.Add("İstanbul ferry", "istanbul", 3)
	f.Fuzz(func(t *testing.T, text, query string, length int) {
		if length < 1 || length > 1000 {
			return
		}
		got := excerpt(text, asksFor(query), length)
		if n := utf8.RuneCountInString(got); n > length+2 {
			t.Fatalf("%d characters of %d: %q", n, length, got)
		}
	})
}

func TestNoteSnippets(t *testing.T) {
	t.Parallel()
	notes := make([]graph.Note, 15)
	for i := range notes {
		notes[i].Content = strings.Repeat("é", 600)
	}
	got := noteSnippets(notes, "")
	if len(got) != 10 {
		t.Errorf("%d notes", len(got))
	}
	for _, n := range got {
		if n != strings.Repeat("é", 500)+"…" {
			t.Errorf("note %q", n)
		}
	}
	notes = []graph.Note{{Content: "of the quay"}, {Content: "of the boat"}}
	if got := noteSnippets(notes, "keeper of the quay"); len(got) != 1 || got[0] != "of the boat" {
		t.Errorf("beside a description: %q", got)
	}
	if got := noteSnippets(nil, ""); got != nil {
		t.Errorf("%v of nothing", got)
	}
}
