package graph

import (
	"strings"
	"unicode/utf8"

	"kith/neo"
)

// termCounter counts the terms of an ask in texts.
type termCounter struct {
	terms  []term
	begins [256]uint64       // terms that begin with a byte
	known  map[string]uint64 // terms of the words seen so far
}

func newTermCounter(terms []term) *termCounter {
	c := &termCounter{terms: terms, known: map[string]uint64{}}
	for i, t := range terms {
		c.begins[t.stem[0]] |= 1 << i
	}
	return c
}

// counted has how often a field contains each term, and its number of words.
type counted struct {
	often  []float64
	length float64
}

// count counts the terms in the value of a field, a text or a list of texts.
func (c *termCounter) count(value any) counted {
	n := counted{often: make([]float64, len(c.terms))}
	switch value := value.(type) {
	case string:
		c.add(&n, value)
	case []any:
		for _, part := range value {
			c.add(&n, neo.Text(part))
		}
	}
	return n
}

func (c *termCounter) add(n *counted, text string) {
	if !isASCII(text) {
		splitWords(text, func(word string) bool {
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
func (c *termCounter) addWord(n *counted, word string) {
	n.length++
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
		n.often[i] += float64(found & 1)
	}
}

func (c *termCounter) find(word string) (found uint64) {
	stem := stem(strings.TrimSuffix(strings.ToLower(word), "'s"))
	for i, t := range c.terms {
		if t.stem == stem {
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
