package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/auth"
	"kith/graph"
	"kith/memory/system"
)

// Arguments of prompts and resources are completed with what the key may see.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := &fakes{nodes: []graph.NodeView{{Node: graph.Node{EntityKey: "p-1", Name: "Mill"}}, {Node: graph.Node{EntityKey: "p-2", Name: "Barge"}}}}
	bound := auth.Principal{TeamID: "t", UserID: "ada", Scopes: []string{auth.Read}}
	for _, c := range []struct {
		who            auth.Principal
		argument, with string
		want           string
	}{
		{bound, "user_id", "A", "ada"},
		{bound, "user_id", "b", ""},
		{anybody, "user_id", "a", ""}, // lists no users
		{auth.Principal{TeamID: "t", Scopes: auth.Scopes}, "user_id", "a", "ada ave"},
		{auth.Principal{TeamID: "t", UserID: "ada", Scopes: auth.Scopes}, "user_id", "", "ada"},
		{bound, "focus_kind", "d", "document decision"},
		{bound, "project_id", "mi", "p-1"},
		{bound, "project_id", "p-", "p-1 p-2"},
		{auth.Principal{TeamID: "t", Scopes: []string{auth.Write}}, "project_id", "", ""},
		{bound, "system", "sh", "shop"},
		{bound, "nothing", "", ""},
	} {
		r, err := session(t, f, c.who, Options{}).Complete(t.Context(), &sdk.CompleteParams{
			Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "workspace_start"}, Argument: sdk.CompleteParamsArgument{Name: c.argument, Value: c.with},
		})
		if err != nil || strings.Join(r.Completion.Values, " ") != c.want {
			t.Errorf("%s %q: %+v, want %q; %v", c.argument, c.with, r, c.want, err)
		}
	}
}

// The prompt of a system has what is known of it, and how to add to it.
func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	f := &fakes{system: system.Memory{Entities: []system.Entity{{Name: "api", Type: "service"}}}}
	s := session(t, f, anybody, Options{})
	r, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "system_update", Arguments: map[string]string{"system": "shop"}})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Messages[0].Content.(*sdk.TextContent).Text
	if !strings.Contains(text, "merge_system") || !strings.Contains(text, "# System shop\n\n## Entities\n\n- **api** (service)") {
		t.Error(text)
	}
	if _, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "system_update", Arguments: map[string]string{"system": " "}}); err == nil {
		t.Error("a blank system")
	}
}
