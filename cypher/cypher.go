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

// Query is one statement. Name is its file name without the suffix, which metrics and Neo4j's query log use too. Text
// is the statement without its header. Write is set when it needs a write transaction. ServerWide marks the few
// statements that belong to the server and not to a team. KeepPlan is set when Neo4j keeps the first plan while the data grow:
// hints and keys determine the plan, and planning again would take a caller a second and more.
type Query struct {
	Name       string
	Text       string
	Write      bool
	ServerWide bool
	KeepPlan   bool
	Params     []string
	Returns    []string

	sent string
}

// parameter matches a parameter; $(…) is a computed label or type.
var parameter = regexp.MustCompile(`\$([a-zA-Z_])`)

// Language begins every statement that is sent. A newer Neo4j may have Cypher 25 as the default language of its databases, which
// lacks some of what is used here, such as the procedures of vector and full-text indexes, and is planned differently.
const Language = "CYPHER 5 "

// with returns the query with another text.
func (q Query) with(text string) Query {
	q.Text, q.sent = text, Language
	if q.KeepPlan {
		q.sent += "replan=skip "
	}
	q.sent += parameter.ReplaceAllString(text, "$$p.$1")
	return q
}

// Statement returns the text to send for the query: its parameters are fields of a single parameter, p. Neo4j plans a
// statement anew for each order of magnitude of the length of every list and text among its parameters (1, 10, 100, …).
// That takes half a second and more for a large statement. Neo4j looks neither into a map nor for its missing fields. A
// missing parameter is an error here.
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
		case "plan":
			q.KeepPlan = strings.TrimSpace(value) == "kept"
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

// Combine joins several read statements into one. Each becomes a subquery, and the single row of the result has all
// their columns. Every part must return exactly one row, and column names must differ.
func Combine(name string, parts ...Query) Query {
	var text strings.Builder
	combined := Query{Name: name, KeepPlan: true}
	for _, p := range parts {
		combined.KeepPlan = combined.KeepPlan && p.KeepPlan
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

// LoadCombined returns the statements of several files joined into one, see Combine.
func LoadCombined(name string, files ...string) Query {
	parts := make([]Query, len(files))
	for i, file := range files {
		parts[i] = Load(file)
	}
	return Combine(name, parts...)
}

// OfTypes returns a statement, written for the relationship type relates_to, for any of the given types. Types must not
// contain a backtick or other characters that end a name.
func OfTypes(q Query, types []string) Query {
	return q.with(strings.ReplaceAll(q.Text, ":relates_to", ":`"+strings.Join(types, "`|`")+"`"))
}

// OfTypesBut returns the statement for relationships of any type but one; an empty but means any type.
func OfTypesBut(q Query, without string) Query {
	if without == "" {
		return q.with(strings.ReplaceAll(q.Text, ":relates_to", ""))
	}
	return q.with(strings.ReplaceAll(q.Text, ":relates_to", ":!`"+without+"`"))
}

// ForTypes returns a read statement, written for the relationship type relates_to, for each of the given types. Types
// must not contain characters that end a name. Neo4j plans it for each combination of types, so that callers should
// keep the types of related requests together.
func ForTypes(q Query, types []string) Query {
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = strings.ReplaceAll(q.Text, ":relates_to", ":`"+t+"`")
	}
	return q.with(strings.Join(parts, "\nUNION ALL\n"))
}

// WordIndex returns the schema statement that creates the full-text index of relationships of some types. The types and
// the name of the index must not contain characters that end a name.
func WordIndex(name string, types []string) string {
	return "CREATE FULLTEXT INDEX `" + name + "` IF NOT EXISTS FOR ()-[r:`" + strings.Join(types, "`|`") + "`]-()" +
		" ON EACH [r.search_scope, r.description, r.relationship_type, r.notes]" +
		" OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}"
}

// DropIndex returns the schema statement that drops an index. The name must not contain characters that end a name.
func DropIndex(name string) string { return "DROP INDEX `" + name + "` IF EXISTS" }

// UnionAll joins two statements with the same columns: the rows of the second follow those of the first.
func UnionAll(first, second Query) Query {
	for _, param := range second.Params {
		if !slices.Contains(first.Params, param) {
			first.Params = append(slices.Clone(first.Params), param)
		}
	}
	return first.with(first.Text + "\nUNION ALL\n" + second.Text)
}

// HubIndexes returns the schema statements that create the indexes of the relationships of hubs, of one type, by their names: by key and by
// salience, of those from a hub and of those to it. The type must not contain characters that end a name.
func HubIndexes(relationship string) map[string]string {
	statements := map[string]string{}
	for _, end := range []string{"hub_from", "hub_to"} {
		for of, order := range map[string]string{"key": "r.key", "salience": "r.salience, r.key"} {
			name := end + "_" + of + "_" + relationship
			statements[name] = "CREATE INDEX " + name + " IF NOT EXISTS FOR ()-[r:`" + relationship + "`]-() ON (r.team_id, r." + end + ", " + order + ")"
		}
	}
	return statements
}

// KeyIndex returns the schema statement that creates the key index of a relationship type, and the name of the index.
// The type must not contain characters that end a name.
func KeyIndex(relationship string) (name, statement string) {
	name = "relationship_key_" + relationship
	return name, "CREATE INDEX " + name + " IF NOT EXISTS FOR ()-[r:`" + relationship + "`]-() ON (r.team_id, r.key)"
}
