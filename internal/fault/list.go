package fault

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxFaults bounds the faults of a List: no answer needs more.
const MaxFaults = 100

// List collects the first faults of an input. The zero List is empty.
type List struct{ fields []FieldError }

// ListOf returns a list of the first of some faults.
func ListOf(fields []FieldError) List { return List{fields[:min(len(fields), MaxFaults)]} }

// Add adds a fault.
func (l *List) Add(place Path, code Code, format string, args ...any) {
	if len(l.fields) < MaxFaults {
		l.fields = append(l.fields, FieldError{Path: place, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// Append adds faults that were found elsewhere.
func (l *List) Append(fields ...FieldError) {
	l.fields = append(l.fields, fields[:min(len(fields), MaxFaults-len(l.fields))]...)
}

// Len returns the number of faults.
func (l *List) Len() int { return len(l.fields) }

// Fields returns the faults, in the order in which they were found.
func (l *List) Fields() []FieldError { return l.fields }

// Err returns an InvalidError with the faults; nil if there are none.
func (l *List) Err() error {
	if len(l.fields) == 0 {
		return nil
	}
	return &InvalidError{Fields: l.fields}
}

// Required adds that a field must be given.
func (l *List) Required(place Path) { l.Add(place, Required, "is required") }

// NotBlank checks that a text is more than blanks.
func (l *List) NotBlank(place Path, value string) {
	if strings.TrimSpace(value) == "" {
		l.Add(place, Required, "must not be blank")
	}
}

// NotUTF8 adds that a text is not valid UTF-8.
func (l *List) NotUTF8(place Path) { l.Add(place, Malformed, "must be valid UTF-8") }

// Text checks a free text: valid UTF-8, at most limit code points, no NUL. It reports whether the text is one.
func (l *List) Text(place Path, value string, limit int) bool {
	switch {
	case !utf8.ValidString(value):
		l.NotUTF8(place)
	case len(value) > limit && utf8.RuneCountInString(value) > limit:
		l.Add(place, TooLong, "must have at most %d characters", limit)
	case strings.IndexByte(value, 0) >= 0:
		l.Add(place, Malformed, "must not contain NUL characters")
	default:
		return true
	}
	return false
}

// Word checks a short text that identifies something: a text that is not blank and has no control characters. It reports
// whether the text is one.
func (l *List) Word(place Path, value string, limit int) bool {
	if !l.Text(place, value, limit) {
		return false
	}
	blank := true
	for _, r := range value {
		if unicode.IsControl(r) {
			l.Add(place, Malformed, "must not contain control characters")
			return false
		}
		blank = blank && unicode.IsSpace(r)
	}
	if blank {
		l.Add(place, Required, "must not be blank")
	}
	return !blank
}

// Trimmed checks a word that identifies something exactly: blanks around it would hide a difference.
func (l *List) Trimmed(place Path, value string, limit int) {
	if l.Word(place, value, limit) && strings.TrimSpace(value) != value {
		l.Add(place, Malformed, "must not begin or end with a blank")
	}
}

// User checks the id of a user who may be new. Blanks around it and characters that nobody sees would make it another user's than the one
// that people read. Joiners are part of words in some scripts.
func (l *List) User(place Path, id string) {
	switch {
	case !l.Word(place, id, MaxKeyLength):
	case strings.TrimFunc(id, func(r rune) bool { return unicode.IsSpace(r) || isJoiner(r) }) != id:
		l.Add(place, Malformed, "must not begin or end with a blank or joiner")
	case strings.ContainsFunc(id, func(r rune) bool { return isUnseen(r) && !isJoiner(r) }):
		l.Add(place, Malformed, "must not contain invisible characters")
	}
}

// isUnseen reports whether a character takes no room, or looks like a blank and is none.
func isUnseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// MaxKeyLength is how many characters a key has at most.
const MaxKeyLength = 256

// ValidKey reports whether a text may be an entity key, or the id of a user or team.
func ValidKey(key string) bool {
	var l List
	return l.Word(Path{}, key, MaxKeyLength)
}

// Key checks an entity key, or the id of a user or team, and names all the rules in one fault.
func (l *List) Key(place Path, key string) {
	if !ValidKey(key) {
		l.Add(place, Malformed, "must have 1 to %d characters and no control characters", MaxKeyLength)
	}
}

// OptionalKey checks a key that may be empty.
func (l *List) OptionalKey(place Path, key string) {
	if key != "" {
		l.Key(place, key)
	}
}

// Bytes checks the size of a text, and reports whether it is allowed.
func (l *List) Bytes(place Path, size, limit int) bool {
	if size > limit {
		l.Add(place, TooLong, "must have at most %d bytes", limit)
	}
	return size <= limit
}

// JSON checks a JSON value of bounded size, in bytes, and depth. It reports whether the value is one.
func (l *List) JSON(place Path, raw []byte, size, depth int) bool {
	switch {
	case !l.Bytes(place, len(raw), size):
	case !utf8.Valid(raw):
		l.NotUTF8(place)
	case !json.Valid(raw):
		l.Add(place, Malformed, "must be JSON")
	case jsonDepth(raw) > depth:
		l.Add(place, TooLong, "must be nested at most %d deep", depth)
	default:
		return true
	}
	return false
}

// jsonDepth returns how deep valid JSON is nested.
func jsonDepth(raw []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// Items checks the length of a list, and reports whether it is allowed.
func (l *List) Items(place Path, count, limit int) bool {
	if count > limit {
		l.Add(place, WrongCount, "must have at most %d items", limit)
	}
	return count <= limit
}

// SomeItems checks the length of a list that must not be empty, and reports whether it is allowed.
func (l *List) SomeItems(place Path, count, limit int) bool {
	fits := count > 0 && count <= limit
	if !fits {
		l.Add(place, WrongCount, "must have 1 to %d items", limit)
	}
	return fits
}

// Same adds that a place has the same as an earlier one.
func (l *List) Same(place, first Path) {
	if len(l.fields) < MaxFaults {
		l.Add(place, Duplicate, "is the same as %s", first)
	}
}

// OneOf checks a word of a closed list.
func (l *List) OneOf(place Path, word string, allowed ...string) {
	if !slices.Contains(allowed, word) {
		l.NotOneOf(place, allowed...)
	}
}

// OptionalOneOf checks a word of a closed list that may be empty.
func (l *List) OptionalOneOf(place Path, word string, allowed ...string) {
	if word != "" {
		l.OneOf(place, word, allowed...)
	}
}

// NotOneOf adds that a word is none of a closed list.
func (l *List) NotOneOf(place Path, allowed ...string) {
	l.Add(place, NotOneOf, "must be one of %s", strings.Join(allowed, ", "))
}

// Between checks a whole number.
func (l *List) Between(place Path, n, least, most int64) {
	if n < least || n > most {
		l.Add(place, OutOfRange, "must be from %d to %d", least, most)
	}
}

// OptionalBetween checks a whole number that may be 0, for its default.
func (l *List) OptionalBetween(place Path, n, least, most int64) {
	if n != 0 {
		l.Between(place, n, least, most)
	}
}

// Share checks a number from 0 to 1. NaN is none.
func (l *List) Share(place Path, n float64) {
	if !(n >= 0 && n <= 1) {
		l.Add(place, OutOfRange, "must be from 0 to 1")
	}
}

// The times that an input may name: from Earliest, and before Latest.
var (
	Earliest = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	Latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Time checks that a time is in the allowed range.
func (l *List) Time(place Path, t time.Time) {
	if t.Before(Earliest) || !t.Before(Latest) {
		l.Add(place, OutOfRange, "must be a time from the year 1000 to 2199")
	}
}

// WithoutLeap returns a time with a leap second, such as 2016-12-31T23:59:60Z, as the second before it, which is of the same day: Go and Neo4j
// know no 60th second. Other texts stay.
func WithoutLeap(text string) string {
	const seconds = len("2016-12-31T23:59:")
	if len(text) < seconds+2 || text[seconds-1:seconds+2] != ":60" {
		return text
	}
	before := text[:seconds] + "59" + text[seconds+2:]
	t, err := time.Parse(time.RFC3339, before)
	if t = t.UTC(); err != nil || t.Hour() != 23 || t.Minute() != 59 {
		return text
	}
	return before
}

// Past checks a time in the past; a day of clock difference is allowed.
func (l *List) Past(place Path, t, now time.Time) {
	l.Time(place, t)
	if t.Before(Latest) && t.After(now.Add(24*time.Hour)) {
		l.Add(place, OutOfRange, "must not be in the future")
	}
}

// clockSkew is by how much the clock of another instance may be ahead.
const clockSkew = 10 * time.Second

// CheckAsOf returns an InvalidError for a time of a read, as_of, that is in the future; nil stands for the present.
func CheckAsOf(at *time.Time, now time.Time) error {
	if at == nil {
		return nil
	}
	l := &List{}
	place := At("as_of")
	l.Time(place, *at)
	if at.Before(Latest) && at.After(now.Add(clockSkew)) {
		l.Add(place, OutOfRange, "must not be in the future")
	}
	return l.Err()
}
