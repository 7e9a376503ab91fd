package explore

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/graph"
)

// token is a word of a text: in lower case, and at which character it begins.
type token struct {
	word string
	at   int
}

// tokens are the words of a text as graph.Words takes them apart, with their places.
func tokens(text []rune) []token {
	var all []token
	start := -1
	flush := func(end int) {
		if start >= 0 {
			all = append(all, token{strings.ToLower(string(text[start:end])), start})
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana) || unicode.Is(unicode.So, r):
			flush(i)
			all = append(all, token{string(r), i})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return all
}

// stem is what other forms of a word begin with too: of a long one all but its last letters.
func stem(word string) string {
	const kept, ending = 4, 3
	runes := []rune(word)
	return string(runes[:min(len(runes), max(kept, len(runes)-ending))])
}

// around is what of a text stands around the words asked for, at most length characters: where most of them stand
// together, counted by their letters, so that "the" counts little.
func around(text string, asks []ask, length int) string {
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	var stems []string
	for i := range asks {
		for _, w := range asks[i].Words {
			stems = append(stems, stem(w))
		}
	}
	var hits []token // the stems that the text has
	for _, t := range tokens(runes) {
		for _, s := range stems {
			if t.word == s || utf8.RuneCountInString(s) > 3 && strings.HasPrefix(t.word, s) {
				hits = append(hits, token{s, t.at})
				break
			}
		}
	}
	start := max(0, min(densest(hits, length/2)-length/4, len(runes)-length))
	snippet := string(runes[start : start+length])
	if start > 0 {
		snippet = "…" + snippet
	}
	if start+length < len(runes) {
		snippet += "…"
	}
	return snippet
}

// densest is where the part of so many characters begins that has the most letters of different hits.
func densest(hits []token, length int) int {
	best, most := 0, 0
	for i := range hits {
		letters := 0
		var seen []string
		for _, h := range hits[i:] {
			if h.at >= hits[i].at+length {
				break
			}
			if !slices.Contains(seen, h.word) {
				seen = append(seen, h.word)
				letters += utf8.RuneCountInString(h.word)
			}
		}
		if letters > most {
			best, most = hits[i].at, letters
		}
	}
	return best
}

// cut is the beginning of a text, at most length characters.
func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "…"
	}
	return text
}

// noteSnippets returns the newest notes, cut; those that the description contains are omitted.
func noteSnippets(notes []graph.Note, description string) []string {
	var snippets []string
	total := 0
	for _, n := range notes[:min(notesShown, len(notes))] {
		if strings.Contains(description, n.Content) {
			continue
		}
		if total += min(utf8.RuneCountInString(n.Content), noteLength); total > notesLength {
			break
		}
		snippets = append(snippets, cut(n.Content, noteLength))
	}
	return snippets
}
