package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const exportEnd = `{"end":{"nodes":1,"relationships":0,"preferences":0}}` + "\n"

var wholeExport = `{"kith":{"version":1}}` + "\n" + `{"node":{"kind":"person","name":"` + strings.Repeat("a", 9000) + `"}}` + "\n" + exportEnd

// serveHandler serves a handler until the test ends, and returns its address.
func serveHandler(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

// runKith runs the program against a service, and returns its exit status and output.
func runKith(t *testing.T, handle http.HandlerFunc, args ...string) (code int, out, err string) {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, []string{"KITH_URL=" + server.URL, "KITH_KEY=kith_secret"}, streams{nil, &stdout, &stderr})
	return code, stdout.String(), stderr.String()
}

func exporting(t *testing.T, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization"); got != "GET /v1/export Bearer kith_secret" {
			t.Errorf("request: %s", got)
		}
		_, _ = io.WriteString(w, body)
	}
}

func TestExportWritesAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "team.ndjson")
	if err := os.WriteFile(path, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := runKith(t, exporting(t, wholeExport), "export", path)
	got, err := os.ReadFile(path)
	if code != 0 || out != "" || err != nil || string(got) != wholeExport {
		t.Fatalf("status %d, out %q, file of %d bytes (%v): %s", code, out, len(got), err, errs)
	}
	if want := "exported 1 nodes, 0 relationships, 0 statements, 0 preferences, 0 chat turns: 3 lines, 9.1 kB\n"; errs != want {
		t.Errorf("told %q, want %q", errs, want)
	}
}

func TestExportWritesToStandardOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"export"}, {"export", "-"}} {
		if code, out, errs := runKith(t, exporting(t, wholeExport), args...); code != 0 || out != wholeExport {
			t.Errorf("%q: status %d, %d bytes: %s", args, code, len(out), errs)
		}
	}
}

func TestExportLeavesNoHalfFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		handle     http.HandlerFunc
	}{
		{"no last line", "kith: export: the export is incomplete: its last line is missing\n", exporting(t, strings.TrimSuffix(wholeExport, exportEnd))},
		{"half a last line", "kith: export: the export is incomplete: its last line is missing\n", exporting(t, strings.TrimSuffix(wholeExport, "}\n"))},
		{"last line without newline", "kith: export: the export is incomplete: its last line is missing\n", exporting(t, strings.TrimSuffix(wholeExport, "\n"))},
		{"something behind it", "kith: export: the export is incomplete: its last line is missing\n", exporting(t, wholeExport+"{}\n")},
		{"nothing", "kith: export: the export is incomplete: its last line is missing\n", exporting(t, "")},
		{"refused", "kith: export: 403 not yours\n", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"detail":"not yours"}`)
		}},
		{"broken", "kith: export: after 3 lines: unexpected EOF\n", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, wholeExport)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "team.ndjson")
			if err := os.WriteFile(path, []byte("older"), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, errs := runKith(t, test.handle, "export", path)
			if code != 1 || errs != test.want {
				t.Errorf("status %d, told %q, want %q", code, errs, test.want)
			}
			files, _ := os.ReadDir(folder)
			if got, _ := os.ReadFile(path); string(got) != "older" || len(files) != 1 {
				t.Errorf("%d files; the older one has %d bytes", len(files), len(got))
			}
		})
	}
}

// An export that is not of one moment is kept, and is a failure.
func TestExportThatIsTorn(t *testing.T) {
	t.Parallel()
	for consistent, want := range map[string]int{"true": 0, "false": 1} {
		body := strings.Replace(wholeExport, `"preferences":0`, `"preferences":0,"consistent":`+consistent, 1)
		path := filepath.Join(t.TempDir(), "team.ndjson")
		code, _, errs := runKith(t, exporting(t, body), "export", path)
		got, err := os.ReadFile(path)
		if code != want || err != nil || string(got) != body || strings.Contains(errs, "not of one moment") != (want == 1) {
			t.Errorf("consistent %s: status %d, file of %d bytes (%v): %s", consistent, code, len(got), err, errs)
		}
	}
}

func TestExportIsTriedAgain(t *testing.T) {
	t.Parallel()
	calls := 0
	code, out, errs := runKith(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, wholeExport)
	}, "export")
	if code != 0 || out != wholeExport || calls != 2 || !strings.Contains(errs, "503 service unavailable; retrying\n") {
		t.Errorf("status %d, %d bytes, %d calls: %s", code, len(out), calls, errs)
	}
}
