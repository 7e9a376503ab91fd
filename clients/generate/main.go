//go:generate go run . ../../handlers/testdata/openapi.json ../go/contract.go
//go:generate go run . ../../handlers/testdata/openapi.json ../python/src/kith/api.py

// Command generate writes the types and calls of the Go client and of the Python package from the service's contract
// (OpenAPI 3.1).
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// contract is the part of an OpenAPI document that is used.
type contract struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Parameters  []parameter
	RequestBody struct{ Content map[string]media }
	Responses   map[string]struct{ Content map[string]media }
}

type parameter struct {
	Name, In, Description string
	Schema                schema
}

type media struct{ Schema schema }

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // a name, or several
	Format, Description  string
	Items                *schema
	Enum                 []json.RawMessage
	OneOf                []schema `json:"oneOf"`
	AnyOf                []schema `json:"anyOf"`        // a reference, and null
	OmitEmpty            *bool    `json:"x-omit-empty"` // its empty value, and null, mean the same as omitting it; false: its empty value means something else
	Default              any
	Properties           map[string]schema
	Required             []string
	AdditionalProperties any
}

// byHand holds the operations that stream, which are written by hand.
var byHand = []string{"export", "import", "watch-turn"}

// reads holds the POST operations that change nothing, and so are repeatable.
var reads = []string{"explore", "make-prompt", "traverse"}

func main() {
	log.SetFlags(0)
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	write := generate
	if filepath.Ext(os.Args[2]) == ".py" {
		write = generatePython
	}
	source, err := write(raw)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], source, 0o644); err != nil { //nolint:gosec // source code
		log.Fatal(err)
	}
}

func generate(document []byte) ([]byte, error) {
	var c contract
	if err := json.Unmarshal(document, &c); err != nil {
		return nil, err
	}
	c.name()
	g := &generator{}
	g.line("// Code generated from the contract by clients/generate; DO NOT EDIT.\n\npackage client\n")
	g.line("import (\n\"context\"\n\"encoding/json\"\n\"net/http\"\n\"time\"\n)\n")
	for _, path := range sorted(c.Paths) {
		for _, method := range sorted(c.Paths[path]) {
			if o := c.Paths[path][method]; !slices.Contains(byHand, o.OperationID) {
				g.operation(strings.ToUpper(method), path, o)
			} else {
				g.query(o)
			}
		}
	}
	for _, name := range sorted(c.Components.Schemas) {
		g.structure(name, "is part of the contract.", c.Components.Schemas[name])
	}
	if g.fault != nil {
		return nil, g.fault
	}
	return format.Source(g.out.Bytes())
}

// name gives nested objects a schema: an existing one with the same properties, or a new one named by its place.
func (c *contract) name() {
	for _, parent := range sorted(c.Components.Schemas) {
		for _, field := range sorted(c.Components.Schemas[parent].Properties) {
			inner := c.Components.Schemas[parent].Properties[field]
			if len(inner.Properties) == 0 {
				continue
			}
			name := c.known(inner)
			if name == "" {
				name = parent + fieldName(field)
				c.Components.Schemas[name] = inner
			}
			c.Components.Schemas[parent].Properties[field] = schema{Ref: "#/components/schemas/" + name, Type: inner.Type, Description: inner.Description}
		}
	}
}

// known returns the name of the schema with the same properties; empty without one.
func (c *contract) known(s schema) string {
	for _, name := range sorted(c.Components.Schemas) {
		if reflect.DeepEqual(c.Components.Schemas[name].Properties, s.Properties) {
			return name
		}
	}
	return ""
}

type generator struct {
	out   bytes.Buffer
	fault error
}

func (g *generator) line(text string, args ...any) { fmt.Fprintf(&g.out, text+"\n", args...) }

