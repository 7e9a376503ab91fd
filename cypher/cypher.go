// Package cypher holds every statement that Kith sends to Neo4j, one .cypher file each, and the numbered
// schema files. It runs nothing and knows no driver: a [Query] is a text with its name and access mode.
package cypher

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed queries/*.cypher
var queryFiles embed.FS

// Query is one statement: Name is its file name without the suffix, and what metrics and Neo4j's own query log
// call it; Text is the statement without its header; Write says that it needs a write transaction.
// ServerWide marks the few statements that belong to the server and not to a team.
type Query struct {
	Name       string
	Text       string
	Write      bool
	ServerWide bool
	Params     []string
	Returns    []string

	sent string
}

// parameter is where a statement uses one; $(…) is a label or type that is computed.
var parameter = regexp.MustCompile(`\$([a-zA-Z_])`)

// with is the query with another text.
func (q Query) with(text string) Query {
	q.Text, q.sent = text, parameter.ReplaceAllString(text, "$$p.$1")
	return q
}

// Statement is what is sent for the query: its parameters are the fields of a single one, p. Neo4j plans a statement anew
// for each order of magnitude of the length of every list and text among its parameters (1, 10, 100, …), and takes half a
// second and more for a large one; into a map it does not look, nor for what is missing there: that is an error here.
func (q Query) Statement(params map[string]any) (text string, sent map[string]any, err error) {
	for _, name := range q.Params {
		if _, ok := params[name]; !ok {
			return "", nil, fmt.Errorf("cypher: %s lacks the parameter %s", q.Name, name)
		}
	}
	return q.sent, map[string]any{"p": params}, nil
}

// Load reads the statement of the file queries/<name>.cypher.
// It panics when the file is missing or its header is incomplete: the binary is broken then.
func Load(name string) Query {
	raw, err := queryFiles.ReadFile("queries/" + name + ".cypher")
	if err != nil {
		panic(fmt.Sprintf("cypher: no statement %q", name))
	}
	return parse(name, string(raw))
}

// Names lists every statement file, sorted.
func Names() []string {
	entries, err := queryFiles.ReadDir("queries")
	if err != nil {
		panic("cypher: " + err.Error())
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".cypher"))
	}
	return names
}

// parse splits a file into its header (the comment lines at its top) and the statement.
func parse(name, raw string) Query {
	q := Query{Name: name}
	mode, rest := "", raw
	for {
		line, after, found := strings.Cut(rest, "\n")
		comment, isComment := strings.CutPrefix(line, "//")
		if !isComment || !found {
			break
		}
		rest = after
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ":")
		switch key {
		case "mode":
			mode = strings.TrimSpace(value)
		case "params":
			q.Params = fields(value)
		case "returns":
			q.Returns = fields(value)
		case "scope":
			q.ServerWide = strings.TrimSpace(value) == "server"
		}
	}
	if mode != "read" && mode != "write" {
		panic(fmt.Sprintf("cypher: %s.cypher has no mode: read|write", name))
	}
	q.Write = mode == "write"
	return q.with(strings.TrimSpace(rest))
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// Combine makes one read statement of several: each becomes a subquery block, and the one row of the result has
// all their columns. Every part must return exactly one row; column names must differ.
func Combine(name string, parts ...Query) Query {
	var text strings.Builder
	combined := Query{Name: name}
	for _, p := range parts {
		text.WriteString("CALL () {\n" + p.Text + "\n}\n")
		combined.Returns = append(combined.Returns, p.Returns...)
		for _, param := range p.Params {
			if !slices.Contains(combined.Params, param) {
				combined.Params = append(combined.Params, param)
			}
		}
	}
	text.WriteString("RETURN " + strings.Join(combined.Returns, ", "))
	return combined.with(text.String())
}

// OfTypes is a statement that is written for the relationship type relates_to, for relationships of any of the given
// types, which must be free of what would end a name.
func OfTypes(q Query, types []string) Query {
	return q.with(strings.ReplaceAll(q.Text, ":relates_to", ":`"+strings.Join(types, "`|`")+"`"))
}

// OfTypesBut is the same for relationships of any type but one; an empty one: any.
func OfTypesBut(q Query, without string) Query {
	if without == "" {
		return q.with(strings.ReplaceAll(q.Text, ":relates_to", ""))
	}
	return q.with(strings.ReplaceAll(q.Text, ":relates_to", ":!`"+without+"`"))
}

// ForTypes makes one read statement of one that is written for the relationship type relates_to: the same for each of
// the given types, which must be free of what would end a name. Neo4j takes time to plan it for each type, so those that
// come together should stay together.
func ForTypes(q Query, types []string) Query {
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = strings.ReplaceAll(q.Text, ":relates_to", ":`"+t+"`")
	}
	return q.with(strings.Join(parts, "\nUNION ALL\n"))
}

// WordIndex is the schema statement that makes the relationships of some types be found by words. The types and the name of the
// index must be free of what would end a name.
func WordIndex(name string, types []string) string {
	return "CREATE FULLTEXT INDEX `" + name + "` IF NOT EXISTS FOR ()-[r:`" + strings.Join(types, "`|`") + "`]-()" +
		" ON EACH [r.search_scope, r.description, r.relationship_type, r.notes]" +
		" OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}"
}

// DropIndex is the schema statement that takes an index away. Its name must be free of what would end one.
func DropIndex(name string) string { return "DROP INDEX `" + name + "` IF EXISTS" }

// UnionAll makes one statement of two that return the same columns: the rows of the second come after those of the first.
func UnionAll(first, second Query) Query {
	for _, param := range second.Params {
		if !slices.Contains(first.Params, param) {
			first.Params = append(slices.Clone(first.Params), param)
		}
	}
	return first.with(first.Text + "\nUNION ALL\n" + second.Text)
}

// KeyIndex is the schema statement that makes the relationships of a type be found by their key, and the name of its
// index. The type must be free of what would end a name.
func KeyIndex(relationship string) (name, statement string) {
	name = "relationship_key_" + relationship
	return name, "CREATE INDEX " + name + " IF NOT EXISTS FOR ()-[r:`" + relationship + "`]-() ON (r.team_id, r.key)"
}
