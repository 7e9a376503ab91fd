package bench

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const toolCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"u1"}}}`

// callContextTool calls get_context.
func (s *server) callContextTool(b *testing.B) {
	b.Helper()
	request, err := http.NewRequest(http.MethodPost, s.url+"/mcp", strings.NewReader(toolCall))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := s.client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), `# About`) {
		b.Fatal(err, string(body))
	}
}

// BenchmarkMCPContext compares get_context with the HTTP request for the same text, in turns, cold and cached.
func BenchmarkMCPContext(b *testing.B) {
	s := newServer(b)
	for _, cold := range []bool{true, false} {
		b.Run(fmt.Sprintf("cold=%t", cold), func(b *testing.B) {
			before := func() {
				if cold {
					s.kept.Changed(b.Context(), s.scope.TeamID, s.scope.UserID)
				}
			}
			took := func(call func()) float64 {
				before()
				begun := time.Now()
				call()
				return time.Since(begun).Seconds() * 1e6
			}
			var text, tool []float64
			for range 300 {
				text = append(text, took(func() { s.get(b, contextPath+"&format=text&max_tokens=1300") }))
				tool = append(tool, took(func() { s.callContextTool(b) }))
			}
			b.ReportMetric(median(text), "µs-http")
			b.ReportMetric(median(tool), "µs-mcp")
			b.ReportMetric(median(tool)/median(text), "mcp/http")
			b.ReportMetric(0, "ns/op")
		})
	}
}
