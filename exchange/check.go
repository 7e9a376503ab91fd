package exchange

import (
	"fmt"
	"unicode/utf8"

	"kith/internal/jsonname"
)

// Flaw returns what is wrong with the form of a JSON text; empty if nothing is. Beyond invalid grammar it refuses
// what a decoder would silently repair or choose from: invalid UTF-8, half surrogate pairs, equal keys in an object.
// It refuses NUL, which the database does not store. It refuses nesting beyond MaxDepth, and more than MaxValues
// values: decoded they would take many times the memory of the text.
func Flaw(raw []byte) string {
	var c checker
	return c.check(raw)
}

// checker checks JSON texts. It can be used for many texts, one after the other.
type checker struct {
	raw     []byte
	at      int
	depth   int
	values  int
	deepest int
	flaw    string
	cut     bool // the text ends before its value does
	keys    jsonname.Stack

	// Of the outermost object: how many members, and the first.
	members    int
	key, value []byte
}

func (c *checker) check(raw []byte) string {
	c.keys.Reset()
	*c = checker{raw: raw, keys: c.keys}
	if !utf8.Valid(raw) {
		return "must be valid UTF-8"
	}
	if !c.anyValue() {
		return c.flaw
	}
	if c.skipBlanks(); c.at < len(raw) {
		c.syntaxError()
	}
	return c.flaw
}

func (c *checker) fail(format string, args ...any) bool {
	c.flaw = fmt.Sprintf(format, args...)
	return false
}

// syntaxError records a fault of the grammar.
func (c *checker) syntaxError() bool {
	if c.at >= len(c.raw) {
		c.cut = true
		return c.fail("ends in the middle at byte %d", len(c.raw))
	}
	return c.fail("is not valid JSON at byte %d", c.at+1)
}

func (c *checker) skipBlanks() {
	for c.at < len(c.raw) && isBlank(c.raw[c.at]) {
		c.at++
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// peek returns the next byte after blanks; 0 at the end.
func (c *checker) peek() byte {
	c.skipBlanks()
	return c.current()
}

func (c *checker) current() byte {
	if c.at < len(c.raw) {
		return c.raw[c.at]
	}
	return 0
}

// expect steps over the next byte after blanks if it is b.
func (c *checker) expect(b byte) bool {
	if c.peek() != b {
		return c.syntaxError()
	}
	c.at++
	return true
}

func (c *checker) anyValue() bool {
	if c.values++; c.values > MaxValues {
		return c.fail("must have at most %d values", MaxValues)
	}
	switch b := c.peek(); b {
	case '{':
		return c.enter() && c.object()
	case '[':
		return c.enter() && c.array()
	case '"':
		return c.text()
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	}
	return c.number()
}

func (c *checker) enter() bool {
	c.at++
	c.depth++
	c.deepest = max(c.deepest, c.depth)
	return c.depth <= MaxDepth || c.fail("must be nested at most %d deep", MaxDepth)
}

func (c *checker) leave() bool {
	c.at++
	c.depth--
	return true
}

func (c *checker) array() bool {
	if c.peek() == ']' {
		return c.leave()
	}
	for c.anyValue() {
		if c.peek() == ']' {
			return c.leave()
		}
		if !c.expect(',') {
			return false
		}
	}
	return false
}

func (c *checker) object() bool {
	if c.peek() == '}' {
		return c.leave()
	}
	seen := c.keys.Open()
	for c.member(&seen) {
		if c.peek() == '}' {
			seen.Close()
			return c.leave()
		}
		if !c.expect(',') {
			return false
		}
	}
	return false
}

func (c *checker) member(seen *jsonname.Set) bool {
	if c.peek() != '"' {
		return c.syntaxError()
	}
	begin := c.at
	if !c.text() {
		return false
	}
	key := jsonname.Plain(c.raw[begin:c.at])
	if !seen.Add(key) {
		return c.fail("has the same key twice in an object, at byte %d", begin+1)
	}
	if !c.expect(':') {
		return false
	}
	c.skipBlanks()
	begin = c.at
	if !c.anyValue() {
		return false
	}
	if c.depth == 1 {
		if c.members++; c.members == 1 {
			c.key, c.value = key, c.raw[begin:c.at]
		}
	}
	return true
}