// operation writes a call for each form of response, and its query.
func (g *generator) operation(method, path string, o operation) {
	forms := answer(o)
	for _, kind := range sorted(forms) {
		c := g.call(method, path, o)
		s := forms[kind].Schema
		switch {
		case kind == "text/event-stream" && len(forms) > 1: // the stream is written by hand
		case kind == "":
			g.line("// %s %s\nfunc (c *Client) %s(%s) error {\nreturn c.do(ctx, %s}, nil)\n}\n", c.name, c.doc, c.name, c.arguments, c.request)
		case kind == "application/json" && len(s.OneOf) > 0:
			for _, one := range s.OneOf {
				c.name = reference(one)
				g.fetch(c, c.name)
			}
		case kind == "application/json":
			g.fetch(c, reference(s))
		case strings.HasPrefix(kind, "text/") && kind != "text/event-stream":
			g.text(c, len(forms) > 1)
		default:
			g.fault = fmt.Errorf("%s answers with %s: write it by hand, and name it in byHand", o.OperationID, kind)
		}
	}
	g.query(o)
}

// call returns the source of a call: its parameters and its request, which is still open at the end.
type call struct{ name, doc, arguments, request string }

func (g *generator) call(method, path string, o operation) call {
	c := call{name: methodName(o.OperationID), doc: fmt.Sprintf("is %s %s: %s.", method, path, lowerFirst(o.Summary)), arguments: "ctx context.Context"}
	target := fmt.Sprintf("%q", path)
	for _, p := range o.Parameters {
		if p.In == "path" {
			c.arguments += ", " + parameterName(p.Name) + " string"
			target = strings.Replace(target, "{"+p.Name+"}", `" + escape(`+parameterName(p.Name)+`) + "`, 1)
		}
	}
	c.request = fmt.Sprintf("request{method: http.Method%s, path: %s", goMethod(method), strings.TrimSuffix(target, ` + ""`))
	if len(queryOf(o).Properties) > 0 {
		c.arguments, c.request = c.arguments+", query "+queryName(o), c.request+", query: query"
	}
	if body, ok := o.RequestBody.Content["application/json"]; ok {
		c.arguments, c.request = c.arguments+", body *"+reference(body.Schema), c.request+", body: body"
	}
	c.request += repetition(method, o)
	return c
}

// repetition returns the field that marks a call as repeatable.
func repetition(method string, o operation) string {
	switch {
	case slices.ContainsFunc(o.Parameters, func(p parameter) bool { return p.Name == "Idempotency-Key" }):
		return ", again: true, key: keyOf(body.IdempotencyKey)"
	case method != "POST" && method != "PATCH" || slices.Contains(reads, o.OperationID):
		return ", again: true"
	}
	return ""
}

// text writes a call whose response is a text, which may be one form of several.
func (g *generator) text(c call, several bool) {
	before := ""
	switch {
	case several && strings.Contains(c.request, "body: body"):
		c.name, before = c.name+"Text", "asText := *body\nasText.Format = \"text\"\n"
		c.request = strings.Replace(c.request, "body: body", "body: &asText", 1)
	case several:
		c.name, c.request = c.name+"Text", c.request+", asText: true"
	}
	g.line("// %s %s The answer is its text form.\nfunc (c *Client) %s(%s) (string, error) {\n%sreturn c.text(ctx, %s})\n}\n", c.name, c.doc, c.name, c.arguments, before, c.request)
}

// fetch writes a call whose response is an object.
func (g *generator) fetch(c call, result string) {
	g.line("// %s %s\nfunc (c *Client) %s(%s) (*%s, error) {\nreturn fetch[%s](ctx, c, %s})\n}\n", c.name, c.doc, c.name, c.arguments, result, result, c.request)
}

// query writes the query type of a call, if it has any parameters.
func (g *generator) query(o operation) {
	if fields := queryOf(o); len(fields.Properties) > 0 {
		g.structure(queryName(o), "holds the query parameters of "+methodName(o.OperationID)+".", fields)
	}
}

// queryOf returns the query as an object, without the form of the response, which the call itself decides.
func queryOf(o operation) schema {
	fields := schema{Properties: map[string]schema{}}
	for _, p := range o.Parameters {
		if p.In != "query" || p.Name == "format" && len(answer(o)) > 1 {
			continue
		}
		s := p.Schema
		s.Description = p.Description
		fields.Properties[p.Name] = s
	}
	return fields
}

