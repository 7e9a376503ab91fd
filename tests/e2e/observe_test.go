package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"kith/tests/testenv"
)

// spanCollector collects the spans that it receives.
type spanCollector struct {
	mu  sync.Mutex
	all []*spans.Span
}

func (r *spanCollector) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	var batch collector.ExportTraceServiceRequest
	if proto.Unmarshal(body, &batch) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range batch.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			r.all = append(r.all, scope.Spans...)
		}
	}
}

// paths returns the names of spans from each span of a name up to its request.
func (r *spanCollector) paths(name string) (ways []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if s.Name != name {
			continue
		}
		way := s.Name
		for parent := s.ParentSpanId; len(parent) > 0; {
			i := slices.IndexFunc(r.all, func(o *spans.Span) bool { return string(o.SpanId) == string(parent) })
			if i < 0 {
				way += " < elsewhere"
				break
			}
			way, parent = way+" < "+r.all[i].Name, r.all[i].ParentSpanId
		}
		ways = append(ways, way)
	}
	return ways
}

// A trace leads from the request over loads to statements, within the caller's trace, and contains no stored data. Slow
// statements are logged with their file.
func TestTraces(t *testing.T) {
	t.Parallel()
	got := &spanCollector{}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_OTLP_ENDPOINT="+server.URL, "KITH_SLOW_STATEMENT=1ns"))
	admin := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	admin.must(t, http.MethodPost, "/v1/memory", `{"user_id":"s3cret-user","nodes":[{"kind":"person","entity_key":"s3cret-key","name":"S3cret Name"}]}`)
	r := admin.do(t, http.MethodGet, "/v1/context?user_id=s3cret-user", "", "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if r.status != http.StatusOK {
		t.Fatal(r.status)
	}
	admin.do(t, http.MethodGet, "/v1/nodes/person/s3cret-key?user_id=s3cret-user", "")
	admin.do(t, http.MethodDelete, "/v1/nodes/person/unknown?user_id=s3cret-user", "")
	s.agent(t, admin.key).says(t, "explore", `{"user_id":"s3cret-user","text_matches":["S3cret"]}`)
	if code := s.stop(); code != 0 { // sends what is left
		t.Fatal(code)
	}
	for name, want := range map[string]string{
		"context":     "context < load context < search_memory < GET /v1/context < elsewhere",
		"node_get":    "node_get < search_memory < GET /v1/nodes/:kind/:key",
		"node_create": "node_create < upsert_memory < POST /v1/memory",
		"search":      "search < search_memory < tool explore < POST /mcp",
	} {
		if ways := got.paths(name); !slices.Contains(ways, want) {
			t.Errorf("the ways to %s: %q, without %q", name, ways, want)
		}
	}
	for _, s := range got.all {
		if text := s.String(); strings.Contains(strings.ToLower(text), "s3cret") {
			t.Errorf("a span tells of something: %s", text)
		}
	}
	if log := s.err.String(); !strings.Contains(log, "file=cypher/queries/node_create.cypher") || strings.Contains(strings.ToLower(log), "s3cret") {
		t.Error("the log has no slow statement, or too much")
	}
}

// attributes returns the attributes of each span of a name, as name=value, sorted.
func (r *spanCollector) attributes(name string) (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if s.Name != name {
			continue
		}
		var list []string
		for _, a := range s.Attributes {
			list = append(list, a.Key+"="+strings.Trim(strings.SplitN(a.Value.String(), ":", 2)[1], `"`))
		}
		slices.Sort(list)
		all = append(all, strings.Join(list, " "))
	}
	return all
}

