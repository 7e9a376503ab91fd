package statement

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/tests/golden"
	"kith/text/recognise"
)

// How many of the pairs of sentences in the corpus close what the first one says, by language and by what they should do: closes says
// what ends it, same says it again, and beside is about something else. The figures say what is so today: -update after a change, and look
// whether they are better. known: pairs whose first sentence is kept, more than of sentences that do not train the classifier.
func TestPairs(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../text/recognise/testdata/corpus/pairs_*.tsv")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-10s%7s%7s%7s%7s%7s\n", "language", "pair", "lines", "known", "closed", "ends")
	for _, path := range paths {
		raw, err := os.ReadFile(path) //nolint:gosec // as listed
		if err != nil {
			t.Fatal(err)
		}
		language := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "pairs_"), ".tsv")
		for _, pair := range []string{"closes", "same", "beside"} {
			var lines, known, closed, ends int
			for line := range strings.Lines(string(raw)) {
				fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				if fields[2] != pair {
					continue
				}
				lines++
				held, left := hearPair(t, fields[0], fields[1])
				if held {
					known++
					if !left {
						closed++
					}
				}
				if endsText(t, fields[1], fields[0]) {
					ends++
				}
			}
			fmt.Fprintf(&table, "%-10s%7s%7d%7d%7d%7d\n", language, pair, lines, known, closed, ends)
		}
	}
	golden.Check(t, "testdata/pairs.txt", table.String())
}

// hearPair reports whether the first sentence gives a statement, and whether one of it is left open after the second.
func hearPair(t *testing.T, first, second string) (held, left bool) {
	t.Helper()
	m := nothing()
	for i, text := range []string{first, second} {
		m.record(t, []graph.Message{{EntityKey: fmt.Sprint("m", i), Text: text, At: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)}})
		held = held || i == 0 && len(m.stored) > 0
	}
	for _, p := range m.stored {
		_, closed := p["valid_to"]
		left = left || !closed && (p["message_key"] == "m0" || p["renewals"] != int64(0))
	}
	return held, left
}

// endsText reports whether a sentence ends another one, were that a statement.
func endsText(t *testing.T, sentence, text string) bool {
	t.Helper()
	all, err := recognise.Statements(t.Context(), sentence)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].Ends(text) > 0 {
			return true
		}
	}
	return false
}

// TestWhatHoldsInstead checks that a sentence that ends something stands in its place if it says more than that, and a question's first part
// if it says something.
func TestWhatHoldsInstead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, second, holds string }{
		{"I take sertraline, 50 mg.", "The doctor put my sertraline up to 100 mg.", "The doctor put my sertraline up to 100 mg."},
		{"My flight to Rome is on 3 January.", "My flight to Rome got cancelled.", ""},
		{"Trabajo en una farmacia.", "He dejado la farmacia, ahora doy clases de química.", "He dejado la farmacia, ahora doy clases de química."},
		{"I love spicy food.", "I've gone right off spicy food.", "I've gone right off spicy food."},
		{"My driving test is on 22 December.", "The driving test's been put back to 20 December.", "The driving test's been put back to 20 December."},
		{"We have two cats, Miso and Tofu.", "We lost Miso to the road on Friday, so it's just Tofu now.", "We lost Miso to the road on Friday, so it's just Tofu now."},
		{"Hi.", "My hip replacement is on 3 March, any packing tips?", "My hip replacement is on 3 March"},
	} {
		m := nothing()
		for i, text := range []string{c.first, c.second} {
			m.record(t, []graph.Message{{EntityKey: fmt.Sprint("m", i), Text: text, At: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)}})
		}
		var holds []string
		for _, p := range m.stored {
			if _, closed := p["valid_to"]; !closed {
				holds = append(holds, p["text"].(string))
			}
		}
		if got := strings.Join(holds, " | "); got != c.holds {
			t.Errorf("%s %s: %q holds, want %q", c.first, c.second, got, c.holds)
		}
	}
}
