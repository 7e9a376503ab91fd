package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContentWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I'd always like the Houses’ gardens":   "hous garden",
		"Node.js v18.15.0 isn't running_well!":  "node.j v18.15.0 isn't runn well",
		"classes and glass, quickly organized.": "class glass quick organiz",
		"Über die Brücke":                       "über die brück",
		"":                                      "",
	} {
		if got := strings.Join(contentWords(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSplitSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`He said "stop." Then (why?) he left...  It is 3.5 km.`: {`He said "stop.`, "Then (why?", "he left...", "It is 3.5 km."},
		"one\n\ntwo\nthree":                    {"one", "two", "three"},
		"before\n```go\nx := 1. y\n```\nafter": {"before", "after"},
		"```only code. here":                   {"```only code.", "here"},
		" \n ":                                 nil,
	} {
		if diff := cmp.Diff(want, splitSentences(text)); diff != "" {
			t.Errorf("%q (-want +got): %s", text, diff)
		}
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"short":  "Yes. No. My cat Tom sleeps.",
		"order":  "Hello there my friend. Always format dates as day month year in tables.",
		"stray":  "Gravel paths whistle here.",
		"nobody": "Yes!",
	}
	for name, test := range map[string]struct {
		question question
		want     []evidence
	}{
		"shared words only":         {question{Says: "format dates as day, month, year", Gold: []string{"stray", "order"}}, []evidence{{[]string{"format", "dat", "day", "month", "year"}, 11, 10. / 11}}},
		"few shared words":          {question{Question: "Who sleeps?", Gold: []string{"short"}}, []evidence{{[]string{"cat", "tom", "sleep"}, 9, 0.5}}},
		"one for each gold message": {question{Question: "here", Gold: []string{"stray", "order", "nobody"}}, []evidence{{[]string{"gravel", "path", "whistl"}, 9, 0}, {[]string{"hello", "friend", "format", "dat", "day", "month", "year", "tabl"}, 14, 0}}},
		"nobody says it":            {question{Says: "prefers seats beside windows", Gold: []string{"stray", "order"}}, nil},
		"too short":                 {question{Question: "Yes?", Gold: []string{"nobody"}}, nil},
	} {
		got := questionEvidence(&test.question, texts)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(evidence{}), cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
}

func TestHasEvidence(t *testing.T) {
	t.Parallel()
	e := evidence{words: []string{"red", "blu", "gold", "pink", "grab"}, width: 7}
	for text, want := range map[string]bool{
		"grab pink gold blu":                        true,
		"grab pink gold red":                        true, // four of five, in any order
		"grab pink gold gold":                       false,
		"red blue\ngold pink":                       false, // in different lines
		"red a1 a2 grab a3 gold pink":               true,
		"red a1 a2 grab a3 a4 gold pink":            false, // the stretch is too long
		"red a1 a2 grab a3 a4 gold pink blue red":   true,
		"red gold pink red a2 a3 red a4 a5 a6 grab": false,
		"": false,
	} {
		if got := readWords(text).has(e); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestBM25(t *testing.T) {
	t.Parallel()
	index := newBM25([]string{"red boats sail", "a red red house with many more words in it", "green boats", "nothing"})
	for query, want := range map[string][]int{"red boat": {0, 2}, "house": {1}, "the": nil} {
		if got := index.find(query, 2); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

func TestCutToTokens(t *testing.T) {
	t.Parallel()
	for budget, want := range map[int]string{100: "one two\nthree four", 4: "one two\nthree four", 3: "one two\nthree", 2: "one two\n", 1: "one"} {
		if got, err := cutToTokens([]string{"one  two", "three\nfour", ""}, budget); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want, "\n") || err != nil {
			t.Errorf("%d: %q, want %q: %v", budget, got, want, err)
		}
	}
}
