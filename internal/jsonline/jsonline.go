// Package jsonline reads lines of files, counts them, and decodes those that people write, with faults that say what to correct.
package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Max is the longest line in bytes.
const Max = 1 << 20

// Decode decodes a JSON object. Fault says why it cannot be decoded; wrong is the error of a field with a wrong type.
func Decode(raw []byte, into any) (wrong *json.UnmarshalTypeError, fault string) {
	if !utf8.Valid(raw) { // the decoder would replace invalid bytes silently
		return nil, "is not valid UTF-8"
	}
	switch err := json.Unmarshal(raw, into); {
	case errors.As(err, &wrong) && wrong.Field != "":
		return wrong, ""
	case wrong != nil:
		return nil, "is not a JSON object"
	case err != nil:
		return nil, "is not valid JSON: " + err.Error()
	}
	return nil, ""
}

// Unquote returns a valid JSON string without its quotes and escapes.
func Unquote(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // already validated
	return []byte(text)
}
