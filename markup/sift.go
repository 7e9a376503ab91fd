package markup

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// class is what a character does to a text.
type class int

const (
	seen     class = iota
	lineEnd        // ends a line, for somebody
	control        // of a terminal; a tab is one too
	hidden         // turns the direction of a text, or is not seen at all
	joiner         // joins or parts the characters beside it, as scripts and emoji need it
	selector       // chooses a form of the character before it
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

// isCommon says whether a character is of the scripts that most texts have, of which all are seen.
func isCommon(r rune) bool {
	return r > '\u00ad' && r < '\u034f' || r > '\u034f' && r < '\u0600' || r > '\u3164' && r < 0xd800
}

// sifted has in place of each character that is not seen what gone makes of it. A joiner or selector counts as hidden where there is
// nothing before it that it could belong to: many in a row hide a text.
func sifted(s string, gone func(rune, class) string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return classOf(r) != seen }) {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	var out strings.Builder
	out.Grow(len(s))
	last := control
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == blackFlag {
			size += flag(s[i+size:])
		}
		c := classOf(r)
		switch {
		case c == seen && r == utf8.RuneError:
			out.WriteRune(r)
		case c == seen, c == selector && last == seen, c == joiner && (last == seen || last == selector):
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

// flag is how many bytes of what follows a black flag make it that of a part of a country: small letters or digits, and an end.
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

// Document is JSON of any number of lines: the same value, with what is not seen as escapes of JSON.
func Document(raw string) string {
	return sifted(raw, func(r rune, _ class) string {
		if r == '\n' || r == '\r' || r == '\t' { // between tokens: within texts they are escaped
			return string(r)
		}
		return escape(r)
	})
}

// JSON is a value of JSON within a text: as Document has it, on one line, with tags and images as escapes too.
func JSON(raw string) string {
	text := strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(Document(raw))
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	var out strings.Builder
	from := 0
	for i := range len(text) {
		if isTag(text, i) || isImage(text, i) {
			out.WriteString(text[from:i] + escape(rune(text[i])))
			from = i + 1
		}
	}
	return out.String() + text[from:]
}

const hexDigits = "0123456789abcdef"

// escape is a character as texts of JSON may have it.
func escape(r rune) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune{r}) {
		out = append(out, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
	}
	return string(out)
}
