package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/graph"
)

// Lines about the same item apply in their order, across batches.
func TestImportTakesLinesInOrder(t *testing.T) {
	t.Parallel()
	s := shared(t)
	lines := []string{
		`{"node":{"kind":"concept","entity_key":"a","name":"A"}}`,
		`{"node":{"kind":"concept","entity_key":"b","name":"B"}}`,
		`{"node":{"kind":"concept","entity_key":"a","name":"A","description":"again"}}`,
		`{"node":{"kind":"concept","entity_key":"a","name":"A","description":"again"}}`,
		`{"relationship":{"from":"a","to":"b","type":"relates_to","valid_from":"2020-01-01T00:00:00Z","description":"first"}}`,
		`{"relationship":{"from":"a","to":"b","type":"relates_to","valid_from":"2020-01-01T00:00:00Z","description":"better"}}`,
		`{"relationship":{"from":"a","to":"b","type":"relates_to","valid_from":"2021-01-01T00:00:00Z","description":"second"}}`,
		`{"relationship":{"from":"a","to":"b","type":"relates_to","valid_from":"2019-01-01T00:00:00Z","valid_to":"2019-06-01T00:00:00Z","description":"before"}}`,
		`{"relationship":{"from":"a","to":"b","type":"relates_to"}}`,
		`{"node":{"kind":"source","entity_key":"s","user_id":"u","started_at":"2026-01-02T00:00:00Z"}}`,
		`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u"}}`,
		`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u"}}`,
		`{"node":{"kind":"message","entity_key":"n","source_key":"s","role":"user","text":"y","user_id":"u"}}`,
		`{"relationship":{"from":"s","to":"a","type":"mentions"}}`,
		`{"relationship":{"from":"s","to":"a","type":"mentions"}}`,
		`{"node":{"kind":"system_entity","name":"N","type":"t","system":"sys","entity_key":"n1"}}`,
		`{"node":{"kind":"system_entity","name":"O","type":"t","system":"sys","entity_key":"n2"}}`,
		`{"preference":{"key":"k","value":1,"user_id":"u"}}`,
		`{"preference":{"key":"k","value":2,"user_id":"u"}}`,
	}
	together, each := s.team(t), s.team(t)
	one := together.importComplete(t, strings.Join(lines, "\n"))
	var sum exchange.Report
	for _, l := range lines {
		r := each.importComplete(t, l)
		sum.Nodes, sum.Relationships, sum.Preferences = added(sum.Nodes, r.Nodes), added(sum.Relationships, r.Relationships), added(sum.Preferences, r.Preferences)
	}
	want := []exchange.Counts{counted(7, 1, 2, 0), counted(4, 1, 2, 0), counted(1, 1, 0, 0)}
	for what, r := range map[string]exchange.Report{"together": one, "each alone": sum} {
		if diff := cmp.Diff(want, []exchange.Counts{r.Nodes, r.Relationships, r.Preferences}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	sameMemories(t, together, each)
	page := together.must(t, http.MethodGet, "/v1/conversations/s?user_id=u", "")
	if got := names(page["messages"], "seq"); got != "0 1" {
		t.Errorf("numbers of the messages: %s", got)
	}
	if got := at(together.must(t, http.MethodGet, "/v1/nodes/concept/a", ""), "source_count"); got != nil {
		t.Errorf("a shared node tells of %v private sources", got)
	}
	if got := names(at(together.must(t, http.MethodGet, "/v1/systems/sys/entities", ""), "entities"), "name"); got != "N O" {
		t.Errorf("entities of the system: %s", got)
	}
}

// Renumbered messages keep the order of their times, whatever their keys.
func TestImportKeepsTheOrderOfMessages(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	said := func(c caller, keys ...string) {
		for _, key := range keys {
			c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u","entity_key":"s","messages":[{"entity_key":"`+key+`","role":"user","text":"x"}]}`)
		}
	}
	said(from, "mz", "mm", "ma", "mb")
	said(to, "m0", "m1", "m2", "m3")
	to.must(t, http.MethodDelete, "/v1/nodes/message/m1?user_id=u", "") // whose number is free
	file := from.exported(t)
	file = file[:strings.LastIndex(file, `{"end"`)]
	to.importComplete(t, file+`{"node":{"kind":"message","entity_key":"mc","source_key":"s","role":"user","text":"x","user_id":"u"}}`)
	page := to.must(t, http.MethodGet, "/v1/conversations/s?user_id=u", "")
	if got := names(page["messages"], "entity_key"); got != "m0 m2 m3 mz mm ma mb mc" {
		t.Errorf("messages: %s", got)
	}
}

// Items beyond the limit of a system are refused with their lines, and the rest is stored. A dry run reports the same.
func TestImportOfALargeSystem(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for name, seq := range map[string]string{"numbered": `"seq":%d,`, "not numbered": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.team(t)
			var body strings.Builder
			line := func(n int) {
				number := seq
				if seq != "" {
					number = fmt.Sprintf(seq, n)
				}
				_, _ = fmt.Fprintf(&body, `{"node":{"kind":"system_entity","entity_key":"e%d","system":"x",%s"name":"n%[1]d","type":"t","user_id":null}}`+"\n", n, number)
			}
			for n := range graph.MaxSystemItems - 1 {
				line(n)
			}
			body.WriteString(`{"relationship":{"from":"e0","to":"e1","type":"system_relationship","relationship_type":"a","history":{"system":"x","seq":20000}}}
{"relationship":{"from":"e1","to":"e0","type":"system_relationship","relationship_type":"a","history":{"system":"x","seq":20001}}}` + "\n") // 10,001
			line(graph.MaxSystemItems) // 10,002
			line(graph.MaxSystemItems) // 10,003
			body.WriteString(`{"node":{"kind":"concept","entity_key":"behind","name":"B","user_id":"u"}}
{"relationship":{"from":"e0","to":"e10000","type":"relates_to"}}`) // 10,005
			dry, _ := c.imported(t, body.String(), "dry_run", "true")
			report, status := c.imported(t, body.String())
			var got []string
			for _, r := range report.Refused {
				got = append(got, fmt.Sprintf("%d %s", r.Line, r.Location))
			}
			if diff := cmp.Diff([]string{"10001 history.system", "10002 system", "10003 system", "10005 to"}, got); diff != "" || status != http.StatusOK {
				t.Errorf("%d, refused (-want +got):\n%s", status, diff)
			}
			if diff := cmp.Diff([]exchange.Counts{counted(10000, 0, 0, 2), counted(1, 0, 0, 2)}, []exchange.Counts{report.Nodes, report.Relationships}); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			sameDryRun(t, report, dry)
			all := c.must(t, http.MethodGet, "/v1/systems/x/memory", "")
			if entities, relationships := len(all["entities"].([]any)), len(all["relationships"].([]any)); entities != 9999 || relationships != 1 {
				t.Errorf("%d entities and %d relationships", entities, relationships)
			}
		})
	}
}

func bySort(lines []string) []string {
	slices.Sort(lines)
	return lines
}
