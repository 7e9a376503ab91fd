package contract

import (
	"cmp"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
)

// Form is the schema of one type.
type Form struct {
	registry huma.Registry
	schema   *huma.Schema
	defs     map[string]*huma.Schema
}

// prefix is where the schemas are that others refer to.
const prefix = "#/$defs/"

// Input is the form of what is taken: nothing that it does not name. It is whole, without references, as those want it who
// show it to a model. Fields may be left out of it.
func Input[T any](without ...string) Form {
	registry := NewRegistry(prefix)
	f := Form{registry: registry, schema: whole(registry, registry.Schema(reflect.TypeFor[T](), false, ""))}
	for _, field := range without {
		delete(f.schema.Properties, field)
	}
	f.schema.PrecomputeMessages()
	return f
}

// Output is the form of what is given, in short: without words. More may be added to what it names.
func Output[T any]() Form {
	registry := NewRegistry(prefix)
	t := reflect.TypeFor[T]()
	f := Form{registry: registry, schema: registry.Schema(t, false, t.Name()), defs: registry.Map()}
	open(f.schema, t)
	delete(f.defs, t.Name())
	for name, s := range f.defs {
		open(s, registry.TypeFromRef(prefix+name))
	}
	return f
}

// MarshalJSON writes the schema.
func (f Form) MarshalJSON() ([]byte, error) {
	root := *f.schema
	if len(f.defs) > 0 {
		root.Extensions = map[string]any{"$defs": f.defs}
	}
	return json.Marshal(&root)
}

// Read decodes an object into a value, if it fits. InvalidError for all that does not.
func (f Form) Read(raw []byte, into any) error {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if found := (Walk{Registry: f.registry, Schema: f.schema}).Faults(raw); found != nil {
		return &graph.InvalidError{Fields: found}
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return &graph.InvalidError{Fields: []graph.FieldError{{Message: unreadable}}}
	}
	var found huma.ValidateResult
	huma.Validate(f.registry, f.schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, &found)
	if len(found.Errors) == 0 && json.Unmarshal(raw, into) != nil {
		return &graph.InvalidError{Fields: []graph.FieldError{{Message: unreadable}}}
	}
	return faults(found.Errors)
}

func faults(all []error) error {
	if len(all) == 0 {
		return nil
	}
	return &graph.InvalidError{Fields: Faults(all)}
}

// whole is a schema with others in the place of the references to them.
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

// open takes the words off a schema of a type, and its refusal of more; what is a pointer may be null.
func open(s *huma.Schema, t reflect.Type) {
	if s == nil {
		return
	}
	s.Description, s.Examples = "", nil
	if s.AdditionalProperties == false {
		s.AdditionalProperties = nil
	}
	more, _ := s.AdditionalProperties.(*huma.Schema)
	open(more, nil)
	open(s.Items, nil)
	fields := fieldsOf(t)
	for name, p := range s.Properties {
		open(p, nil)
		if f, ok := fields[name]; ok && p.Ref != "" && f.nullAnswer() {
			s.Properties[name] = orNull(p, "")
		}
	}
}
