package contract

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
)

// MaxFaults is the maximum number of faults in a response: after fixing these, a caller sends the request again.
const MaxFaults = 100

const (
	maxLocation = 256      // bytes
	maxFaults   = 60 << 10 // bytes of an answer's faults, as JSON
)

// Bounded returns the first faults: at most MaxFaults, of at most 60 KiB as JSON, with locations of at most 256 bytes.
func Bounded(all []graph.FieldError) []graph.FieldError {
	size, few := 0, all[:min(len(all), MaxFaults)]
	for i := range few {
		few[i].Location = Clip(few[i].Location)
		written, _ := json.Marshal(few[i]) //nolint:errchkjson // two texts and a number always can
		if size += len(written); size > maxFaults {
			return few[:max(i, 1)]
		}
	}
	return few
}

// Faults returns huma's faults of an input, bounded and without submitted values.
func Faults(all []error) []graph.FieldError {
	var fields []graph.FieldError
	for _, err := range all[:min(len(all), MaxFaults)] {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			fields = append(fields, graph.FieldError{Location: detail.Location, Message: Message(detail)})
		}
	}
	return Bounded(fields)
}

// Clip returns a location cut to 256 bytes. It may contain names chosen by callers, so that control characters become
// spaces.
func Clip(location string) string {
	if len(location) > maxLocation {
		end := maxLocation
		for end > 0 && !utf8.RuneStart(location[end]) {
			end--
		}
		location = location[:end] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, location)
}
