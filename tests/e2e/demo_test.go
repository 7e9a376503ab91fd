package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/tests/testenv"
)

// demoUser is the user of the demo.
const demoUser = "demo-noor"

// loadDemo loads the demo into the team of a key.
func loadDemo(t *testing.T, url, key string) {
	t.Helper()
	if code, out := command(t, []string{"KITH_URL=" + url, "KITH_KEY=" + key}, "demo"); code != 0 {
		t.Fatalf("kith demo: %d %s", code, out)
	}
}

// The demo loads through the public API, and its workspaces appear in the ontology.
func TestDemoWorkspaces(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	loadDemo(t, s.url, c.key)
	belfry, about := demoUser+"/project-belfry", "/v1/ontology?user_id="+demoUser+"&context_type="
	inBelfry := about + "project&project_id=" + belfry
	for _, test := range []struct {
		path string
		want []string
	}{
		{about + "global", []string{"- Total Projects: 2", "- Restore the Sint-Odrada belfry", "- Get the Zwaluw through her survey"}},
		{inBelfry, []string{
			"- Context Doc: Belfry brief", "progress: 40%, tasks: 2/5", "#### Tasks (Upcoming)", "- Another storm before", "— Payload: {",
		}},
		{inBelfry + "&focus_kind=task&focus_id=" + demoUser + "/task-scaffold", []string{
			"- State: blocked", "- inverse_blocks → task (" + demoUser + "/task-permit", "## Linked Entities", "### Graph Snapshot (Light)",
		}},
		{inBelfry + "&focus_kind=task&focus_id=" + demoUser + "/task-tell-yusuf", []string{"- Dependents: " + demoUser + "/task-wednesdays"}},
		{about + "ontology&focus_kind=risk&focus_id=" + demoUser + "/risk-rivets", []string{"- Impact: high", "- Get the Zwaluw through her survey"}},
	} {
		text := c.do(t, http.MethodGet, test.path+"&format=text", "").body
		for _, want := range test.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %q is not in %s", test.path, want, text)
			}
		}
		object := c.do(t, http.MethodGet, test.path, "").body
		if bytes.Contains(slices.Concat(text, object), []byte("doc-scratch")) {
			t.Errorf("%s: the scratch document is told", test.path)
		}
	}
	coverage := at(c.must(t, http.MethodGet, inBelfry, ""), "metadata", "graph_snapshot", "coverage")
	if got, want := at(coverage, "documents"), map[string]any{"total": 9.0, "direct": 4.0, "unlinked": 5.0}; !cmp.Equal(got, want) {
		t.Errorf("coverage of documents: %v, want %v", got, want)
	}
	if r := c.do(t, http.MethodGet, strings.Replace(inBelfry, demoUser, "somebody-else", 1), ""); r.status != http.StatusNotFound {
		t.Errorf("another user sees the project: %d %s", r.status, r.body)
	}
}

// The service stores the demo without warnings, and loading it again changes nothing.
func TestDemoIsStoredOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	written := &recorder{}
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: written, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Accept-Encoding") // the transport decompresses what it asks for itself
	}})
	defer proxy.Close()
	for _, want := range []string{"created", "unchanged"} {
		written.writes, written.results = nil, nil
		loadDemo(t, proxy.URL, c.key)
		if len(written.results) != 2 {
			t.Fatalf("%d requests write memory", len(written.results))
		}
		for i, done := range written.results {
			if len(done.Warnings) > 0 || len(done.Nodes) != len(written.writes[i].Nodes) || len(done.Relationships) != len(written.writes[i].Relationships) {
				t.Fatalf("request %d: %d nodes, %d relationships, warnings: %v", i, len(done.Nodes), len(done.Relationships), done.Warnings)
			}
			for _, n := range done.Nodes {
				if string(n.Status) != want {
					t.Errorf("%s is %s, want %s", n.EntityKey, n.Status, want)
				}
			}
			for _, r := range done.Relationships {
				if string(r.Status) != want {
					t.Errorf("%s %s %s is %s, want %s", r.From, r.Type, r.To, r.Status, want)
				}
			}
		}
	}
}

// recorder is a transport that keeps writes of memory and their results. It answers other writes itself: a mention is an
// access, which changes the nodes that it is of.
type recorder struct {
	writes  []graph.MemoryWrite
	results []graph.MemoryResult
}

// RoundTrip sends a request.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	switch {
	case request.Method == http.MethodGet:
	case request.URL.Path != "/v1/memory":
		return httptest.NewRecorder().Result(), nil
	default:
		raw, err := io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(raw))
		var write graph.MemoryWrite
		if err == nil {
			err = json.Unmarshal(raw, &write)
		}
		if err != nil {
			return nil, err
		}
		r.writes = append(r.writes, write)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || request.URL.Path != "/v1/memory" {
		return response, err
	}
	raw, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(raw))
	var result graph.MemoryResult
	if err == nil {
		err = json.Unmarshal(raw, &result)
	}
	r.results = append(r.results, result)
	return response, err
}
