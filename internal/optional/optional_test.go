package optional

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A field is omitted, null or given, in JSON and from it.
func TestJSON(t *testing.T) {
	t.Parallel()
	type fields struct {
		N Value[int]      `json:"n,omitzero"`
		L Value[[]string] `json:"l,omitzero"`
	}
	for raw, want := range map[string]fields{
		`{}`:                     {},
		`{"n":null,"l":null}`:    {Null[int](), Null[[]string]()},
		`{"n":0,"l":["a"]}`:      {Some(0), Some([]string{"a"})},
		`{"n":-7,"l":[]}`:        {Some(-7), Some([]string{})},
		`{"l":["a","a"]}`:        {L: Some([]string{"a", "a"})},
		`{"n":9007199254740993}`: {N: Some(9007199254740993)},
	} {
		var got fields
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			t.Fatal(raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
		if again, err := json.Marshal(want); err != nil || string(again) != raw {
			t.Errorf("%s became %s, %v", raw, again, err)
		}
	}
}

// Only a given value that is not null is a value.
func TestValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         Value[string]
		or         string
		pointer    bool
		zero, null bool
	}{{Value[string]{}, "other", false, true, false}, {Null[string](), "other", false, false, true}, {Some(""), "", true, false, false}} {
		if c.of.Or("other") != c.or || (c.of.Pointer() != nil) != c.pointer || c.of.IsZero() != c.zero || c.of.IsNull() != c.null {
			t.Errorf("%+v: %q, %v, omitted %t, null %t", c.of, c.of.Or("other"), c.of.Pointer(), c.of.IsZero(), c.of.IsNull())
		}
	}
}
