package duplicate

import (
	"slices"
	"strings"
)

const (
	mostSteps   = 100_000 // pairs of letters that one comparison of two nodes may look at
	wordLetters = 40      // of words of which misspellings are looked for
	textLetters = 100     // of whole names and texts of which they are
)

// comparison compares two nodes. Whatever their names are, it takes a bounded number of steps: when they are used up, only what is equal
// counts.
type comparison struct {
	a, b     *profile
	left     int      // steps
	misspelt []answer // of a word of a and one of b, by their ids
}

// answer is what is known of two words.
type answer byte

const (
	unknown answer = iota
	no
	yes
)

func newComparison(a, b *profile) *comparison {
	return &comparison{a: a, b: b, left: mostSteps, misspelt: make([]answer, len(a.words)*len(b.words))}
}

// isSimilar reports whether two texts of at most some letters are at least so similar. Their lengths differ by 30 percent at most.
func (c *comparison) isSimilar(x, y string, most int, least float64) bool {
	if y < x {
		x, y = y, x
	}
	short, long := min(len(x), len(y)), max(len(x), len(y))
	if long > most || 10*short < 7*long || mostSimilar(x, y) < least || short*long > c.left {
		return false
	}
	c.left -= short * long
	return similar(x, y) >= least
}

// isNear is isSimilar of whole names and texts. Of longer ones it reports whether they differ in one letter.
func (c *comparison) isNear(x, y string, least float64) bool {
	return c.isSimilar(x, y, textLetters, least) || max(len(x), len(y)) > textLetters && oneMistake(x, y)
}

// isMisspelt reports whether a word of one node may be a word of the other with a mistake.
func (c *comparison) isMisspelt(i, j int) bool {
	known := &c.misspelt[i*len(c.b.words)+j]
	if *known == unknown {
		*known = no
		if x, y := c.a.words[i], c.b.words[j]; min(len(x), len(y)) >= 3 && c.isSimilar(x, y, wordLetters, 0.87) {
			*known = yes
		}
	}
	return *known == yes
}

// names returns the features of two names, of each way to read them.
func (c *comparison) names(a, b name) []features {
	if c.a.isPerson() {
		return c.persons(a.ids, b.ids)
	}
	return []features{c.things(a, b)}
}

// persons compares two names of persons, with each way to read which of their words is the family name.
func (c *comparison) persons(x, y []int) []features {
	lastX, lastY := x[len(x)-1], y[len(y)-1]
	switch {
	case len(x) == 1 && len(y) == 1:
		f := features{"alone": 1}
		f["given_"+c.given(lastX, lastY)] = 1
		return []features{f}
	case len(x) == 1 || len(y) == 1:
		return []features{
			{"family_missing": 1, "given_" + c.given(x[0], y[0]): 1},
			{"given_missing": 1, "family_" + c.word(lastX, lastY): 1},
		}
	}
	straight := features{"given_" + c.given(x[0], y[0]): 1, "family_" + c.word(lastX, lastY): 1}
	if len(x) > 2 && len(y) > 2 && c.given(x[1], y[1]) == "other" {
		straight["middle_other"] = 1
	}
	swapped := features{"swapped": 1, "given_" + c.given(x[0], lastY): 1, "family_" + c.word(lastX, y[0]): 1}
	return []features{straight, swapped}
}

// given returns how two given names compare.
func (c *comparison) given(i, j int) string {
	a, b := c.a.words[i], c.b.words[j]
	switch {
	case a == b && len(a) > 1:
		return "same"
	case (len(a) == 1 || len(b) == 1) && a[0] == b[0]:
		return "initial"
	case len(a) > 1 && len(b) > 1 && sameNickname(a, b):
		return "nickname"
	}
	return c.word(i, j)
}

// word returns how two words compare.
func (c *comparison) word(i, j int) string {
	a, b := c.a.words[i], c.b.words[j]
	switch {
	case a == b:
		return "same"
	case c.isMisspelt(i, j):
		return "spelling"
	case len(a) > 2 && len(b) > 2 && c.a.sounds[i] == c.b.sounds[j]:
		return "sound"
	}
	return "other"
}

// things compares two names of other kinds.
func (c *comparison) things(a, b name) features {
	f := features{}
	if a.whole == b.whole {
		f["name_same"] = 1
		return f
	}
	if a.before != "" && a.before == b.before { // what follows is a place or an address
		f["name_head"] = 1
	} else if a.numbers != b.numbers { // phase 1 is not phase 2
		f["number_in_name"] = 1
	}
	switch {
	case a.isAcronymOf(b) || b.isAcronymOf(a):
		f["acronym"] = 1
	case f["number_in_name"] == 0 && min(len(a.whole), len(b.whole)) >= 5 && c.isNear(a.whole, b.whole, 0.93):
		f["name_spelling"] = 1
		if oneMistake(a.whole, b.whole) {
			f["name_mistake"] = 1
		}
	default:
		common := c.commonWords(a.ids, b.ids)
		all := float64(len(a.core)+len(b.core)) - common
		f["name_overlap"] = common / all
		if common >= float64(min(len(a.core), len(b.core))) {
			f["name_part"] = 1
		}
		if a.core[0] != b.core[0] && !c.isMisspelt(a.ids[0], b.ids[0]) {
			f["name_begins_otherwise"] = 1
		}
		if a.sound == b.sound && len(a.sound) > 2 {
			f["name_sound"] = 1
		}
	}
	return f
}

// commonWords returns how many words two names have in common; a misspelt one counts a little less.
func (c *comparison) commonWords(x, y []int) (common float64) {
	used := make([]bool, len(y))
	for _, i := range x {
		for k, j := range y {
			if used[k] {
				continue
			}
			if c.a.words[i] == c.b.words[j] {
				common, used[k] = common+1, true
				break
			}
			if c.isMisspelt(i, j) {
				common, used[k] = common+0.8, true
				break
			}
		}
	}
	return common
}

// numbers returns the numbers in the words of a name.
func numbers(words []string) string {
	var all []string
	for _, w := range words {
		if digits := strings.Trim(w, "abcdefghijklmnopqrstuvwxyz"); digits != "" {
			all = append(all, digits)
		}
	}
	return strings.Join(all, " ")
}

// isAcronymOf reports whether a name has the first letters of the other's words.
func (n *name) isAcronymOf(long name) bool {
	return len(n.whole) > 1 && slices.Contains(long.letters, n.whole)
}
