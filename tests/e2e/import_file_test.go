package e2e

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const importAnswer = `{"lines":3,"nodes":{"created":1,"updated":0,"unchanged":2,"refused":0},"relationships":{"created":4,"updated":5,"unchanged":6,"refused":0},
	"preferences":{"created":0,"updated":0,"unchanged":0,"refused":0},"refused":[],"warnings":[]}`

const importSummary = `lines:         3
nodes:         1 created, 0 updated, 2 unchanged, 0 refused
relationships: 4 created, 5 updated, 6 unchanged, 0 refused
preferences:   0 created, 0 updated, 0 unchanged, 0 refused
`

func importedFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.ndjson")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// importServer answers imports and records the requests.
type importServer struct {
	t       *testing.T
	answer  string
	queries []url.Values
	bodies  []string
	before  func(call int, w http.ResponseWriter, r *http.Request) (done bool)
}

func (s *importServer) handle(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/import" || r.Header.Get("Authorization") != "Bearer kith_secret" {
		s.t.Errorf("request: %s %s %s", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	}
	s.queries = append(s.queries, r.URL.Query())
	if s.before != nil && s.before(len(s.queries), w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.ContentLength != int64(len(body)) {
		s.t.Errorf("%d bytes of %d: %v", len(body), r.ContentLength, err)
	}
	s.bodies = append(s.bodies, string(body))
	_, _ = io.WriteString(w, s.answer)
}

func TestImportSendsAFile(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", wholeExport, strings.Repeat(wholeExport, 500)} {
		service := &importServer{t: t, answer: importAnswer}
		code, out, errs := runKith(t, service.handle, "import", importedFile(t, content))
		if code != 0 || out != importSummary || errs != "" {
			t.Fatalf("status %d, out %q: %s", code, out, errs)
		}
		if len(service.bodies) != 1 || service.bodies[0] != content {
			t.Errorf("%d requests, not with the %d bytes of the file", len(service.bodies), len(content))
		}
		query := service.queries[0]
		if id := query.Get("import_id"); len(id) != 64 {
			t.Errorf("import_id %q", id)
		}
		query.Del("import_id")
		if got := query.Encode(); got != "dry_run=false&format=kith" {
			t.Errorf("query %s", got)
		}
	}
}

// TestImportIDs checks that the id depends on the content and the parameters, and on nothing else.
func TestImportIDs(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, args := range [][]string{{}, {"--dry-run"}, {"--strict"}, {"--user", "u1"}, {"--format", "mcp-memory"}} {
		for _, content := range []string{"a", "b"} {
			var last string
			for range 2 {
				service := &importServer{t: t, answer: importAnswer}
				if code, _, errs := runKith(t, service.handle, append([]string{"import", importedFile(t, content)}, args...)...); code != 0 {
					t.Fatal(errs)
				}
				id := service.queries[0].Get("import_id")
				if last != "" && id != last {
					t.Errorf("%q: two ids for the same", args)
				}
				last = id
			}
			what := content + strings.Join(args, " ")
			if other, again := seen[last]; again {
				t.Errorf("%q has the id of %q", what, other)
			}
			seen[last] = what
		}
	}
}

func TestImportPassesItsOptions(t *testing.T) {
	t.Parallel()
	service := &importServer{t: t, answer: importAnswer}
	code, _, errs := runKith(t, service.handle, "import", importedFile(t, "x"), "--format", "graphiti", "--dry-run", "--user", "a&b", "--owner", "Ada", "--strict")
	if code != 0 {
		t.Fatal(errs)
	}
	service.queries[0].Del("import_id")
	if got := service.queries[0].Encode(); got != "dry_run=true&format=graphiti&owner=Ada&strict=true&user_id=a%26b" {
		t.Errorf("query %s", got)
	}
}

