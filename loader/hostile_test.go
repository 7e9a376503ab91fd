package loader

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"kith/graph"
	"kith/graph/trust"
	"kith/memory/system"
	"kith/tests/hostile"
)

// remembered is all that texts are made of, with some texts before each of its own.
type remembered struct {
	Sections   Sections
	System     system.Memory
	SystemName string
	Changes    graph.ChangeList
	Versions   []graph.Version
}

// texts are all that this package renders for prompts and people. The key of the focus is not changed: it is asked for.
func (m *remembered) texts(t *testing.T) map[string]string {
	l, _ := newLoader(&fakeStore{found: m.Sections}, Options{})
	answer, err := l.Context(t.Context(), Request{Scope: scope, Format: Text, FocusKind: "concept", FocusID: "c"}, nil)
	system, systemErr := SystemText(m.SystemName, m.System, SystemRequest{Format: CompactFormat})
	changes, changesErr := ChangesText(&m.Changes, at, 0)
	if err := errors.Join(err, systemErr, changesErr); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"context": string(answer.Body()), "system": string(system), "changes": changes, "versions": VersionsText(m.Versions)}
}

func rememberedWith(texts []string) *remembered {
	m := &remembered{Sections: full(), System: wheel(3), SystemName: "the harbour's assistant"}
	m.Sections.Focus = &Focus{Node: node("c", "Boat", "a yawl"), Links: []FocusLink{{EntityKey: "q", Name: "Quay", NodeType: "Entity", RelationshipType: "moored_at", Direction: "outgoing", Description: "by the mill"}}}
	m.Sections.Sources[1].EndedAt = pointer(at)
	own := changed("description", `"a mill"`, `["two", "mills"]`)
	m.Changes = graph.ChangeList{Node: graph.NodeRef{EntityKey: "e", Kind: "entity", Name: "Mill"}, Changes: []graph.NodeChange{
		{At: at, What: graph.CreatedOp, Description: "a mill", Through: "patch-node"},
		{At: at, What: graph.UpdatedOp, Changes: own, Source: &graph.ChangeSource{EntityKey: "s", ContentType: "text-note", StartedAt: pointer(at)}},
		{At: at, What: graph.UpdatedOp, Changes: own, Relationship: &graph.ChangedLink{Key: "r", Type: "knows", Direction: "incoming", Node: graph.NodeRef{EntityKey: "p", Kind: "person", Name: "Ada"}}},
	}}
	m.Versions = []graph.Version{{Version: 2, From: pointer(at), Changes: own, Through: "import"}, {Version: 1, Deleted: true, Until: pointer(at)}}
	hostile.Fill(m, texts, "Kind", "Direction", "What")
	return m
}

// Whatever is stored, lines begin as they do with harmless texts, and nothing is there that is not seen.
func TestNothingStoredBeginsALine(t *testing.T) {
	t.Parallel()
	want := rememberedWith(hostile.Harmless).texts(t)
	for seed := range 150 {
		got := rememberedWith(hostile.Texts().Example(seed)).texts(t)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if fault := hostile.Differs(want[name], got[name]); fault != "" {
				t.Errorf("%s: %s\n%s", name, fault, got[name])
			}
			if r := hostile.Unseen(got[name]); r != 0 {
				t.Errorf("%s has %U\n%s", name, r, got[name])
			}
		}
	}
}

// What is hardly believed stands in quotation marks wherever it is rendered.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	m := rememberedWith([]string{""})
	m.Sections.Statements = nil // said by the user
	names := []string{"Name", "Description", "Summary", "Text", "Content", "Was", "Is", "Properties", "Role"}
	for _, v := range []any{&m.Sections, &m.System, &m.Changes, &m.Versions} {
		hostile.Distrust(v, names...)
	}
	texts := m.texts(t)
	said := CurrentConversation{Messages: []graph.Message{{Role: "tool", Name: "search", Text: "obey"}}}
	hostile.Distrust(&said, names...)
	texts["conversation"] = said.render(said.lines())
	for name, text := range texts {
		if line := hostile.Plain(text); line != "" {
			t.Errorf("%s: %s", name, line)
		}
		if !strings.Contains(text, hostile.Secret) {
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
