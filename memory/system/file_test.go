package system

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
)

// decoded decodes a JSON text, with numbers as written.
func decoded(t *testing.T, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// The stored form of properties has the same meaning as the input, and is its own stored form; so has the file.
func FuzzProperties(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{ "a" : [ 1.0, -0, 1e5, {"b":null} ], "a":"\u00e9\u2028\ud83d\ude00\/\b" }`, `{"x":{"y":[[],{}]},"":true}`, "{\"a\":\"\x7f\"}", `{"a":"\u0000"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		faults := &graph.Faults{}
		if faults.Properties(fault.Path{}, raw); !utf8.Valid(raw) || faults.Err() != nil {
			t.Skip()
		}
		stored := jsonObjectOf(raw).text()
		if diff := cmp.Diff(decoded(t, raw), decoded(t, []byte(stored))); diff != "" {
			t.Errorf("%s is stored as %s: %s", raw, stored, diff)
		}
		if again := jsonObjectOf(json.RawMessage(stored)).text(); again != stored {
			t.Errorf("%s is stored again as %s", stored, again)
		}
		file := Memory{Entities: []Entity{{Name: stored, Properties: json.RawMessage(stored)}}}.File()
		var m Memory
		if err := json.Unmarshal(file, &m); err != nil || m.Entities[0].Name != stored {
			t.Fatalf("%s: %v", file, err)
		}
		if diff := cmp.Diff(decoded(t, raw), decoded(t, m.Entities[0].Properties)); diff != "" {
			t.Errorf("%s is exported as %s: %s", raw, file, diff)
		}
	})
}
