package traverse

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
)

func given[T any](v T) graph.Optional[T] { return graph.Optional[T]{Given: true, Value: v} }

// harbour is a memory whose texts have all that could break a line or a table.
func harbour() *fake {
	f := newFake()
	ada := f.node("person", "p-ada", 1)
	ada.Name = "Ada\n# Lind"
	boat := f.node("concept", "c-boat", 1)
	boat.Name, boat.Description, boat.UpdatedAt = "The  | boat", "a yawl\nof 1912", time.Date(2026, 4, 30, 23, 59, 0, 0, time.UTC)
	boat.Notes = []graph.Note{{Content: "needs\tpaint"}, {Content: "is sold"}}
	f.node("entity", "e-quay", 0.5)
	f.link("p-ada", "thinks_about", "c-boat", 0.5)
	f.link("e-quay", "involves", "c-boat", 0.5)
	return f
}

func TestTexts(t *testing.T) {
	t.Parallel()
	table := Records{Columns: []string{"a|b", "c"}, Truncated: true, Rows: [][]json.RawMessage{
		{json.RawMessage(`"x | y\n\\z"`), json.RawMessage(`null`)},
		{json.RawMessage(`"2026-04-30T23:59:00.123Z"`), json.RawMessage(`1.5`)},
		{json.RawMessage(`["a|b",true]`), json.RawMessage(`{"at":"x"}`)},
	}}
	for what, c := range map[string]struct {
		r    Request
		want string
	}{
		"neighbors": {
			Request{Mode: Neighbors, EntityKey: "p-ada", Direction: both, MaxHops: 2},
			"# Neighbors\n" +
				"- —thinks_about→ **The | boat** (Concept, c-boat, 2026-04-30): a yawl of 1912; note: needs paint; note: is sold; relationship: p-ada to c-boat\n" +
				"- c-boat ←involves— **E-QUAY** (Entity, e-quay); relationship: e-quay to c-boat (2 steps away)\n",
		},
		"no neighbors": {
			Request{Mode: Neighbors, EntityKey: "c-boat"},
			"# Neighbors\n\n_no linked node matches: try direction both, or more hops_\n",
		},
		"path": {
			Request{Mode: Path, From: "p-ada", To: "e-quay"},
			"# Paths\n- Ada # Lind —thinks_about→ The | boat ←involves— E-QUAY\n",
		},
		"no path": {
			Request{Mode: Path, From: "p-ada", To: "e-quay", MaxHops: 1},
			"# Paths\n\n_there is no path of at most 1 relationships_\n",
		},
		"ppr": {
			Request{Mode: PPR, SeedNodes: []string{"e-quay"}},
			"# Close to the seeds\n" +
				"- **The | boat** (Concept, c-boat, 2026-04-30): a yawl of 1912; note: needs paint; note: is sold\n" +
				"- **Ada # Lind** (Person, p-ada) (2 steps away)\n",
		},
		"cypher": {
			Request{Mode: Cypher, Cypher: "x"},
			"| a\\|b | c |\n| --- | --- |\n" +
				"| x \\| y \\z |  |\n" +
				"| 2026-04-30 | 1.5 |\n" +
				"| [\"a\\|b\",true] | {\"at\":\"x\"} |\n" +
				"\n_the result is too large: ask for fewer rows or properties, or continue with SKIP_\n",
		},
	} {
		f := harbour()
		f.table = func(string, map[string]any) (Records, graph.Recall) { return table, graph.Recall{} }
		result, _, err := ask(f, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, result.Text()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// A relationship is called what its caller calls it.
func TestOwnWordsOfRelationships(t *testing.T) {
	t.Parallel()
	r := &Rows{Mode: Neighbors, Rows: []Row{{
		Hops: 1, Relationship: &Relationship{From: "a", To: "b", Type: "relates_to", RelationshipType: "rival\nof"}, Node: Node{EntityKey: "b", NodeType: "Person", Name: "B"},
	}}}
	if got := r.Text(); got != "# Neighbors\n- —rival of→ **B** (Person, b)\n" {
		t.Errorf("got %q", got)
	}
}

// A node without a name, as sources may be, is called by its kind.
func TestTextsOfNodesWithoutAName(t *testing.T) {
	t.Parallel()
	source := Node{EntityKey: "s", NodeType: "Source", Description: "Talked"}
	mentions := Relationship{From: "s", To: "b", Type: "mentions"}
	rows := &Rows{Mode: Neighbors, Rows: []Row{{Hops: 1, Relationship: &mentions, Node: source}}}
	if got := rows.Text(); got != "# Neighbors\n- ←mentions— **Source** (Source, s): Talked\n" {
		t.Errorf("got %q", got)
	}
	paths := &Paths{Paths: []Way{{Nodes: []Node{source, {EntityKey: "b", NodeType: "Person", Name: "B"}}, Relationships: []Relationship{mentions}}}}
	if got := paths.Text(); got != "# Paths\n- Source s —mentions→ B\n" {
		t.Errorf("got %q", got)
	}
}

// A text comes in 200 characters, each as a whole, and in full where that is asked for.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "é", "👍"} {
		for _, length := range []int{0, 199, 200, 201, 5000} {
			text := strings.Repeat(one, length)
			want := text
			if length > 200 {
				want = strings.Repeat(one, 200) + "..."
			}
			f := newFake()
			f.node("concept", "a", 1)
			n := f.node("concept", "b", 1)
			n.Name, n.Description, n.Notes = text, text, []graph.Note{{Content: text}}
			f.link("a", "relates_to", "b", 1)
			for _, verbose := range []bool{false, true} {
				if verbose {
					want = text
				}
				got := rows(t, f, Request{Mode: Neighbors, EntityKey: "a", Verbose: verbose}).Rows[0].Node
				if got.Name != want || got.Description != want || got.Notes[0] != want {
					t.Errorf("%d of %s, verbose %t: %.20s... of %d bytes", length, one, verbose, got.Description, len(got.Description))
				}
			}
		}
	}
	r := &Request{}
	if got := r.relationship(&graph.RelationshipView{Description: strings.Repeat("é", 201)}).Description; got != strings.Repeat("é", 200)+"..." {
		t.Errorf("a relationship: %s", got)
	}
}

// A source, message or goal is described by its summary or text.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]graph.NodeView{
		"its own":  {Node: graph.Node{Description: "its own"}, OwnFields: &graph.OwnFields{Summary: given("not this")}},
		"summary":  {OwnFields: &graph.OwnFields{Summary: given("summary")}},
		"said":     {OwnFields: &graph.OwnFields{Text: given("said")}},
		"content":  {OwnFields: &graph.OwnFields{Content: given("content")}},
		"the goal": {OwnFields: &graph.OwnFields{Goal: given("the goal")}},
		"":         {OwnFields: &graph.OwnFields{}},
	} {
		n.Kind = "source"
		if got := (&Request{}).node(&n); got.Description != want || got.NodeType != "Source" {
			t.Errorf("%q: %+v", want, got)
		}
	}
}

func TestNotesAreFew(t *testing.T) {
	t.Parallel()
	n := graph.NodeView{Kind: "concept"}
	for i := range 12 {
		n.Notes = append(n.Notes, graph.Note{Content: fmt.Sprint(i)})
	}
	if got := strings.Join((&Request{Verbose: true}).node(&n).Notes, " "); got != "0 1 2 3 4 5 6 7 8 9" {
		t.Errorf("got %s", got)
	}
}

// Times within lists and maps are as those beside them.
func TestTimesWithinLists(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"2026-04-30T23:59:00+14:00"`:                    "2026-04-30",
		`"2026-04-30"`:                                   "2026-04-30",
		`["2026-04-30T23:59:00Z","x"]`:                   `["2026-04-30","x"]`,
		`{"at":"2026-04-30T23:59:00Z","b":[1,0.5,null]}`: `{"at":"2026-04-30","b":[1,0.5,null]}`,
		`{"b":1,"a":9007199254740993,"c":"<&>"}`:         `{"b":1,"a":9007199254740993,"c":"<&>"}`,
	} {
		if got := plain(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
