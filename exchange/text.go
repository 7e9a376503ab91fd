package exchange

import (
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// Bounds of package graph that it does not export.
const (
	maxWord       = 128 // characters of an entity's type and of relationship_type
	maxNotes      = 100 // of a node
	maxNoteLength = 4096
)

// limitText returns at most limit characters of a text, and warns if it was cut.
func (r *Reader) limitText(line int64, location, s string, limit int) string {
	short, cut := clip.Runes(s, limit)
	if cut {
		r.addWarning(line, location, "was cut to %d characters", limit)
	}
	return short
}

// cleanWord returns an identifying text without control characters and outer blanks, and warns if it was changed. The
// result may be empty.
func (r *Reader) cleanWord(line int64, location, s string, limit int) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		r.addWarning(line, location, "had control characters, which are blanks now")
		s = oneLine(s)
	}
	return r.limitText(line, location, strings.TrimSpace(s), limit)
}

// oneLine replaces blanks and control characters by single blanks.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }), " ")
}

// isWord reports whether a text can be a relationship_type: one word, not too long.
func isWord(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxWord &&
		!strings.ContainsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}

// timeLayouts are the time formats of other systems. A time without a zone is UTC. All accept fractions of seconds.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", time.DateOnly,
}

// readTime parses a time: a text in one of the layouts, or seconds or milliseconds since 1970. It warns about another
// value and returns zero.
func (r *Reader) readTime(line int64, location string, raw json.RawMessage) time.Time {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return time.Time{}
	}
	t, ok := ParseTime(raw)
	if !ok || t.Before(fault.Earliest) || !t.Before(fault.Latest) {
		r.addWarning(line, location, "was ignored: it must be a time from the year 1000 to 2199")
		return time.Time{}
	}
	return t.UTC()
}

// firstTime returns the first value that is given.
func firstTime(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if len(v) > 0 && string(v) != "null" && string(v) != `""` {
			return v
		}
	}
	return nil
}

// ParseTime parses a time of another system: a text in one of the layouts, or seconds or milliseconds since 1970.
func ParseTime(raw json.RawMessage) (time.Time, bool) {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		const milliseconds = 1e11 // in seconds this would be the year 5138
		if math.Abs(number) > milliseconds {
			number /= 1000
		}
		return time.UnixMilli(int64(number * 1000)), number > -1e11 && number < 1e11
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return time.Time{}, false
	}
	s, _, _ = strings.Cut(s, "[") // Java's zone name
	s = fault.WithoutLeap(s)
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// formatTime formats a time; zero is empty.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// readName returns the name of a node, and adds a fault if there is none.
func (r *Reader) readName(line int64, location, s string) (string, bool) {
	name := r.cleanWord(line, location, s, bounds.NameLength)
	if name == "" {
		r.addFault(line, location, "must not be blank")
	}
	return name, name != ""
}

// readNotes returns notes that never expire, with the texts that are not blank.
func (r *Reader) readNotes(line int64, location string, texts []string, others string) []wireNote {
	var notes []wireNote
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if len(notes) == maxNotes {
			r.addWarning(line, location, "has more than %d: the others are %s", maxNotes, others)
			break
		}
		notes = append(notes, wireNote{Content: r.limitText(line, location, text, maxNoteLength), Lifetime: "forever"})
	}
	return notes
}