// structure writes a type.
func (g *generator) structure(name, doc string, s schema) {
	g.line("// %s %s", name, doc)
	g.line("type %s struct {", name)
	for _, field := range sorted(s.Properties) {
		p := s.Properties[field]
		kind, tag := goType(p, slices.Contains(s.Required, field)), field
		switch {
		case slices.Contains(s.Required, field):
		case strings.HasPrefix(kind, "Optional["), kind == "time.Time":
			tag += ",omitzero"
		default:
			tag += ",omitempty"
		}
		comment := ""
		if p.Description != "" {
			comment = " // " + strings.ReplaceAll(p.Description, "\n", " ")
		}
		tag = fmt.Sprintf("json:%q", tag)
		g.line("%s %s `%s`%s", fieldName(field), kind, tag, comment)
	}
	g.line("}\n")
}

// goType returns the type of a field. A field that may be omitted and may be null, or whose empty value means something
// other than omitting it, is an Optional; a required one that may be null is a pointer.
func goType(s schema, required bool) string {
	null, omitEmpty := slices.Contains(typesOf(s), "null"), s.OmitEmpty != nil && *s.OmitEmpty
	given := s.OmitEmpty != nil && !omitEmpty // may be omitted, and its empty value means something else
	if len(s.AnyOf) > 0 {
		null, s = true, s.AnyOf[0]
	}
	kind := plainType(s)
	switch {
	case kind == "bool" && s.Default == true:
		return "Optional[bool]"
	case null && required, s.Ref != "" && !required && (!null || omitEmpty):
		return "*" + kind
	case null && !omitEmpty, given:
		return "Optional[" + kind + "]"
	}
	return kind
}

func plainType(s schema) string {
	types := typesOf(s)
	switch {
	case s.Ref != "":
		return reference(s)
	case len(types) == 0:
		return "json.RawMessage"
	case types[0] == "array":
		return "[]" + goType(*s.Items, true)
	case types[0] == "object":
		var values schema
		raw, _ := json.Marshal(s.AdditionalProperties)
		if json.Unmarshal(raw, &values) != nil || values.Type == nil && values.Ref == "" {
			return "json.RawMessage"
		}
		return "map[string]" + goType(values, true)
	case s.Format == "date-time":
		return "time.Time"
	}
	return map[string]string{"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}[types[0]]
}

func typesOf(s schema) []string {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		all := make([]string, len(t))
		for i := range t {
			all[i], _ = t[i].(string)
		}
		return all
	}
	return nil
}

// answer returns the forms of a successful response, by media type; the empty one for none.
func answer(o operation) map[string]media {
	for status, response := range o.Responses {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		if len(response.Content) == 0 {
			return map[string]media{"": {}}
		}
		return response.Content
	}
	return nil
}

// reference returns the name of a referenced schema.
func reference(s schema) string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

func queryName(o operation) string { return methodName(o.OperationID) + "Query" }

// methodName returns the Go name of an operation, without a leading "get".
func methodName(operation string) string {
	return fieldName(strings.ReplaceAll(strings.TrimPrefix(operation, "get-"), "-", "_"))
}

func parameterName(name string) string {
	if name == "id" {
		return name
	}
	return lowerFirst(fieldName(name))
}

var initialisms = map[string]string{"id": "ID", "ids": "IDs", "url": "URL", "ttl": "TTL", "ts": "TS"}

// fieldName returns the Go spelling of a wire name.
func fieldName(wire string) string {
	var name strings.Builder
	for _, word := range regexp.MustCompile(`[a-z0-9]+|[A-Z][a-z0-9]*`).FindAllString(wire, -1) {
		if better := initialisms[word]; better != "" {
			name.WriteString(better)
			continue
		}
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

func goMethod(method string) string { return method[:1] + strings.ToLower(method[1:]) }

// lowerFirst returns a sentence for use within another one, or an unexported name; a leading acronym stays.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