// Operations on the memory have the spans of OpenTelemetry's conventions. Queries are in them only if the operator wants it.
func TestMemorySpans(t *testing.T) {
	t.Parallel()
	got := &spanCollector{}
	server := httptest.NewServer(got)
	t.Cleanup(server.Close)
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_OTLP_ENDPOINT="+server.URL, "KITH_OTLP_CONTENT=true"))
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"ada","nodes":[{"kind":"concept","name":"Boats"},{"kind":"concept","name":"Tides"}]}`)
	c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"ada","queries":[{"query":"boats"}],"kinds":["concept"]}`)
	s.agent(t, c.key).says(t, "explore", `{"user_id":"ada","queries":["tides"],"kinds":["concept"]}`, "Tides")
	c.do(t, http.MethodDelete, "/v1/nodes/concept/unknown?user_id=ada", "")
	if code := s.stop(); code != 0 { // sends what is left
		t.Fatal(code)
	}
	for name, want := range map[string][]string{
		"upsert_memory": {"gen_ai.memory.record.count=2 gen_ai.operation.name=upsert_memory gen_ai.provider.name=kith kith.operation=write-memory"},
		"search_memory": {
			"gen_ai.memory.query.text=boats gen_ai.memory.record.count=1 gen_ai.operation.name=search_memory gen_ai.provider.name=kith kith.operation=explore",
			"gen_ai.memory.query.text=tides gen_ai.memory.record.count=1 gen_ai.operation.name=search_memory gen_ai.provider.name=kith kith.operation=explore",
		},
		"delete_memory": {"error.type=not_found gen_ai.operation.name=delete_memory gen_ai.provider.name=kith kith.operation=delete-node"},
	} {
		if all := got.attributes(name); !slices.Equal(all, want) {
			t.Errorf("%s: %q, want %q", name, all, want)
		}
	}
}

// An unavailable collector only loses spans.
func TestTracesWithoutACollector(t *testing.T) {
	t.Parallel()
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_OTLP_ENDPOINT=http://127.0.0.1:1"))
	s.as(s.newKey(t, testenv.Team(t), "read")).must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if code := s.stop(); code != 0 || !strings.Contains(s.err.String(), "sending spans failed") {
		t.Errorf("%d %s", code, s.err)
	}
}

// The metrics count refusals, credentials, generations and streams.
func TestMetricsTell(t *testing.T) {
	t.Parallel()
	model := startModel(t)
	s := start(t, append(settings(testenv.Neo4j(t), ""), "KITH_CHAT_STREAMS=2", "KITH_RATE_LIMIT=1000", "KITH_QUOTA_NODES=10",
		"KITH_AUDIT_LOG="+filepath.Join(t.TempDir(), "audit.log"), "KITH_LLM_URL="+model.URL+"/v1", "KITH_LLM_KEY="+modelKey, "KITH_LLM_MODEL=tiny"))
	c, other := s.as(s.newKey(t, testenv.Team(t), "read", "write")), s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","name":"a"}]}`)
	var ten []string
	for n := range 10 {
		ten = append(ten, fmt.Sprintf(`{"kind":"concept","name":"n%d"}`, n))
	}
	if r := c.do(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[`+strings.Join(ten, ",")+`]}`); r.status != http.StatusForbidden {
		t.Errorf("beyond the quota: %d", r.status)
	}
	s.as("kith_wrong").do(t, http.MethodGet, "/v1/context?user_id=u1", "")
	once := s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"scopes":["read"],"rate_limit":1}`)["key"].(string)
	for range 2 {
		s.as(once).do(t, http.MethodGet, "/v1/keys", "")
	}
	model.setScript(stall)
	stream := func(c caller) *http.Response {
		tree := c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1"}`)["id"].(string)
		turn := c.must(t, http.MethodPost, "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"x","generate":`+strconv.FormatBool(c == other)+`}`)["id"].(string)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/turns/"+turn+"/events?user_id=u1", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+c.key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	mine, second, theirs, third := stream(c), stream(c), stream(other), stream(s.as(s.newKey(t, testenv.Team(t), "read", "write")))
	for _, r := range []*http.Response{second, third} {
		if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
			t.Errorf("a stream too many: %d %v", r.StatusCode, r.Header)
		}
	}
	if mine.StatusCode != http.StatusOK || theirs.StatusCode != http.StatusOK {
		t.Errorf("streams of two teams: %d, %d", mine.StatusCode, theirs.StatusCode)
	}
	for _, line := range []string{
		`kith_credentials_total{credential="key",outcome="refused"} 1`, `kith_rate_limit_total{event="refused"} 1`,
		`kith_quota_share_bucket{le="0.75"} 9`, `kith_quota_share_bucket{le="1"} 9`, `kith_quota_share_count 10`,
		`kith_chat_streams 2`, `kith_generations{state="running"} 1`, `kith_audit_total{outcome="failed"} 0`,
	} {
		eventually(t, time.Minute, line, func() bool { return strings.Contains(metricsAt(t, s.admin), line+"\n") })
	}
	_ = mine.Body.Close()
	eventually(t, time.Minute, "a stream that is left makes room", func() bool { return strings.Contains(metricsAt(t, s.admin), "kith_chat_streams 1\n") })
}
