package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/access/limit"
)

// post calls the tools over HTTP, those of the reference memory server among them.
func post(t *testing.T, f *fakes, body string, headers ...string) (status int, answer string) {
	t.Helper()
	return postTo(t, f, Options{Memory: true}, body, headers...)
}

func postTo(t *testing.T, f *fakes, o Options, body string, headers ...string) (status int, answer string) {
	t.Helper()
	s := New(Services{Store: f, Users: f, Knowledge: f, Systems: f, Preferences: f, Contexts: f, Ontologies: f, Recalls: f}, o)
	defer s.Close()
	return serveTo(t, s, body, headers...)
}

// serveTo sends a message to a server.
func serveTo(t *testing.T, s *Server, body string, headers ...string) (status int, answer string) {
	t.Helper()
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
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
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

// An answer over HTTP is whole, whatever it says, also where it is an error.
func TestHeldAnswersAreWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `"structuredContent":"x-0" <&> \u0000 ` + "\u2028\n", strings.Repeat("long ", 50_000)} {
		f := &fakes{text: text}
		for arguments, wrong := range map[string]bool{`{"entity_kind":"task","entity_id":"t"}`: false, `{"user_id":7}`: true} {
			status, raw := post(t, f, strings.Replace(message(1, arguments), "get_context", "get_linked_entities", 1))
			var answer struct {
				ID     int
				Result struct {
					IsError           bool
					Content           []struct{ Type, Text string }
					StructuredContent struct {
						Said string `json:"linked_entities"`
					}
				}
			}
			if err := json.Unmarshal([]byte(raw), &answer); err != nil || status != http.StatusOK {
				t.Fatalf("%d %v: %.300s", status, err, raw)
			}
			if r := answer.Result; r.IsError != wrong || !wrong && (r.Content[0].Text != text || r.StructuredContent.Said != text) {
				t.Errorf("%s: %.300v", arguments, answer)
			}
		}
	}
}

func message(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_context","arguments":%s}}`, id, arguments)
}

// A list of messages is refused whatever the version of the protocol, and none of them is answered.
func TestListsOfMessagesAreRefused(t *testing.T) {
	t.Parallel()
	one := message(1, `{"user_id":"u1"}`)
	for _, list := range []string{"[" + one + "]", " \n[" + one + "," + one + "]", "[]", "[7]"} {
		for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"} {
			status, answer := post(t, &fakes{text: "secret"}, list, "MCP-Protocol-Version", version)
			var refused struct{ Error struct{ Code int } }
			if err := json.Unmarshal([]byte(answer), &refused); err != nil || status != http.StatusBadRequest || refused.Error.Code != -32600 || !strings.Contains(answer, "a request of its own") {
				t.Errorf("%s %.20s: %d %v %s", version, list, status, err, answer)
			}
		}
	}
}

// Every tool costs what the operation that does the same costs.
func TestEveryToolHasACost(t *testing.T) {
	t.Parallel()
	list, err := session(t, &fakes{}, admin, Options{Memory: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	costs, operations := limit.Costs(), limit.Tools()
	for _, tool := range list.Tools {
		if costs[operations[tool.Name]] < 1 {
			t.Errorf("%s has no cost", tool.Name)
		}
		delete(operations, tool.Name)
	}
	if len(operations) > 0 {
		t.Errorf("costs of no tool: %v", operations)
	}
}

// Names that nobody knows come back in the answer, so they are short.
func TestLongNamesAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`, `{"jsonrpc":"2.0","id":"` + long + `","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + long + `","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kith://` + long + `"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + long + `"}}`,
	} {
		if status, answer := post(t, &fakes{}, body); status != http.StatusBadRequest || len(answer) > 1000 {
			t.Errorf("%.60s: %d, %d bytes", body, status, len(answer))
		}
	}
}
