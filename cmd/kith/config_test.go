package main

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kith/internal/golden"
)

// The table of settings in the documents is that of the struct.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("# Configuration\n\nEvery setting of `kith serve` is an environment variable and a flag. This page is generated from the struct in\n" +
		"`cmd/kith/config.go`: `go test ./cmd/kith -run Documented -update`.\n\n| variable | flag | default | |\n|---|---|---|---|\n")
	for f := range fieldsOf(reflect.TypeFor[config]()) {
		name := f.Tag.Get("name")
		if name == "" {
			name = kebab(f.Name)
		}
		fmt.Fprintf(&table, "| `%s` | `--%s` | %s | %s |\n", f.Tag.Get("env"), name, quoted(f.Tag.Get("default")), f.Tag.Get("help"))
	}
	golden.Check(t, "../../docs/configuration.md", table.String())
}

func fieldsOf(s reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range s.NumField() {
			if !yield(s.Field(i)) {
				return
			}
		}
	}
}

func kebab(name string) string {
	var out strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			out.WriteByte('-')
		}
		out.WriteString(strings.ToLower(string(r)))
	}
	return out.String()
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"version"}, 0, "kith development (commit "},
		{[]string{"version", "--json"}, 0, `"version": "development"`},
		{[]string{"--help"}, 0, "serve"},
		{[]string{"serve", "--help"}, 0, "KITH_LISTEN"},
		{[]string{"nonsense"}, 2, "nonsense"},
		{[]string{"serve", "--context-load=sideways"}, 2, "context-load"},
		{[]string{"health", "--listen=127.0.0.1:none"}, 1, "health"},
	} {
		var out bytes.Buffer
		code := run(context.Background(), c.args, nil, streams{nil, &out, &out})
		if code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("kith %v: %d, want %d with %q: %s", c.args, code, c.code, c.says, &out)
		}
	}
}
