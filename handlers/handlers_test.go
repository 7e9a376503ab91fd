package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
	"kith/memory/traverse"
	"kith/tests/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newAPI(f *fakes) http.Handler {
	return New(servicesOf(f), Options{Build: Build{Version: "test", Commit: "abc", Date: "2026-11-22T10:00:00Z"}})
}

// noStatements is the store of a team without statements. Other calls than the export fail.
type noStatements struct{ statementStore }

func (noStatements) ExportStatements(context.Context, string, func(*statement.Line) error) error {
	return nil
}

func (noStatements) ExportStatementsOf(context.Context, string, string, func(*statement.Line) error) error {
	return nil
}

func (noStatements) ExportPauses(context.Context, string, func(*statement.PauseLine) error) error {
	return nil
}

func servicesOf(f *fakes) Services {
	if f.principal.TeamID == "" {
		f.principal = auth.Principal{TeamID: "t", Scopes: auth.Scopes}
	}
	return Services{Memory: f, Nodes: f, Relationships: f, Sources: f, Consolidations: f, Duplicates: f, Trust: fakeTrust{fakes: f}, Users: f, Quotas: f, Systems: f, ChatStore: f, Transfers: f, Changes: noChanges{}, Preferences: struct {
		*fakes
		*kept
	}{f, &f.kept}, Statements: noStatements{}, Erasure: f, Kept: &f.kept, Contexts: f, Ontologies: f, Explorer: explorerOf(f), Traverser: traverse.New(memory{f}, func(traverse.Mode, traverse.Outcome) {}), Chats: f, Keys: f, Recalls: f, Ready: func(context.Context) error { return f.err }}
}

