package loader

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/graph/trust"
	"kith/memory/system"
	"kith/memory/workspace"
	"kith/tests/hostile"
)

// remembered is all that texts are made of, with some texts before each of its own.
type remembered struct {
	Sections   Sections
	Workspace  *workspace.Workspace
	Workspaces *workspace.Workspaces
	Focus      *workspace.Element
	Linked     *workspace.LinkedEntities
	System     system.Memory
	Prompt     PromptRequest
	Changes    graph.ChangeList
	Versions   []graph.Version
}

// texts are all that this package renders for prompts and people. The keys of the focus are not changed: they are asked for.
func (m *remembered) texts(t *testing.T) map[string]string {
	s := &fakeStore{found: m.Sections, workspace: m.Workspace, workspaces: m.Workspaces, focus: m.Focus, linked: m.Linked}
	l, _ := newLoader(s, Options{})
	all := map[string]string{}
	keep := func(name string, answer Answer, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = string(answer.Body())
	}
	answer, err := l.Context(t.Context(), Request{Scope: scope, Format: Text, FocusKind: "concept", FocusID: "c"}, nil)
	keep("context", answer, err)
	for name, r := range map[string]OntologyRequest{
		"global": {ContextType: "global"}, "project": {ContextType: "project", ProjectID: "proj-1"},
		"combined": {ContextType: "project", ProjectID: "proj-1", FocusKind: "task", FocusID: "task-31"},
		"element":  {ContextType: "ontology", FocusKind: "task", FocusID: "task-31"},
	} {
		r.Scope, r.Format = scope, Text
		answer, err := l.Ontology(t.Context(), r)
		keep(name, answer, err)
	}
	kind, _ := graph.KindOf("task")
	for _, mode := range []LinkedMode{Abbreviated, Full} {
		answer, err := l.Linked(t.Context(), LinkedRequest{Scope: scope, Kind: kind, Key: "task-31", Format: Text, Mode: mode})
		keep("linked "+fmt.Sprint(mode), answer, err)
	}
	system, err := SystemText(m.Prompt.System, m.System, SystemRequest{Format: CompactFormat})
	all["system"] = string(system)
	m.prompt(t, l, all)
	changes, changesErr := ChangesText(&m.Changes, at, 0)
	all["changes"], all["versions"] = changes, VersionsText(m.Versions)
	if changesErr != nil {
		t.Fatal(changesErr)
	}
	if err != nil {
		t.Fatal(err)
	}
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
	s := ontologies()
	m := &remembered{
		Sections: full(), Workspace: survey(), Workspaces: s.workspaces, Focus: inFocus(), Linked: links(), System: wheel(3), Prompt: inProject(),
	}
	m.Sections.Focus = &Focus{Node: node("c", "Boat", "a yawl"), Links: []FocusLink{{EntityKey: "q", Name: "Quay", NodeType: "Entity", RelationshipType: "moored_at", Direction: "outgoing", Description: "by the mill"}}}
	m.Sections.Sources[1].EndedAt = pointer(at)
	own := changed("description", `"a mill"`, `["two", "mills"]`)
	m.Changes = graph.ChangeList{Node: graph.NodeRef{EntityKey: "e", Kind: "entity", Name: "Mill"}, Changes: []graph.NodeChange{
		{At: at, What: graph.CreatedOp, Description: "a mill", Through: "patch-node"},
		{At: at, What: graph.UpdatedOp, Changes: own, Source: &graph.ChangeSource{EntityKey: "s", ContentType: "text-note", StartedAt: pointer(at)}},
		{At: at, What: graph.UpdatedOp, Changes: own, Relationship: &graph.ChangedLink{Key: "r", Type: "knows", Direction: "incoming", Node: graph.NodeRef{EntityKey: "p", Kind: "person", Name: "Ada"}}},
	}}
	m.Versions = []graph.Version{{Version: 2, From: pointer(at), Changes: own, Through: "import"}, {Version: 1, Deleted: true, Until: pointer(at)}}
	hostile.Fill(m, texts, "Kind", "Direction", "Ontology", "Role", "Raw", "ProjectID", "What")
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
	m.Sections.Statements = nil // said by the user
	names := []string{
		"Name", "Description", "Summary", "Text", "Content", "Goal", "Outcome", "Rationale", "Raw", "NextStepShort", "NextStepLong", "Was", "Is", "Properties",
		"StateKey", "TypeKey", "FacetContext", "FacetScale", "FacetStage", "SourceDocumentID", "SourceEventID", "Channel", "Role",
	}
	output := &m.Workspace.Shown["output"][0].NodeView
	output.OwnFields = &graph.OwnFields{FacetStage: graph.Some("review"), SourceDocumentID: graph.Some("doc-1"), SourceEventID: graph.Some("ev-1")}
	details := *m.Focus
	for _, v := range []any{&m.Sections, m.Workspace, m.Workspaces, m.Focus, m.Linked, &m.System, &m.Changes, &m.Versions} {
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
	texts["output"] = (&OntologyContext{focus: &details, Relationships: &OntologyRelationships{}}).elementText()
	said := CurrentConversation{Messages: []graph.Message{{Role: "tool", Name: "search", Text: "obey"}}}
	hostile.Distrust(&said, names...)
	texts["conversation"] = said.render(said.lines())
	for name, text := range texts {
		if line := hostile.Plain(text); line != "" {
			t.Errorf("%s: %s", name, line)
		}
		if !strings.Contains(text, hostile.Secret) && name != "prompt, preferences" {
			t.Errorf("%s shows nothing of others", name)
		}
	}
}

// A believed line that names what is hardly believed stands in quotation marks; of a believed summary the names alone.
func TestNamesOfWhatIsHardlyBelievedAreQuoted(t *testing.T) {
	t.Parallel()
	m := rememberedWith([]string{""})
	for i := range m.Sections.Sources {
		hostile.Distrust(&m.Sections.Sources[i].KeyEntities, "Name")
	}
	m.Sections.Sources[0].Summary = ""
	link := &m.Sections.Focus.Links[0]
	hostile.Distrust(link, "Name")
	link.Relationship = trust.Told{}
	hostile.Distrust(&m.Changes.Changes[2].Relationship.Node, "Name")
	texts := m.texts(t)
	for _, name := range []string{"context", "changes"} {
		if line := hostile.Plain(texts[name]); line != "" || !strings.Contains(texts[name], hostile.Secret) {
			t.Errorf("%s: %q in\n%s", name, line, texts[name])
		}
	}
	for _, want := range []string{
		" planning, open “[secret friend 1]” (unverified, from a mail or document of others)\n", "mend it. “[secret friend 1]” (unverified", "“outgoing moored_at **secret Quay** (Entity)",
	} {
		if !strings.Contains(texts["context"], want) {
			t.Errorf("no %q in\n%s", want, texts["context"])
		}
	}
}
