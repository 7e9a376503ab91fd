package handlers

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/access/auth"
)

const consoleOrigin = "https://console.example.org"

// wired is a service with real connections, for pages of one other origin.
func wired(t *testing.T) string {
	t.Helper()
	services := servicesOf(&fakes{principal: auth.Principal{TeamID: "t", KeyID: "k", Scopes: auth.Scopes}})
	services.Limits = &purse{1000, 1000}
	server := httptest.NewServer(New(services, Options{Origins: []string{consoleOrigin}}))
	t.Cleanup(server.Close)
	return server.URL
}

// sendTo sends a request with some headers, in pairs, and reads the answer as it came.
func sendTo(t *testing.T, method, url, body string, header ...string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, raw
}

// curl -d says that its body is a form. What begins as JSON is taken for it; what does not is refused with what to send.
func TestBodiesOfCurl(t *testing.T) {
	t.Parallel()
	url := wired(t)
	for _, c := range []struct {
		kind, path, body string
		status           int
		says             string
	}{
		{formType, "/v1/memory", `{"user_id":"u1"}`, 200, ""},
		{formType + "; charset=utf-8", "/v1/explore", "\n [1]", 422, `"location":"body"`},
		{formType, "/v1/conversations/c/end", `{"summary":`, 422, `"location":"body"`},
		{"", "/v1/memory", `{"user_id":"u1"}`, 200, ""},
		{formType, "/v1/traverse", "user_id=s3cret", 422, "is not valid JSON"},
		{"text/plain", "/v1/traverse", `{"mode":"path"}`, 415, "Content-Type: application/json"},
		{formType, "/v1/import?dry_run=true", `{"kith":{"version":1}}`, 200, ""},
	} {
		response, raw := sendTo(t, http.MethodPost, url+c.path, c.body, "Authorization", "Bearer x", "Content-Type", c.kind)
		if response.StatusCode != c.status || !strings.Contains(string(raw), c.says) || strings.Contains(string(raw), "s3cret") {
			t.Errorf("%q %s: %d %s", c.kind, c.path, response.StatusCode, raw)
		}
	}
}

// A page of an allowed origin may call, after a preflight without a key; another one is not allowed.
func TestPagesOfAllowedOriginsCall(t *testing.T) {
	t.Parallel()
	url := wired(t)
	for origin, allowed := range map[string]string{consoleOrigin: consoleOrigin, "https://evil.example": ""} {
		response, raw := sendTo(t, http.MethodOptions, url+"/v1/memory", "", "Origin", origin, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
		h := response.Header
		if response.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != allowed || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight of %s: %d %v %s", origin, response.StatusCode, h, raw)
		}
		if asked := h.Get("Access-Control-Allow-Headers"); (allowed != "") != strings.Contains(asked, "authorization") {
			t.Errorf("preflight of %s allows the headers %q", origin, asked)
		}
		response, _ = sendTo(t, http.MethodGet, url+"/v1/context?user_id=u1", "", "Origin", origin, "Authorization", "Bearer x")
		h = response.Header
		if h.Get("Access-Control-Allow-Origin") != allowed || !strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin") {
			t.Errorf("call of %s: %v", origin, h)
		}
		if exposed := h.Get("Access-Control-Expose-Headers"); (allowed != "") != strings.Contains(strings.ToLower(exposed), "retry-after") {
			t.Errorf("call of %s exposes %q", origin, exposed)
		}
	}
	refused, _ := sendTo(t, http.MethodGet, url+"/v1/nope", "", "Origin", consoleOrigin)
	if refused.StatusCode != http.StatusNotFound || refused.Header.Get("Access-Control-Allow-Origin") != consoleOrigin {
		t.Errorf("the page cannot read a refusal: %d %v", refused.StatusCode, refused.Header)
	}
	w := httptest.NewRecorder()
	preflight := httptest.NewRequest(http.MethodOptions, "/v1/memory", nil)
	preflight.Header.Set("Origin", consoleOrigin)
	preflight.Header.Set("Access-Control-Request-Method", "POST")
	if newAPI(&fakes{}).ServeHTTP(w, preflight); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without the setting: %v", w.Header())
	}
}

// HEAD is GET without its body; what streams to its end has none.
func TestHead(t *testing.T) {
	t.Parallel()
	url := wired(t)
	for path, want := range map[string]int{
		"/livez": 200, "/openapi.json": 200, "/v1/context?user_id=u1": 200, "/v1/users": 200, "/v1/nodes/person/p": 200, "/v1/nope": 404,
		"/v1/export": 405, "/v1/turns/c-1/events": 405, "/v1/memory": 405,
	} {
		response, raw := sendTo(t, http.MethodHead, url+path, "", "Authorization", "Bearer x")
		if response.StatusCode != want || len(raw) > 0 {
			t.Errorf("%s: %d %q", path, response.StatusCode, raw)
		}
	}
	if response, _ := sendTo(t, http.MethodHead, url+"/v1/users", "", "Authorization", "Bearer x"); response.Header.Get("RateLimit-Limit") == "" {
		t.Error("HEAD is not counted")
	}
	get, raw := sendTo(t, http.MethodGet, url+"/openapi.json", "")
	head, _ := sendTo(t, http.MethodHead, url+"/openapi.json", "", "Accept-Encoding", "gzip")
	if head.ContentLength != int64(len(raw)) || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
		t.Errorf("HEAD: %d bytes %v; GET: %d bytes %v", head.ContentLength, head.Header, len(raw), get.Header)
	}
}

// What is large is compressed for those who take it, and says so to caches; small answers and streams are sent as they are.
func TestLargeAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	url := wired(t)
	plain, whole := sendTo(t, http.MethodGet, url+"/openapi.json", "")
	packed, raw := sendTo(t, http.MethodGet, url+"/openapi.json", "", "Accept-Encoding", "gzip")
	if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || len(raw)*4 > len(whole) {
		t.Fatalf("%d bytes as %q, and %d as %q", len(whole), plain.Header.Get("Content-Encoding"), len(raw), packed.Header.Get("Content-Encoding"))
	}
	unpacked, err := gzip.NewReader(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := io.ReadAll(unpacked); err != nil || string(same) != string(whole) || !json.Valid(same) {
		t.Errorf("what was compressed is not what it was: %v", err)
	}
	for _, path := range []string{"/openapi.json", "/v1/context?user_id=u1"} {
		response, _ := sendTo(t, http.MethodGet, url+path, "", "Accept-Encoding", "gzip", "Authorization", "Bearer x")
		if !strings.Contains(strings.Join(response.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: Vary %v", path, response.Header.Values("Vary"))
		}
	}
	for _, path := range []string{"/livez", "/v1/context?user_id=u1", "/v1/export", "/v1/turns/c-1/events"} {
		response, _ := sendTo(t, http.MethodGet, url+path, "", "Accept-Encoding", "gzip", "Authorization", "Bearer x")
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d, %q", path, response.StatusCode, response.Header.Get("Content-Encoding"))
		}
	}
}
