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

// objectFields holds the fields without a type whose value is an object.
var objectFields = map[string]bool{"properties": true, "filter": true} //nolint:gochecknoglobals // a constant table

// Mend rewrites arguments from forms that clients and models often use to the schema's: an alternative name of a field, null
// for an omitted field, the JSON text of a value, one value for a list, a text for an object with one text. Other arguments
// stay unchanged.
func (f Form) Mend(raw json.RawMessage) json.RawMessage {
	if object := jsonIn(raw, '{'); object != nil {
		raw = object
	}
	if string(raw) == "null" {
		return nil
	}
	var fields map[string]json.RawMessage
	if (Walk{}).Faults(raw) != nil || json.Unmarshal(raw, &fields) != nil {
		return raw // Read reports the fault
	}
	changed := false
	for other, field := range f.renamed {
		value, given := fields[other]
		if !given || fields[field] != nil && string(fields[field]) != "null" {
			continue
		}
		delete(fields, other)
		fields[field], changed = value, true
	}
	for name, property := range f.texts {
		if value := fields[name]; value != nil {
			fields[name], changed = mendTexts(property, value), true
		}
	}
	if changed {
		raw = encoded(fields)
	}
	return mend(f.schema, raw)
}

// encoded returns the JSON of what was JSON before.
func encoded(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("contract: " + err.Error())
	}
	return raw
}

// mend returns a value in the form of its schema, as far as it can be.
func mend(s *huma.Schema, value json.RawMessage) json.RawMessage {
	if s == nil || hasAlternatives(s) || len(value) == 0 || string(value) == "null" {
		return value
	}
	switch s.Type {
	case huma.TypeObject:
		return mendObject(s, value)
	case huma.TypeArray:
		return mendList(s, value)
	case huma.TypeInteger, huma.TypeNumber, huma.TypeBoolean:
		return mendScalar(s, value)
	}
	return value
}

// mendObject omits what is null, as clients send it for what is not given.
func mendObject(s *huma.Schema, value json.RawMessage) json.RawMessage {
	if object := jsonIn(value, '{'); object != nil {
		value = object
	}
	var fields map[string]json.RawMessage
	if value[0] != '{' || json.Unmarshal(value, &fields) != nil {
		return value
	}
	changed := false
	for name, field := range fields {
		property := s.Properties[name]
		switch {
		case property == nil:
		case string(field) == "null" && !slices.Contains(s.Required, name):
			delete(fields, name)
			changed = true
		default:
			mended := mend(property, field)
			if object := jsonIn(field, '{'); object != nil && objectFields[name] {
				mended = object
			}
			changed = changed || !bytes.Equal(mended, field)
			fields[name] = mended
		}
	}
	if !changed {
		return value
	}
	return encoded(fields)
}

// mendList takes one value for a list of it.
func mendList(s *huma.Schema, value json.RawMessage) json.RawMessage {
	if list := jsonIn(value, '['); list != nil && (s.Items == nil || s.Items.Type != huma.TypeString || isTexts(list)) {
		value = list
	}
	if value[0] != '[' {
		if one := mend(s.Items, value); s.Items != nil && isOf(s.Items.Type, one) {
			return encoded([]json.RawMessage{one})
		}
		return value
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return value
	}
	changed := false
	for i, item := range list {
		list[i] = mend(s.Items, item)
		changed = changed || !bytes.Equal(list[i], item)
	}
	if !changed {
		return value
	}
	return encoded(list)
}

// mendTexts takes texts for objects with one text. A text that is such an object as JSON stays, and is read later.
func mendTexts(property string, value json.RawMessage) json.RawMessage {
	if list := jsonIn(value, '['); list != nil {
		value = list
	}
	var list []json.RawMessage
	switch {
	case isOf(huma.TypeString, value):
		list = []json.RawMessage{value}
	case json.Unmarshal(value, &list) != nil || list == nil:
		return value
	}
	for i, item := range list {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(jsonIn(item, '{'), &object) // without one it is a text
		if isOf(huma.TypeString, item) && object[property] == nil {
			list[i] = encoded(map[string]json.RawMessage{property: item})
		}
	}
	return encoded(list)
}

// mendScalar takes the text of a number or truth value for it.
func mendScalar(s *huma.Schema, value json.RawMessage) json.RawMessage {
	if text := json.RawMessage(strings.ToLower(strings.TrimSpace(textOf(value)))); isOf(s.Type, text) && (Walk{}).Faults(text) == nil {
		return text
	}
	return value
}

// textOf returns the text that a JSON value is; empty for another value.
func textOf(value json.RawMessage) (text string) {
	if bytes.HasPrefix(value, []byte(`"`)) {
		_ = json.Unmarshal(value, &text) // valid JSON
	}
	return text
}

// jsonIn returns the JSON that begins with a byte and is the text of a value; nil without such a text.
func jsonIn(value json.RawMessage, begin byte) json.RawMessage {
	text := bytes.TrimSpace([]byte(textOf(value)))
	if len(text) == 0 || text[0] != begin || (Walk{}).Faults(text) != nil {
		return nil
	}
	return text
}

// isTexts reports whether a JSON list has texts only.
func isTexts(list json.RawMessage) bool {
	var texts []*string
	return json.Unmarshal(list, &texts) == nil && !slices.Contains(texts, nil)
}

// isOf reports whether a JSON value may be one of a type.
func isOf(kind string, value json.RawMessage) bool {
	if len(value) == 0 {
		return false
	}
	switch b := value[0]; kind {
	case huma.TypeString:
		return b == '"'
	case huma.TypeObject:
		return b == '{'
	case huma.TypeBoolean:
		return string(value) == "true" || string(value) == "false"
	case huma.TypeInteger, huma.TypeNumber:
		return b == '-' || b >= '0' && b <= '9'
	}
	return false
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
