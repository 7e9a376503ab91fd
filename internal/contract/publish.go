package contract

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/optional"
)

// OmitEmpty is the extension of a field whose empty value, and null, mean the same as omitting it. If it is false, the
// field must not be null, and its empty value means something else.
const OmitEmpty = "x-omit-empty"

// Publish returns the schemas of a registry for a document, completed where huma's are incomplete: what may be null, and
// what must be an object. taken holds the schemas of inputs: there a field that may be omitted may be null as well. The
// schemas that huma validates with stay unchanged, as its faults for references and null would be unclear.
func Publish(registry huma.Registry, taken []*huma.Schema) huma.Registry {
	p := published{registry, map[string]*huma.Schema{}}
	for _, s := range taken {
		p.take(s)
	}
	for name, s := range registry.Map() {
		if p.shown[name] == nil {
			p.shown[name] = publishStruct(registry, s, registry.TypeFromRef(refTo+name), false)
		}
	}
	return p
}

// refTo is where the schemas of an OpenAPI document are.
const refTo = "#/components/schemas/"

// published is a registry and what is shown of it.
type published struct {
	huma.Registry
	shown map[string]*huma.Schema
}

// Map returns the schemas by name.
func (p published) Map() map[string]*huma.Schema { return p.shown }

// MarshalJSON writes them as the object that a document holds.
func (p published) MarshalJSON() ([]byte, error) { return json.Marshal(p.shown) }

// take shows what is taken, with all that it leads to.
func (p published) take(s *huma.Schema) {
	if s == nil {
		return
	}
	if name := strings.TrimPrefix(s.Ref, refTo); s.Ref != "" && p.shown[name] == nil {
		p.shown[name] = publishStruct(p.Registry, p.SchemaFromRef(s.Ref), p.TypeFromRef(s.Ref), true)
		p.take(p.shown[name])
	}
	more, _ := s.AdditionalProperties.(*huma.Schema)
	for _, inner := range slices.Concat(slices.Collect(maps.Values(s.Properties)), s.AnyOf, []*huma.Schema{s.Items, more}) {
		p.take(inner)
	}
}

// publishStruct returns the complete schema of a struct.
func publishStruct(registry huma.Registry, s *huma.Schema, t reflect.Type, input bool) *huma.Schema {
	if t.Kind() != reflect.Struct || len(s.Properties) == 0 {
		return s
	}
	all := *s
	all.Properties, all.DependentRequired = maps.Clone(s.Properties), map[string][]string{}
	for name, field := range fieldsOf(t) {
		if p := all.Properties[name]; p != nil {
			if with := field.Tag.Get("with"); with != "" {
				all.DependentRequired[name] = []string{with}
			}
			all.Properties[name] = field.publish(registry, name, p, input, input && !slices.Contains(s.Required, name))
		}
	}
	return &all
}

// field is one of a struct.
type field struct{ reflect.StructField }

// fieldsOf returns the fields of a struct by their names in JSON, those of embedded structs too.
func fieldsOf(t reflect.Type) map[string]field {
	found := map[string]field{}
	if t == nil || t.Kind() != reflect.Struct {
		return found
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			found[name] = field{f}
		}
	}
	return found
}

// publish returns the complete schema of a field. input marks a request, droppable a field that a caller may omit.
func (f field) publish(registry huma.Registry, name string, s *huma.Schema, input, droppable bool) *huma.Schema {
	shown, value := *s, f.value()
	f.bound(&shown)
	f.describe(&shown)
	isOptional := value != f.Type
	if input {
		f.patterned(name, &shown, droppable && !isOptional && f.Type.Kind() != reflect.Pointer && s.MinLength == nil)
	}
	switch {
	case f.Tag.Get("contract") == "any":
		shown.Type, shown.ContentEncoding, shown.Not = "", "", &huma.Schema{Type: "null"}
	case value == reflect.TypeFor[json.RawMessage]():
		shown.Type, shown.AdditionalProperties = huma.TypeObject, true
		droppable = droppable && isOptional // only an optional one may be null
	case isOptional && value.Kind() == reflect.Struct && value != reflect.TypeFor[time.Time]():
		shown = huma.Schema{Ref: registry.Schema(value, true, "").Ref, Description: s.Description}
	case droppable && !isOptional && f.Type.Kind() != reflect.Pointer:
		shown.Extensions = map[string]any{OmitEmpty: true}
		if shown.Type == huma.TypeString && len(f.words()) > 0 {
			shown.Enum = append(slices.Clone(shown.Enum), "")
		}
	}
	if f.Tag.Get("notnull") != "" {
		shown.Nullable, shown.Extensions = false, map[string]any{OmitEmpty: false}
		return &shown
	}
	if droppable || isOptional || s.Nullable || f.nullAnswer() {
		return orNull(&shown, f.Name)
	}
	return &shown
}

