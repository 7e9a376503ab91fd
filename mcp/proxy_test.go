package mcp

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// The key of a remote Kith goes to its host alone, also where that redirects.
func TestProxySendsTheKeyToItsHostAlone(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	var keys atomic.Value
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		keys.Store(r.Header.Get("Authorization"))
	}))
	defer other.Close()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer service.Close()
	over, err := clientOf(Remote{URL: service.URL, Key: "kith_secret"})
	if err != nil {
		t.Fatal(err)
	}
	get := func(over *http.Client, address string) error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := over.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	if err := get(over, service.URL+"/mcp"); err == nil || elsewhere.Load() > 0 {
		t.Errorf("followed: %v, %d requests elsewhere", err, elsewhere.Load())
	}
	over.CheckRedirect = nil
	if err := get(over, service.URL+"/mcp"); err != nil || keys.Load() != "" {
		t.Errorf("%v, the other host got %q", err, keys.Load())
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if _, err := clientOf(Remote{URL: "kith"}); err == nil {
		t.Error("no address is one")
	}
}
