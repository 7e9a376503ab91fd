package graph

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what may be stored. Text lengths count Unicode code points, sizes count bytes.
const (
	MaxItems          = 10_000 // nodes and relationships of one write
	MaxMessages       = 10_000 // messages of one write
	MaxMentions       = 1_000
	MaxPreferences    = 200
	MaxKeyLength      = 256
	MaxNameLength     = 512
	MaxTextLength     = 16_384 // description, summary
	MaxMessageLength  = 65_536
	MaxPropertiesSize = 16_384
	MaxPropertiesDeep = 8
	MaxListLength     = 100 // keywords, tags, participants
)

var typePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// text checks a free text: valid UTF-8, at most limit code points, no NUL.
func (f *faults) text(location, value string, limit int) {
	switch {
	case !utf8.ValidString(value):
		f.add(location, "must be valid UTF-8")
	case utf8.RuneCountInString(value) > limit:
		f.add(location, "must have at most %d characters", limit)
	case bytes.ContainsRune([]byte(value), 0):
		f.add(location, "must not contain NUL characters")
	}
}

// word checks a short text that identifies something: not blank, without control characters.
func (f *faults) word(location, value string, limit int) {
	before := len(f.fields)
	f.text(location, value, limit)
	if len(f.fields) > before {
		return
	}
	blank := true
	for _, r := range value {
		if unicode.IsControl(r) {
			f.add(location, "must not contain control characters")
			return
		}
		blank = blank && unicode.IsSpace(r)
	}
	if blank {
		f.add(location, "must not be blank")
	}
}

// optionalWord checks a word that may be omitted or null.
func (f *faults) optionalWord(location string, o Optional[string], limit int) {
	if o.Given && !o.Null {
		f.word(location, o.Value, limit)
	}
}

// version checks the version that a write requires.
func (f *faults) version(location string, o Optional[int64]) {
	if o.Given && (o.Null || o.Value < 0) {
		f.add(location, "must be 0 or more")
	}
}

func (f *faults) words(location string, values []string) {
	if len(values) > MaxListLength {
		f.add(location, "must have at most %d items", MaxListLength)
		return
	}
	for i, v := range values {
		f.word(index(location, i), v, MaxKeyLength)
	}
}

// share checks a number from 0 to 1. NaN fails both comparisons.
func (f *faults) share(location string, o Optional[float64]) {
	if o.Given && !o.Null && !(o.Value >= 0 && o.Value <= 1) {
		f.add(location, "must be from 0 to 1")
	}
}

func (f *faults) grade(location string, o Optional[int64]) {
	if o.Given && !o.Null && (o.Value < 1 || o.Value > 5) {
		f.add(location, "must be from 1 to 5")
	}
}

func (f *faults) oneOf(location, value string, allowed []string) {
	for _, a := range allowed {
		if value == a {
			return
		}
	}
	f.add(location, "must be one of %s", list(allowed))
}

var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// date checks that a time is in the allowed range.
func (f *faults) date(location string, t time.Time) {
	if t.Before(earliest) || !t.Before(latest) {
		f.add(location, "must be a time from 1900 to 2199")
	}
}

// past checks a time in the past; a day of clock difference is allowed.
func (f *faults) past(location string, t, now time.Time) {
	f.date(location, t)
	if t.Before(latest) && t.After(now.Add(24*time.Hour)) {
		f.add(location, "must not be in the future")
	}
}

func (f *faults) optionalPast(location string, o Optional[time.Time], now time.Time) {
	if o.Given && !o.Null {
		f.past(location, o.Value, now)
	}
}

// properties checks the properties that a caller defines: a JSON object of bounded size and depth.
func (f *faults) properties(location string, raw json.RawMessage) {
	switch {
	case len(raw) > MaxPropertiesSize:
		f.add(location, "must have at most %d bytes", MaxPropertiesSize)
	case !utf8.Valid(raw):
		f.add(location, "must be valid UTF-8")
	case !json.Valid(raw) || bytes.TrimSpace(raw)[0] != '{':
		f.add(location, "must be an object")
	case depth(raw) > MaxPropertiesDeep:
		f.add(location, "must be nested at most %d deep", MaxPropertiesDeep)
	}
}

// depth returns how deep valid JSON is nested.
func depth(raw []byte) int {
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

// compact returns JSON text without blanks, as it is stored.
func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return string(raw)
	}
	return out.String()
}

// ValidKey reports whether a text may be an entity key or a user id.
func ValidKey(key string) bool {
	f := &faults{}
	f.word("", key, MaxKeyLength)
	return len(f.fields) == 0
}

// ValidType reports whether a text may be the type of a relationship.
func ValidType(kind string) bool { return typePattern.MatchString(kind) }

// firstLine returns the first line of a text that is not blank, as a name: at most limit code points.
func firstLine(text string, limit int) string {
	for line := range strings.Lines(text) {
		line = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		if line == "" {
			continue
		}
		if runes := []rune(line); len(runes) > limit {
			line = string(runes[:limit])
		}
		return line
	}
	return ""
}
