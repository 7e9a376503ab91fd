package explore

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/text/words"
)

// longestTitle is the most words of a name that is searched in texts.
const longestTitle = 8

// titleLimit bounds the names that are looked up for one request.
const titleLimit = 2_000

// titleCandidates returns possible names in a text, in the form of graph.NameKey: up to eight words, the first of which
// begins with a capital letter or a digit.
func titleCandidates(text string) []string {
	tokens := words.NameTokens(text)
	var names []string
	for i, t := range tokens {
		if !beginsName(t) {
			continue
		}
		for n := 1; n <= min(longestTitle, len(tokens)-i); n++ {
			names = append(names, strings.ToLower(strings.Join(tokens[i:i+n], " ")))
		}
	}
	return names
}

func beginsName(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// findTitles returns the names that a text contains, in the same case. The longest come first, and none within another.
func findTitles(text string, names map[string]bool) []string {
	tokens := words.NameTokens(text)
	var found []string
	for i := 0; i < len(tokens); {
		n := min(longestTitle, len(tokens)-i)
		for ; n > 0; n-- {
			if name := strings.Join(tokens[i:i+n], " "); names[name] && (n > 1 || beginsName(name)) {
				found = append(found, name)
				break
			}
		}
		i += max(n, 1)
	}
	return found
}
