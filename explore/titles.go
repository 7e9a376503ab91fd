package explore

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/graph"
)

// longestTitle is how many words a name has that is looked for in texts.
const longestTitle = 8

// titleLimit bounds the names that are looked up for one request.
const titleLimit = 2_000

// titles are what may be names in a text, as graph.NameKey has them: up to eight words, of which the first begins with a
// capital letter or a digit.
func titles(text string) []string {
	tokens := graph.NameTokens(text)
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

// naming finds in a text which of some names it has, in the same case, the longest first and none within another.
func naming(text string, names map[string]bool) []string {
	tokens := graph.NameTokens(text)
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
