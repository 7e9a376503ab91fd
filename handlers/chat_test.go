package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/memory/chat"
)

func (f *fakes) CreateChatTree(_ context.Context, s graph.Scope, id string, w *chat.TreeWrite) (chat.Tree, bool, error) {
	f.ask("create tree %q for %q, pinned %v, context %+v", id, s.UserID, w.Pinned.Value, w.Context.Value)
	return chat.Tree{ID: id}, id != "known", f.err
}

func (f *fakes) ChatTree(_ context.Context, s graph.Scope, id string) (chat.Tree, error) {
	f.ask("tree %q for %q", id, s.UserID)
	return chat.Tree{ID: "t"}, f.err
}

func (f *fakes) ChatTrees(_ context.Context, s graph.Scope, l chat.TreeList) (chat.TreePage, error) {
	pinned := "any"
	if l.Pinned != nil {
		pinned = fmt.Sprint(*l.Pinned)
	}
	f.ask("trees for %q, pinned %s, %d from %q", s.UserID, pinned, l.Limit, l.Cursor)
	return chat.TreePage{Trees: []chat.Tree{}, Next: "more"}, f.err
}

func (f *fakes) ChangeChatTree(_ context.Context, s graph.Scope, id string, w *chat.TreeWrite) (chat.Tree, error) {
	f.ask("change tree %q for %q, name null %v", id, s.UserID, w.Name.Null)
	return chat.Tree{}, f.err
}

func (f *fakes) ChatTurn(_ context.Context, s graph.Scope, id string) (chat.Turn, error) {
	f.ask("turn %q for %q", id, s.UserID)
	return chat.Turn{Status: chat.StatusComplete, Attempt: 2}, f.err
}

func (f *fakes) ChatTurns(_ context.Context, _ graph.Scope, tree string, from, limit int64) ([]chat.TurnLine, error) {
	f.ask("%d turns of %q from %d", limit, tree, from)
	lines := make([]chat.TurnLine, min(limit, 3))
	for i := range lines {
		lines[i].Seq = from + int64(2*i)
	}
	return lines, f.err
}

func (f *fakes) ChatPath(_ context.Context, _ graph.Scope, id string) (chat.Path, error) {
	f.ask("path to %q", id)
	return chat.Path{Turns: []chat.Turn{}}, f.err
}

func (f *fakes) ChatDescendants(_ context.Context, _ graph.Scope, id string) ([]chat.TurnLine, error) {
	f.ask("below %q", id)
	return []chat.TurnLine{}, f.err
}

func (f *fakes) AnswerChatTurn(_ context.Context, s graph.Scope, id string, a *chat.Answer) (chat.Turn, error) {
	f.ask("answer %q for %q: %q or %q by %q", id, s.UserID, a.AssistantText.Value, a.Error.Value, a.ProviderID.Value)
	return chat.Turn{}, f.err
}

func (f *fakes) Submit(_ context.Context, s graph.Scope, tree string, p chat.Prompt) (chat.Turn, bool, error) {
	f.ask("submit to %q for %q: %+v", tree, s.UserID, p)
	return chat.Turn{}, p.ID != "known", f.err
}

func (f *fakes) Retry(context.Context, graph.Scope, string) (chat.Turn, bool, error) {
	return chat.Turn{}, false, f.err
}

func (f *fakes) Cancel(context.Context, graph.Scope, string) (chat.Turn, error) {
	return chat.Turn{}, f.err
}

func (f *fakes) Delete(context.Context, graph.Scope, string) ([]string, error) {
	return []string{"a", "b"}, f.err
}

func (f *fakes) DeleteTree(context.Context, graph.Scope, string) ([]string, error) {
	return []string{}, f.err
}

func (f *fakes) Explain(_ context.Context, s graph.Scope, e *chat.Explanation) (chat.Turn, bool, error) {
	f.ask("explain %q to %q: %q, %v", e.Result, s.UserID, e.SessionID, e.Subjects)
	return chat.Turn{}, true, f.err
}

func (f *fakes) Assemble(_ context.Context, _ graph.Scope, id string, tokens int) (*chat.Assembled, error) {
	f.ask("prompt of %q within %d", id, tokens)
	return &chat.Assembled{Messages: []chat.RoleMessage{}}, f.err
}

