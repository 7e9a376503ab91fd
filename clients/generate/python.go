package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// streams holds the operations whose answers are streams, which the Python package does not have.
var streams = []string{"export", "import", "watch-turn"}

const pythonWidth = 110 // of arguments in one line

const pythonHead = `# Generated from the contract by clients/generate; DO NOT EDIT.
"""The calls of the API and their types.

A function here makes a request; Kith.send and AsyncKith.send send it. The types describe JSON objects: a field may be absent
unless it is Required, and times are strings (RFC 3339).
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

from .request import Request, new_key, segment

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required
`

// generatePython returns the module of the Python package with a function for each call, and the types.
func generatePython(document []byte) ([]byte, error) {
	var c contract
	if err := json.Unmarshal(document, &c); err != nil {
		return nil, err
	}
	c.name()
	p := &pythonModule{}
	p.line("%s", pythonHead)
	for _, path := range sorted(c.Paths) {
		for _, method := range sorted(c.Paths[path]) {
			if o := c.Paths[path][method]; !slices.Contains(streams, o.OperationID) {
				p.operation(strings.ToUpper(method), path, o)
			}
		}
	}
	for _, name := range sorted(c.Components.Schemas) {
		p.structure(name, c.Components.Schemas[name])
	}
	return append(bytes.TrimRight(p.out.Bytes(), "\n"), '\n'), p.fault
}

type pythonModule struct {
	out   bytes.Buffer
	fault error
}

func (p *pythonModule) line(text string, args ...any) { fmt.Fprintf(&p.out, text+"\n", args...) }

// operation writes a function for each form of the response.
func (p *pythonModule) operation(method, path string, o operation) {
	forms := answer(o)
	for _, kind := range sorted(forms) {
		f := pythonFunction{name: strings.ReplaceAll(o.OperationID, "-", "_"), method: method, path: path, of: o}
		switch s := forms[kind].Schema; {
		case kind == "text/event-stream" && len(forms) > 1: // a stream
		case kind == "":
			f.result = "None"
			p.function(f)
		case kind == "application/json":
			f.result = pythonPlain(s)
			p.function(f)
		case strings.HasPrefix(kind, "text/") && kind != "text/event-stream":
			f.result, f.text, f.several = "str", true, len(forms) > 1
			p.function(f)
		default:
			p.fault = fmt.Errorf("%s answers with %s: name it in streams", o.OperationID, kind)
		}
	}
}

// pythonFunction is a function that makes a request. With text the answer is a text, which may be one form of several.
type pythonFunction struct {
	name, method, path, result string
	of                         operation
	text, several              bool
}

func (p *pythonModule) function(f pythonFunction) {
	if f.several {
		f.name += "_text"
	}
	p.line("\ndef %s(%s) -> Request[%s]:", f.name, wrapped(f.parameters(), "    "), f.result)
	p.line("    %q", f.method+" "+f.path+": "+lowerFirst(f.of.Summary)+".")
	p.line("    return Request(%s)\n", wrapped(f.request(), "        "))
}

// wrapped returns arguments in one line, or each in its own if they are many.
func wrapped(arguments []string, indent string) string {
	line := strings.Join(arguments, ", ")
	if len(line) < pythonWidth {
		return line
	}
	return "\n" + indent + strings.Join(arguments, ",\n"+indent) + ",\n" + indent[4:]
}

// parameters returns those of the path, the body, and those of the query by name.
func (f *pythonFunction) parameters() []string {
	var all []string
	for _, p := range f.of.Parameters {
		if p.In == "path" {
			all = append(all, pythonName(p.Name)+": str")
		}
	}
	if body, ok := f.of.RequestBody.Content["application/json"]; ok {
		all = append(all, "body: "+reference(body.Schema))
	}
	fields := queryOf(f.of)
	for i, name := range sorted(fields.Properties) {
		if i == 0 {
			all = append(all, "*")
		}
		all = append(all, pythonName(name)+": "+orNone(pythonPlain(fields.Properties[name]))+" = None")
	}
	return all
}

