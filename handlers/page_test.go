package handlers

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
)

// Each screen is the same file, assets are kept by browsers for ever, and what is not there is a 404 that nobody keeps.
func TestPageIsServed(t *testing.T) {
	t.Parallel()
	with := New(servicesOf(&fakes{}), Options{Page: fstest.MapFS{
		"index.html":           {Data: []byte("<!doctype html>")},
		"licences.txt":         {Data: []byte("MIT")},
		"assets/main-AB12.js":  {Data: []byte("run()")},
		"assets/secret.sqlite": {Data: []byte("x")},
	}})
	for _, test := range []struct {
		path, kind, cache string
		status            int
	}{
		{"/", "", "", http.StatusFound},
		{"/ui", "", "", http.StatusFound},
		{"/ui/", "text/html", "no-cache", http.StatusOK},
		{"/ui/context", "text/html", "no-cache", http.StatusOK},
		{"/ui/assets/main-AB12.js", "text/javascript", "public, max-age=31536000, immutable", http.StatusOK},
		{"/ui/licences.txt", "text/plain", "", http.StatusOK},
		{"/ui/assets/main-CD34.js", "application/problem+json", "", http.StatusNotFound},
		{"/ui/assets/secret.sqlite", "application/problem+json", "", http.StatusNotFound},
		{"/ui/assets/../index.html", "application/problem+json", "", http.StatusNotFound},
		{"/ui/assets/", "application/problem+json", "", http.StatusNotFound},
	} {
		w := ask(with, http.MethodGet, test.path, "")
		header := w.Header()
		if w.Code != test.status || !strings.HasPrefix(header.Get("Content-Type"), test.kind) || header.Get("Cache-Control") != test.cache {
			t.Errorf("%s: %d %v", test.path, w.Code, header)
		}
		if test.status == http.StatusOK && !strings.Contains(header.Get("Content-Security-Policy"), "connect-src 'self';") {
			t.Errorf("%s: policy %q", test.path, header.Get("Content-Security-Policy"))
		}
	}
	if w := ask(newAPI(&fakes{}), http.MethodGet, "/", ""); w.Code != http.StatusFound || w.Header().Get("Location") != "/docs" {
		t.Errorf("without the page, / answers %d to %q", w.Code, w.Header().Get("Location"))
	}
}

// The page is told an issuer, and may speak with it, only where it has a client there.
func TestPageIsToldItsIssuer(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}
	for client, want := range map[string]struct{ body, policy string }{
		"":     {`{}`, "connect-src 'self';"},
		"page": {`{"audience":"kith","client_id":"page","issuer":"https://id.example/realms/a","scope":"openid read"}`, "connect-src 'self' https://id.example;"},
	} {
		w := ask(New(servicesOf(&fakes{}), Options{
			Page: files, Issuer: "https://id.example/realms/a", SignIn: SignIn{ClientID: client, Scope: "openid read", Audience: "kith"},
		}), http.MethodGet, "/ui/sign-in.json", "")
		if w.Body.String() != want.body || !strings.Contains(w.Header().Get("Content-Security-Policy"), want.policy) {
			t.Errorf("with the client %q: %s, %q", client, w.Body, w.Header().Get("Content-Security-Policy"))
		}
	}
}
