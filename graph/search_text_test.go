package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/memory/explore"
	"kith/tests/hostile"
	"kith/text/words"
)

// Every query is treated as words: it never breaks a search, and finds nothing if it has no words.
func TestSearchHostileTexts(t *testing.T) {
	e := fresh(t)
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("plain"), Messages: []graph.MessageWrite{said("m", "plain")}})
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5), node("task", "t", 0.5)}, link("c", "relates_to", "t", 0.5))
	for _, text := range hostile.Queries {
		found := e.search("u", askAll(text))
		e.Same("found by "+text[:min(len(text), 40)], 0, len(found.Messages)+len(found.Sources))
		if words.Of(text) == nil {
			e.Same("found by nothing", 0, len(found.Nodes)+len(found.Relationships))
		}
	}
}

// A word may have both kinds of apostrophe.
func TestSearchFindsMixedApostrophes(t *testing.T) {
	e := fresh(t)
	stored := e.Source("u", graph.SourceWrite{Messages: []graph.MessageWrite{said("", "rock’n'roll at the quay")}})
	for _, text := range []string{"rock’n'roll", "rock'n’roll", "rock'n'roll"} {
		found := e.search("u", explore.Search{Asks: askAll(text).Asks, Messages: true})
		if len(found.Messages) == 0 || found.Messages[0].Key != stored.Messages[0].EntityKey {
			t.Errorf("%s: %v", text, found.Messages)
		}
	}
}

// A text is found by itself: the words of a query are the words of the index.
func TestSearchFindsTextsByThemselves(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"ada", "Node", "x", "7", "42", "é", "ö", "日", "本", "か", "カナ", "한국", "สวัสดี", "مرحبا", "नम", "שלום", "🎉", "👍🏽", "👨‍👩‍👧", "🇩🇪", "❤️",
		" ", " ", ".", ",", ":", ";", "_", "'", "’", "-", "/", "\u200c", "\u00ad", "\u0301", "\n", "(", `"`, `צה"ל`, "׳", "״", "+", "#", "@", "\u3000",
	})
	twice(t, func(r *rapid.T, e *env) {
		list := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(pieces, 1, 8), func(p []string) string { return "kith " + strings.Join(p, "") }), 4, 4).Draw(r, "texts")
		var messages []graph.MessageWrite
		for _, text := range list {
			messages = append(messages, said("", text))
		}
		result := e.Source("u", graph.SourceWrite{Messages: messages})
		for i, text := range list {
			for n, m := range askAll(text).Asks {
				found := e.search("u", explore.Search{Asks: []explore.Ask{m}, Messages: true})
				if !slices.ContainsFunc(found.Messages, func(f explore.FoundMessage) bool { return f.Key == result.Messages[i].EntityKey }) {
					r.Errorf("%q is not found by itself (%d): %q", text, n, m.Words)
				}
			}
		}
	})
}

// Stems equal those of the full-text indexes: each word is found by its stem, as a range of one term, which is not
// analyzed.
func TestStemsAreThoseOfTheIndex(t *testing.T) {
	e := fresh(t)
	r := rand.New(rand.NewPCG(7, 8))
	begins := []string{"sing", "hop", "rat", "agr" + "e", "relat", "lant", "y", "day", "tt", "fizz", "control", "gener", "archae", "pluck", "ow",
		"mix", "e", "tro"}
	ends := []string{"", "s", "es", "ies", "ed", "eed", "ing", "y", "ational", "bli", "ization", "iveness", "logi", "icate", "ful", "ement", "sion",
		"tion", "ll", "e", "le", "'s", "er"}
	var messages []graph.MessageWrite
	var queries []string
	for i := range 250 {
		word := begins[r.IntN(len(begins))] + ends[r.IntN(len(ends))] + ends[r.IntN(len(ends)/2)]
		if !slices.Equal(words.Of(word), []string{word}) || words.IsStopWord(word) {
			continue
		}
		messages = append(messages, said(fmt.Sprint("m", i), word))
		queries = append(queries, fmt.Sprintf(`{key: "m%d", query: '%s +text:["%s" TO "%s"]'}`, i, searchscope.Filter(searchscope.Visible(e.Team, "u"), nil, nil),
			strings.ReplaceAll(words.Stem(word), "'", `\'`), strings.ReplaceAll(words.Stem(word), "'", `\'`)))
	}
	e.Source("u", graph.SourceWrite{EntityKey: "s", Messages: messages})
	missed := e.Raw(`UNWIND [` + strings.Join(queries, ", ") + `] AS q
		CALL (q) { CALL db.index.fulltext.queryNodes('message_words', q.query) YIELD node RETURN collect(node.entity_key) AS found }
		WITH q, found WHERE $team <> '' AND NOT q.key IN found
		RETURN q.key, q.query`)
	if len(missed) > 0 || len(messages) < 100 {
		t.Errorf("%d words, missed: %v", len(messages), missed)
	}
}
