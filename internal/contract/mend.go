package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
)

// Mend rewrites arguments from forms that models often use to the schema's: an alternative name of a field, one value
// for a list, a text for an object with one text. Other arguments stay unchanged.
func (f Form) Mend(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if (Walk{}).Faults(raw) != nil || json.Unmarshal(raw, &fields) != nil {
		return raw // Read reports the fault
	}
	changed := false
	for other, field := range f.renamed {
		if value, given := fields[other]; given && fields[field] == nil {
			delete(fields, other)
			fields[field], changed = value, true
		}
	}
	for name, value := range fields {
		if mended := f.mended(name, value); mended != nil {
			fields[name], changed = mended, true
		}
	}
	if !changed {
		return raw
	}
	mended, err := json.Marshal(fields)
	if err != nil {
		return raw
	}
	return mended
}

// mended returns the rewritten value of a field; nil: it stays.
func (f Form) mended(name string, value json.RawMessage) json.RawMessage {
	s := f.schema.Properties[name]
	if s == nil || s.Type != huma.TypeArray || string(value) == "null" {
		return nil
	}
	list, changed := []json.RawMessage{value}, true
	if bytes.HasPrefix(value, []byte("[")) {
		if changed = false; json.Unmarshal(value, &list) != nil {
			return nil
		}
	}
	if property := f.texts[name]; property != "" {
		for i, item := range list {
			if bytes.HasPrefix(item, []byte(`"`)) {
				list[i], changed = slices.Concat([]byte(`{"`+property+`":`), item, []byte("}")), true
			}
		}
	}
	if !changed {
		return nil
	}
	mended, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	return mended
}

// located returns an error with faults; for an unknown field it names the existing ones.
func (f Form) located(faults []graph.FieldError) error {
	for i := range faults {
		if faults[i].Message != "unexpected property" {
			continue
		}
		if s := f.around(faults[i].Location); s != nil {
			faults[i].Message += ": the fields are " + strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
		}
	}
	return &graph.InvalidError{Fields: faults}
}

var places = regexp.MustCompile(`\[\d+\]`)

// around returns the schema, as shown to models, of the object at a location; nil without one.
func (f Form) around(location string) *huma.Schema {
	steps := strings.Split(places.ReplaceAllString(location, ".[]"), ".")
	s := f.shown
	for _, step := range steps[:len(steps)-1] {
		switch {
		case s == nil:
			return nil
		case step == "[]":
			s = s.Items
		default:
			s = s.Properties[step]
		}
	}
	if s == nil || len(s.Properties) == 0 {
		return nil
	}
	return s
}
