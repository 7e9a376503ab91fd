package bench

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkFirstAnswers starts the binary with its own Neo4j again for each of the calls that callers wait for. It reports how long the
// first of each takes once /readyz succeeds, and the second, and how long the slowest start took until then.
func BenchmarkFirstAnswers(b *testing.B) {
	s := newScaleStore(b, buildBinary(b), b.TempDir())
	s.start(b)
	post := func(path, body string) func() error {
		return func() error {
			s.of(b, "first").post(b, path, "application/json", strings.NewReader(body))
			return nil
		}
	}
	caller := func() *server { return &server{url: s.url, key: s.of(b, "first").key, client: http.DefaultClient} }
	get := func(path string) func() error {
		return func() error {
			_, err := caller().tryGet(path)
			return err
		}
	}
	memory := `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true},{"kind":"project","entity_key":"mill","name":"Mill","user_id":"u1"},
		{"kind":"person","entity_key":"friend","name":"Jon"},{"kind":"concept","entity_key":"calm","name":"calm","state":"core","ttl_policy":"keep_forever"}],
		"relationships":[{"from":"me","to":"friend","type":"relates_to","description":"sail together"}]}`
	said := `{"user_id":"u1","messages":[{"role":"user","text":"We sailed past the lighthouse, and I always prefer tea."}]}`
	calls := []struct {
		name string
		call func() error
	}{
		{"write", post("/v1/memory", memory)},
		{"open", post("/v1/conversations", `{"user_id":"u1","conversation_id":"talk"}`)},
		{"append", post("/v1/conversations/talk/messages", said)},
		{"context", get(contextPath)},
		{"context-text", get(contextPath + "&format=text&max_tokens=1300")},
		{"mcp-context", func() error { caller().callContextTool(b); return nil }},
		{"search", post("/v1/explore", `{"user_id":"u1","queries":[{"query":"where did we sail past the lighthouse"}]}`)},
		{"neighbors", post("/v1/traverse", `{"user_id":"u1","mode":"neighbors","entity_key":"me"}`)},
		{"ontology", get("/v1/ontology?user_id=u1&project_id=mill")},
	}
	for _, c := range calls[:3] {
		measureCall(b, c.call)
	}
	answers, ready := 0.0, 0.0
	for _, c := range calls {
		s.stop(b)
		begun := time.Now()
		answers = max(answers, s.start(b).Seconds())
		for _, err := s.tryGet("/readyz"); err != nil; _, err = s.tryGet("/readyz") {
			time.Sleep(100 * time.Millisecond)
		}
		ready = max(ready, time.Since(begun).Seconds())
		b.ReportMetric(milliseconds(measureCall(b, c.call)), "first-ms/"+c.name)
		b.ReportMetric(milliseconds(measureCall(b, c.call)), "second-ms/"+c.name)
	}
	b.ReportMetric(answers, "answers-s")
	b.ReportMetric(ready, "ready-s")
	b.ReportMetric(0, "ns/op")
}
