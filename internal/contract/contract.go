// Package contract derives JSON schemas from Go types and checks inputs against them, for HTTP and MCP. It has no rules
// of its own: they are tags on the types.
package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/optional"
)

// Names are the contract's names of types whose own name is clear only within their package.
type Names struct {
	Types    map[string]string // by package and type, such as chat.Turn
	Prefixes map[string]string // by path of a package: what the names of all its other types begin with
}

// NewRegistry returns an empty registry of schemas whose references begin with a prefix. Optional fields of scalars, lists of
// texts and JSON may be omitted or null, and lists are never null. Optional adds those of objects.
func NewRegistry(prefix string, names Names) huma.Registry {
	configure()
	registry := huma.NewMapRegistry(prefix, names.of)
	value[string](registry)
	value[bool](registry)
	value[float64](registry)
	value[int64](registry)
	value[time.Time](registry)
	value[[]string](registry)
	value[json.RawMessage](registry)
	return registry
}

func value[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[optional.Value[T]](), reflect.TypeFor[*T]())
}

// Optional makes optional fields of an object's type ones that may be omitted or null.
func Optional[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[optional.Value[T]](), reflect.TypeFor[nullable[T]]())
}

// nullable is the schema of an object that may be null.
type nullable[T any] struct{}

// Schema returns the schema of the object, or null.
func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.SchemaFromRef(r.Schema(reflect.TypeFor[T](), true, "").Ref)
	s.Nullable = true
	return &s
}

// configure sets huma's package variables.
var configure = sync.OnceFunc(func() { huma.DefaultArrayNullable = false }) //nolint:gochecknoglobals // once a process

// of returns the name of a type in the contract, for readers who see it without its package and beside all others. An
// input is named as a request; an output by its content.
func (n Names) of(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if better := n.Types[t.String()]; better != "" {
		return better
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if prefix := n.Prefixes[t.PkgPath()]; !strings.HasPrefix(name, prefix) {
		return prefix + name
	}
	if call, ok := strings.CutSuffix(name, "InputBody"); ok {
		return call + "Request"
	}
	return strings.TrimSuffix(name, "OutputBody")
}

// Message returns the message of a fault without the submitted value: decoders quote what they could not read.
func Message(d *huma.ErrorDetail) string {
	if d.Message == tooShort {
		return Empty(d.Location)
	}
	if d.Message == "invalid integer" {
		return notWhole
	}
	for _, decoder := range []string{"json:", "parsing ", "invalid character", "strconv", "invalid number", "invalid boolean", "invalid date"} {
		if strings.HasPrefix(d.Message, decoder) {
			return unreadable
		}
	}
	if value := printed(d.Value); len(value) > 3 && strings.Contains(d.Message, value) {
		return "is not what it should be"
	}
	return d.Message
}

// tooShort is huma's message for an empty required text.
const tooShort = "expected length >= 1"

// Empty returns the message for an empty text at a location. An empty user_id or team_id never means all users or
// teams.
func Empty(location string) string {
	for _, id := range []string{"user_id", "team_id"} {
		if location == id || strings.HasSuffix(location, "."+id) {
			return "must not be empty: give an id, or leave " + id + " out"
		}
	}
	return "must not be empty"
}

// printed returns a value in the form that a message may quote: a text or a number. No message quotes other values,
// which are expensive to print.
func printed(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64, int64, int:
		return fmt.Sprint(v)
	}
	return ""
}

const unreadable = "cannot be read as what it should be"
