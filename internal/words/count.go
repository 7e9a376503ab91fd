package words

import (
	"strings"
	"unicode/utf8"
)

// Counter counts words by their stems in texts. It is not safe for concurrent use.
type Counter struct {
	stems  []string
	begins [256]uint64       // stems that begin with a byte
	known  map[string]uint64 // stems of the words seen so far
}

// NewCounter returns a counter of at most 64 stems.
func NewCounter(stems []string) *Counter {
	c := &Counter{stems: stems, known: map[string]uint64{}}
	for i, s := range stems {
		c.begins[s[0]] |= 1 << i
	}
	return c
}

// Counted has how often a field contains each stem, and its number of words.
type Counted struct {
	Often  []float64
	Length float64
}

// Count counts the stems in the value of a field, a text or a list of texts.
func (c *Counter) Count(value any) Counted {
	n := Counted{Often: make([]float64, len(c.stems))}
	switch value := value.(type) {
	case string:
		c.add(&n, value)
	case []any:
		for _, part := range value {
			text, _ := part.(string)
			c.add(&n, text)
		}
	}
	return n
}

func (c *Counter) add(n *Counted, text string) {
	if !isASCII(text) {
		split(text, func(word string) bool {
			c.addWord(n, word)
			return true
		})
		return
	}
	for i := 0; i < len(text); i++ {
		if !inWord[text[i]] {
			continue
		}
		start := i
		for i++; i < len(text) && (inWord[text[i]] || i+1 < len(text) && mayJoin[text[i]] && joins(rune(text[i-1]), rune(text[i]), rune(text[i+1]))); i++ {
		}
		c.addWord(n, text[start:i])
	}
}

// addWord counts a word. Stems begin like their words, so most words need no stemming.
func (c *Counter) addWord(n *Counted, word string) {
	n.Length++
	first := word[0]
	if first >= 'A' && first <= 'Z' {
		first += 'a' - 'A'
	}
	if c.begins[first] == 0 {
		return
	}
	found, seen := c.known[word]
	if !seen {
		found = c.find(word)
		c.known[word] = found
	}
	for i := 0; found != 0; i, found = i+1, found>>1 {
		n.Often[i] += float64(found & 1)
	}
}

func (c *Counter) find(word string) (found uint64) {
	stem := Stem(strings.TrimSuffix(strings.ToLower(word), "'s"))
	for i, s := range c.stems {
		if s == stem {
			found |= 1 << i
		}
	}
	return found
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
