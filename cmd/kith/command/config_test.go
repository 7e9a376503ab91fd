package command

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"kith/tests/golden"
)

// The documented table of settings matches the struct.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("# Configuration\n\nEvery setting of `kith serve` is an environment variable and a flag. This page is generated from the struct in\n" +
		"`cmd/kith/command/config.go`: `go test ./cmd/kith/command -run Documented -update`.\nAn empty variable means the default, except `KITH_ADMIN_LISTEN`.\n\n| variable | flag | default | |\n|---|---|---|---|\n")
	for f := range fieldsOf(reflect.TypeFor[config]()) {
		name := f.Tag.Get("name")
		if name == "" {
			name = kebab(f.Name)
		}
		fmt.Fprintf(&table, "| `%s` | `--%s` | %s | %s |\n", f.Tag.Get("env"), name, quoted(f.Tag.Get("default")), f.Tag.Get("help"))
	}
	golden.Check(t, "../../../docs/configuration.md", table.String())
}

func fieldsOf(s reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range s.NumField() {
			if f := s.Field(i); f.IsExported() && !yield(f) {
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

func TestLogsAsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	(&config{LogFormat: "json"}).newLogger(&out, 0).Info("up", "n", 1)
	(&config{LogFormat: "text"}).newLogger(&out, 0).Info("up", "n", 1)
	if lines := strings.Split(out.String(), "\n"); !strings.Contains(lines[0], `"msg":"up","n":1}`) || !strings.Contains(lines[1], "msg=up n=1") {
		t.Errorf("%s", &out)
	}
}
