package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An invalid command line is explained in three lines on standard error, with nothing on standard output.
func TestWrongCallsAreExplainedInThreeLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, "kith: unexpected argument nonsense\nUsage: kith <command> [flags]\nRun \"kith --help\" for more information.\n"},
		{[]string{"key", "create", "--nope"}, "kith: unknown flag --nope\nUsage: kith key create [flags]\nRun \"kith key create --help\" for more information.\n"},
		{[]string{"explore", "boat", "--as-of", "2026-03-01T00:00:00Z"}, "kith: unknown flag --as-of\nUsage: kith explore --key=STRING <words> ... [flags]\nRun \"kith explore --help\" for more information.\n"},
		{[]string{"context", "u1"}, "kith: missing flags: --key=STRING (or set KITH_KEY)\nUsage: kith context --key=STRING <user> [flags]\nRun \"kith context --help\" for more information.\n"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), c.args, nil, streams{nil, &out, &errs}); code != 2 || out.Len() > 0 || errs.String() != c.want {
			t.Errorf("%q: status %d, out %q:\n%s", c.args, code, &out, &errs)
		}
	}
}

// The help of a command shows its own flags; the settings of the service are in the help of serve.
func TestHelpShowsACommandsOwnFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args     []string
		shows    string
		settings bool
	}{
		{[]string{"serve", "--help"}, "--neo4j-uri", true},
		{[]string{"key", "create", "--help"}, "--scopes", false},
		{[]string{"key", "--help"}, "revoke", false},
		{[]string{"check", "--help"}, "--fix", false},
		{[]string{"doctor", "--help"}, "--json", false},
		{[]string{"health", "--help"}, "--listen", false},
		{[]string{"--version"}, "kith development (commit ", false},
	} {
		code, out := command(t, nil, c.args...)
		if code != 0 || !strings.Contains(out, c.shows) || strings.Contains(out, "--redis-uri") != c.settings {
			t.Errorf("%q: status %d:\n%s", c.args, code, out)
		}
	}
	_, script := command(t, nil, "completion", "bash")
	for line := range strings.Lines(script) {
		if strings.Contains(line, "--neo4j-uri") && !strings.HasPrefix(line, "  ' serve") {
			t.Errorf("another command completes --neo4j-uri: %s", line)
		}
	}
	if !strings.Contains(script, " --neo4j-uri ") {
		t.Error("serve does not complete --neo4j-uri")
	}
	if code, out := command(t, []string{"KITH_RATE_LIMIT=x"}, "key", "list"); code != 2 || !strings.Contains(out, "rate-limit") {
		t.Errorf("a hidden setting is not read: %d %s", code, out)
	}
}

// A variable that is not a setting is reported at the start, with the nearest setting.
func TestUnknownSettingsAreNamed(t *testing.T) {
	t.Parallel()
	environ := []string{"KITH_RATE_LIMT=3", "KITH_SERVICE_HOST=10.0.0.1", "KITH_PORT_8080_TCP=x", "KITH_PORT=x", "KITH_TEST_NEO4J_URI=x", "KITH_URL=x", "OTHER=x", "KITH_LISTEN=127.0.0.1:none"}
	_, out := command(t, environ, "serve")
	if want := "kith: warning: KITH_RATE_LIMT is not a setting and is ignored; did you mean KITH_RATE_LIMIT?\n"; !strings.HasPrefix(out, want) || strings.Count(out, "warning") != 1 {
		t.Errorf("%s", out)
	}
	if _, out := command(t, environ, "health"); strings.Contains(out, "warning") {
		t.Errorf("a command without settings warns: %s", out)
	}
}

