package ontology

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/preference"
	"kith/tests/golden"
)

// inProject asks for a prompt of a project with a task in focus.
func inProject() PromptRequest {
	return PromptRequest{
		Ontology: Request{Scope: scope, ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"},
		System:   "You are the harbour's assistant.", Message: "What next?",
		History: []loader.PromptMessage{{Role: "user", Content: "Good morning."}, {Role: "assistant", Content: "Good morning. How can I help?"}},
	}
}

func prompted() *fakeStore {
	s := ontologies()
	s.preferences = []preference.Preference{{Key: "conversation_style", Value: json.RawMessage(`"short"`)}, {Key: "time_zone", Value: json.RawMessage(`"Europe/Oslo"`)}}
	return s
}

// TestPromptGolden holds a prompt against what it was: system prompt with links, preferences, snapshot, history, message.
func TestPromptGolden(t *testing.T) {
	t.Parallel()
	l, _ := newLoader(prompted())
	p, err := l.Prompt(t.Context(), inProject())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, m := range p.Messages {
		fmt.Fprintf(&all, "<%s>\n%s\n", m.Role, m.Content)
	}
	raw, _ := json.MarshalIndent(p.Usage, "", "  ")
	golden.Check(t, "testdata/prompt.md", all.String()+string(raw)+"\n")
	parts := p.Usage.Parts
	sum := 0
	for _, part := range []PartUsage{parts.System, parts.Linked, parts.Preferences, parts.Snapshot, parts.History, parts.Message} {
		sum += part.Tokens
	}
	if sum != p.Usage.Tokens || p.Usage.Budget != 5000 {
		t.Errorf("the parts make %d of %+v", sum, p.Usage)
	}
}

// TestPromptParts leaves out what there is not, and what cannot be loaded with a warning.
func TestPromptParts(t *testing.T) {
	t.Parallel()
	ask := func(s *fakeStore, change func(*PromptRequest)) (p *Prompt, system string, err error) {
		l, _ := newLoader(s)
		r := inProject()
		r.History = nil
		change(&r)
		if p, err = l.Prompt(t.Context(), r); err == nil {
			system = p.Messages[0].Content
		}
		return p, system, err
	}
	roles := func(p *Prompt) (roles string) {
		for _, m := range p.Messages {
			roles += m.Role[:1]
		}
		return roles
	}
	p, system, _ := ask(prompted(), func(*PromptRequest) {})
	if roles(p) != "sssu" || !strings.HasPrefix(system, "You are the harbour's") || strings.Index(system, "## Linked Entities") < strings.Index(system, "the focus") {
		t.Errorf("%s: %s", roles(p), system)
	}
	if strings.Contains(p.Messages[2].Content, "## Linked Entities") || strings.Count(p.Messages[2].Content, "## Context Snapshot") != 1 {
		t.Errorf("the snapshot: %s", p.Messages[2].Content)
	}
	if p, system, _ = ask(prompted(), func(r *PromptRequest) { r.Ontology.WithoutLinked = true }); strings.Contains(system, "\n## Linked") || p.Usage.Parts.Linked.Tokens != 0 {
		t.Errorf("switched off: %s", system)
	}
	if p, _, _ = ask(ontologies(), func(*PromptRequest) {}); roles(p) != "ssu" {
		t.Errorf("without preferences: %s", roles(p))
	}
	if p, _, _ = ask(prompted(), func(r *PromptRequest) { r.Ontology.Scope.UserID = "" }); roles(p) != "ssu" {
		t.Errorf("for a team: %s", roles(p))
	}
	if p, system, _ = ask(prompted(), func(r *PromptRequest) { r.Ontology.ContextType = "calendar" }); roles(p) != "ssu" || system != "You are the harbour's assistant." {
		t.Errorf("without a workspace: %s %s", roles(p), system)
	}
	none := func(r *PromptRequest) {
		r.Ontology.ContextType, r.Ontology.Scope.UserID, r.System = "project_create", "", " \n"
	}
	if p, _, _ = ask(prompted(), none); len(p.Messages) != 1 || p.Messages[0] != (loader.PromptMessage{Role: "user", Content: "What next?"}) || p.Usage.Parts.System.Tokens != 0 {
		t.Errorf("with nothing to say there is an empty message: %+v", p.Messages)
	}
	broken := prompted()
	broken.linked, broken.linkedFails = nil, graph.ErrUnavailable
	if p, _, _ = ask(broken, func(*PromptRequest) {}); len(p.Warnings) != 1 || roles(p) != "sssu" {
		t.Errorf("without links: %v", p.Warnings)
	}
	away := prompted()
	away.preferencesFail = graph.ErrUnavailable
	if p, _, _ = ask(away, func(*PromptRequest) {}); len(p.Warnings) != 1 || roles(p) != "ssu" {
		t.Errorf("preferences away: %v, %s", p.Warnings, roles(p))
	}
	lost := prompted()
	lost.focus = nil
	if _, _, err := ask(lost, func(*PromptRequest) {}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("a focus that is not there: %v", err)
	}
	if p, _, _ = ask(lost, func(r *PromptRequest) { r.Ontology.Remembered = true }); p.ContextType != ProjectOntology || len(p.Warnings) != 1 {
		t.Errorf("a remembered one: %+v", p)
	}
	lost.workspace = nil
	if p, _, _ = ask(lost, func(r *PromptRequest) { r.Ontology.Remembered = true }); p.ContextType != NoOntology || len(p.Warnings) != 2 {
		t.Errorf("a remembered project: %+v", p)
	}
}

// TestPromptUsage says ok, near_limit from 85 %, over_budget above 100 %.
func TestPromptUsage(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int]string{0: "ok", 84: "ok", 85: "near_limit", 100: "near_limit", 101: "over_budget"} {
		if got := usage(tokens, 100).Status; got != want {
			t.Errorf("%d of 100: %s", tokens, got)
		}
	}
	if got := usage(0, 0).Status; got != "ok" {
		t.Errorf("nothing of nothing: %s", got)
	}
	l, _ := newLoader(prompted())
	r := inProject()
	r.Message = strings.Repeat("word ", 6000)
	p, err := l.Prompt(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if p.Usage.Status != "over_budget" || p.Usage.Parts.Message.Status != "over_budget" || p.Messages[len(p.Messages)-1].Content != r.Message {
		t.Errorf("a message that is too long is told of, and not cut: %+v", p.Usage)
	}
	if p.History.LeftOut != 2 || p.Usage.Parts.History.Tokens != 0 {
		t.Errorf("there is no room for history: %+v", p.History)
	}
}

// TestPromptFaults have their places in the body.
func TestPromptFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", MaxPromptText+1)
	for at, change := range map[string]func(*PromptRequest){
		"message": func(r *PromptRequest) { r.Message = "" }, "system_prompt": func(r *PromptRequest) { r.System = long },
		"history[1].role": func(r *PromptRequest) { r.History[1].Role = "robot" }, "history[0].content": func(r *PromptRequest) { r.History[0].Content = long },
		"history": func(r *PromptRequest) { r.History = make([]loader.PromptMessage, MaxPromptHistory+1) }, "max_tokens": func(r *PromptRequest) { r.MaxTokens = 999 },
		"project_id": func(r *PromptRequest) { r.Ontology.ProjectID = strings.Repeat("p", 257) },
	} {
		l, _ := newLoader(prompted())
		r := inProject()
		change(&r)
		_, err := l.Prompt(t.Context(), r)
		var invalid *fault.InvalidError
		if !errors.As(err, &invalid) || !cmp.Equal(invalid.Fields, []fault.FieldError{{Path: fault.Parse(at)}}, cmpopts.IgnoreFields(fault.FieldError{}, "Message", "Code")) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
