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

	"kith/graph"
)

// OmitEmpty is the extension of a field whose empty value, and null, say no more than leaving it out.
const OmitEmpty = "x-omit-empty"

// Publish are the schemas of a registry as a document has to show them, told in full where huma says less than is so: what may be
// null, and what must be an object. Taken are the schemas of what a service takes: there a field that may be left out may be null
// as well. What huma validates with stays as it is: of a reference or null it could not say what does not fit.
func Publish(registry huma.Registry, taken []*huma.Schema) huma.Registry {
	inputs := map[string]bool{}
	for _, s := range taken {
		reach(registry, s, inputs)
	}
	shown := map[string]*huma.Schema{}
	for name, s := range registry.Map() {
		shown[name] = told(registry, s, registry.TypeFromRef(refTo+name), inputs[name])
	}
	return published{registry, shown}
}

// refTo is where the schemas of an OpenAPI document are.
const refTo = "#/components/schemas/"

type published struct {
	huma.Registry
	schemas map[string]*huma.Schema
}

// Map are the schemas by name.
func (p published) Map() map[string]*huma.Schema { return p.schemas }

// MarshalJSON writes them as the object that a document holds.
func (p published) MarshalJSON() ([]byte, error) { return json.Marshal(p.schemas) }

// reach finds the names of the schemas that one leads to.
func reach(registry huma.Registry, s *huma.Schema, found map[string]bool) {
	if s == nil {
		return
	}
	if name := strings.TrimPrefix(s.Ref, refTo); s.Ref != "" && !found[name] {
		found[name] = true
		reach(registry, registry.SchemaFromRef(s.Ref), found)
	}
	more, _ := s.AdditionalProperties.(*huma.Schema)
	for _, inner := range append(slices.Collect(maps.Values(s.Properties)), s.Items, more) {
		reach(registry, inner, found)
	}
}

// told is the schema of a struct in full.
func told(registry huma.Registry, s *huma.Schema, t reflect.Type, input bool) *huma.Schema {
	if t.Kind() != reflect.Struct || len(s.Properties) == 0 {
		return s
	}
	all := *s
	all.Properties = maps.Clone(s.Properties)
	for name, field := range fieldsOf(t) {
		if p := all.Properties[name]; p != nil {
			all.Properties[name] = field.told(registry, p, input && !slices.Contains(s.Required, name))
		}
	}
	return &all
}

// field is one of a struct.
type field struct{ reflect.StructField }

// fieldsOf are the fields of a struct by their names in JSON, those of embedded structs too.
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

// told is the schema of a field in full; droppable says that a caller may leave it out.
func (f field) told(registry huma.Registry, s *huma.Schema, droppable bool) *huma.Schema {
	shown, value := *s, f.value()
	f.bound(&shown)
	optional := value != f.Type
	switch {
	case value == reflect.TypeFor[json.RawMessage]() && f.Tag.Get("contract") != "any":
		shown.Type, shown.AdditionalProperties = huma.TypeObject, true
		droppable = droppable && optional // what is no Optional must not be null
	case optional && value.Kind() == reflect.Struct && value != reflect.TypeFor[time.Time]():
		shown = huma.Schema{Ref: registry.Schema(value, true, "").Ref, Description: s.Description}
	case droppable && !optional && f.Type.Kind() != reflect.Pointer:
		shown.Extensions = map[string]any{OmitEmpty: true}
		if shown.Type == huma.TypeString && len(shown.Enum) > 0 {
			shown.Enum = append(slices.Clone(shown.Enum), "")
		}
	}
	if droppable || optional || s.Nullable || f.nullAnswer() {
		return orNull(&shown)
	}
	return &shown
}

// bound puts into a schema what the type's own package checks, and says with tags: oneof (of a list: each), matches, word (not blank),
// min, max (of a text its characters) and readonly.
func (f field) bound(s *huma.Schema) {
	if s.Type == huma.TypeArray && f.Tag.Get("oneof") != "" {
		item := *s.Items
		item.Enum, s.Items = f.words(), &item
	} else if words := f.words(); len(words) > 0 {
		s.Enum = words
	}
	if pattern := f.Tag.Get("matches"); pattern != "" {
		s.Pattern = pattern
	}
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

// value is the type of what a graph.Optional holds, and of any other field its own.
func (f field) value() reflect.Type {
	if f.Type.PkgPath() != reflect.TypeFor[graph.Kind]().PkgPath() || !strings.HasPrefix(f.Type.Name(), "Optional[") {
		return f.Type
	}
	value, _ := f.Type.FieldByName("Value")
	return value.Type
}

// nullAnswer says whether a field is null where there is nothing.
func (f field) nullAnswer() bool {
	_, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omit")
}

// orNull is a schema that null fits as well.
func orNull(s *huma.Schema) *huma.Schema {
	switch {
	case s.Ref != "":
		return &huma.Schema{
			AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}, Description: s.Description, Extensions: s.Extensions,
		}
	case s.Type != "":
		s.Nullable = true
		if len(s.Enum) > 0 {
			s.Enum = append(slices.Clone(s.Enum), nil)
		}
	}
	return s
}
