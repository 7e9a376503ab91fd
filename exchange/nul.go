package exchange

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"kith/internal/fault"
)

// checkNUL returns an error for a text with a NUL character in a decoded line: the database does not store it. JSON values of callers are
// stored as JSON, with its escape, and may have it. Texts for people are checked with their other rules.
func checkNUL(raw json.RawMessage, decoded any) error {
	if !bytes.Contains(raw, escapedNUL) {
		return nil
	}
	f := &fault.List{}
	findNUL(f, fault.Path{}, reflect.ValueOf(decoded))
	return f.Err()
}

// textsForPeople are checked where their length is.
var textsForPeople = []string{"description", "text"} //nolint:gochecknoglobals // a constant list

func findNUL(f *fault.List, at fault.Path, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			findNUL(f, at, v.Elem())
		}
	case reflect.String:
		if strings.IndexByte(v.String(), 0) >= 0 {
			f.Add(at, fault.Malformed, "must not contain NUL characters")
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 { // JSON of a caller
				return
			}
			findNUL(f, at.Index(i), v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			findNUL(f, at, key)
			findNUL(f, at, v.MapIndex(key))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() && !field.Anonymous || slices.Contains(textsForPeople, name) {
				continue
			}
			place := at
			if name != "" { // otherwise it is embedded, or the value of an optional field
				place = at.Field(name)
			}
			findNUL(f, place, v.Field(i))
		}
	}
}
