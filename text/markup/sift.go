package markup

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// class is the effect of a character in a text.
type class int

const (
	seen     class = iota
	lineEnd        // ends a line in some programs
	control        // controls a terminal; includes the tab
	hidden         // changes the direction of text, or is invisible
	joiner         // joins or separates its neighbors, as scripts and emoji need it
	selector       // selects a form of the preceding character
)

const (
	blackFlag = '\U0001F3F4'
	tagEnd    = '\U000E007F'
)

func classOf(r rune) class {
	switch {
	case r >= ' ' && r <= '~', isCommon(r):
		return seen
	case strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r):
		return lineEnd
	case unicode.IsControl(r):
		return control
	case r == '\u200c', r == '\u200d':
		return joiner
	case unicode.Is(unicode.Variation_Selector, r):
		return selector
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return seen
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return hidden
	}
	return seen
}

// isCommon reports whether a character is of common scripts, in which all are visible.
func isCommon(r rune) bool {
	return r > '\u00ad' && r < '\u034f' || r > '\u034f' && r < '\u0600' || r > '\u3164' && r < 0xd800
}

// sifted replaces each invisible character by the result of gone. A joiner or selector counts as hidden without a
// character before it to apply to: many in a row, or one after each letter, could hide a text.
func sifted(s string, gone func(rune, class) string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return classOf(r) != seen }) {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	var out strings.Builder
	out.Grow(len(s))
	last, before := control, rune(0) // the class of the last character, and the last one that is seen
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == blackFlag {
			size += flag(s[i+size:])
		}
		c := classOf(r)
		switch {
		case c == seen && r == utf8.RuneError:
			out.WriteRune(r)
			before = r
		case c == seen:
			out.WriteString(s[i : i+size])
			before = r
		case c == selector && last == seen && selects(r, before), c == joiner && (last == seen || last == selector) && before >= utf8.RuneSelf:
			out.WriteString(s[i : i+size])
		case c == selector, c == joiner:
			out.WriteString(gone(r, hidden))
			c = last
		default:
			out.WriteString(gone(r, c))
			if c == hidden {
				c = last
			}
		}
		if last = c; unicode.IsSpace(r) {
			last = control
		}
		i += size
	}
	return out.String()
}

// selects reports whether a selector has a use after a character. Others could hide a text, one character in each.
func selects(selector, before rune) bool {
	switch {
	case selector >= '\U000E0100':
		return unicode.Is(unicode.Han, before)
	case before < utf8.RuneSelf: // a digit as an emoji
		return selector == '\ufe0f' && (before >= '0' && before <= '9' || before == '#' || before == '*')
	}
	return !unicode.Is(unicode.Latin, before)
}

// flag returns how many bytes after a black flag make it the flag of a region: small letters or digits, and an end.
func flag(s string) int {
	for i, r := range s {
		switch {
		case r == tagEnd && i > 0:
			return i + utf8.RuneLen(r)
		case i > 6*4 || r < '\U000E0030' || r > '\U000E007A':
			return 0
		}
	}
	return 0
}

// Document returns JSON of any number of lines with the same value, in which invisible characters are JSON escapes.
func Document(raw string) string {
	return sifted(raw, func(r rune, _ class) string {
		if r == '\n' || r == '\r' || r == '\t' { // between tokens: within texts they are escaped
			return string(r)
		}
		return escape(r)
	})
}

// JSON returns a JSON value for a place within a text: as Document, on one line, with tags, images and fences escaped too.
func JSON(raw string) string {
	text := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(Document(raw))
	if !strings.ContainsAny(text, "<[`") {
		return text
	}
	var out strings.Builder
	from := 0
	for i := range len(text) {
		if isTag(text, i) || isImage(text, i) || strings.HasPrefix(text[i:], "```") {
			out.WriteString(text[from:i] + escape(rune(text[i])))
			from = i + 1
		}
	}
	return out.String() + text[from:]
}

const hexDigits = "0123456789abcdef"

// escape returns a character as a JSON escape.
func escape(r rune) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune{r}) {
		out = append(out, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
	}
	return string(out)
}
