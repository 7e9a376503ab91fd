package jsonline

import "testing"

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, wrong, fault string }{
		{`{"name":"Ada"}`, "", ""},
		{`{"name":7}`, "name", ""},
		{`[]`, "", "is not a JSON object"},
		{`{`, "", "is not valid JSON: unexpected end of JSON input"},
		{"\"\xff\"", "", "is not valid UTF-8"},
	} {
		var into struct {
			Name string `json:"name"`
		}
		wrong, fault := Decode([]byte(test.line), &into)
		field := ""
		if wrong != nil {
			field = wrong.Field
		}
		if field != test.wrong || fault != test.fault {
			t.Errorf("%q: field %q, fault %q", test.line, field, fault)
		}
	}
}
