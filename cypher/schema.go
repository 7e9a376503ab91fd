package cypher

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed schema/*.cypher
var schemaFiles embed.FS

// Migration is one numbered schema file: statements that can be repeated (IF NOT EXISTS).
type Migration struct {
	Version    int
	Name       string
	Statements []string
}

// Migrations returns the schema files in order, numbered from 1 without a gap. It panics on a wrong number: the binary
// is broken then.
func Migrations() []Migration {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic("cypher: " + err.Error())
	}
	all := make([]Migration, 0, len(entries))
	for i, e := range entries {
		raw, err := schemaFiles.ReadFile("schema/" + e.Name())
		if err != nil {
			panic("cypher: " + err.Error())
		}
		number, name, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".cypher"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			panic(fmt.Sprintf("cypher: schema file %s should have the number %d", e.Name(), i+1))
		}
		all = append(all, Migration{Version: version, Name: name, Statements: statements(string(raw))})
	}
	return all
}

// statements splits a schema file at its semicolons, without comments.
func statements(raw string) []string {
	var lines []string
	for line := range strings.Lines(raw) {
		if !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	var all []string
	for part := range strings.SplitSeq(strings.Join(lines, ""), ";") {
		if s := strings.TrimSpace(part); s != "" {
			all = append(all, s)
		}
	}
	return all
}
