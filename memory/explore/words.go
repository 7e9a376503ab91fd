package explore

import (
	"slices"
	"strings"

	"kith/text/words"
)

// questionWords are the words of a question that do not say what it is about. English analysis keeps them.
var questionWords = []string{
	"what", "when", "where", "who", "whom", "whose", "which", "why", "how", "did", "does", "do", "has", "have", "had", "would", "could",
	"should", "can", "may", "might", "many", "much",
}

// contentWords returns words without question words, or all if there are no others.
func contentWords(words []string) []string {
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(questionWords, w) })
	if len(some) == 0 {
		return words
	}
	return some
}

// nameWords returns the words of a query that may be names: the capitalized ones, or all if none is.
func nameWords(query string) []string {
	var names []string
	for _, t := range words.NameTokens(query) {
		if beginsName(t) {
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		names = words.NameTokens(query)
	}
	return contentWords(words.Of(strings.Join(names, " ")))
}
