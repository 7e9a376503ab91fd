package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// shape is a schema of a tool, as models see it.
type shape struct {
	Type       any
	Format     string
	Enum       []any
	Items      *shape
	Properties map[string]*shape
	Required   []string
}

// is reports whether a value of the shape may have a type.
func (s *shape) is(kind string) bool {
	kinds, _ := s.Type.([]any)
	return s.Type == kind || slices.Contains(kinds, any(kind))
}

// sample is a value of the shape, with all that it can have.
func (s *shape) sample(name string) any {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "date-time":
		return "2026-05-01T00:00:00Z"
	case s.is("string"):
		return "key-1"
	case s.is("integer"), s.is("number"):
		return map[string]int{"max_tokens": 500}[name] + 1
	case s.is("boolean"):
		return true
	case s.is("array"):
		return []any{s.Items.sample(name)}
	}
	all := map[string]any{}
	for name, p := range s.Properties {
		all[name] = p.sample(name)
	}
	return all
}

// argument is one argument of a tool, or one within it.
type argument struct {
	tool     string
	place    string // nodes[0].attitude
	path     []any  // the same, as names and indexes
	required bool
	*shape
	arguments map[string]any // all of the tool's
}

// of are the arguments of a schema, with those within them.
func of(tool, place string, path []any, s *shape, all map[string]any) []argument {
	var found []argument
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		a := argument{tool, strings.TrimPrefix(place+"."+name, "."), append(slices.Clone(path), name), slices.Contains(s.Required, name), p, all}
		found = append(found, a)
		for inner := p; inner != nil; inner = inner.Items {
			found = append(found, of(tool, a.place, a.path, inner, all)...)
			a.place, a.path = a.place+"[0]", append(slices.Clone(a.path), 0)
		}
	}
	return found
}

// with are the arguments of the tool, with another value of this one, as JSON; without a value, without it.
func (a argument) with(t *testing.T, value json.RawMessage) string {
	t.Helper()
	raw, err := json.Marshal(a.arguments)
	if err != nil {
		t.Fatal(err)
	}
	var all any
	_ = json.Unmarshal(raw, &all)
	at := all
	for _, step := range a.path[:len(a.path)-1] {
		if name, ok := step.(string); ok {
			at = at.(map[string]any)[name]
		} else {
			at = at.([]any)[step.(int)]
		}
	}
	last := a.path[len(a.path)-1].(string)
	if at.(map[string]any)[last] = value; value == nil {
		delete(at.(map[string]any), last)
	}
	raw, err = json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// allArguments are those of all tools.
func allArguments(t *testing.T, s *sdk.ClientSession) []argument {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []argument
	for _, tool := range list.Tools {
		raw, _ := json.Marshal(tool.InputSchema)
		var s shape
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, of(tool.Name, "", nil, &s, s.sample("").(map[string]any))...)
	}
	return all
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text)
	return raw
}

// outcome is what a call asks of the memory, and its answer.
func outcome(t *testing.T, s *sdk.ClientSession, f *fakes, tool, arguments string) string {
	t.Helper()
	f.asked = nil
	r := call(t, s, tool, arguments)
	text, _, _ := strings.Cut(textOf(r), "\n_Look ") // counts calls
	return fmt.Sprintf("%v %t %s", f.asked, r.IsError, text)
}

// Every argument of every tool is taken in all the forms in which clients send it, and does the same in each; what is of no form is
// refused at its place.
func TestEveryArgumentInEveryForm(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	s := session(t, f, admin, Options{Memory: true})
	counts := map[string]int{}
	for _, a := range allArguments(t, s) {
		value := a.sample(a.path[len(a.path)-1].(string))
		raw, _ := json.Marshal(value)
		same := func(form string, plain, other json.RawMessage) {
			t.Helper()
			counts[form]++
			want := outcome(t, s, f, a.tool, a.with(t, plain))
			if strings.Contains(want, "- "+a.place+": expected ") {
				t.Errorf("%s: %s is refused: %s", a.tool, a.place, want)
			}
			if got := outcome(t, s, f, a.tool, a.with(t, other)); got != want {
				t.Errorf("%s: %s as %s:\n%s\nwant %s", a.tool, a.place, form, got, want)
			}
		}
		refused := func(form string, other json.RawMessage) {
			t.Helper()
			counts[form]++
			if got := outcome(t, s, f, a.tool, a.with(t, other)); !strings.Contains(got, "true Refused") || !strings.Contains(got, "- "+a.place+": ") {
				t.Errorf("%s: %s as %s is not refused at its place: %s", a.tool, a.place, form, got)
			}
		}
		if !a.required {
			same("null", nil, json.RawMessage("null"))
		}
		switch {
		case a.is("array") || a.is("object"):
			same("JSON text", raw, quoted(string(raw)))
			same("JSON text with blanks", raw, quoted(" "+string(raw)+"\n"))
			refused("a number", json.RawMessage("7"))
			if a.is("array") && !a.Items.is("string") {
				same("one value", raw, raw[1:len(raw)-1])
				same("the text of one value", raw, quoted(string(raw[1:len(raw)-1])))
				same("a list of texts", raw, append(append([]byte("["), quoted(string(raw[1:len(raw)-1]))...), ']'))
			}
			if a.place != "queries" && !(a.is("array") && a.Items.is("string")) { // of which each may be a text
				refused("broken JSON", quoted(string(raw[:len(raw)-1])+"}}"))
			}
		case a.is("integer"):
			for _, form := range []string{".0", "e0", ".000E+00"} {
				same(form, raw, append(slices.Clone(raw), form...))
				same("text "+form, raw, quoted(string(raw)+form))
			}
			same("text", raw, quoted(string(raw)))
			for _, form := range []string{"1.5", "1e-3", "9007199254740993.5", "9223372036854775808", "1e30", `"1.5"`, `"x"`, `""`, "true", "{}"} {
				refused(form, json.RawMessage(form))
			}
		case a.is("number"):
			same("text", raw, quoted(string(raw)))
			refused("no number", quoted("x"))
		case a.is("boolean"):
			same("text", raw, quoted("true"))
			same("Python's text", raw, quoted("True"))
			refused("no truth value", quoted("x"))
		case a.Format == "date-time":
			for _, form := range []string{`"x"`, `"2026-13-01T00:00:00Z"`, `"2026-05-01"`, `"2026-05-01T24:00:00Z"`, `"2026-05-01T00:00:00+99:00"`, "7"} {
				refused(form, json.RawMessage(form))
			}
		case a.is("string"):
			refused("a number", json.RawMessage("7"))
			refused("a list", json.RawMessage(`[]`))
		}
	}
	for _, form := range []string{"null", "JSON text", "one value", "text", "1.5", "no truth value", `"2026-13-01T00:00:00Z"`} {
		if counts[form] == 0 {
			t.Errorf("no argument as %s", form)
		}
	}
}