// request returns the arguments of Request.
func (f *pythonFunction) request() []string {
	path := fmt.Sprintf("%q", f.path)
	if strings.Contains(path, "{") {
		path = "f" + path
	}
	for _, p := range f.of.Parameters {
		if p.In == "path" {
			path = strings.Replace(path, "{"+p.Name+"}", "{segment("+pythonName(p.Name)+")}", 1)
		}
	}
	all := []string{fmt.Sprintf("%q", f.method), path}
	_, hasBody := f.of.RequestBody.Content["application/json"]
	if query := f.query(hasBody); query != "" {
		all = append(all, "query={"+query+"}")
	}
	switch {
	case hasBody && f.several:
		all = append(all, `body={**body, "format": "text"}`)
	case hasBody:
		all = append(all, "body=body")
	}
	switch again := repetition(f.method, f.of); {
	case strings.Contains(again, "key:"):
		all = append(all, `again=True, key=body.get("idempotency_key") or new_key()`)
	case again != "":
		all = append(all, "again=True")
	}
	if f.text {
		all = append(all, "text=True")
	}
	return all
}

// query returns the entries of the query. Without a body it also asks for the text.
func (f *pythonFunction) query(hasBody bool) string {
	var all []string
	if f.several && !hasBody {
		all = append(all, `"format": "text"`)
	}
	for _, name := range sorted(queryOf(f.of).Properties) {
		all = append(all, fmt.Sprintf("%q: %s", name, pythonName(name)))
	}
	return strings.Join(all, ", ")
}

// structure writes a TypedDict: as a class, or as a call if a field has the name of a keyword.
func (p *pythonModule) structure(name string, s schema) {
	asCall := slices.ContainsFunc(sorted(s.Properties), func(field string) bool { return pythonName(field) != field })
	if asCall {
		p.line("\n%s = TypedDict(\n    %q,\n    {", name, name)
	} else {
		p.line("\nclass %s(TypedDict, total=False):", name)
	}
	for _, field := range sorted(s.Properties) {
		kind := pythonPlain(s.Properties[field])
		if slices.Contains(s.Required, field) {
			kind = "Required[" + kind + "]"
		}
		comment := ""
		if d := s.Properties[field].Description; d != "" {
			comment = "  # " + strings.ReplaceAll(d, "\n", " ")
		}
		if asCall {
			p.line("        %q: %q,%s", field, kind, comment)
		} else {
			p.line("    %s: %s%s", field, kind, comment)
		}
	}
	switch {
	case asCall:
		p.line("    },\n    total=False,\n)\n")
	case len(s.Properties) == 0:
		p.line("    pass\n")
	default:
		p.line("")
	}
}

// pythonPlain returns the type of a value.
func pythonPlain(s schema) string {
	types := typesOf(s)
	switch {
	case s.Ref != "":
		return reference(s)
	case len(s.AnyOf) > 0:
		return pythonUnion(s.AnyOf)
	case len(s.OneOf) > 0:
		return pythonUnion(s.OneOf)
	case len(types) == 0:
		return "Any"
	}
	kind := pythonSingle(s, types[0])
	if slices.Contains(types, "null") {
		return orNone(kind)
	}
	return kind
}

func pythonUnion(of []schema) string {
	all := make([]string, len(of))
	for i := range of {
		all[i] = pythonPlain(of[i])
	}
	return strings.Join(all, " | ")
}

func pythonSingle(s schema, kind string) string {
	switch {
	case len(s.Enum) > 0:
		all := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			all[i] = string(value)
		}
		return "Literal[" + strings.Join(all, ", ") + "]"
	case kind == "array":
		return "list[" + pythonPlain(*s.Items) + "]"
	case kind == "object":
		var values schema
		raw, _ := json.Marshal(s.AdditionalProperties)
		if json.Unmarshal(raw, &values) != nil {
			return "dict[str, Any]"
		}
		return "dict[str, " + pythonPlain(values) + "]"
	}
	return map[string]string{"string": "str", "boolean": "bool", "integer": "int", "number": "float", "null": "None"}[kind]
}

func orNone(kind string) string {
	if kind == "Any" || kind == "None" || strings.HasSuffix(kind, " | None") {
		return kind
	}
	return kind + " | None"
}

// pythonName returns a name that is no keyword.
func pythonName(name string) string {
	if slices.Contains([]string{"from", "is", "import", "in", "class"}, name) {
		return name + "_"
	}
	return name
}
