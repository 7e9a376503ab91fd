package e2e

import (
	"fmt"
	"strings"
	"testing"

	"kith/exchange"
	"kith/tests/testenv"
)

// namedFacts are names of relationships of which many have no letters a to z, and some differ in little.
var namedFacts = []string{
	"居住于", "工作于", "出生于", "живёт в", "работает в", "سكن", "ζει", "살다", "住む", "में रहता है", "Knows", "knows", "knows!", "knows?", "Größe", "Grosse",
	"part_of", "contains in", "mentions", "has_message",
}

// graphitiFile returns a file in which two persons of one name have each of the facts, and the first has one of them twice.
func graphitiFile(names []string) string {
	nodes, edges := []string{`{"uuid":"n-1","name":"Kim Vey","labels":["Person"]}`, `{"uuid":"n-2","name":"Kim Vey","labels":["Person"]}`, `{"uuid":"n-3","name":"Tolm"}`}, []string{}
	for person := 1; person <= 2; person++ {
		for i, name := range names {
			edges = append(edges, fmt.Sprintf(`{"uuid":"e-%d-%d","source_node_uuid":"n-%d","target_node_uuid":"n-3","name":%q,"fact":"fact %d of %d"}`, person, i, person, name, i, person))
		}
	}
	edges = append(edges, fmt.Sprintf(`{"uuid":"e-again","source_node_uuid":"n-1","target_node_uuid":"n-3","name":%q,"fact":"fact again"}`, names[0]))
	return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

// Every fact of a file is a relationship of its own, of the right person, whatever its name. Importing the file again changes nothing, and
// an export has it all.
func TestEveryFactIsImported(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write"))
	names := namedFacts
	for i := range 60 {
		names = append(names, fmt.Sprintf("RELATION_%c%c", 'A'+i/26, 'A'+i%26))
	}
	file := graphitiFile(names)
	want := counted(int64(2*len(names)+1), 0, 0, 0)
	dry := c.importComplete(t, file, "format", "graphiti", "dry_run", "true")
	report := c.importComplete(t, file, "format", "graphiti")
	if report.Relationships != want || dry.Relationships != want || report.Nodes != counted(3, 0, 0, 0) {
		t.Errorf("%+v %+v, dry run %+v; %+v", report.Nodes, report.Relationships, dry.Relationships, report.Warnings)
	}
	if len(report.Warnings) != 1 || report.Warnings[0].Location != "nodes[1].name" || !strings.Contains(report.Warnings[0].Message, "nodes[0]") {
		t.Errorf("warnings: %+v", report.Warnings)
	}
	again := c.importComplete(t, file, "format", "graphiti")
	if again.Relationships != counted(0, 0, want.Created, 0) || again.Nodes != counted(0, 0, 3, 0) {
		t.Errorf("again: %+v %+v", again.Nodes, again.Relationships)
	}
	export := c.exported(t)
	for person := 1; person <= 2; person++ {
		from := exchange.EntityKey("graphiti", "", fmt.Sprint("n-", person))
		for i := range names {
			if n := strings.Count(export, fmt.Sprintf(`"description":"fact %d of %d"`, i, person)); n != 1 {
				t.Errorf("fact %d of %d is there %d times", i, person, n)
			}
		}
		if n := strings.Count(export, `"from":"`+from+`"`) + strings.Count(export, `"to":"`+from+`"`); n < len(names) {
			t.Errorf("%d has %d facts", person, n)
		}
	}
	other := s.team(t)
	other.importComplete(t, export)
	if second := other.exported(t); second != export {
		t.Errorf("the export of the imported export differs")
	}
	if code, out := runCheck(t, "--team", team); code != 0 {
		t.Errorf("check: %s", out)
	}
}

// Relations whose names differ in little are several, also in files without ids.
func TestRelationsOfAllNamesAreKept(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	lines := []string{`{"type":"entity","name":"A","entityType":"x","observations":[]}`, `{"type":"entity","name":"B","entityType":"x","observations":[]}`}
	for _, name := range namedFacts {
		lines = append(lines, fmt.Sprintf(`{"type":"relation","from":"A","to":"B","relationType":%q}`, name))
	}
	for _, format := range [][2]string{{"mcp-memory", strings.Join(lines, "\n")}, {"mem0", mem0Relations(namedFacts)}} {
		report := c.importComplete(t, format[1], "format", format[0], "user_id", format[0])
		again := c.importComplete(t, format[1], "format", format[0], "user_id", format[0])
		all := int64(len(namedFacts))
		if report.Relationships != counted(all, 0, 0, 0) || again.Relationships != counted(0, 0, all, 0) {
			t.Errorf("%s: %+v, again %+v", format[0], report.Relationships, again.Relationships)
		}
	}
}

func mem0Relations(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"source":"A","relationship":%q,"target":"B"}`, name))
	}
	return `{"results":[],"relations":[` + strings.Join(all, ",") + `]}`
}

// The tools of the reference memory server store relations of all names between two entities, in any number of types, and read them back.
func TestRelationsOfAllNamesAreCreated(t *testing.T) {
	t.Parallel()
	a := startMCP(t, append(settings(testenv.Neo4j(t), ""), "KITH_TEAM="+testenv.Team(t), "KITH_MCP_COMPAT=memory"))
	a.call(t, "create_entities", `{"entities":[{"name":"A","entityType":"x","observations":[]},{"name":"B","entityType":"x","observations":[]}]}`)
	names := namedFacts
	for i := range 40 {
		names = append(names, fmt.Sprintf("type %c%c", 'A'+i/26, 'A'+i%26))
	}
	var relations []string
	for _, name := range names {
		relations = append(relations, fmt.Sprintf(`{"from":"A","to":"B","relationType":%q}`, name))
	}
	for _, some := range [][]string{relations[:3], relations, relations} { // what is there already stays as it is
		if text, _ := a.call(t, "create_relations", `{"relations":[`+strings.Join(some, ",")+`]}`); strings.HasPrefix(text, "error") {
			t.Fatal(text)
		}
	}
	_, graph := a.call(t, "read_graph", `{}`)
	all, _ := graph["relations"].([]any)
	found := map[any]int{}
	for _, r := range all {
		relation, _ := r.(map[string]any)
		if relation["from"] != "A" || relation["to"] != "B" {
			t.Errorf("relation %v", relation)
		}
		found[relation["relationType"]]++
	}
	for _, name := range names {
		if found[name] != 1 {
			t.Errorf("%q is there %d times", name, found[name])
		}
	}
}
