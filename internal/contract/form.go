package contract

import (
	"cmp"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/fault"
)

// Form is the schema of a tool's input.
type Form struct {
	registry huma.Registry
	schema   *huma.Schema
	shown    *huma.Schema      // the schema shown to models
	texts    map[string]string // fields shown as texts, with the property of their items that the text is
	renamed  map[string]string // alternative names of fields
}

// prefix is the path of referenced schemas.
const prefix = "#/$defs/"

// Input returns the form of an input type, which accepts only named fields. It has no references, as clients that show
// it to a model need it. Fields may be removed from it.
func Input[T any](without ...string) Form {
	registry := NewRegistry(prefix, Names{})
	f := Form{
		registry: registry, schema: whole(registry, registry.Schema(reflect.TypeFor[T](), false, "")),
		texts: map[string]string{}, renamed: map[string]string{},
	}
	for _, field := range without {
		delete(f.schema.Properties, field)
	}
	f.schema.PrecomputeMessages()
	f.shown = brief(f.schema)
	return f
}

// Describe replaces descriptions of fields for models. Fields with an empty description are accepted but not shown.
func (f Form) Describe(fields map[string]string) Form {
	describe(f.shown, fields)
	return f
}

// DescribeWithin is Describe for the fields of the objects in a list.
func (f Form) DescribeWithin(list string, fields map[string]string) Form {
	describe(f.shown.Properties[list].Items, fields)
	return f
}

func describe(shown *huma.Schema, fields map[string]string) {
	for name, description := range fields {
		if description == "" {
			delete(shown.Properties, name)
		} else {
			shown.Properties[name].Description = description
		}
	}
}

// ShowTexts shows a field as a list of texts, each of which stands for an object with the text as a property.
func (f Form) ShowTexts(field, property string) Form {
	f.shown.Properties[field].Items = &huma.Schema{Type: huma.TypeString}
	f.texts[field] = property
	return f
}

// Rename accepts a field under another name too.
func (f Form) Rename(other, field string) Form {
	f.renamed[other] = field
	return f
}

// MarshalJSON writes the schema shown to models: fields, types, closed lists and descriptions. Violations of its other
// rules are reported for the call.
func (f Form) MarshalJSON() ([]byte, error) { return json.Marshal(f.shown) }

// brief returns a copy of a schema with only the parts that a model needs to write a call.
func brief(s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	b := &huma.Schema{Type: s.Type, Description: s.Description, Enum: s.Enum, Items: brief(s.Items), Required: s.Required}
	if s.Format == "date-time" {
		b.Format = s.Format
	}
	if s.Properties != nil {
		b.Properties = map[string]*huma.Schema{}
		for name, p := range s.Properties {
			b.Properties[name] = brief(p)
		}
	}
	return b
}

// Read decodes an object into a value. It returns an InvalidError with all faults.
func (f Form) Read(raw []byte, into any) error {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	raw, faults := Walk{Registry: f.registry, Schema: f.schema}.Read(raw)
	if faults != nil {
		return f.located(faults)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return fault.Invalid(fault.Path{}, fault.WrongType, unreadable)
	}
	var found huma.ValidateResult
	huma.Validate(f.registry, f.schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, &found)
	if len(found.Errors) == 0 && json.Unmarshal(raw, into) != nil {
		return fault.Invalid(fault.Path{}, fault.WrongType, unreadable)
	}
	if len(found.Errors) == 0 {
		return nil
	}
	return f.located(Faults(found.Errors))
}

// whole returns a schema with all references resolved.
func whole(registry huma.Registry, s *huma.Schema) *huma.Schema {
	if s == nil {
		return nil
	}
	if s.Ref != "" {
		found := whole(registry, registry.SchemaFromRef(s.Ref))
		found.Description = cmp.Or(s.Description, found.Description)
		return found
	}
	w := *s
	w.Items = whole(registry, s.Items)
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		w.AdditionalProperties = whole(registry, more)
	}
	if s.Properties != nil {
		w.Properties = map[string]*huma.Schema{}
		for name, p := range s.Properties {
			w.Properties[name] = whole(registry, p)
		}
	}
	return &w
}
