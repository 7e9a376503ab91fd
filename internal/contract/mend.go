package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/fault"
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
	var list []json.RawMessage // not of value: Unmarshal would write into it
	changed := !bytes.HasPrefix(value, []byte("["))
	switch {
	case changed:
		list = []json.RawMessage{value}
	case json.Unmarshal(value, &list) != nil:
		return nil
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
func (f Form) located(faults []fault.FieldError) error {
	for i := range faults {
		if faults[i].Code != fault.UnknownField {
			continue
		}
		if s := f.around(faults[i].Path); s != nil {
			faults[i].Message += ": the fields are " + strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
		}
	}
	return &fault.InvalidError{Fields: faults}
}

// around returns the schema, as shown to models, of the object that has a field at a place; nil without one.
func (f Form) around(place fault.Path) *huma.Schema {
	var s *huma.Schema
	next := f.shown
	for name, item := range place.Steps() {
		if s = next; s == nil {
			return nil
		}
		if next = s.Properties[name]; next != nil && item >= 0 {
			next = next.Items
		}
	}
	if s == nil || len(s.Properties) == 0 {
		return nil
	}
	return s
}
