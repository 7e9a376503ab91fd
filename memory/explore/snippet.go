package explore

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/graph"
	"kith/text/markup"
)

// token is a word of a text in lower case, with the position of its first character.
type token struct {
	word string
	at   int
}

// tokenize splits a text into words as words.Of does, with their positions.
func tokenize(text []rune) []token {
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

// stem returns the beginning that other forms of a word share: a long word without its last letters.
func stem(word string) string {
	const kept, ending = 4, 3
	runes := []rune(word)
	return string(runes[:min(len(runes), max(kept, len(runes)-ending))])
}

// excerpt returns at most length characters of a text, from where most of the words searched for are close together.
// Words count by their letters, so that "the" counts little.
func excerpt(text string, asks []ask, length int) string {
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
	var hits []token // stems found in the text
	for _, t := range tokenize(runes) {
		for _, s := range stems {
			if t.word == s || utf8.RuneCountInString(s) > 3 && strings.HasPrefix(t.word, s) {
				hits = append(hits, token{s, t.at})
				break
			}
		}
	}
	start := max(0, min(densestStart(hits, length/2)-length/4, len(runes)-length))
	snippet := string(runes[start : start+length])
	if start > 0 {
		snippet = "…" + snippet
	}
	if start+length < len(runes) {
		snippet += "…"
	}
	return snippet
}

// densestStart returns the position from which length characters have the most letters of different hits.
func densestStart(hits []token, length int) int {
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
		snippets = append(snippets, markup.Truncate(n.Content, noteLength))
	}
	return snippets
}
