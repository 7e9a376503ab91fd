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
		if test.status == http.StatusOK && header.Get("Content-Security-Policy") != pagePolicy {
			t.Errorf("%s: policy %q", test.path, header.Get("Content-Security-Policy"))
		}
	}
	if w := ask(newAPI(&fakes{}), http.MethodGet, "/", ""); w.Code != http.StatusFound || w.Header().Get("Location") != "/docs" {
		t.Errorf("without the page, / answers %d to %q", w.Code, w.Header().Get("Location"))
	}
}
