package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kith/access/auth"
	"kith/access/limit"
)

// purse is a key's units, which do not grow.
type purse struct{ left, limit int64 }

func (p *purse) Allow(_ context.Context, c limit.Charge) limit.Decision {
	due := min(c.Cost, p.limit) - min(c.Paid, p.limit)
	if due > p.left {
		return limit.Decision{Limit: p.limit, Remaining: p.left, RetryAfter: time.Second}
	}
	p.left -= due
	return limit.Decision{Allowed: true, Limit: p.limit, Remaining: p.left}
}

// spent is what a request costs, and the status of its answer.
func spent(method, path, body string, units int64) (int64, int) {
	p := &purse{units, units}
	services := servicesOf(&fakes{principal: auth.Principal{TeamID: "t", UserID: "u", KeyID: "k", Scopes: auth.Scopes}})
	services.Limits = p
	services.MCP = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	w := ask(New(services, Options{}), method, path, body)
	return units - p.left, w.Code
}

// A call costs the same over HTTP and MCP, and more where it asks for more.
func TestCallsCostWhatTheyAskFor(t *testing.T) {
	t.Parallel()
	tool := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	const one, three, cypher = `{"queries":[{"query":"a"}]}`, `{"queries":[{"query":"a"},{"query":"b"},{"query":"c"}]}`, `{"mode":"cypher","cypher":"MATCH (n:Task) RETURN n"}`
	for _, c := range []struct {
		method, path, body string
		want               int64
	}{
		{http.MethodGet, "/v1/context", "", limit.Least("get-context")},
		{http.MethodPost, "/mcp", tool("get_context", `{}`), limit.Least("get-context")},
		{http.MethodPost, "/v1/explore", one, limit.Least("explore")},
		{http.MethodPost, "/v1/explore", three, 2 + limit.Least("explore")},
		{http.MethodPost, "/mcp", tool("explore", three), 2 + limit.Least("explore")},
		{http.MethodPost, "/v1/traverse", cypher, 10},
		{http.MethodPost, "/mcp", tool("traverse", cypher), 10},
		{http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 1},
		{http.MethodPost, "/mcp", tool("format_disk", `{}`), 1},
		{http.MethodGet, "/v1/nope", "", 1},
	} {
		if got, status := spent(c.method, c.path, c.body, 1000); got != c.want || status == http.StatusTooManyRequests {
			t.Errorf("%s %s: %d, want %d (status %d)", c.path, c.body, got, c.want, status)
		}
	}
	if _, status := spent(http.MethodPost, "/v1/explore", three, 3); status == http.StatusTooManyRequests {
		t.Error("a key of three a minute cannot search")
	}
	if cost, _ := spent(http.MethodPost, "/v1/memory", `{"nodes":[`+many(`{"kind":"task","name":"a name #"}`, 9000)+`]}`, 1000); cost < 10 {
		t.Errorf("9,000 nodes cost %d", cost)
	}
	p := &purse{6, 10}
	services := servicesOf(&fakes{principal: auth.Principal{TeamID: "t", KeyID: "k", Scopes: auth.Scopes}})
	services.Limits = p
	h := New(services, Options{})
	if w := ask(h, http.MethodPost, "/v1/explore", three); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || w.Header().Get("RateLimit-Remaining") != "1" {
		t.Errorf("too little left: %d %v", w.Code, w.Header())
	}
}

// Every operation has a cost of its own, and there are no others.
func TestEveryOperationHasACost(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	newAPI(&fakes{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	costs := limit.Costs()
	delete(costs, limit.MCP)
	for path, item := range document.Paths {
		for method, o := range item {
			if costs[o.OperationID] < 1 {
				t.Errorf("%s %s (%s) has no cost", strings.ToUpper(method), path, o.OperationID)
			}
			delete(costs, o.OperationID)
		}
	}
	if len(costs) > 0 {
		t.Errorf("costs of no operation: %v", costs)
	}
}
