// Package contract makes JSON schemas of Go types and says what of an input does not fit them, for both surfaces: HTTP and
// MCP. It has no rules of its own: they stand on the types, as tags.
package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
	"kith/traverse"
)

// NewRegistry is an empty set of schemas whose references begin with a prefix. Fields may be left out, null or given where
// their type is graph.Optional, and lists are never null.
func NewRegistry(prefix string) huma.Registry {
	configure()
	registry := huma.NewMapRegistry(prefix, name)
	optional[string](registry)
	optional[bool](registry)
	optional[float64](registry)
	optional[int64](registry)
	optional[time.Time](registry)
	optional[[]string](registry)
	optional[json.RawMessage](registry)
	object[graph.ConversationFocus](registry)
	object[graph.ChatContext](registry)
	object[graph.ChatProviderConfig](registry)
	return registry
}

func object[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[graph.Optional[T]](), reflect.TypeFor[nullable[T]]())
}

// nullable is the contract of an object that may be null.
type nullable[T any] struct{}

// Schema is that of the object, or null.
func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.SchemaFromRef(r.Schema(reflect.TypeFor[T](), true, "").Ref)
	s.Nullable = true
	return &s
}

// configure sets what huma keeps in a package variable.
var configure = sync.OnceFunc(func() { huma.DefaultArrayNullable = false }) //nolint:gochecknoglobals // once a process

func optional[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[graph.Optional[T]](), reflect.TypeFor[*T]())
}

// name is what a contract calls a type, for readers who see it without its package and beside all others. What a call takes is its request;
// what it answers has the name of what that is.
func name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if better := names[t.String()]; better != "" {
		return better
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if t.PkgPath() == reflect.TypeFor[traverse.Request]().PkgPath() && !strings.HasPrefix(name, "Traverse") {
		return "Traverse" + name
	}
	if call, ok := strings.CutSuffix(name, "InputBody"); ok {
		return call + "Request"
	}
	return strings.TrimSuffix(name, "OutputBody")
}

// names are those of types whose own name says enough only within their package.
var names = map[string]string{ //nolint:gochecknoglobals // a constant table
	"chat.Assembled": "TurnPrompt", "chat.Subject": "ExplainedSubject", "exchange.Counts": "ImportCounts",
	"exchange.Refusal": "ImportRefusal", "exchange.Report": "ImportReport", "explore.Explanation": "ExploreExplanation", "explore.Meta": "ExploreMeta",
	"explore.Query": "ExploreQuery", "explore.Request": "ExploreRequest", "explore.Result": "ExploreResult", "graph.Focus": "ContextFocus",
	"graph.History": "ImportedHistory", "handlers.Opened": "OpenedConversation", "handlers.ReadSource": "SourceResult", "loader.User": "ContextUser",
	"loader.Moment": "TemporalMoment", "loader.Coverage": "SnapshotCoverage",
}

// Message is what a fault says, without what was submitted: decoders quote what they could not read.
func Message(d *huma.ErrorDetail) string {
	if d.Message == tooShort {
		return Empty(d.Location)
	}
	for _, decoder := range []string{"json:", "parsing ", "invalid character", "strconv", "invalid integer", "invalid number", "invalid boolean", "invalid date"} {
		if strings.HasPrefix(d.Message, decoder) {
			return unreadable
		}
	}
	if value := printed(d.Value); len(value) > 3 && strings.Contains(d.Message, value) {
		return "is not what it should be"
	}
	return d.Message
}

// tooShort is what huma says of an empty text where one is needed.
const tooShort = "expected length >= 1"

// Empty is what a fault says of an empty text that stands at a place. An empty user_id or team_id never means everybody.
func Empty(location string) string {
	for _, id := range []string{"user_id", "team_id"} {
		if location == id || strings.HasSuffix(location, "."+id) {
			return "must not be empty: give an id, or leave " + id + " out"
		}
	}
	return "must not be empty"
}

// printed is a value as a message might quote it: a text or a number. Others are quoted by none, and cost time to print.
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