// describe adds the kinds of nodes that have a field (tag kinds) to its description.
func (f field) describe(s *huma.Schema) {
	if kinds := strings.Fields(f.Tag.Get("kinds")); len(kinds) > 0 {
		only := "only of " + strings.Join(kinds, ", ")
		if s.Description != "" {
			only = s.Description + "; " + only
		}
		s.Description = only
	}
}

// bound adds to a schema what the type's own package checks and states with tags: oneof and matches (of each item of a
// list), word (not blank), min, max (of a text: its characters), unique and readonly. Further tags are notnull and with
// (another field that is required with this one).
func (f field) bound(s *huma.Schema) {
	if s.Type == huma.TypeArray && f.Tag.Get("oneof") != "" {
		item := *s.Items
		item.Enum, s.Items = f.words(), &item
	} else if words := f.words(); len(words) > 0 {
		s.Enum = words
	}
	if pattern := f.Tag.Get("matches"); pattern != "" && s.Type == huma.TypeArray {
		item := *s.Items
		item.Pattern, s.Items = pattern, &item
	} else if pattern != "" {
		s.Pattern = pattern
	}
	s.UniqueItems = s.UniqueItems || f.Tag.Get("unique") != ""
	s.ReadOnly = f.Tag.Get("readonly") != ""
	least, hasLeast := f.number("min")
	most, hasMost := f.number("max")
	switch one, size := 1, int(most); s.Type {
	case huma.TypeString:
		if f.Tag.Get("word") != "" {
			s.MinLength = &one
		}
		if hasMost {
			s.MaxLength = &size
		}
	case huma.TypeArray:
		if hasMost {
			s.MaxItems = &size
		}
	case huma.TypeInteger, huma.TypeNumber:
		if hasMost {
			s.Minimum, s.Maximum = &least, &most
		} else if hasLeast {
			s.Minimum = &least
		}
	}
}

func (f field) words() []any {
	var words []any
	for _, word := range strings.Fields(f.Tag.Get("oneof")) {
		words = append(words, word)
	}
	return words
}

func (f field) number(tag string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(f.Tag.Get(tag), 64)
	return n, err == nil
}

// value returns the type of what an optional field holds, and of any other field its own.
func (f field) value() reflect.Type {
	if f.Type.PkgPath() != reflect.TypeFor[optional.Value[bool]]().PkgPath() {
		return f.Type
	}
	value, _ := f.Type.FieldByName("Value")
	return value.Type
}

// nullAnswer reports whether a field is null where there is nothing.
func (f field) nullAnswer() bool {
	_, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omit")
}

// orNull returns a schema that null fits as well. A closed list of words becomes a type of its own, or generated clients make three of it.
func orNull(s *huma.Schema, title string) *huma.Schema {
	one := &huma.Schema{Ref: s.Ref}
	switch {
	case s.Ref == "" && s.Type == "":
		return s
	case len(s.Enum) > 0:
		one.Type, one.Enum, one.Title = s.Type, s.Enum, title
	case s.Ref == "":
		s.Nullable = true
		return s
	}
	return &huma.Schema{
		AnyOf: []*huma.Schema{one, {Type: "null"}}, Description: s.Description, Examples: s.Examples, ReadOnly: s.ReadOnly, Extensions: s.Extensions,
	}
}
