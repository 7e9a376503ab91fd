package explore

import (
	"strings"
	"unicode/utf8"
)

// minSimilarity is the similarity of any name that the index found for a text.
const minSimilarity = 0.3

// similarity returns how well a name fits a text, from 0.3 to 1. It is 1 if they are equal, and less if one contains
// the other, they share words, or letters differ.
func similarity(name, text string) float64 {
	name, text = strings.Join(strings.Fields(strings.ToLower(name)), " "), strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if name == "" || text == "" {
		return minSimilarity
	}
	a, b := utf8.RuneCountInString(name), utf8.RuneCountInString(text)
	short, long := float64(min(a, b)), float64(max(a, b))
	best := max(minSimilarity, 0.6*overlap(strings.Fields(name), strings.Fields(text)))
	switch {
	case name == text:
		return 1
	case strings.Contains(name, text) || strings.Contains(text, name):
		return max(best, 0.7+0.3*short/long)
	case long <= 64: // names are not longer
		return max(best, 1-float64(distance([]rune(name), []rune(text)))/long)
	}
	return best
}

// overlap returns the share of words that both have.
func overlap(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if containsAll([]string{w}, b) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// distance returns the Levenshtein distance: the number of letters to change, add or remove.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := before
			if x != y {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
