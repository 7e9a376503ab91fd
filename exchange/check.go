package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"kith/internal/jsonline"
)

// Flaw returns what is wrong with the form of a JSON text; empty if nothing is. Beyond invalid grammar it refuses
// what a decoder would silently repair or choose from: invalid UTF-8, half surrogate pairs, equal keys in an object, numbers that are too large.
// It refuses NUL, which the database does not store: in Kith's own lines JSON values of callers have it, see checkNUL. It refuses nesting beyond MaxDepth, and more than MaxValues
// values: decoded they would take many times the memory of the text.
func Flaw(raw []byte) string {
	var c checker
	return c.check(raw)
}

// FlawWithin is Flaw with other bounds of levels and values.
func FlawWithin(raw []byte, depth, values int) string {
	c := checker{maxDepth: depth, maxValues: values}
	return c.check(raw)
}

// checker checks JSON texts. It can be used for many texts, one after the other.
type checker struct {
	raw     []byte
	in      bytes.Buffer // raw; the decoder reads it in place
	tokens  jsontext.Decoder
	begin   int // the end of the token before the current one
	values  int
	deepest int

	maxDepth, maxValues int  // 0: MaxDepth and MaxValues
	allowsNUL           bool // texts may contain NUL
	cut                 bool // the text ends before its value does
	hasNUL              bool // the text may contain an escaped NUL

	// Of the outermost object: how many members, and the first.
	members    int
	key, value []byte
	keyEnd     int
}

const blanks = " \t\r\n"

var escapedNUL = []byte(`\u0000`)

func (c *checker) check(raw []byte) string {
	c.raw, c.in = raw, *bytes.NewBuffer(raw)
	c.begin, c.values, c.deepest, c.cut, c.hasNUL = 0, 0, 0, false, !c.allowsNUL && bytes.Contains(raw, escapedNUL)
	c.members, c.key, c.value = 0, nil, nil
	c.tokens.Reset(&c.in)
	flaw := c.walk()
	if flaw != "" && !utf8.Valid(raw) {
		c.cut = false
		return "must be valid UTF-8"
	}
	return flaw
}

// walk reads the tokens up to the first flaw. The decoder refuses equal keys and invalid UTF-8.
func (c *checker) walk() string {
	for {
		token, err := c.tokens.ReadToken()
		if err != nil {
			return c.syntaxFlaw(err)
		}
		depth, end := c.tokens.StackDepth(), int(c.tokens.InputOffset())
		if flaw := c.tokenFlaw(token.Kind(), depth, end); flaw != "" {
			return flaw
		}
		if depth == 0 {
			return c.restFlaw(end)
		}
		c.begin = end
	}
}

// tokenFlaw counts a token, which is within the grammar, and returns what is wrong with it.
func (c *checker) tokenFlaw(kind jsontext.Kind, depth, end int) string {
	isName := false
	switch kind {
	case '{', '[':
		if c.deepest = max(c.deepest, depth); depth > cmp.Or(c.maxDepth, MaxDepth) {
			return fmt.Sprintf("must be nested at most %d deep", cmp.Or(c.maxDepth, MaxDepth))
		}
	case '"':
		if at := c.nulIndex(end); at >= 0 {
			return fmt.Sprintf("must not contain NUL characters (byte %d)", at+1)
		}
		in, length := c.tokens.StackIndex(depth)
		isName = in == '{' && length%2 == 1
	case '0':
		if flaw := c.numberFlaw(end); flaw != "" {
			return flaw
		}
	}
	if !isName && kind != '}' && kind != ']' {
		if c.values++; c.values > cmp.Or(c.maxValues, MaxValues) {
			return fmt.Sprintf("must have at most %d values", cmp.Or(c.maxValues, MaxValues))
		}
	}
	if depth == 1 {
		c.addMember(isName, end)
	}
	return ""
}

// addMember counts the members of the outermost object, and keeps the first. The token that ends at end is a name, or ends
// a value.
func (c *checker) addMember(isName bool, end int) {
	switch {
	case isName:
		if c.members++; c.members == 1 {
			c.key, c.keyEnd = jsonline.Unquote(bytes.TrimLeft(c.raw[c.begin:end], blanks)), end
		}
	case c.members == 1 && c.value == nil:
		c.value = bytes.TrimLeft(c.raw[c.keyEnd:end], blanks+":")
	}
}

// nulIndex returns the place of the first escaped NUL in the string that ends at end; -1 if there is none.
func (c *checker) nulIndex(end int) int {
	if !c.hasNUL {
		return -1
	}
	for at := c.begin; ; at++ {
		i := bytes.IndexByte(c.raw[at:end], '\\')
		if i < 0 {
			return -1
		}
		if at += i; bytes.HasPrefix(c.raw[at:end], escapedNUL) {
			return at
		}
		at++ // a backslash may be what is escaped
	}
}

// shortNumber is the length from which on a number without an exponent may be too large.
const shortNumber = 300

// numberFlaw returns what is wrong with the number that ends at end: what no reader can decode, no write takes.
func (c *checker) numberFlaw(end int) string {
	digits := bytes.TrimLeft(c.raw[c.begin:end], blanks+":,")
	if len(digits) < shortNumber && !bytes.ContainsAny(digits, "eE") {
		return ""
	}
	if _, err := strconv.ParseFloat(string(digits), 64); err != nil {
		return fmt.Sprintf("has a number that is too large at byte %d", end-len(digits)+1)
	}
	return ""
}

// restFlaw returns what is wrong with the text after the value.
func (c *checker) restFlaw(end int) string {
	if rest := bytes.TrimLeft(c.raw[end:], blanks); len(rest) > 0 {
		return fmt.Sprintf("is not valid JSON at byte %d", len(c.raw)-len(rest)+1)
	}
	return ""
}

// syntaxFlaw describes an error of the decoder.
func (c *checker) syntaxFlaw(err error) string {
	var wrong *jsontext.SyntacticError
	if !errors.As(err, &wrong) || errors.Is(err, io.ErrUnexpectedEOF) {
		c.cut = true
		return fmt.Sprintf("ends in the middle at byte %d", len(c.raw))
	}
	at := int(wrong.ByteOffset)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("has the same key twice in an object, at byte %d", at+1)
	case isHalfPair(c.raw[at:]):
		return fmt.Sprintf("has half a surrogate pair at byte %d", at+1)
	}
	return fmt.Sprintf("is not valid JSON at byte %d", at+1)
}

// isHalfPair reports whether a text begins with the escape of half a surrogate pair.
func isHalfPair(raw []byte) bool {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return false
	}
	half, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return err == nil && utf16.IsSurrogate(rune(half))
}
