package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"kith/clients/page"
	"kith/tests/testenv"
)

// The journeys of clients/page/test/page.mjs, in a browser, against a Kith with the demo.
func TestPage_slow(t *testing.T) {
	t.Parallel()
	if page.Files() == nil {
		t.Fatal("the page is not built: go run ./clients/page/build")
	}
	s := start(t, append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_MAINTENANCE=1h")) // it looks for duplicates
	key := s.newKey(t, testenv.Team(t), "admin", "read", "write")
	loadDemo(t, s.url, key)
	if n, _ := strconv.Atoi(os.Getenv("KITH_TEST_NODES")); n > 0 {
		writeNodes(t, s.as(key), n)
	}
	journeys := exec.CommandContext(t.Context(), "node", "../../clients/page/test/page.mjs")
	journeys.Env = append(os.Environ(), "KITH_URL="+s.url, "KITH_KEY="+key, "KITH_USER="+demoUser, "CHROMIUM="+chromium(t), "WIDTHS="+os.Getenv("KITH_TEST_WIDTHS"), "KITH_HOST="+buildHost(t))
	journeys.Stderr = os.Stderr
	out, err := journeys.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := journeys.Start(); err != nil {
		t.Fatal(err)
	}
	done := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		t.Log(lines.Text())
		if strings.HasPrefix(lines.Text(), "ok ") {
			done++
		}
	}
	if err := journeys.Wait(); err != nil || done < 24 {
		t.Errorf("%d journeys ended well: %v", done, err)
	}
}

// buildHost bundles a client that shows MCP Apps, and returns its path.
func buildHost(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "host.js")
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"../../clients/page/test/host.ts"}, Outfile: out, Bundle: true, Write: true, Format: api.FormatESModule, Target: api.ES2022,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text)
	}
	return out
}

// The journeys of clients/page/test/sign-in.mjs: users sign in on the page at an issuer.
func TestPageSignsIn(t *testing.T) {
	t.Parallel()
	team := testenv.Team(t)
	journeys := exec.CommandContext(t.Context(), "node", "../../clients/page/test/sign-in.mjs")
	journeys.Env, journeys.Stderr = append(os.Environ(), "TEAM="+team, "CHROMIUM="+chromium(t)), os.Stderr
	in, failed := journeys.StdinPipe()
	out, err := journeys.StdoutPipe()
	if err := errors.Join(err, failed, journeys.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_OIDC_ISSUER="+lines.Text(), "KITH_OIDC_AUDIENCE=https://kith.example/api", "KITH_OIDC_CLIENT_ID=page"))
	if _, err := fmt.Fprintln(in, s.url); err != nil {
		t.Fatal(err)
	}
	done := 0
	for lines.Scan() {
		t.Log(lines.Text())
		if strings.HasPrefix(lines.Text(), "ok ") {
			done++
		}
	}
	if err := journeys.Wait(); err != nil || done != 3 {
		t.Errorf("%d journeys ended well: %v", done, err)
	}
}

// writeNodes gives the demo's user n concepts, each linked with the next.
func writeNodes(t *testing.T, c caller, n int) {
	t.Helper()
	const piece = 1000
	for from := 0; from < n; from += piece {
		first := 0
		if from == 0 {
			first = 1 // no node is linked with itself
		}
		nodes, links := make([]string, 0, piece), make([]string, 0, piece)
		for i := from; i < min(from+piece, n); i++ {
			nodes = append(nodes, fmt.Sprintf(`{"kind":"concept","entity_key":"many-%d","name":"Tide table %d"}`, i, i))
			links = append(links, fmt.Sprintf(`{"from":"many-%d","to":"many-%d","type":"related_to"}`, i, max(i-1, 0)/7))
		}
		c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":%q,"nodes":[%s]}`, demoUser, strings.Join(nodes, ",")))
		c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":%q,"relationships":[%s]}`, demoUser, strings.Join(links[first:], ",")))
	}
}

// chromium returns the path of an installed Chromium or Chrome.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("neither Chromium nor Chrome is installed: make setup")
	return ""
}

// kith ui makes a key that reads for an hour, and prints the address of the page with it.
func TestUI(t *testing.T) {
	t.Parallel()
	team, environ := testenv.Team(t), settings(testenv.Neo4j(t), "")
	s := start(t, environ)
	code, out := command(t, environ, "ui", "--url", s.url, "--team", team, "--user", "a b")
	address, err := url.Parse(strings.SplitN(out, "\n", 2)[0])
	if code != 0 || err != nil || address.Path != "/ui/context" || address.Query().Get("user") != "a b" {
		t.Fatalf("%d %v: %s", code, err, out)
	}
	c := s.as(strings.TrimPrefix(address.Fragment, "key="))
	me := c.must(t, http.MethodGet, "/v1/me", "")
	if me["user_id"] != "a b" || names(me["scopes"]) != "read" {
		t.Errorf("the key: %v", me)
	}
	if r := c.do(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","name":"X"}]}`); r.status != http.StatusForbidden {
		t.Errorf("a key of the page writes: %d %s", r.status, r.body)
	}
	code, out = command(t, environ, "key", "list", "--json", "--team", team)
	var listed any
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatalf("%d %v: %s", code, err, out)
	}
	ends, err := time.Parse(time.RFC3339, fmt.Sprint(at(listed, 0, "expires_at")))
	if left := time.Until(ends); err != nil || left > time.Hour || left < 50*time.Minute {
		t.Errorf("the key ends in %v: %v", left, err)
	}
}
