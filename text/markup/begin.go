package markup

import (
	"slices"
	"strings"
	"unicode"
)

// begun returns a line with a backslash where it would begin as a heading, a list, a quote, a table, a fence, a rule,
// an aside, a task, the definition of a link, or the words of a speaker.
func begun(line string) string {
	text := strings.TrimLeftFunc(line, isEmpty)
	at := marker(text)
	if at < 0 && isSpoken(text) {
		at = 0
	}
	if at < 0 {
		return line
	}
	at += len(line) - len(text)
	return line[:at] + `\` + line[at:]
}

// isEmpty reports whether a character looks empty, so that a mark after it still seems to begin the line.
func isEmpty(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.M, r) || r == '\u2800' }

// marker returns the index of a line's mark; -1 without one.
func marker(s string) int {
	if s == "" {
		return -1
	}
	rest := s[1:]
	switch s[0] {
	case '#', '>', '|', '*', '_':
		return 0
	case '-', '+':
		return at(0, rest == "" || rest[0] == ' ' || rest[0] == '\t' || strings.HasPrefix(s, "---") || strings.TrimRight(s, " \t") == "--")
	case '=':
		return at(0, strings.Trim(s, "= \t") == "")
	case '`', '~':
		return at(0, strings.HasPrefix(s[1:], strings.Repeat(s[:1], 2)))
	case '[':
		return at(0, isTask(s) || isDefinition(s))
	}
	return numbered(s)
}

func at(place int, is bool) int {
	if is {
		return place
	}
	return -1
}

// isTask reports whether a list item would be a task: [ ], [x].
func isTask(s string) bool { return len(s) >= 3 && s[2] == ']' && strings.IndexByte(" xX", s[1]) >= 0 }

// isDefinition reports whether a line would define a link or a footnote: [name]: address.
func isDefinition(s string) bool {
	_, after, closed := strings.Cut(s, "]")
	return closed && strings.HasPrefix(after, ":")
}

// numbered returns the index of the dot of a numbered list; -1 without one.
func numbered(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 || digits == len(s) || s[digits] != '.' && s[digits] != ')' {
		return -1
	}
	rest := s[digits+1:]
	return at(digits, rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// speakers holds the words that begin lines of a conversation.
var speakers = []string{"user", "assistant", "system", "tool", "developer", "human"} //nolint:gochecknoglobals // a constant table

// isSpoken reports whether a line begins like a speaker's line.
func isSpoken(text string) bool {
	word, _, said := strings.Cut(text, ":")
	return said && slices.ContainsFunc(speakers, func(speaker string) bool { return strings.EqualFold(strings.TrimSpace(word), speaker) })
}
