package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/tests/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	anybody = auth.Principal{TeamID: "t", Scopes: []string{auth.Read, auth.Write}}
	admin   = auth.Principal{TeamID: "t", Scopes: []string{auth.Read, auth.Write, auth.Admin}}
)

// session is that of a caller with a server of fakes.
func session(t *testing.T, f *fakes, p auth.Principal, o Options) *sdk.ClientSession {
	t.Helper()
	server := New(Services{f, f, nil, f, f, f, f, fakeReviews{f}, f, f, f, f, f, nil, f.reader, nil}, o)
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		_ = server.Run(ctx, p, there) // until ctx is done
		close(ended)
	}()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		cancel()
		<-ended
		server.Close()
	})
	return s
}

func call(t *testing.T, s *sdk.ClientSession, tool, arguments string) *sdk.CallToolResult {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func textOf(r *sdk.CallToolResult) string { return r.Content[0].(*sdk.TextContent).Text }

// An empty user is refused by every tool and prompt that takes one, with what to write instead: it never means everybody.
func TestAnEmptyUserIsNotEverybody(t *testing.T) {
	t.Parallel()
	const want = "must not be empty: give an id, or leave user_id out"
	s := session(t, &fakes{}, admin, Options{Memory: true})
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, tool := range tools.Tools {
		if properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any); properties["user_id"] == nil {
			continue
		}
		tried++
		if r := call(t, s, tool.Name, `{"user_id":""}`); !r.IsError || !strings.Contains(textOf(r), want) {
			t.Errorf("%s: %s", tool.Name, textOf(r))
		}
	}
	if tried < 9 {
		t.Errorf("%d tools take a user", tried)
	}
	for _, prompt := range []string{"session_start", "workspace_start"} {
		arguments := map[string]string{"user_id": "", "project_id": "p"}
		if _, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt, Arguments: arguments}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", prompt, err)
		}
	}
	if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: contextURI + "/"}); err == nil {
		t.Error("the context of nobody is read")
	}
}

// What agents are shown changes only on purpose.
func TestWhatAgentsAreShown(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{}, admin, Options{Version: "1", Memory: true, App: "<!doctype html>"})
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resources, err := s.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := s.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	encoder := json.NewEncoder(&all)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode([]any{s.InitializeResult().Instructions, tools.Tools, resources.Resources, templates.ResourceTemplates, prompts.Prompts}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/shown.json", all.String())
}

// Every tool says of what it takes what it is, and of itself when not to call it.
func TestToolsAreDescribed(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{}, admin, Options{})
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !strings.Contains(tool.Description, "Call it") || !strings.Contains(tool.Description, "Not ") {
			t.Errorf("%s does not say when to call it and when not: %s", tool.Name, tool.Description)
		}
		if a := tool.Annotations; a.ReadOnlyHint != (a.DestructiveHint == nil) || tool.Title == "" || tool.OutputSchema != nil {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for name, p := range properties {
			if p := p.(map[string]any); p["description"] == nil && p["items"] == nil && p["properties"] == nil && p["enum"] == nil {
				t.Errorf("%s: %s is not described", tool.Name, name)
			}
		}
	}
}

// An error is a result that says what to do instead, and reveals nothing else.
func TestErrorsAreAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     error
		want    []string
		outcome Outcome
		logged  bool
	}{
		{&fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("time_zone"), Message: "is none"}}}, []string{"the call has faults", "- time_zone: is none", "Correct"}, Refused, false},
		{fmt.Errorf("x: %w", fault.ErrNotFound), []string{"nothing of this key", "explore"}, Refused, false},
		{&fault.VersionError{Fields: []fault.FieldError{{Path: fault.At("if_version"), Message: "the stored version is 2"}}}, []string{"- if_version: the stored version is 2"}, Refused, false},
		{graph.ErrBusy, []string{"Wait some seconds"}, Refused, false},
		{fmt.Errorf("secret: %w", graph.ErrTooLarge), []string{"db.memory.transaction.max", "nothing was written", "less in one call"}, Refused, false},
		{fmt.Errorf("bolt://secret: %w", graph.ErrUnavailable), []string{"does not answer", "Go on without it"}, Failed, true},
		{context.DeadlineExceeded, []string{"took too long", "Ask for less"}, Failed, true},
		{errors.New("secret"), []string{"Something went wrong here"}, Failed, true},
	} {
		var log bytes.Buffer
		var outcomes []Outcome
		s := session(t, &fakes{err: c.err}, anybody, Options{
			Log:     slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
			Observe: func(_ string, o Outcome, _ time.Duration) { outcomes = append(outcomes, o) },
		})
		r := call(t, s, "get_context", `{"user_id":"u1"}`)
		for _, want := range c.want {
			if !r.IsError || r.StructuredContent != nil || !strings.Contains(textOf(r), want) || strings.Contains(textOf(r), "secret") {
				t.Errorf("%v: %+v %s", c.err, r, textOf(r))
			}
		}
		if len(outcomes) != 1 || outcomes[0] != c.outcome || (log.Len() > 0) != c.logged {
			t.Errorf("%v: %v, logged %q", c.err, outcomes, &log)
		}
	}
}

