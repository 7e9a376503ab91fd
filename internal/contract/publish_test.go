package contract

import (
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
)

// request and answer stand for all of them.
type request struct {
	Left  string                                  `json:"left,omitempty" max:"7"`
	Needs []string                                `json:"needs" oneof:"a b"`
	Focus graph.Optional[graph.ConversationFocus] `json:"focus,omitzero"`
	State graph.Optional[string]                  `json:"state,omitzero" oneof:"on off"`
	Own   graph.NodeWrite                         `json:"own,omitzero"`
}

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

// The contract's words are the same as graph's.
func TestClosedLists(t *testing.T) {
	t.Parallel()
	node := shown()["NodeWrite"].Properties
	for field, want := range map[string][]string{
		"kind": append(graph.WritableKinds(), ""), "state": graph.States, "ttl_policy": graph.TTLPolicies, "context_type": graph.ContextTypes,
		"content_type": graph.ContentTypes, "source_type": graph.SourceTypes, "sensitivity": graph.Sensitivities,
	} {
		var got []string
		for _, word := range node[field].AnyOf[0].Enum {
			got = append(got, word.(string))
		}
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
}
