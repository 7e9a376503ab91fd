// Package clip cuts texts to a length without cutting characters.
package clip

import (
	"strings"
	"unicode/utf8"
)

// Runes returns the first limit characters (code points) of a text, and whether it had more.
func Runes(text string, limit int) (short string, cut bool) {
	if len(text) <= limit {
		return text, false
	}
	for i := range text {
		if limit--; limit < 0 {
			return text[:i], true
		}
	}
	return text, false
}

// Bytes returns the longest beginning of a text that has at most limit bytes.
func Bytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Shorten cuts a text to at most so many characters, with "..." after them.
func Shorten(text string, most int) string {
	short, cut := Runes(strings.TrimSpace(text), most)
	if cut {
		return strings.TrimSpace(short) + "..."
	}
	return short
}
