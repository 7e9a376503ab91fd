package clip

import (
	"strings"
	"unicode"
)

// FirstLine returns the first line of a text that is not blank, as a name: at most limit code points.
func FirstLine(text string, limit int) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		if line == "" {
			continue
		}
		line, _ = Runes(line, limit)
		return line
	}
	return ""
}
