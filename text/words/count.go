package words

import (
	"strings"
	"unicode/utf8"
)

// Counter counts words by their stems in texts. It is not safe for concurrent use.
type Counter struct {
	stems []string
	pairs [1024]bool // places of the first two bytes of the stems

	letters [maxLength]rune // of the word that is counted
}

// NewCounter returns a counter of some stems.
func NewCounter(stems []string) *Counter {
	c := &Counter{stems: stems}
	for _, s := range stems {
		if len(s) > 1 {
			c.pairs[pair(s[0], s[1])] = true
			continue
		}
		for second := range byte(32) { // the word may be longer
			c.pairs[pair(s[0], second)] = true
		}
	}
	return c
}

// pair returns a place for the first two bytes of a word or a stem. It is the same in lower and upper case, and for a y of a word
// of which the stem has made an i.
func pair(first, second byte) int {
	if second|0x20 == 'y' {
		second = 'i'
	}
	return int(first&31)<<5 | int(second&31)
}

// Count counts the stems in the value of a field, a text or a list of texts. It adds to often, which has a number for each stem,
// and returns the number of all words.
func (c *Counter) Count(value any, often []float64) (length float64) {
	switch value := value.(type) {
	case string:
		return c.count(value, often)
	case []any:
		for _, part := range value {
			text, _ := part.(string)
			length += c.count(text, often)
		}
	}
	return length
}

func (c *Counter) count(text string, often []float64) (length float64) {
	if !isASCII(text) {
		return c.countAny(text, often)
	}
	for i := 0; i < len(text); i++ {
		if !inWord[text[i]] {
			continue
		}
		start := i
		for i++; i < len(text) && (inWord[text[i]] || i+1 < len(text) && mayJoin[text[i]] && joins(rune(text[i-1]), rune(text[i]), rune(text[i+1]))); i++ {
		}
		c.countWord(text[start:min(i, start+maxLength)], often)
		length++
	}
	return length
}

func (c *Counter) countAny(text string, often []float64) (length float64) {
	split(text, func(word string) bool {
		c.countWord(word, often)
		length++
		return true
	})
	return length
}

// countWord counts a word. Stems begin like their words, so most words need no stemming.
func (c *Counter) countWord(word string, often []float64) {
	second := byte(0)
	if len(word) > 1 {
		second = word[1]
	}
	if !c.pairs[pair(word[0], second)] {
		return
	}
	stem := string(stemOf(c.letters[:0], strings.TrimSuffix(strings.ToLower(word), "'s")))
	for i, s := range c.stems {
		if s == stem {
			often[i]++
		}
	}
}

// ASCII characters of words, and those that may stand within a word.
var inWord, mayJoin = wordSigns()

func wordSigns() (in, joining [utf8.RuneSelf]bool) {
	for b := range in {
		r := rune(b)
		in[b] = letter(r) || r >= '0' && r <= '9' || r == '_'
		joining[b] = strings.ContainsRune(".,:;'", r)
	}
	return in, joining
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
