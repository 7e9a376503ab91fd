package ontology

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/loader"
	"kith/memory/preference"
	"kith/memory/workspace"
	"kith/tests/hostile"
)

// remembered is all that texts are made of, with some texts before each of its own.
type remembered struct {
	Workspace  *workspace.Workspace
	Workspaces *workspace.Workspaces
	Focus      *workspace.Element
	Linked     *workspace.LinkedEntities
	Prompt     PromptRequest

	Preferences []preference.Preference
}

// texts are all that this package renders for prompts and people. The keys of the focus are not changed: they are asked for.
func (m *remembered) texts(t *testing.T) map[string]string {
	s := &fakeStore{preferences: m.Preferences, workspace: m.Workspace, workspaces: m.Workspaces, focus: m.Focus, linked: m.Linked}
	l, _ := newLoader(s)
	all := map[string]string{}
	keep := func(name string, answer loader.Answer, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = string(answer.Body())
	}
	for name, r := range map[string]Request{
		"global": {ContextType: "global"}, "project": {ContextType: "project", ProjectID: "proj-1"},
		"combined": {ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"},
		"element":  {ContextType: "ontology", FocusKind: "task", FocusID: "task-31"},
	} {
		r.Scope, r.Format = scope, loader.Text
		answer, err := l.Ontology(t.Context(), r)
		keep(name, answer, err)
	}
	kind, _ := graph.KindOf("task")
	for _, mode := range []LinkedMode{Abbreviated, Full} {
		answer, err := l.Linked(t.Context(), LinkedRequest{Scope: scope, Kind: kind, Key: "task-31", Format: loader.Text, Mode: mode})
		keep("linked "+fmt.Sprint(mode), answer, err)
	}
	m.prompt(t, l, all)
	return all
}

// prompt adds Kith's own parts of a prompt. What callers say is in messages of its own, with its lines.
func (m *remembered) prompt(t *testing.T, l *Loader, all map[string]string) {
	p, err := l.Prompt(t.Context(), m.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	for i, message := range p.Messages {
		if r := hostile.Unseen(message.Content); r != 0 {
			t.Errorf("message %d of the prompt has %U", i, r)
		}
	}
	all["prompt, preferences"] = p.Messages[1].Content
	_, all["prompt, links"], _ = strings.Cut(p.Messages[0].Content, "## Linked Entities")
}

func rememberedWith(texts []string) *remembered {
	s := prompted()
	m := &remembered{Workspace: s.workspace, Workspaces: s.workspaces, Focus: s.focus, Linked: s.linked, Prompt: inProject(), Preferences: s.preferences}
	hostile.Fill(m, texts, "Kind", "Ontology", "Role", "Raw", "ProjectID")
	m.Prompt.Message += "?"
	return m
}

// Whatever is stored, lines begin as they do with harmless texts, and nothing is there that is not seen.
func TestNothingStoredBeginsALine(t *testing.T) {
	t.Parallel()
	want := rememberedWith(hostile.Harmless).texts(t)
	for seed := range 150 {
		got := rememberedWith(hostile.Texts().Example(seed)).texts(t)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			harmless, text := want[name], got[name]
			if name == "linked "+string(Full) { // in which descriptions have lines of their own
				harmless, text = unindented(t, harmless), unindented(t, text)
			}
			if fault := hostile.Differs(harmless, text); fault != "" {
				t.Errorf("%s: %s\n%s", name, fault, got[name])
			}
			if r := hostile.Unseen(got[name]); r != 0 {
				t.Errorf("%s has %U\n%s", name, r, got[name])
			}
		}
	}
}

// unindented is a text without the further lines of descriptions, which are indented, and none of which begins as anything.
func unindented(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`\n(?:\n*  [^\n]*)+`).ReplaceAllStringFunc(text, func(lines string) string {
		if marks := strings.Join(hostile.Skeleton(lines), ""); marks != "" {
			t.Errorf("further lines of a description begin as %q\n%s", marks, lines)
		}
		return ""
	})
}

// What is hardly believed stands in quotation marks wherever it is rendered.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	m := rememberedWith([]string{""})
	names := []string{
		"Name", "Description", "Summary", "Text", "Content", "Goal", "Outcome", "Rationale", "Raw", "NextStepShort", "NextStepLong", "Properties",
		"StateKey", "TypeKey", "FacetContext", "FacetScale", "FacetStage", "SourceDocumentID", "SourceEventID", "Channel",
	}
	output := &m.Workspace.Shown["output"][0].NodeView
	output.OwnFields = &graph.OwnFields{FacetStage: graph.Some("review"), SourceDocumentID: graph.Some("doc-1"), SourceEventID: graph.Some("ev-1")}
	details := *m.Focus
	for _, v := range []any{m.Workspace, m.Workspaces, m.Focus, m.Linked} {
		hostile.Distrust(v, names...)
	}
	for i := range m.Workspace.Nodes {
		m.Workspace.Nodes[i].State, m.Workspace.Nodes[i].Type = hostile.Secret, hostile.Secret
	}
	for kind := range m.Linked.Kinds {
		for i := range m.Linked.Kinds[kind].Nodes {
			m.Linked.Kinds[kind].Nodes[i].State, m.Linked.Kinds[kind].Nodes[i].Type = hostile.Secret, hostile.Secret
		}
	}
	texts := m.texts(t)
	details.Node = m.Workspace.Shown["output"][0].NodeView
	texts["output"] = (&Context{focus: &details, Relationships: &Relationships{}}).elementText()
	for name, text := range texts {
		if line := hostile.Plain(text); line != "" {
			t.Errorf("%s: %s", name, line)
		}
		if !strings.Contains(text, hostile.Secret) && name != "prompt, preferences" {
			t.Errorf("%s shows nothing of others", name)
		}
	}
}
