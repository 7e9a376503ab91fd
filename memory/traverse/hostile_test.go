package traverse

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/tests/hostile"
)

// stored are walks with a text in every place.
func stored(texts []string) map[string]string {
	ada := Node{EntityKey: "p-ada", NodeType: "Person", Name: "Ada", Description: "builds boats", UpdatedAt: time.Now(), Notes: []string{"sings"}}
	boat := Node{EntityKey: "c-boat", NodeType: "Concept", Name: "Boat", Description: "a yawl"}
	link := Relationship{From: "p-ada", To: "c-boat", Type: "knows", RelationshipType: "owns it", Description: "for years"}
	rows := &Rows{Mode: Neighbors, Message: "there is more", Rows: []Row{{Node: boat, Relationship: &link, Hops: 1}, {Node: boat, Relationship: &link, Hops: 2}, {Node: ada}}}
	paths := &Paths{Message: "there is more", Paths: []Way{{Nodes: []Node{ada, boat, ada}, Relationships: []Relationship{link, link}}}}
	table := &Table{Records: Records{Columns: []string{"name", "tags"}, Rows: [][]json.RawMessage{
		{json.RawMessage(`"Ada"`), json.RawMessage(`["a","b"]`)}, {json.RawMessage(`{"k":"v"}`), json.RawMessage(`1`)},
	}}}
	all := map[string]string{}
	for name, one := range map[string]Result{"rows": rows, "paths": paths, "table": table} {
		switch v := one.(type) {
		case *Rows:
			hostile.Fill(v, texts)
		case *Paths:
			hostile.Fill(v, texts)
		case *Table:
			hostile.Fill(v, texts)
		}
		all[name] = one.Text()
	}
	return all
}

var escaped = regexp.MustCompile(`\\.`)

// Whatever is stored, lines begin as they do with harmless texts, tables have as many cells, and nothing is there that is not seen.
func TestNothingStoredBeginsALine(t *testing.T) {
	t.Parallel()
	harmless := stored(hostile.Harmless)
	rapid.Check(t, func(t *rapid.T) {
		for name, got := range stored(hostile.Texts().Draw(t, "texts")) {
			if fault := hostile.Differs(harmless[name], got); fault != "" {
				t.Errorf("%s: %s\n%s", name, fault, got)
			}
			if name == "table" && strings.Count(escaped.ReplaceAllString(got, ""), "|") != strings.Count(harmless[name], "|") {
				t.Errorf("other cells\n%s", got)
			}
		}
	})
}

// What is hardly believed stands in quotation marks.
func TestWhatIsHardlyBelievedIsQuoted(t *testing.T) {
	t.Parallel()
	ada, boat := Node{EntityKey: "p", Name: "Ada", Description: "builds boats", Notes: []string{"sings"}}, Node{EntityKey: "c", Name: "Boat"}
	link := Relationship{From: "p", To: "c", Type: "knows", RelationshipType: "owns it", Description: "for years"}
	rows := &Rows{Mode: Neighbors, Rows: []Row{{Node: boat, Relationship: &link, Hops: 2}, {Node: ada}}}
	paths := &Paths{Paths: []Way{{Nodes: []Node{ada, boat}, Relationships: []Relationship{link}}}}
	hostile.Distrust(rows, "Name", "Description", "Notes", "RelationshipType")
	hostile.Distrust(paths, "Name", "RelationshipType")
	noted := &Rows{Mode: Neighbors, Rows: []Row{{Node: Node{EntityKey: "p", Name: "Ada", Notes: []string{hostile.Secret}}}}}
	hostile.Distrust(&noted.Rows[0].Node.Noted) // of a believed node
	for _, text := range []string{rows.Text(), paths.Text(), noted.Text()} {
		if line := hostile.Plain(text); line != "" || !strings.Contains(text, hostile.Secret) {
			t.Errorf("%q in %s", line, text)
		}
	}
}