func TestHealthOfAnAddress(t *testing.T) {
	t.Parallel()
	address := serveHandler(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ready":true}`)) })
	if code, out := command(t, []string{"KITH_LISTEN=127.0.0.1:1"}, "health", "--url", address); code != 0 || !strings.Contains(out, `"ready":true`) {
		t.Errorf("%d %s", code, out)
	}
}

// The format of a file is detected by its beginning.
func TestFormatsAreGuessed(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"graphiti.json": "graphiti", "graphiti-sections.json": "graphiti", "mem0.json": "mem0", "mem0-list.json": "mem0", "mcp-memory.jsonl": "mcp-memory",
		"zep.json": "zep", "letta.af": "letta", "cognee.json": "cognee", "langgraph.jsonl": "langgraph",
	} {
		content, err := os.ReadFile(filepath.Join("../../exchange/testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		service := &importServer{t: t, answer: importAnswer}
		code, _, errs := runKith(t, service.handle, "import", importedFile(t, string(content)))
		if code != 0 || service.queries[0].Get("format") != want || !strings.Contains(errs, "detected format "+want) {
			t.Errorf("%s: status %d, taken for %s: %s", file, code, service.queries[0].Get("format"), errs)
		}
	}
	for _, content := range []string{line(1, "Ada", "hello"), `{"speaker":"Ada"}`} {
		service := &importServer{t: t, answer: importAnswer}
		code, _, errs := runKith(t, service.handle, "import", importedFile(t, content))
		if code != 1 || len(service.queries) > 0 || !strings.Contains(errs, "kith import conversations FILE") {
			t.Errorf("conversations: status %d: %s", code, errs)
		}
	}
}

// A strict import that is refused reports where it stopped, and why.
func TestAStrictImportSaysWhereItStopped(t *testing.T) {
	t.Parallel()
	service := &importServer{t: t, before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"lines":4,"nodes":{"refused":1},"refused":[{"line":4,"location":"node.name","message":"must not be blank"}],
			"stopped":"the import stopped at the first fault: line 4: node.name must not be blank"}`))
		return true
	}}
	if code, _, errs := runKith(t, service.handle, "import", importedFile(t, "x"), "--strict"); code != 1 || errs != "kith: import: 422 the import stopped at the first fault: line 4: node.name must not be blank\n" {
		t.Errorf("status %d: %s", code, errs)
	}
}

// Ctrl-C ends an import with exit status 130 and a hint at how to resume.
func TestAnInterruptedImport(t *testing.T) {
	t.Parallel()
	turns := line(1, "Ada", "hello") + line(2, "Ada", "again")
	for _, test := range []struct{ args, stored, want string }{
		{"import FILE", `{"lines":12}`, "import: interrupted; at least 12 lines are stored. Run the same command again to resume"},
		{"import FILE --format mem0", `{"lines":1,"nodes":{"created":12}}`, "import: interrupted; at least 12 items are stored. Run the same command again to resume"},
		{"import FILE", `{}`, "import: interrupted; stored items stay stored. Run the same command again to resume"},
		{"import FILE", "", "import: interrupted; stored items stay stored. Run the same command again to resume"},
		{"import FILE --dry-run", `{"lines":12}`, "import: interrupted; a dry run stores nothing"},
		{"import conversations FILE", "", "import conversations: interrupted after 1 sessions, which stay stored. Run the same command again to import the rest"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		sources, asked := 0, ""
		address := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				asked = r.URL.String()
				if test.stored == "" {
					w.WriteHeader(http.StatusNotFound)
				}
				_, _ = io.WriteString(w, test.stored)
			case r.URL.Path == "/v1/import":
				cancel()
				_, _ = io.Copy(io.Discard, r.Body) // until the client has gone
			case r.URL.Path == "/v1/sources":
				if sources++; sources == 2 {
					cancel()
				}
				_, _ = io.WriteString(w, `{"status":"created"}`)
			}
		})
		content := strings.Repeat("x\n", 1<<19)
		if strings.Contains(test.args, "conversations") {
			content = turns
		}
		args := strings.Fields(strings.Replace(test.args, "FILE", importedFile(t, content), 1))
		var out, errs bytes.Buffer
		code := run(ctx, append(args, "--url", address, "--key", "k"), nil, streams{nil, &out, &errs})
		if last := "kith: " + test.want + "\n"; code != exitInterrupted || !strings.HasSuffix(errs.String(), last) {
			t.Errorf("%s: status %d: %s", test.args, code, &errs)
		}
		if strings.HasPrefix(test.want, "import: interrupted; at least") && !strings.HasPrefix(asked, "/v1/imports/") {
			t.Errorf("%s: asked %s", test.args, asked)
		}
	}
}

func TestReportsAsJSON(t *testing.T) {
	t.Parallel()
	service := &importServer{t: t, answer: importAnswer}
	if code, out, errs := runKith(t, service.handle, "import", importedFile(t, "x"), "--json"); code != 0 || !strings.Contains(out, `"lines": 3`) {
		t.Errorf("import: %d %s %s", code, out, errs)
	}
}
