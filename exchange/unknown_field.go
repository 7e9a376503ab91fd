package exchange

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// unknownField returns the name of the first field in a JSON value that its type does not have; empty if there is none.
// Types that decode themselves have their own rules.
func unknownField(raw json.RawMessage, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	begin, _ := decoder.Token()
	if begin == json.Delim('[') && t.Kind() != reflect.Slice || begin == json.Delim('{') && t.Kind() != reflect.Struct {
		return ""
	}
	for decoder.More() {
		var (
			value json.RawMessage
			inner reflect.Type
		)
		if begin == json.Delim('{') {
			member, _ := decoder.Token()
			name, _ := member.(string)
			if inner = fieldType(t, name); inner == nil {
				return name
			}
		} else {
			inner = t.Elem()
		}
		if decoder.Decode(&value) != nil {
			return ""
		}
		if unknown := unknownField(value, inner); unknown != "" {
			return unknown
		}
	}
	return ""
}

// fieldType returns the type of a struct's field by its name in JSON, in any case of letters, as encoding/json does.
func fieldType(t reflect.Type, name string) reflect.Type {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" && tag != "-" && strings.EqualFold(tag, name) {
			return f.Type
		}
	}
	return nil
}