func TestImportTellsWhatWasRefused(t *testing.T) {
	t.Parallel()
	service := &importServer{t: t, answer: `{"lines":9,"resumed_at_line":4,"dry_run":true,"nodes":{"created":1,"refused":1},
		"refused":[{"line":5,"location":"node.name","message":"must not be blank"},{"line":7,"message":"is not valid JSON at byte 3"}],
		"warnings":["the file ends early",{"line":8,"location":"name","message":"was cut to 512 characters"}]}`}
	code, out, errs := runKith(t, service.handle, "import", importedFile(t, "x"))
	wantOut := "dry run: nothing was stored; an import would report\nlines:         9\nresumed at:    line 4\nnodes:         1 created, 0 updated, 0 unchanged, 1 refused\n" +
		"relationships: 0 created, 0 updated, 0 unchanged, 0 refused\npreferences:   0 created, 0 updated, 0 unchanged, 0 refused\n"
	wantErr := "line 5: node.name must not be blank\nline 7: is not valid JSON at byte 3\nwarning: the file ends early\nline 8: warning: name was cut to 512 characters\n" +
		"kith: import: refused: 2\n"
	if code != 1 || out != wantOut || errs != wantErr {
		t.Errorf("status %d\n%s\n%s", code, out, errs)
	}
}

func TestImportGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	content := strings.Repeat(wholeExport, 500)
	service := &importServer{t: t, answer: importAnswer, before: func(call int, w http.ResponseWriter, r *http.Request) bool {
		switch call {
		case 1: // away after half of it
			_, _ = io.CopyN(io.Discard, r.Body, int64(len(content)/2))
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"detail":"the database is away"}`)
			return true
		}
		return false
	}}
	code, out, errs := runKith(t, service.handle, "import", importedFile(t, content))
	if code != 0 || out != importSummary || len(service.queries) != 3 || service.bodies[0] != content {
		t.Fatalf("status %d after %d calls: %s", code, len(service.queries), errs)
	}
	for _, query := range service.queries {
		if query.Get("import_id") != service.queries[0].Get("import_id") {
			t.Error("another import_id")
		}
	}
	if strings.Count(errs, "; retrying\n") != 2 || !strings.Contains(errs, "503 the database is away; retrying\n") || strings.Contains(errs, "user_id") {
		t.Errorf("told: %s", errs)
	}
}

func TestImportFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		status     int
		answer     string
	}{
		{"refused", "kith: import: 422 the request has faults; query.format must be one of x\n", 422, `{"detail":"the request has faults","errors":[{"location":"query.format","message":"must be one of x"}]}`},
		{
			"stopped", "kith: import: 401 the key is not good any more\n", 401,
			`{"lines":9,"refused":[{"line":4,"location":"node.name","message":"must not be blank"}],"stopped":"the key is not good any more"}`,
		},
		{"not JSON", "kith: import: read response: invalid character '<' looking for beginning of value\n", 200, `<html>`},
	} {
		service := &importServer{t: t, before: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.answer)
			return true
		}}
		code, out, errs := runKith(t, service.handle, "import", importedFile(t, "x"))
		if code != 1 || out != "" || !strings.HasPrefix(errs, test.want) || len(service.queries) != 1 {
			t.Errorf("%s: status %d after %d calls, out %q: %s", test.name, code, len(service.queries), out, errs)
		}
	}
}

// TestImportCommands checks which command a command line selects.
func TestImportCommands(t *testing.T) {
	t.Parallel()
	path := importedFile(t, "x")
	for _, test := range []struct {
		args []string
		code int
		told string
	}{
		{[]string{"import", "file", path}, 0, ""},
		{[]string{"import", "conversations", path}, 1, "line 1: is not valid JSON"},
		{[]string{"import"}, 2, "expected"},
		{[]string{"import", path + ".missing"}, 2, "no such file"},
		{[]string{"import", path, "--format", "xml"}, 2, "--format must be one of"},
		{[]string{"import", filepath.Dir(path)}, 2, "exists but is a directory"},
	} {
		service := &importServer{t: t, answer: importAnswer}
		if code, out, errs := runKith(t, service.handle, test.args...); code != test.code || !strings.Contains(out+errs, test.told) {
			t.Errorf("%q: status %d: %s%s", test.args, code, out, errs)
		}
	}
}
