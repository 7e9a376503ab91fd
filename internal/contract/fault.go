package contract

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/fault"
	"kith/text/clip"
)

// MaxFaults is the maximum number of faults in a response: after fixing these, a caller sends the request again.
const MaxFaults = 100

const (
	maxLocation = 256      // bytes
	maxFaults   = 60 << 10 // bytes of an answer's faults, as JSON
)

// Bounded returns the first faults: at most MaxFaults, of at most 60 KiB as JSON, with locations of at most 256 bytes.
func Bounded(all []fault.FieldError) []fault.FieldError {
	size, few := 0, all[:min(len(all), MaxFaults)]
	for i := range few {
		if location := few[i].Path.String(); Clip(location) != location {
			few[i].Path = fault.At(Clip(location))
		}
		written, _ := json.Marshal(few[i]) //nolint:errchkjson // two texts and a number always can
		if size += len(written); size > maxFaults {
			return few[:max(i, 1)]
		}
	}
	return few
}

// Faults returns huma's faults of an input, bounded and without submitted values.
func Faults(all []error) []fault.FieldError {
	var fields []fault.FieldError
	for _, err := range all[:min(len(all), MaxFaults)] {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			fields = append(fields, fault.FieldError{Path: fault.Parse(detail.Location), Code: codeOf(detail), Message: Message(detail)})
		}
	}
	return Bounded(fields)
}

// codes holds the sorts of huma's messages, by how they begin.
var codes = []struct { //nolint:gochecknoglobals // a constant table
	beginning string
	code      fault.Code
}{
	{"unexpected property", fault.UnknownField},
	{"expected required property", fault.Required},
	{"expected property", fault.Required}, // that another one requires
	{"required ", fault.Required},         // a parameter or a body
	{"request body is required", fault.Required},
	{tooShort, fault.Required},
	{"expected length <=", fault.TooLong},
	{"expected length", fault.Malformed},
	{"expected array length", fault.WrongCount},
	{"expected array items to be unique", fault.Duplicate},
	{"expected object with", fault.WrongCount},
	{"expected number ", fault.OutOfRange},
	{"expected value to be one of", fault.NotOneOf},
	{"expected string to", fault.Malformed},
	{"expected value", fault.Malformed},
	{"expected duration", fault.Malformed},
	{"expected ", fault.WrongType},
}

// codeOf returns the sort of one of huma's faults, which are only texts.
func codeOf(d *huma.ErrorDetail) fault.Code {
	for _, c := range codes {
		if strings.HasPrefix(d.Message, c.beginning) {
			return c.code
		}
	}
	return fault.Malformed
}

// Clip returns a location cut to 256 bytes. It may contain names chosen by callers, so that control characters become
// spaces.
func Clip(location string) string {
	if len(location) > maxLocation {
		location = clip.Bytes(location, maxLocation) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, location)
}
