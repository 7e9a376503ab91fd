package handlers

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/internal/contract"
	"kith/memory/explore"
	"kith/memory/traverse"
)

// Explore and traverse accept the same kinds and relationship types as graph.
func TestKindsOfSearchesAndWalks(t *testing.T) {
	t.Parallel()
	registry := newRegistry()
	taken := []*huma.Schema{registry.Schema(reflect.TypeFor[explore.Request](), true, ""), registry.Schema(reflect.TypeFor[traverse.Request](), true, "")}
	all := contract.Publish(registry, taken).Map()
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
	registry := newRegistry()
	taken := registry.Schema(reflect.TypeFor[graph.NodeWrite](), true, "")
	node := contract.Publish(registry, []*huma.Schema{taken}).Map()["NodeWrite"].Properties
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
