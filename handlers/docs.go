package handlers

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

//go:embed docs.html
var docsHTML string

// copyScript shows the buttons, and has each copy the request after it.
const copyScript = `for (const b of document.querySelectorAll("button")) {
  b.hidden = !navigator.clipboard
  b.onclick = async () => {
    await navigator.clipboard.writeText(b.parentElement.nextElementSibling.textContent)
    b.textContent = "Copied"
  }
}`

// docsPolicy lets the page run that script, and fetch nothing.
var docsPolicy = func() string { //nolint:gochecknoglobals // a constant
	sum := sha256.Sum256([]byte(copyScript))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// pageOf is the contract as a page for people: whole, without anything that a browser would have to fetch.
func pageOf(contract *huma.OpenAPI) []byte {
	page := template.Must(template.New("docs").Funcs(template.FuncMap{
		"operations": operationsOf, "type": typeLink, "properties": propertiesOf, "pretty": pretty, "statuses": statusesOf, "code": codeOf, "curl": curlOf,
		"script": func() template.JS { return copyScript },
	}).Parse(docsHTML))
	var b bytes.Buffer
	if err := page.Execute(&b, contract); err != nil {
		panic("handlers: the page of the contract cannot be written: " + err.Error()) // a broken binary
	}
	return b.Bytes()
}

// showPage sends the page.
func showPage(page func() []byte) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Header("Content-Security-Policy", docsPolicy)
		c.Header("X-Content-Type-Options", "nosniff")
		c.Header("Cache-Control", "no-cache")
		c.Data(http.StatusOK, "text/html; charset=utf-8", page())
	}
}

// operationsOf are the operations of a tag, by path.
func operationsOf(contract *huma.OpenAPI, tag string) []*huma.Operation {
	var all []*huma.Operation
	for _, path := range slices.Sorted(maps.Keys(contract.Paths)) {
		item := contract.Paths[path]
		for _, o := range operationsAt(item) {
			if o.Tags[0] == tag {
				all = append(all, o)
			}
		}
	}
	return all
}

// curlOf is the request of an operation's example as a command.
func curlOf(o *huma.Operation) string {
	request, _ := o.Extensions[requestExtension].(string)
	path := request[strings.IndexByte(request, ' ')+1:]
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	var b strings.Builder
	b.WriteString("curl -sS ")
	if o.Method != http.MethodGet {
		b.WriteString("-X " + o.Method + " ")
	}
	b.WriteString(`"$KITH_URL"` + quote(path) + ` -H "Authorization: Bearer $KITH_KEY"`)
	if o.RequestBody == nil {
		return b.String()
	}
	for kind, media := range o.RequestBody.Content {
		if media.Example != nil {
			b.WriteString(" \\\n  -H " + quote("Content-Type: "+kind) + " --data-binary " + quote(pretty(media.Example)))
		}
	}
	return b.String()
}

// statusesOf are the answers of an operation, in their order.
func statusesOf(o *huma.Operation) []string { return slices.Sorted(maps.Keys(o.Responses)) }

// link leads to a schema on the page; without one, name is a type of its own.
type link struct{ Before, Name, To, After string }

// typeLink describes the type of a value in a few words.
func typeLink(s *huma.Schema) link {
	switch {
	case s == nil:
		return link{Name: "anything"}
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		return link{Name: name, To: name}
	case s.Type == huma.TypeArray:
		of := typeLink(s.Items)
		of.Before = "list of " + of.Before
		return of
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
		}
		return link{Name: strings.Join(words, ", ")}
	case len(s.OneOf) > 0:
		return link{Name: "one of several"}
	case s.Type == "":
		return link{Name: "anything"}
	}
	of := link{Name: s.Type}
	if s.Format != "" {
		of.Name += " (" + s.Format + ")"
	}
	if s.Nullable {
		of.After = " or null"
	}
	return of
}

// property is a field of an object.
type property struct {
	Name     string
	Schema   *huma.Schema
	Required bool
}

func propertiesOf(s *huma.Schema) []property {
	var all []property
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, property{name, s.Properties[name], slices.Contains(s.Required, name)})
	}
	return all
}

// pretty is an example as one reads it: a text as it is, JSON with a line for each field.
func pretty(example any) string {
	raw, isJSON := example.(json.RawMessage)
	if !isJSON {
		return fmt.Sprint(example)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// codeOf is a paragraph with what stands in it between backquotes as code.
func codeOf(text string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(text), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return template.HTML(strings.Join(parts, "")) //nolint:gosec // escaped above
}
