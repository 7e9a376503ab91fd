package graph

import (
	"bytes"
	"encoding/json"
	"regexp"
	"time"

	"kith/internal/bounds"
	"kith/internal/fault"
)

var typePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Faults collects the faults of a write. It adds the checks of the fields that only this package has.
type Faults struct{ fault.List }

// OptionalWord checks a word that may be omitted or null.
func (f *Faults) OptionalWord(at fault.Path, o Optional[string], limit int) {
	if o.Given && !o.Null {
		f.Word(at, o.Value, limit)
	}
}

// version checks the version that a write requires.
func (f *Faults) version(at fault.Path, o Optional[int64]) {
	if o.Given && (o.Null || o.Value < 0) {
		f.Add(at, fault.OutOfRange, "must be 0 or more")
	}
}

// Words checks a list of words without duplicates.
func (f *Faults) Words(at fault.Path, values []string) {
	if !f.Items(at, len(values), bounds.ListLength) {
		return
	}
	for i, v := range values {
		f.Word(at.Index(i), v, bounds.KeyLength)
	}
}

// share checks a number from 0 to 1 that may be omitted or null.
func (f *Faults) share(at fault.Path, o Optional[float64]) {
	if o.Given && !o.Null {
		f.Share(at, o.Value)
	}
}

func (f *Faults) grade(at fault.Path, o Optional[int64]) {
	if o.Given && !o.Null {
		f.Between(at, o.Value, 1, 5)
	}
}

func (f *Faults) optionalPast(at fault.Path, o Optional[time.Time], now time.Time) {
	if o.Given && !o.Null {
		f.Past(at, o.Value, now)
	}
}

// Properties checks the properties that a caller defines: a JSON object of bounded size and depth.
func (f *Faults) Properties(at fault.Path, raw json.RawMessage) {
	f.object(at, raw, bounds.PropertiesSize, bounds.PropertiesDepth)
}

// object checks a JSON object: its size in bytes and its depth.
func (f *Faults) object(at fault.Path, raw json.RawMessage, size, depth int) {
	if f.JSON(at, raw, size, depth) && bytes.TrimSpace(raw)[0] != '{' {
		f.Add(at, fault.WrongType, "must be an object")
	}
}

// compact returns JSON text without blanks, as it is stored.
func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return string(raw)
	}
	return out.String()
}

// ValidType reports whether a text may be the type of a relationship.
func ValidType(kind string) bool { return typePattern.MatchString(kind) }
