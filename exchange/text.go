package exchange

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/graph"
)

// Bounds of graph that it does not export.
const (
	maxWord       = 128 // characters of an entity's type and of relationship_type
	maxNotes      = 100 // of a node
	maxNoteLength = 4096
)

// text is a text within a bound of characters; that it was cut is told.
func (r *Reader) text(line int64, location, s string, limit int) string {
	short, cut := firstRunes(s, limit)
	if cut {
		r.warn(line, location, "was cut to %d characters", limit)
	}
	return short
}

func firstRunes(s string, limit int) (short string, cut bool) {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s, false
	}
	for i := range s {
		if limit--; limit < 0 {
			return s[:i], true
		}
	}
	return s, false
}

// word is a text that identifies something: without control characters and outer blanks; that it was changed is told.
// Empty is a text of which nothing is left.
func (r *Reader) word(line int64, location, s string, limit int) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		r.warn(line, location, "had control characters, which are blanks now")
		s = oneLine(s)
	}
	return r.text(line, location, strings.TrimSpace(s), limit)
}

// oneLine has single blanks for all blanks and control characters.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }), " ")
}

// isWord says whether a text can be a relationship_type: one word, not too long.
func isWord(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxWord &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}

// timeLayouts are how other systems write times; without a zone it is UTC. Fractions of seconds are read by all.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", time.DateOnly,
}

var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// time reads a time: a text in one of the layouts, or seconds or milliseconds since 1970. What is none is told, and zero.
func (r *Reader) time(line int64, location string, raw json.RawMessage) time.Time {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return time.Time{}
	}
	t, ok := parseTime(raw)
	if !ok || t.Before(earliest) || !t.Before(latest) {
		r.warn(line, location, "was left out: it is not a time from 1900 to 2199")
		return time.Time{}
	}
	return t.UTC()
}

func parseTime(raw json.RawMessage) (time.Time, bool) {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		const milliseconds = 1e11 // in seconds this would be the year 5138
		if number > milliseconds {
			number /= 1000
		}
		return time.UnixMilli(int64(number * 1000)), number > -1e11 && number < 1e11
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return time.Time{}, false
	}
	s, _, _ = strings.Cut(s, "[") // Java's zone name
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// stamp writes a time; zero is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// name reads what a node is called; without one there is a fault.
func (r *Reader) name(line int64, location, s string) (string, bool) {
	name := r.word(line, location, s, graph.MaxNameLength)
	if name == "" {
		r.fault(line, location, "must not be blank")
	}
	return name, name != ""
}
