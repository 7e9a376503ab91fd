package handlers

import (
	"html"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// The page shows every operation with its words, its request and what came of it, and fetches nothing.
func TestPage(t *testing.T) {
	t.Parallel()
	w := ask(newAPI(&fakes{}), http.MethodGet, "/docs", "")
	page := w.Body.String()
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-") {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	if found := regexp.MustCompile(`(?i)<(script [^>]|img|link|iframe|form)|url\(|(src|href)="(?:https?:)?//`).FindString(page); found != "" {
		t.Errorf("the page fetches or runs something: %s", found)
	}
	examples := map[string]Example{}
	for _, e := range Examples() {
		examples[e.ID] = e
	}
	for _, o := range Operations() {
		example, recorded := examples[o.ID]
		_, section, shown := strings.Cut(page, `<h3 id="`+o.ID+`">`)
		section, _, _ = strings.Cut(section, "</section>")
		if !shown || !recorded || o.Description == "" || !strings.Contains(section, "&#34;$KITH_URL&#34;&#39;"+html.EscapeString(example.Path)+"&#39;") ||
			len(example.Answer) > 0 && !strings.Contains(section, "what it answered") || !strings.Contains(section, "<td>401</td>") {
			t.Errorf("%s lacks its description, its request, its answer or its errors", o.ID)
		}
	}
	if shown := strings.Count(page, "<section "); shown != len(Operations()) {
		t.Errorf("the contract has %d operations, and operations.md tells of %d", shown, len(Operations()))
	}
	for _, to := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+to[1]+`"`) {
			t.Errorf("a link leads nowhere: %s", to[1])
		}
	}
}

// Spectral finds nothing in the contract, examples included.
func TestContractIsLinted(t *testing.T) {
	t.Parallel()
	spectral := filepath.Join(testenv.Packages(t, "@stoplight/spectral-cli@6.16.3"), "node_modules/.bin/spectral")
	out, err := exec.CommandContext(t.Context(), spectral, "lint", "testdata/openapi.json", "--ruleset", "testdata/spectral.yaml", "--fail-severity", "hint").CombinedOutput() //nolint:gosec // the test's own
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
