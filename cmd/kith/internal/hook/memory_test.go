package hook

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	client "kith/clients/go"
	"kith/memory/explore"
)

// What looks like a key or a password in a prompt is not sent.
func TestSearchSendsNoSecrets(t *testing.T) {
	t.Parallel()
	var sent explore.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	memory := &Memory{API: client.New(server.URL, "key", nil)}
	in := &Input{Name: "UserPromptSubmit", SessionID: "s", Prompt: "why is kith_abcdefghijklmnop0123456789 refused with password=p@ss?"}
	if _, err := memory.Search(t.Context(), in, time.Time{}); err != nil || len(sent.Queries) != 1 || sent.Queries[0].Query != "why is  refused with password=" {
		t.Errorf("%v: sent %+v", err, sent.Queries)
	}
	sent.Queries, in.Prompt = nil, "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
	if _, err := memory.Search(t.Context(), in, time.Time{}); err != nil || sent.Queries != nil {
		t.Errorf("%v: a key is sent: %+v", err, sent.Queries)
	}
}
