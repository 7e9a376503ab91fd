package contract

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"kith/graph"
)

// request and answer stand for all of them.
type request struct {
	Left  string                                  `json:"left,omitempty" max:"7"`
	Needs []string                                `json:"needs" oneof:"a b"`
	Focus graph.Optional[graph.ConversationFocus] `json:"focus,omitzero"`
	State graph.Optional[string]                  `json:"state,omitzero" oneof:"on off"`
	Own   graph.NodeWrite                         `json:"own,omitzero"`
	Due   graph.Optional[time.Time]               `json:"due,omitzero" notnull:"true" kinds:"task goal" doc:"the day"`
	Types []string                                `json:"types,omitempty" matches:"^[a-z]+$" unique:"true"`
	From  string                                  `json:"from,omitempty" with:"left"`
	Any   anyBytes                                `json:"any" contract:"any"`
	Mode  string                                  `json:"mode,omitempty" enum:"fast,deep"`
}

// anyBytes is JSON, though huma takes it for bytes.
type anyBytes json.RawMessage

type answer struct {
	Node  *graph.NodeRef `json:"node"`
	Extra *graph.NodeRef `json:"extra,omitempty"`
}

func shown() map[string]*huma.Schema {
	registry := NewRegistry(refTo, Names{})
	Optional[graph.ConversationFocus](registry)
	taken := registry.Schema(reflect.TypeFor[request](), true, "")
	registry.Schema(reflect.TypeFor[answer](), true, "")
	return Publish(registry, []*huma.Schema{taken}).Map()
}

// Types are called by their table, then by the prefix of their package, and otherwise by their own name.
func TestNames(t *testing.T) {
	t.Parallel()
	type giveInputBody struct{}
	type giveOutputBody struct{}
	names := Names{Types: map[string]string{"contract.answer": "Told"}, Prefixes: map[string]string{reflect.TypeFor[graph.NodeRef]().PkgPath(): "Node"}}
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[answer](): "Told", reflect.TypeFor[[]*answer](): "Told", reflect.TypeFor[request](): "Request", reflect.TypeFor[graph.Scope](): "NodeScope",
		reflect.TypeFor[graph.NodeRef](): "NodeRef", reflect.TypeFor[giveInputBody](): "GiveRequest", reflect.TypeFor[giveOutputBody](): "Give",
	} {
		if got := names.of(of, ""); got != want {
			t.Errorf("%s is called %s, want %s", of, got, want)
		}
	}
}

// Exactly the fields that may be null are nullable.
func TestNulls(t *testing.T) {
	t.Parallel()
	all := shown()
	ofRequest, ofAnswer := all["Request"].Properties, all["Answer"].Properties
	if s := ofRequest["left"]; !s.Nullable || s.Extensions[OmitEmpty] != true || *s.MaxLength != 7 {
		t.Errorf("may be left out: %+v", s)
	}
	if s := ofRequest["needs"]; s.Nullable || !cmp.Equal(s.Items.Enum, []any{"a", "b"}) {
		t.Errorf("is needed: %+v", s)
	}
	if s := ofRequest["state"]; len(s.AnyOf) != 2 || !cmp.Equal(s.AnyOf[0].Enum, []any{"on", "off"}) || s.Extensions != nil {
		t.Errorf("one of some words, or null: %+v", s)
	}
	if s := ofRequest["focus"]; len(s.AnyOf) != 2 || s.AnyOf[0].Ref != refTo+"ConversationFocus" || s.AnyOf[1].Type != "null" {
		t.Errorf("an object, or null: %+v", s)
	}
	if s := all["ConversationFocus"].Properties["focus_id"]; !s.Nullable {
		t.Errorf("within an object that may be null: %+v", s)
	}
	if s := ofAnswer["node"]; len(s.AnyOf) != 2 {
		t.Errorf("an answer that is null where there is nothing: %+v", s)
	}
	if s := ofAnswer["extra"]; s.Ref == "" {
		t.Errorf("an answer that is left out where there is nothing: %+v", s)
	}
}

// Rules stated with tags are published.
func TestRulesArePublished(t *testing.T) {
	t.Parallel()
	whole := shown()["Request"]
	all := whole.Properties
	if s := all["due"]; s.Nullable || s.Extensions[OmitEmpty] != false || s.Description != "the day; only of task, goal" {
		t.Errorf("must not be null, and is of some kinds: %+v", s)
	}
	if s := all["types"]; s.Pattern != "" || s.Items.Pattern != "^[a-z]+$" || !s.UniqueItems {
		t.Errorf("a list of different words: %+v", s)
	}
	if !cmp.Equal(whole.DependentRequired, map[string][]string{"from": {"left"}}) {
		t.Errorf("needs another field: %+v", whole.DependentRequired)
	}
	if s := all["any"]; s.Type != "" || s.ContentEncoding != "" || s.Not == nil || s.Not.Type != "null" {
		t.Errorf("anything but null: %+v", s)
	}
	if s := all["mode"].AnyOf[0]; !cmp.Equal(s.Enum, []any{"fast", "deep"}) { // huma refuses an empty one
		t.Errorf("a list that huma checks: %+v", s)
	}
}