func ask(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer x")
	if body != "" {
		request.Header.Set("Content-Type", jsonType)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w
}

// The contract changes only on purpose.
func TestContractGolden(t *testing.T) {
	t.Parallel()
	w := ask(newAPI(&fakes{}), http.MethodGet, "/openapi.json", "")
	var indented bytes.Buffer
	if err := json.Indent(&indented, w.Body.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/openapi.json", indented.String())
}

// Every error has one status and one body, whatever operation it comes from.
func TestErrorsGolden(t *testing.T) {
	t.Parallel()
	invalid := &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("nodes").Index(3).Field("name"), Message: "must not be blank"}}}
	var all strings.Builder
	for _, c := range []struct {
		what string
		f    fakes
	}{
		{"invalid", fakes{err: invalid}},
		{"not found", fakes{err: fmt.Errorf("x: %w", fault.ErrNotFound)}},
		{"conflict", fakes{err: fmt.Errorf("append: the conversation has ended: %w", fault.ErrConflict)}},
		{"too large", fakes{err: fmt.Errorf("secret: %w", graph.ErrTooLarge)}},
		{"unavailable", fakes{err: fmt.Errorf("secret: %w", graph.ErrUnavailable)}},
		{"deadline", fakes{err: context.DeadlineExceeded}},
		{"unknown", fakes{err: errors.New("secret")}},
		{"panic", fakes{panics: true}},
		{"no key", fakes{verify: auth.ErrUnauthorized}},
		{"too many wrong keys", fakes{verify: auth.ErrAttempts}},
		{"key store away", fakes{verify: graph.ErrUnavailable}},
		{"read only", fakes{principal: auth.Principal{TeamID: "t", Scopes: []string{auth.Read}}}},
	} {
		w := ask(newAPI(&c.f), http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[]}`)
		fmt.Fprintf(&all, "%s: %d %s retry-after=%q\n%s\n", c.what, w.Code, w.Header().Get("Content-Type"), w.Header().Get("Retry-After"), strings.TrimSpace(w.Body.String()))
	}
	golden.Check(t, "testdata/errors.txt", all.String())
	if strings.Contains(all.String(), "secret") {
		t.Error("an inner error came out")
	}
}

// A list may be given in either form in which clients write one, and what is given empty is not taken for left out.
func TestQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]struct {
		status   int
		location string
		sections []string
	}{
		"":                                    {status: http.StatusOK},
		"?sections=user,temporal":             {status: http.StatusOK, sections: []string{"user", "temporal"}},
		"?sections=user&sections=temporal":    {status: http.StatusOK, sections: []string{"user", "temporal"}},
		"?user_id=&max_tokens=100":            {status: http.StatusUnprocessableEntity, location: "query.user_id"},
		"?max_tokens=":                        {status: http.StatusUnprocessableEntity, location: "query.max_tokens"},
		"?format&user_id=u1":                  {status: http.StatusUnprocessableEntity, location: "query.format"},
		"?as_of=&user_id=u1&max_tokens=12345": {status: http.StatusUnprocessableEntity, location: "query.as_of"},
	} {
		f := &fakes{}
		w := ask(newAPI(f), http.MethodGet, "/v1/context"+query, "")
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.location) || !slices.Equal(f.sections, want.sections) {
			t.Errorf("%q: %d %s, sections %v", query, w.Code, w.Body, f.sections)
		}
	}
}

// Searches, walks and workspaces are of the present: a time of theirs is refused as any unknown name is.
func TestSearchesAreOfThePresent(t *testing.T) {
	t.Parallel()
	const at = `"2026-03-01T00:00:00Z"`
	for _, c := range []struct{ method, path, body, location, message string }{
		{http.MethodPost, "/v1/explore", `{"text_matches":["x"],"as_of":` + at + `}`, "body.as_of", "unexpected property"},
		{http.MethodPost, "/v1/traverse", `{"mode":"neighbors","entity_key":"c","as_of":` + at + `}`, "body.as_of", "unexpected property"},
		{http.MethodGet, "/v1/ontology?as_of=2026-03-01T00:00:00Z", "", "query.as_of", "unknown query parameter"},
	} {
		f := &fakes{}
		w := ask(newAPI(f), c.method, c.path, c.body)
		var problem Problem
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code != http.StatusUnprocessableEntity || len(problem.Errors) != 1 ||
			problem.Errors[0].Location != c.location || !strings.Contains(problem.Errors[0].Message, c.message) || len(f.asked) > 0 {
			t.Errorf("%s: %d %s, asked %v (%v)", c.path, w.Code, w.Body, f.asked, err)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	api := newAPI(&fakes{})
	for given, kept := range map[string]bool{"abc-1": true, "": false, "has blank": false, "bad\x01": false, strings.Repeat("x", 200): false} {
		request := httptest.NewRequest(http.MethodGet, "/livez", nil)
		request.Header.Set(requestIDHeader, given)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, request)
		if got := w.Header().Get(requestIDHeader); got == "" || (got == given) != kept {
			t.Errorf("given %q, answered %q", given, got)
		}
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		h      http.Handler
		path   string
		status int
		says   string
	}{
		{newAPI(&fakes{}), "/readyz", 200, `{"ready":true,"version":"test","commit":"abc","date":"2026-11-22T10:00:00Z"}`},
		{newAPI(&fakes{err: graph.ErrUnavailable}), "/readyz", 503, `{"ready":false,"version":"test","commit":"abc","date":"2026-11-22T10:00:00Z"}`},
		{newAPI(&fakes{err: graph.ErrUnavailable}), "/livez", 200, "ok\n"},
		{Starting(Build{Version: "next"}), "/readyz", 503, `{"ready":false,"version":"next","commit":"","date":""}`},
		{Starting(Build{}), "/livez", 200, "ok\n"},
		{Starting(Build{}), "/v1/context", 503, ""},
	} {
		w := ask(c.h, http.MethodGet, c.path, "")
		if w.Code != c.status || (c.status == 503) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: %d, want %d; Retry-After %q", c.path, w.Code, c.status, w.Header().Get("Retry-After"))
		}
		if c.says != "" && w.Body.String() != c.says {
			t.Errorf("%s: %s, want %s", c.path, w.Body, c.says)
		}
	}
}

func TestMessagesArePaged(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/conversations/c":                "null",
		"/v1/conversations/c?limit=2":        "2",
		"/v1/conversations/c?limit=2&from=2": "null",
	} {
		var answer struct{ Next json.RawMessage }
		w := ask(newAPI(&fakes{}), http.MethodGet, path, "")
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || string(answer.Next) != want {
			t.Errorf("%s: next %s, want %s (%v)", path, answer.Next, want, err)
		}
	}
}

// TestParticipantsReadNoMessages checks that a user who takes part in another user's source gets it without its messages.
func TestParticipantsReadNoMessages(t *testing.T) {
	t.Parallel()
	for owner, want := range map[string]int{"u1": 0, "u2": 3} {
		var answer struct{ Messages []graph.Message }
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: "u2", Scopes: auth.Scopes}, owner: &owner}
		w := ask(newAPI(f), http.MethodGet, "/v1/conversations/c", "")
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Messages == nil || len(answer.Messages) != want {
			t.Errorf("of %s: %d, %d messages, want %d (%v)", owner, w.Code, len(answer.Messages), want, err)
		}
	}
}
