package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/auth"
)

// post calls the tools over HTTP.
func post(t *testing.T, f *fakes, body string) (status int, answer string) {
	t.Helper()
	s := New(Services{Store: f, Contexts: f, Changes: f, Recalls: f}, Options{})
	defer s.Close()
	handler := s.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), anybody)))
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	server.Client().CloseIdleConnections()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

// An answer over HTTP is whole, whatever it says, also when there are several in one message, or one is an error.
func TestHeldAnswersAreWhole(t *testing.T) {
	t.Parallel()
	call := func(id int, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_context","arguments":%s}}`, id, arguments)
	}
	for _, text := range []string{"", "plain", `"structuredContent":"x-0" <&> \u0000 ` + "\u2028\n", strings.Repeat("long ", 50_000)} {
		f := &fakes{text: text}
		status, one := post(t, f, call(1, `{"user_id":"u1"}`))
		_, several := post(t, f, "["+call(1, `{"user_id":"u1"}`)+","+call(2, `{"user_id":7}`)+","+call(3, `{"user_id":"u2"}`)+"]")
		type message struct {
			ID     int
			Result struct {
				IsError           bool
				Content           []struct{ Type, Text string }
				StructuredContent struct{ Said string }
			}
		}
		var answer message
		var answers []message
		if err := json.Unmarshal([]byte(one), &answer); err != nil || status != http.StatusOK {
			t.Fatalf("%d %v: %.300s", status, err, one)
		}
		if err := json.Unmarshal([]byte(several), &answers); err != nil || len(answers) != 3 {
			t.Fatalf("%v: %.300s", err, several)
		}
		for _, m := range append(answers, answer) {
			wrong := m.ID == 2 // names a number
			if m.Result.IsError != wrong || !wrong && (m.Result.Content[0].Text != text || m.Result.StructuredContent.Said != text) {
				t.Errorf("%d: %.300v", m.ID, m)
			}
		}
	}
}
