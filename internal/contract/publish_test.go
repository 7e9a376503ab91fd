package contract

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/memory/explore"
	"kith/memory/traverse"
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
	registry := NewRegistry(refTo)
	taken := registry.Schema(reflect.TypeFor[request](), true, "")
	registry.Schema(reflect.TypeFor[answer](), true, "")
	return Publish(registry, []*huma.Schema{taken}).Map()
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

// Explore and traverse accept the same kinds and relationship types as graph.
func TestKindsOfSearchesAndWalks(t *testing.T) {
	t.Parallel()
	registry := NewRegistry(refTo)
	taken := []*huma.Schema{registry.Schema(reflect.TypeFor[explore.Request](), true, ""), registry.Schema(reflect.TypeFor[traverse.Request](), true, "")}
	all := Publish(registry, taken).Map()
	for _, name := range []string{"ExploreRequest", "TraverseRequest"} {
		var got []string
		for _, word := range all[name].Properties["kinds"].Items.Enum {
			got = append(got, word.(string))
		}
		if diff := cmp.Diff(graph.KindNames(), strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, s := range []*huma.Schema{all["RelationshipFilters"].Properties["relationship_types"], all["TraverseRequest"].Properties["relationship_types"]} {
		pattern := regexp.MustCompile(s.Items.Pattern)
		for _, word := range []string{"knows", "has_2", "", "Knows", "2x", "a-b", strings.Repeat("a", 65)} {
			if pattern.MatchString(word) != graph.ValidType(word) {
				t.Errorf("%q: pattern %t", word, pattern.MatchString(word))
			}
		}
	}
}

// The contract's words are the same as graph's.
func TestClosedLists(t *testing.T) {
	t.Parallel()
	node := shown()["NodeWrite"].Properties
	for field, want := range map[string][]string{
		"kind": append(graph.WritableKinds(), ""), "state": graph.States, "ttl_policy": graph.TTLPolicies, "context_type": graph.ContextTypes,
		"content_type": graph.ContentTypes, "source_type": graph.SourceTypes, "sensitivity": graph.Sensitivities,
	} {
		var got []string
		s := node[field]
		if len(s.AnyOf) > 0 {
			s = s.AnyOf[0]
		}
		for _, word := range s.Enum {
			got = append(got, word.(string))
		}
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
}
