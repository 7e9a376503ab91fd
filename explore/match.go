package explore

import (
	"strings"
	"unicode/utf8"
)

// leastSimilar is what a name has at least that the index found for a text (the origin's).
const leastSimilar = 0.3

// similarity is how well a name fits a text, from 0.3 to 1: 1 where they are the same, less where one is part of the other,
// they share words, or letters differ (the origin's scale).
func similarity(name, text string) float64 {
	name, text = strings.Join(strings.Fields(strings.ToLower(name)), " "), strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if name == "" || text == "" {
		return leastSimilar
	}
	a, b := utf8.RuneCountInString(name), utf8.RuneCountInString(text)
	short, long := float64(min(a, b)), float64(max(a, b))
	best := max(leastSimilar, 0.6*overlap(strings.Fields(name), strings.Fields(text)))
	switch {
	case name == text:
		return 1
	case strings.Contains(name, text) || strings.Contains(text, name):
		return max(best, 0.7+0.3*short/long)
	case long <= 64: // further letters are no name's
		return max(best, 1-float64(distance([]rune(name), []rune(text)))/long)
	}
	return best
}

// overlap is the share of words that both have.
func overlap(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if within([]string{w}, b) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// distance is the number of letters to change, add or leave out (Levenshtein).
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
