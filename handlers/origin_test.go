package handlers

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/access/auth"
)

func TestOnlyPagesOfTheServiceCallTools(t *testing.T) {
	t.Parallel()
	reached := false
	api := New(Services{Keys: &fakes{principal: auth.Principal{TeamID: "t", Scopes: auth.Scopes}}, MCP: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })},
		Options{Origins: []string{"https://console.example.org"}})
	const loopback, public = "127.0.0.1:8080", "192.0.2.7:8080"
	for _, c := range []struct {
		local, host string
		origins     []string
		passes      bool
	}{
		{loopback, "127.0.0.1:8080", nil, true},
		{loopback, "kith.example.org", nil, true}, // a program, through a proxy on this machine
		{loopback, "127.0.0.1:8080", []string{"http://127.0.0.1:8080"}, true},
		{loopback, "localhost:8080", []string{"http://localhost:6274"}, true},
		{loopback, "[::1]:8080", []string{"http://[::1]:8080"}, true},
		{loopback, "evil.example:8080", []string{"http://evil.example:8080"}, false}, // a name that leads here now
		{loopback, "127.0.0.1:8080", []string{"http://evil.example"}, false},
		{loopback, "localhost.evil.example:8080", []string{"http://localhost:8080"}, false},
		{loopback, "kith.example.org", []string{"https://console.example.org"}, true}, // allowed
		{public, "kith.example.org", []string{"https://kith.example.org"}, true},
		{public, "kith.example.org:443", []string{"https://KITH.example.org"}, true},
		{public, "kith.example.org:8443", []string{"https://kith.example.org"}, false},
		{public, "kith.example.org", []string{"https://evil.example"}, false},
		{public, "kith.example.org", []string{"http://localhost:6274"}, false},
		{public, "kith.example.org", []string{"https://console.example.org.evil.example"}, false},
		{public, "kith.example.org", []string{"null"}, false},
		{public, "kith.example.org", []string{""}, false},
		{public, "kith.example.org", []string{"https://kith.example.org/path"}, false},
		{public, "kith.example.org", []string{"https://a@kith.example.org"}, false},
		{public, "kith.example.org", []string{"https://kith.example.org", "https://evil.example"}, false},
	} {
		reached = false
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.host+"/mcp", strings.NewReader("{}"))
		address, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(address)))
		r.Header.Set("Authorization", "Bearer x")
		r.Header["Origin"] = c.origins
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if reached != c.passes || !c.passes && w.Code != http.StatusForbidden {
			t.Errorf("%s at %s from %q: reached %t, %d %s", c.host, c.local, c.origins, reached, w.Code, w.Body)
		}
	}
}
