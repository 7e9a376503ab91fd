package explore

import (
	"slices"
	"strings"

	"kith/graph"
)

// asking are words by which a question asks, and that say nothing of what it asks for. English analysis keeps them.
var asking = []string{
	"what", "when", "where", "who", "whom", "whose", "which", "why", "how", "did", "does", "do", "has", "have", "had", "would", "could",
	"should", "can", "may", "might", "many", "much",
}

// telling are the words that say something; all, where none does.
func telling(words []string) []string {
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(asking, w) })
	if len(some) == 0 {
		return words
	}
	return some
}

// nameWords are the words of a query that may be names: those in capitals, or all where it has none.
func nameWords(query string) []string {
	var names []string
	for _, t := range graph.NameTokens(query) {
		if beginsName(t) {
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		names = graph.NameTokens(query)
	}
	return telling(graph.Words(strings.Join(names, " ")))
}
