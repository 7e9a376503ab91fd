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

	"kith/graph"
	"kith/memory/chat"
	"kith/memory/system"
	"kith/memory/traverse"
)

// NewRegistry returns an empty registry of schemas whose references begin with a prefix. Fields of type graph.Optional
// may be omitted or null, and lists are never null.
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
	object[chat.Context](registry)
	object[chat.ProviderConfig](registry)
	return registry
}

func object[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[graph.Optional[T]](), reflect.TypeFor[nullable[T]]())
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

func optional[T any](registry huma.Registry) {
	registry.RegisterTypeAlias(reflect.TypeFor[graph.Optional[T]](), reflect.TypeFor[*T]())
}

// name returns the name of a type in the contract, for readers who see it without its package and beside all others. An
// input is named as a request; an output by its content.
func name(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if better := names[t.String()]; better != "" {
		return better
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if prefix := prefixes[t.PkgPath()]; !strings.HasPrefix(name, prefix) {
		return prefix + name
	}
	if call, ok := strings.CutSuffix(name, "InputBody"); ok {
		return call + "Request"
	}
	return strings.TrimSuffix(name, "OutputBody")
}

// prefixes holds what the contract's names of all types of a package begin with.
var prefixes = map[string]string{ //nolint:gochecknoglobals // a constant table
	reflect.TypeFor[traverse.Request]().PkgPath(): "Traverse", reflect.TypeFor[system.Memory]().PkgPath(): "System",
}

// names holds the contract's names of types whose own name is clear only within their package.
var names = map[string]string{ //nolint:gochecknoglobals // a constant table
	"chat.Context": "ChatContext", "chat.Path": "ChatPath", "chat.ProviderConfig": "ChatProviderConfig", "chat.Ref": "ChatRef",
	"chat.Tree": "ChatTree", "chat.Turn": "ChatTurn", "chat.TurnLine": "ChatTurnLine", "chat.Assembled": "TurnPrompt", "chat.Subject": "ExplainedSubject", "consolidation.Page": "ConsolidationPage", "consolidation.Candidate": "ConsolidationCandidate", "consolidation.Result": "ConsolidationResult", "exchange.Counts": "ImportCounts",
	"exchange.Refusal": "ImportRefusal", "exchange.Report": "ImportReport", "explore.Explanation": "ExploreExplanation", "explore.Meta": "ExploreMeta",
	"explore.Query": "ExploreQuery", "explore.Request": "ExploreRequest", "explore.Result": "ExploreResult", "loader.Focus": "ContextFocus",
	"graph.History": "ImportedHistory", "handlers.Opened": "OpenedConversation", "handlers.ReadSource": "SourceResult", "loader.User": "ContextUser",
	"loader.Moment": "TemporalMoment", "loader.Coverage": "SnapshotCoverage",
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