func (f *fakes) Watch(ctx context.Context, _ graph.Scope, id, last string, send func(chat.Event) error) error {
	if deadline, _ := ctx.Deadline(); time.Until(deadline) < time.Minute {
		return errors.New("a stream has the deadline of a request")
	}
	f.ask("watch %q from %q", id, last)
	return errors.Join(
		send(chat.Event{ID: "1.0", Type: chat.StatusEvent, Data: chat.TurnStatus{TurnID: id, Status: chat.StatusGenerating, Attempt: 1}}),
		send(chat.Event{}),
		send(chat.Event{ID: "1.3", Type: chat.TextEvent, Data: chat.TurnText{Text: "a\nb"}}))
}

func (f *fakes) ExportChats(context.Context, string, func(*chat.TreeRecord) error, func(*chat.TurnRecord) error) error {
	return f.err
}

func (f *fakes) RestoreChats(context.Context, graph.Scope, *chat.Batch) (chat.Result, error) {
	return chat.Result{}, f.err
}

func (f *fakes) Availability() llm.Availability { return "downloading" }

// What a request asks for is what the memory is asked for, and the status says what came of it.
func TestChatRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"POST", "/v1/trees", `{"user_id":"u1","id":"t-1","pinned":true,"context":{"user_id":"u1"}}`, 201, []string{`create tree "t-1" for "u1", pinned true, context {UserID:u1 ProjectID: FocusKind: FocusID: MaxTokens:0}`}},
		{"POST", "/v1/trees", `{"id":"known"}`, 200, []string{`create tree "known" for "", pinned false, context {UserID: ProjectID: FocusKind: FocusID: MaxTokens:0}`}},
		{"GET", "/v1/trees?user_id=u1&pinned=true&limit=7&cursor=x", "", 200, []string{`trees for "u1", pinned true, 7 from "x"`}},
		{"GET", "/v1/trees", "", 200, []string{`trees for "", pinned any, 100 from ""`}},
		{"PATCH", "/v1/trees/t-1", `{"user_id":"u1","name":null}`, 200, []string{`change tree "t-1" for "u1", name null true`}},
		{"DELETE", "/v1/trees/t-1?user_id=u1", "", 200, nil},
		{"GET", "/v1/trees/t-1/turns?limit=2", "", 200, []string{`tree "t-1" for ""`, `3 turns of "t" from 0`}},
		{"POST", "/v1/trees/t-1/turns", `{"user_id":"u1","user_prompt":"x","parent_id":null,"provider_config":{"model":"big"}}`, 202, []string{`submit to "t-1" for "u1": {ID: ParentID: Text:x Model:big Pending:false}`}},
		{"POST", "/v1/trees/t-1/turns", `{"user_prompt":"x","parent_id":"p","generate":false}`, 201, []string{`submit to "t-1" for "": {ID: ParentID:p Text:x Model: Pending:true}`}},
		{"POST", "/v1/trees/t-1/turns", `{"user_prompt":"x","id":"known"}`, 200, []string{`submit to "t-1" for "": {ID:known ParentID: Text:x Model: Pending:false}`}},
		{"GET", "/v1/turns/c-1?user_id=u1", "", 200, []string{`turn "c-1" for "u1"`}},
		{"PATCH", "/v1/turns/c-1", `{"user_id":"u1","assistant_text":"yes","provider_id":"m"}`, 200, []string{`answer "c-1" for "u1": "yes" or "" by "m"`}},
		{"DELETE", "/v1/turns/c-1", "", 200, nil},
		{"POST", "/v1/turns/c-1/retry?user_id=u1", "", 200, nil},
		{"POST", "/v1/turns/c-1/cancel", "", 200, nil},
		{"GET", "/v1/turns/c-1/path", "", 200, []string{`path to "c-1"`}},
		{"GET", "/v1/turns/c-1/descendants", "", 200, []string{`below "c-1"`}},
		{"GET", "/v1/turns/c-1/prompt?max_tokens=99", "", 200, []string{`prompt of "c-1" within 99`}},
		{"POST", "/v1/explanations", `{"user_id":"u1","session_id":"s","result":"r","subjects":[{"entity_type":"Task","entity_id":"t"}]}`, 202, []string{`explain "r" to "u1": "s", [{Task t}]`}},
		{"GET", "/v1/turns/c-1/events", "", 200, []string{`turn "c-1" for ""`, `watch "c-1" from ""`}},
	} {
		f := &fakes{}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if diff := cmp.Diff(c.want, f.asked); diff != "" || w.Code != c.status {
			t.Errorf("%s %s: %d %s %s", c.method, c.path, w.Code, w.Body, diff)
		}
	}
}

func TestChatErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		detail string
	}{
		{fmt.Errorf("generate: %w", chat.ErrFull), 429, "as many generations run and wait"},
		{chat.ErrNoModel, 501, `{"type":"urn:kith:problem:no-language-model","title":"No Language Model","status":501,"detail":"no language model is configured: set generate=false`},
		{fmt.Errorf("cancel: the turn has ended (complete): %w", fault.ErrConflict), 409, "the turn has ended (complete)"},
		{fault.ErrNotFound, 404, "nothing of this id"},
		{&fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("user_prompt"), Message: "must not be blank"}}}, 422, `"location":"body.user_prompt"`},
	} {
		w := ask(newAPI(&fakes{err: c.err}), http.MethodPost, "/v1/trees/t-1/turns", `{"user_prompt":"x"}`)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.detail) || (w.Code == 429) && w.Header().Get("Retry-After") == "" {
			t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
		}
	}
}

// A service without a language model says so with a problem of its own, which is no failure: nothing is logged, and nobody is asked to try again.
func TestNoLanguageModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, body, detail string }{
		{"/v1/trees/t-1/turns", `{"user_prompt":"x"}`, "generate=false"},
		{"/v1/turns/c-1/retry", `{}`, "generate=false"},
		{"/v1/explanations", `{"user_id":"u1","session_id":"s","result":"r","subjects":[{"entity_type":"Task","entity_id":"t"}]}`, "generate=false"},
		{"/v1/sources?extract=true", `{"user_id":"u1"}`, `"extract needs a language model, and none is configured"`},
		{"/v1/systems/s/memory", `{"extract":"x"}`, `"extract needs a language model, and none is configured"`},
	} {
		var log bytes.Buffer
		api := New(servicesOf(&fakes{err: chat.ErrNoModel}), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := ask(api, http.MethodPost, c.path, c.body)
		body := w.Body.String()
		if w.Code != http.StatusNotImplemented || !strings.Contains(body, `"type":"urn:kith:problem:no-language-model"`) || !strings.Contains(body, c.detail) {
			t.Errorf("%s: %d %s", c.path, w.Code, body)
		}
		if log.Len() > 0 || w.Header().Get("Retry-After") != "" {
			t.Errorf("%s: logged %q, Retry-After %q", c.path, log.String(), w.Header().Get("Retry-After"))
		}
	}
}

func TestEventsAreServerSent(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	server := httptest.NewServer(newAPI(f))
	defer server.Close()
	get := func(last string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/turns/c-1/events", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer x")
		request.Header.Set("Last-Event-ID", last)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header.Get("Content-Type") + "\n" + string(body)
	}
	want := "text/event-stream\nid: 1.0\nevent: status\ndata: {\"turn_id\":\"c-1\",\"status\":\"generating\",\"attempt\":1}\n\n: \n\n" +
		"id: 1.3\nevent: text\ndata: {\"text\":\"a\\nb\"}\n\n"
	status, body := get("1.2")
	if diff := cmp.Diff(want, body); diff != "" || status != http.StatusOK {
		t.Errorf("%d %s", status, diff)
	}
	if status, body := get("2.end"); status != http.StatusNoContent || body != "\n" {
		t.Errorf("after the last event: %d %q", status, body)
	}
	if diff := cmp.Diff([]string{`turn "c-1" for ""`, `watch "c-1" from "1.2"`, `turn "c-1" for ""`}, f.asked); diff != "" {
		t.Error(diff)
	}
}