// A context keeps to its usual size unless the caller gives another, and omits the conversation that is open.
func TestContextsAreOfUsualSize(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	s := session(t, f, anybody, Options{})
	for arguments, want := range map[string]int{`{"user_id":"u1"}`: 1300, `{"user_id":"u1","max_tokens":100000}`: 100000} {
		if r := call(t, s, "get_context", arguments); r.IsError || f.wanted.MaxTokens != want || f.wanted.ConversationID != "" {
			t.Errorf("%s: %+v", arguments, f.wanted)
		}
	}
	if r := call(t, s, "get_context", `{"user_id":"u1","conversation_id":"c-1"}`); r.IsError || f.wanted.ConversationID != "c-1" {
		t.Errorf("of a conversation: %+v", f.wanted)
	}
}

// A tool that panics takes nothing with it.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{panics: true}, anybody, Options{})
	if r := call(t, s, "get_context", `{"user_id":"u1"}`); !r.IsError || strings.Contains(textOf(r), "secret") {
		t.Errorf("%+v", textOf(r))
	}
	if r := call(t, s, "explore", `{"text_matches":["x"]}`); r.IsError {
		t.Error(textOf(r))
	}
}

// Every tool refuses callers without the scope.
func TestScopes(t *testing.T) {
	t.Parallel()
	arguments := map[string]string{
		"get_node": `{"entity_key":"key-1"}`, "what_changed": `{"about":"key-1"}`, "list_nodes": `{"kind":"task"}`, "set_preference": `{"key":"x","value":1}`, "merge_system": `{"system":"x"}`,
		"explore": `{"text_matches":["x"]}`, "traverse": `{"mode":"cypher"}`, "get_linked_entities": `{"entity_id":"x","entity_kind":"task"}`,
		"get_entity_relationships": `{"entity_id":"x","entity_kind":"task"}`,
		"create_entities":          `{"entities":[]}`, "create_relations": `{"relations":[]}`, "add_observations": `{"observations":[]}`,
		"delete_entities": `{"entityNames":[]}`, "delete_observations": `{"deletions":[]}`, "delete_relations": `{"relations":[]}`,
		"search_nodes": `{"query":"x"}`, "open_nodes": `{"names":[]}`,
	}
	nobody := session(t, &fakes{}, auth.Principal{}, Options{Memory: true})
	reader := session(t, &fakes{}, auth.Principal{TeamID: "t", Scopes: []string{auth.Read}}, Options{Memory: true})
	tools, err := session(t, &fakes{}, anybody, Options{Memory: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		given := cmp.Or(arguments[tool.Name], `{}`)
		if r := call(t, nobody, tool.Name, given); !r.IsError || !strings.Contains(textOf(r), "lacks the scope") {
			t.Errorf("%s for nobody: %s", tool.Name, textOf(r))
		}
		if got := strings.Contains(textOf(call(t, reader, tool.Name, given)), "lacks the scope write"); got == tool.Annotations.ReadOnlyHint {
			t.Errorf("%s for a reader: refused %t", tool.Name, got)
		}
	}
}

func TestRemember(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	s := session(t, f, anybody, Options{})
	r := call(t, s, "remember", `{"user_id":"u1","shared":true,"nodes":[{"kind":"person","name":"Ada"},{"kind":"entity","entity_key":"e","name":"Mill"}],
		"relationships":[{"from":"ADA","to":"p-9","type":"knows"},{"from":"me","to":"Ada","type":"knows"}]}`)
	want := "named p-9; write Ada for u1, shared true; write Mill for u1, shared false; relate ADA to p-9; relate me to Ada"
	if got := strings.Join(f.asked, "; "); got != want || r.IsError {
		t.Errorf("asked %s, want %s: %s", got, want, textOf(r))
	}
	for _, arguments := range []string{`{"user_id":"u1"}`, `{"nodes":[{"kind":"person","name":"Ada"}]}`} {
		if r := call(t, s, "remember", arguments); !r.IsError || !strings.Contains(textOf(r), ": is required, or ") || len(f.asked) != 5 {
			t.Errorf("remember %s: %s", arguments, textOf(r))
		}
	}
}

// A conversation gets a hint after five look-ups; others, and other users, have counts of their own.
func TestLooksAreCounted(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	s := session(t, f, anybody, Options{})
	look := func(arguments string) bool {
		r := call(t, s, "explore", `{"text_matches":["x"],`+arguments+`}`)
		return strings.Contains(textOf(r), "5 are usually enough")
	}
	for i := range 7 {
		if got := look(`"user_id":"u1","conversation_id":"c"`); got != (i >= 5) {
			t.Errorf("look %d: hint %t", i+1, got)
		}
		if look(`"user_id":"u1"`) {
			t.Error("a look in no conversation is counted")
		}
	}
	if look(`"user_id":"u2","conversation_id":"c"`) || look(`"user_id":"u1","conversation_id":"d"`) {
		t.Error("looks of another are counted")
	}
	if f.asked[0] != "explore for u1, 500 tokens" {
		t.Errorf("asked %s", f.asked[0])
	}
}

// What is too large to be read as a whole is not read in part.
func TestMemoryTooLarge(t *testing.T) {
	t.Parallel()
	s := session(t, &fakes{}, anybody, Options{Memory: true})
	if r := call(t, s, "read_graph", `{}`); !r.IsError || !strings.Contains(textOf(r), "use explore") {
		t.Errorf("%s", textOf(r))
	}
}
