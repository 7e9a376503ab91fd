package handlers

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/access/auth"
)

// Clients that sign in learn from a 401 where tokens are given, if there are any.
func TestResourceMetadata(t *testing.T) {
	t.Parallel()
	get := func(h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "kith.example:8080"
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	f := &fakes{verify: auth.ErrUnauthorized}
	without := newAPI(f)
	with := New(servicesOf(f), Options{Issuer: "https://login.example/realm"})
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		w := get(with, path, "X-Forwarded-Proto", "https")
		want := `{"resource":"https://kith.example:8080/mcp","authorization_servers":["https://login.example/realm"],"scopes_supported":["read","write"],"bearer_methods_supported":["header"],"resource_name":"Kith"}`
		if w.Code != 200 || w.Body.String() != want || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
		if w := get(without, path); w.Code != 404 {
			t.Errorf("without an issuer, %s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/mcp", "/v1/context"} {
		w := get(with, path)
		if got := w.Header().Get("WWW-Authenticate"); w.Code != 401 || !strings.Contains(got, `resource_metadata="http://kith.example:8080/.well-known/oauth-protected-resource/mcp"`) {
			t.Errorf("%s: %d %s", path, w.Code, got)
		}
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: what repeats the host may be cached: %q", path, got)
		}
		if got := get(without, path).Header().Get("WWW-Authenticate"); got != `Bearer realm="kith"` {
			t.Errorf("without an issuer, %s: %s", path, got)
		}
	}
}
