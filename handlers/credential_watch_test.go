package handlers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/memory/chat"
)

// endless are fakes whose streams have no end of their own, and whose credentials are good until they are revoked.
type endless struct {
	*fakes
	revoked atomic.Bool
}

func (e *endless) Verify(context.Context, string) (auth.Principal, error) {
	if e.revoked.Load() {
		return auth.Principal{}, auth.ErrUnauthorized
	}
	return e.principal, nil
}

func (e *endless) Watch(ctx context.Context, _ graph.Scope, _, _ string, send func(chat.Event) error) error {
	_ = send(chat.Event{ID: "1.0", Type: chat.StatusEvent, Data: chat.TurnStatus{}})
	<-ctx.Done()
	return ctx.Err()
}

func (e *endless) ExportNodes(ctx context.Context, _ string, _ func(*graph.NodeWrite) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// A stream ends when its key is revoked, also where nothing moves on it: events of a turn, exports, imports and tools.
func TestStreamsEndWithTheirKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, path string
		body         bool // one that never ends
		status       int
	}{
		"events": {http.MethodGet, "/v1/turns/c-1/events?user_id=u1", false, 200},
		"export": {http.MethodGet, "/v1/export", false, 0}, // broken off
		"import": {http.MethodPost, "/v1/import", true, 401},
		"tools":  {http.MethodPost, "/mcp", false, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &endless{fakes: &fakes{principal: auth.Principal{TeamID: "t", Scopes: auth.Scopes}}}
			began := make(chan struct{}, 1)
			server := httptest.NewServer(New(Services{Transfers: e, ChatStore: e, Changes: noChanges{}, Preferences: struct {
				*fakes
				*kept
			}{e.fakes, &e.kept}, Chats: e, Keys: e, MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				w.WriteHeader(http.StatusOK)
			})}, Options{Verified: func(Credential, error) { began <- struct{}{} }}))
			t.Cleanup(server.Close)
			var body io.Reader
			if c.body {
				in, out := io.Pipe()
				t.Cleanup(func() { _ = out.Close() })
				body = in
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, c.method, server.URL+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer x")
			go func() {
				<-began
				e.revoked.Store(true)
			}()
			response, err := server.Client().Do(request)
			if c.status == 0 && err != nil && ctx.Err() == nil {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			said, err := io.ReadAll(response.Body)
			if ctx.Err() != nil || response.StatusCode != c.status && c.status != 0 || err == nil && c.status == 0 {
				t.Errorf("%d %s, %v, %v", response.StatusCode, said, err, ctx.Err())
			}
			if c.status == http.StatusUnauthorized && !strings.Contains(string(said), "not good any more") {
				t.Errorf("says %s", said)
			}
		})
	}
}
