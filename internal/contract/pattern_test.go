package contract

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/system"
)

// The pattern of words matches exactly the keys that the service accepts.
func TestWordPatternIsWhatIsChecked(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile("^" + wordPattern + "$")
	for _, key := range []string{"a", "a b", " a", "a ", "ä⛵", "\U0001F6F6", "", " ", "\x00", "a\x00", "a\nb", "\x1fa", "a\x7f", "\u0085", "a\u0085", "\t"} {
		if fits, valid := pattern.MatchString(key), fault.ValidKey(key); fits != valid {
			t.Errorf("%q: pattern %t, check %t", key, fits, valid)
		}
	}
}

// The pattern of names in systems accepts what system.Validate does; that of filled texts refuses blank ones and NUL.
func TestTrimmedAndFilledPatterns(t *testing.T) {
	t.Parallel()
	trimmed, filled := regexp.MustCompile("^"+trimmedPattern+"$"), regexp.MustCompile("^"+filledPattern+"$")
	for _, name := range []string{"a", "a b", " a", "a ", "a\t", "ä⛵", "", " ", "\x00", "a\x00b", "a\nb", "a\u0085"} {
		if fits, valid := trimmed.MatchString(name), system.Validate(name) == nil; fits != valid {
			t.Errorf("%q: pattern %t, check %t", name, fits, valid)
		}
		if fits, valid := filled.MatchString(name), strings.TrimSpace(name) != "" && !strings.ContainsRune(name, 0); fits != valid {
			t.Errorf("%q: pattern of filled texts %t, want %t", name, fits, valid)
		}
	}
}

// Published schemas of requests have the patterns of their texts; those of responses have none.
func TestPatternsArePublished(t *testing.T) {
	t.Parallel()
	type Taken struct {
		UserID   string                 `json:"user_id" minLength:"1" maxLength:"256"`
		Key      string                 `json:"entity_key,omitempty" maxLength:"256"`
		Name     graph.Optional[string] `json:"name,omitzero" max:"512" word:"true"`
		Text     string                 `json:"text"`
		Kind     string                 `json:"kind" oneof:"a b"`
		Mentions []string               `json:"mentions"`
		Trimmed  string                 `json:"trimmed" max:"512" word:"trimmed"`
		Filled   string                 `json:"filled" max:"9999" word:"filled"`
		Texts    []string               `json:"texts" word:"filled"`
		Others   []string               `json:"others"`
	}
	registry := NewRegistry(refTo, Names{})
	schema := registry.Schema(reflect.TypeFor[Taken](), true, "")
	published := func(taken ...*huma.Schema) map[string]*huma.Schema {
		return Publish(registry, taken).Map()["Taken"].Properties
	}
	in, out := published(schema), published()
	for name, want := range map[string]string{
		"user_id": "^" + wordPattern + "$", "entity_key": "^(" + wordPattern + ")?$", "name": "^" + wordPattern + "$", "text": "^" + textPattern + "$", "kind": "",
		"trimmed": "^" + trimmedPattern + "$", "filled": "^" + filledPattern + "$",
	} {
		if in[name].Pattern != want || out[name].Pattern != "" {
			t.Errorf("%s: %q, answered %q, want %q", name, in[name].Pattern, out[name].Pattern, want)
		}
	}
	for name, want := range map[string]string{"mentions": "^" + wordPattern + "$", "texts": "^" + filledPattern + "$", "others": "^" + textPattern + "$"} {
		if in[name].Items.Pattern != want || out[name].Items.Pattern != "" {
			t.Errorf("%s: %q, answered %q, want %q", name, in[name].Items.Pattern, out[name].Items.Pattern, want)
		}
	}
	id := &huma.Param{Name: "user_id", In: "query", Schema: &huma.Schema{Type: huma.TypeString}}
	if got := Parameters([]*huma.Param{id}); got[0].Schema.Pattern != "^"+wordPattern+"$" || id.Schema.Pattern != "" {
		t.Errorf("a parameter: %q; the one that validates: %q", got[0].Schema.Pattern, id.Schema.Pattern)
	}
}
