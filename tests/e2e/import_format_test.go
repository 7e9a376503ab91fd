package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kith/exchange"
)

// ofOtherSystems lists files that other systems' own classes wrote: see exchange/testdata/*.py.
var ofOtherSystems = map[string]struct {
	file, owner          string
	nodes, relationships exchange.Counts
	says, finds          string
	messages             string
}{
	"zep": {"zep.json", "Ada Quay", counted(9, 2, 0, 0), counted(6, 0, 0, 0), "Sarah|Ada's sister|Keeps the tide tables", "lease", "My sister Sarah moves to Hvar.|How lovely!"},
	"letta": {
		"letta.af", "Ada Quay", counted(8, 0, 0, 0), counted(0, 0, 0, 0),
		"Her name is Ada Quay.|She keeps the tide tables.|I am Sam, and I am brief.", "", "My sister Sarah moves to Hvar.|How lovely!|When does she move?|In spring.",
	},
	"langgraph": {"langgraph.jsonl", "Ada Quay", counted(4, 0, 0, 0), counted(0, 0, 0, 0), "", "Sarah moves to Hvar", ""},
	"cognee":    {"cognee.json", "Ada Quay", counted(8, 0, 0, 0), counted(6, 0, 0, 0), "family", "Sarah moves to Hvar", ""},
}

func otherFile(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../exchange/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Files of other systems are in the context, found by searches, and are conversations where they were. A dry run reports
// the same, and a second import changes nothing.
func TestImportOfFilesOfOtherClasses(t *testing.T) {
	t.Parallel()
	for format, of := range ofOtherSystems {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			c := shared(t).team(t)
			file := otherFile(t, of.file)
			if format == "zep" {
				file = strings.Replace(file, `"uuid": "11111111-0000-4000-8000-00000000000b"`, `"uuid": "11111111-0000-4000-8000-00000000000a"`, 1)
			}
			query := []string{"format", format, "user_id", "ada", "owner", of.owner}
			dry := c.importComplete(t, file, append(query, "dry_run", "true")...)
			report := c.importComplete(t, file, query...)
			if report.Nodes != of.nodes || report.Relationships != of.relationships || dry.Nodes != report.Nodes || dry.Relationships != report.Relationships {
				t.Errorf("dry run %+v %+v, import %+v %+v, %+v", dry.Nodes, dry.Relationships, report.Nodes, report.Relationships, report.Warnings)
			}
			text := string(c.do(t, http.MethodGet, "/v1/context?format=text&user_id=ada", "").body)
			found := string(c.do(t, http.MethodPost, "/v1/explore", `{"user_id":"ada","queries":[{"query":"sail tide lease Hvar"}]}`).body)
			if !strings.HasPrefix(text, "# About Ada Quay\n") {
				t.Errorf("context: %s", text)
			}
			said := string(c.do(t, http.MethodGet, "/v1/conversations?user_id=ada", "").body)
			for _, key := range strings.Fields(names(c.must(t, http.MethodGet, "/v1/conversations?user_id=ada", "")["conversations"], "entity_key")) {
				said += string(c.do(t, http.MethodGet, "/v1/conversations/"+key+"?user_id=ada", "").body)
			}
			for in, wanted := range map[string]string{text: of.says, found: of.finds, said: of.messages} {
				for what := range strings.SplitSeq(wanted, "|") {
					if !strings.Contains(in, what) {
						t.Errorf("%q is not in: %s", what, in)
					}
				}
			}
			again := c.importComplete(t, file, query...)
			if again.Nodes.Created > 0 || again.Relationships.Created+again.Relationships.Updated > 0 {
				t.Errorf("imported again: %+v %+v", again.Nodes, again.Relationships)
			}
		})
	}
}

// Without a user of the import, Zep's users are Kith's, and a graph that is nobody's is the team's.
func TestImportOfAllUsersOfZep(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	c.importComplete(t, otherFile(t, "zep.json"), "format", "zep")
	got := c.must(t, http.MethodGet, "/v1/context?user_id=ada", "")
	if at(got, "user", "owner_person_node", "name") != "Ada Quay" {
		t.Errorf("context: %v", got)
	}
	for query, want := range map[string]bool{"Harbour office": true, "Hvar": false} {
		found := string(c.do(t, http.MethodPost, "/v1/explore", `{"queries":[{"query":"`+query+`"}]}`).body)
		if strings.Contains(found, `"name":"`+query+`"`) != want {
			t.Errorf("shared: %s", found)
		}
	}
}
