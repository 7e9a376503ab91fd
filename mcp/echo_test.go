package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// ids are ids of calls that must come back as they came.
var ids = []string{`1`, `"1"`, `0`, `-7`, `9007199254740993`, `-9007199254740993`, `18446744073709551617`, `1.5`, `3.0`, `1e3`, `""`, `"ä\u0000\ud83d\ude00"`, `"id"`}

// answerOf is an answer with its id as it came.
type answerOf struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
}

func readAnswerOf(t *testing.T, raw string) answerOf {
	t.Helper()
	var a answerOf
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
	return a
}

// Ids are echoed as they came, with all their digits, with results and with errors.
func TestIDsAreEchoed(t *testing.T) {
	t.Parallel()
	for _, id := range ids {
		for body, isError := range map[string]bool{
			`{"id":#,"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"u1"}}}`: false,
			`{"jsonrpc":"2.0","id" : # ,"method":"tools/call","params":{"name":"format_disk"}}`:                           true,
			`{"jsonrpc":"2.0","method":"tools/list","id":#}`:                                                              false,
			`{"jsonrpc":"2.0","method":"format/disk","id":#}`:                                                             true,
			`{"jsonrpc":"2.0","method":"tools/call","id":#}`:                                                              true,
			`{"jsonrpc":"1.0","method":"tools/list","id":#}`:                                                              true,
		} {
			_, raw := post(t, &fakes{text: "# About Ada"}, strings.Replace(body, "#", id, 1))
			if a := readAnswerOf(t, raw); string(a.ID) != id || isError != (a.Error != nil) {
				t.Errorf("%s of %s: %.200s", body, id, raw)
			}
		}
	}
}

// What is no message of the protocol, or names a method that does not exist, is refused in the protocol's form.
func TestRefusalsAreMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body     string
		headers  []string
		status   int
		id       string
		code     int64
		contains string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"format/disk"}`, nil, http.StatusOK, `1`, methodNotFound, "format/disk"},
		{`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, nil, http.StatusOK, `1`, methodNotFound, "roots/list"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, http.StatusBadRequest, `1`, invalidRequest, "params"},
		{`{"jsonrpc":"2.0","method":"tools/list"}`, nil, http.StatusBadRequest, `null`, invalidRequest, "missing id"},
		{`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, nil, http.StatusBadRequest, `null`, invalidRequest, "id must be"},
		{`{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, nil, http.StatusBadRequest, `null`, invalidRequest, "id must be"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, nil, http.StatusBadRequest, `1`, invalidRequest, "method must be"},
		{`{"jsonrpc":"2.0","id":1}`, nil, http.StatusBadRequest, `1`, invalidRequest, "method is required"},
		{`7`, nil, http.StatusBadRequest, `null`, invalidRequest, "a JSON object"},
		{`{`, nil, http.StatusBadRequest, `null`, parseError, "JSON"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{"Accept", "text/html"}, http.StatusBadRequest, `1`, invalidRequest, "Accept"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{"MCP-Protocol-Version", "1999-01-01"}, http.StatusBadRequest, `1`, invalidRequest, "version"},
		{`{"jsonrpc":"2.0","id":1,"method":"format/disk"}`, []string{"MCP-Protocol-Version", statusVersion}, http.StatusNotFound, `1`, methodNotFound, "format/disk"},
	} {
		status, raw := post(t, &fakes{}, c.body, c.headers...)
		a := readAnswerOf(t, raw)
		if status != c.status || string(a.ID) != c.id && (c.id != "null" || a.ID != nil) || a.Error == nil || a.Error.Code != c.code || !strings.Contains(a.Error.Message, c.contains) {
			t.Errorf("%s %v: %d %s", c.body, c.headers, status, raw)
		}
	}
	if status, raw := post(t, &fakes{}, `{"jsonrpc":"2.0","method":"notifications/unknown"}`); status != http.StatusAccepted || raw != "" {
		t.Errorf("an unknown notification: %d %s", status, raw)
	}
}

// The SDK knows each of the methods that are passed on to it.
func TestKnownMethodsAreTheSDKs(t *testing.T) {
	t.Parallel()
	for method := range knownMethods {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}`
		if method == listenMethod { // its answer does not end
			continue
		}
		if _, raw := post(t, &fakes{}, body); strings.Contains(raw, "unsupported") {
			t.Errorf("%s: %s", method, raw)
		}
	}
}

// The id of a message is found in a line that is too long, wherever it is.
func TestIDsOfLongLines(t *testing.T) {
	t.Parallel()
	long := `"params":{"id":"other","text":"` + strings.Repeat(`x\"`, 300) + `","list":[{"id":5}]}`
	for _, id := range append(ids, `{}`, `null`, `true`, `[1]`) {
		for _, line := range []string{
			`{"id":` + id + `,` + long + `}`, `{` + long + `, "id" : ` + id + ` }`, `{"a":1,"id":` + id + `,"method":"x",` + long + `}`, `{"idle":8,` + long + `,"id":` + id,
		} {
			lines := newLineReader(io.MultiReader(strings.NewReader(line+"\n"), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)))
			lines.longest = 400
			_, err := lines.next()
			want := "null"
			if isID([]byte(id)) {
				want = id
			}
			if refused, ok := err.(*refusal); !ok || !bytes.Contains(refused.answer(), []byte(`"id":`+want+`,`)) { //nolint:errorlint // the same value
				t.Errorf("%s: %v", line, err)
			}
			if m, err := lines.next(); err != nil || m.method != "ping" {
				t.Errorf("after %s: %v", line, err)
			}
		}
	}
}
