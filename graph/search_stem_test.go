package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kith/graph"
)

func TestStem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agr" + "e", "plastered": "plaster", "motoring": "motor",
		"sing": "sing", "conflated": "conflat", "hopping": "hop", "falling": "fall", "filing": "file", "happy": "happi", "sky": "sky",
		"relational": "relat", "rational": "ration", "vietnamization": "vietnam", "radically": "radic", "archaeology": "archaeolog",
		"adoption": "adopt", "probate": "probat",
		"rate": "rate", "controlling": "control", "roll": "roll", "generalizations": "gener", "is": "is", "as": "as", "ies": "i", "s": "s",
		"o'brien": "o'brien", "node.js": "node.j", "straße": "straße", "日": "日",
	} {
		if got := graph.Stem(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
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
		if !slices.Equal(graph.Words(word), []string{word}) || slices.Contains(graph.StopWords, word) {
			continue
		}
		messages = append(messages, said(fmt.Sprint("m", i), word))
		queries = append(queries, fmt.Sprintf(`{key: "m%d", query: '%s +text:["%s" TO "%s"]'}`, i, graph.ScopeFilter(e.As("u"), nil, nil),
			strings.ReplaceAll(graph.Stem(word), "'", `\'`), strings.ReplaceAll(graph.Stem(word), "'", `\'`)))
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
