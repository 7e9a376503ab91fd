package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/tests/testenv"
)

// Each fault is reported with its line and location, and the other lines are stored.
func TestImportRefusesWithPlace(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	type line struct{ text, at, message string } // at and message: of what is refused; empty: taken
	lines := []line{
		{`{"node":{"kind":"concept","entity_key":"a","name":"A","user_id":"u1"}}`, "", ""},
		{`{"node":{"kind":"concept","entity_key":"b","name":"B","user_id":"u1"}}`, "", ""},
		{`{"node":{"kind":"concept","entity_key":"other-team","name":"X","user_id":"u1","team_id":"elsewhere"}}`, "team_id", "must be the team of the key"},
		{`{"node":{"kind":"concept","entity_key":"u2","name":"X","user_id":"u2"}}`, "user_id", "must be the user that the import is for"},
		{`{"node":{"kind":"concept","entity_key":"x","name":"X","colour":"red"}}`, "colour", "unknown field"},
		{`{"node":{"kind":"concept","entity_key":"x","name":"X","salience":"much"}}`, "salience", "must be a number"},
		{`{"node":{"kind":"concept","entity_key":"x","name":7}}`, "name", "must be a string"},
		{`{"node":{"kind":"task","entity_key":"x","title":"X","priority":"high"}}`, "priority", "must be a number"},
		{`{"node":{"kind":"concept","entity_key":"x","name":"X","history":{"version":"1"}}}`, "history.version", "must be a number"},
		{`{"node":{"kind":"concept","entity_key":"x","name":"X","salience":2}}`, "salience", "from 0 to 1"},
		{`{"node":{"kind":"ship","entity_key":"x","name":"X"}}`, "kind", "must be one of"},
		{`{"node":{"kind":"concept","entity_key":"x","name":"X","if_version":3}}`, "if_version", "import"},
		{`{"node":{"kind":"concept","entity_key":"c","name":"C","user_id":"u1"}}`, "", ""},
		{`{"node":{"kind":"concept","entity_key":"a too","name":"A","user_id":"u1"}}`, "", ""},
		{`{"relationship":{"from":"a","to":"a","type":"relates_to"}}`, "to", "another node"},
		{`{"relationship":{"from":"a","to":"b","type":"relates_to","valid_from":"2021-01-01T00:00:00Z","valid_to":"2020-01-01T00:00:00Z"}}`, "valid_to", "after valid_from"},
		{`{"relationship":{"from":"a","to":"b","type":"Relates To"}}`, "type", "must match"},
		{`{"relationship":{"from":"a","to":"b","type":"contains"}}`, "", ""},
		{`{"relationship":{"from":"b","to":"c","type":"contains"}}`, "", ""},
		{`{"relationship":{"from":"c","to":"a","type":"contains"}}`, "to", "contains from"},
		{`{"relationship":{"from":"a","to":"b","type":"relates_to"}}`, "", ""},
		{`{"node":{"kind":"system_entity","name":"N","type":"t","system":"sys","entity_key":"n1","user_id":null}}`, "", ""},
		{`{"node":{"kind":"system_entity","name":"N","type":"t","system":"sys","entity_key":"n2","user_id":null,"history":{}}}`, "name", "taken by another"},
		{`{"relationship":{"from":"a","to":"late","type":"relates_to"}}`, "to", "no such node"},
		{`{"node":{"kind":"concept","entity_key":"late","name":"Late","user_id":"u1"}}`, "", ""},
		{`{"relationship":{"from":"a","to":"c","type":"relates_to","key":"k1"}}`, "", ""},
		{`{"relationship":{"from":"b","to":"c","type":"involves","key":"k1"}}`, "key", "already in use"},
		{`{"relationship":{"from":"c","to":"a","type":"relates_to","key":"k1"}}`, "key", "already in use"},
		{`{"relationship":{"from":"a","to":"c","type":"relates_to","key":"k1","description":"again"}}`, "", ""},
		{`{"relationship":{"from":"a","to":"a too","type":"relates_to"}}`, "to", "another node"},
		{`{"preference":{"key":"k","value":null}}`, "value", "JSON value"},
		{`{"preference":{"key":"k","value":1,"user_id":"u2"}}`, "user_id", "must be the user that the import is for"},
		{`{"preference":{"key":"k","value":1}}`, "", ""},
		{`{"chat_tree":{"id":"t","created_at":1,"updated_at":1}}`, "", ""},
		{`{"chat_tree":{"id":"t2","user_id":"u2","created_at":1,"updated_at":1}}`, "user_id", "must be the user that the import is for"},
		{`{"chat_tree":{"id":"t3","user_id":null,"context":{"user_id":"u1"},"created_at":1,"updated_at":1}}`, "context.user_id", "private"},
		{`{"chat_turn":{"id":"x","tree_id":"t","parent_id":"y","seq":0,"user_prompt":"x","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "parent_id", "an earlier turn"},
		{`{"chat_turn":{"id":"y","tree_id":"t","parent_id":"x","seq":1,"user_prompt":"y","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "parent_id", "an earlier turn"},
		{`{"chat_turn":{"id":"z","tree_id":"t","parent_id":"z","seq":1,"user_prompt":"z","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "parent_id", "an earlier turn"},
		{`{"chat_turn":{"id":"a","tree_id":"t","seq":1,"user_prompt":"a","status":"complete","assistant_text":"x","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "", ""},
		{`{"chat_turn":{"id":"a","tree_id":"t","seq":1,"user_prompt":"other","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "id", "already in use"},
		{`{"chat_turn":{"id":"b","tree_id":"t2","seq":1,"user_prompt":"b","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "tree_id", "unknown chat tree"},
		{`{"chat_turn":{"id":"d","tree_id":"t","seq":9223372036854775807,"user_prompt":"d","status":"pending","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "seq", "must be from 0"},
		{`{"chat_turn":{"id":"d","tree_id":"t","seq":1,"user_prompt":"d","status":"pending","attempt":9223372036854775807,"prompt_version":"","created_at":1,"updated_at":1}}`, "attempt", "must be from 0"},
		{`{"chat_turn":{"id":"d","tree_id":"t","seq":1,"user_prompt":"d","status":"pending","attempt":0,"prompt_version":"","created_at":1,"updated_at":1}}`, "attempt", "must be 1"},
		{`{"chat_turn":{"id":"c","tree_id":"t","seq":1,"user_prompt":"c","status":"generating","attempt":1,"prompt_version":"","created_at":1,"updated_at":1}}`, "status", "must be one of"},
		{`{"person":{}}`, "", "has a key that is not"},
		{`not json`, "", "not valid JSON"},
		{`{"node":{"kind":"concept","entity_key":"half`, "", "is cut"},
	}
	var body strings.Builder
	var want []string
	for i, l := range lines {
		body.WriteString(l.text)
		if i < len(lines)-1 {
			body.WriteByte('\n')
		}
		if l.message != "" {
			want = append(want, fmt.Sprintf("%d %s", i+1, l.at))
		}
	}
	dry, _ := c.imported(t, body.String(), "user_id", "u1", "dry_run", "true")
	report, status := c.imported(t, body.String(), "user_id", "u1")
	var got []string
	for _, r := range report.Refused {
		got = append(got, fmt.Sprintf("%d %s", r.Line, r.Location))
		if l := lines[r.Line-1]; !strings.Contains(r.Message, l.message) {
			t.Errorf("line %d: %s: %q, want something of %q", r.Line, r.Location, r.Message, l.message)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || status != http.StatusOK {
		t.Errorf("%d, refused (-want +got):\n%s", status, diff)
	}
	if diff := cmp.Diff([]exchange.Counts{counted(5, 0, 1, 11), counted(4, 1, 0, 8), counted(1, 0, 0, 2), counted(1, 0, 0, 2), counted(1, 0, 0, 9)},
		[]exchange.Counts{report.Nodes, report.Relationships, report.Preferences, report.ChatTrees, report.ChatTurns}); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	sameDryRun(t, report, dry)
	if file := c.exported(t); strings.Count(file, "\n") != 2+6+4+1+2 { // with the user's own person
		t.Errorf("stored: %s", file)
	}
	// What is stored counts as well as what the file has.
	report, _ = c.imported(t, `{"relationship":{"from":"b","to":"a","type":"relates_to","key":"k1"}}
{"relationship":{"from":"a","to":"b","type":"thinks_about","key":"k1"}}
{"relationship":{"from":"a","to":"c","type":"relates_to","key":"k1"}}`, "user_id", "u1")
	if diff := cmp.Diff(counted(0, 0, 1, 2), report.Relationships); diff != "" || report.Refused[0].Location != "key" {
		t.Errorf("keys that are stored (-want +got):\n%s%+v", diff, report.Refused)
	}
	strict := s.team(t)
	report, status = strict.imported(t, body.String(), "user_id", "u1", "strict", "true", "import_id", "i")
	if status != http.StatusUnprocessableEntity || report.Complete || len(report.Refused) != 1 || report.Refused[0].Line != 3 || report.Nodes.Created != 2 ||
		report.Stopped != "the import stopped at the first fault: line 3: team_id must be the team of the key" {
		t.Errorf("strict: %d %+v", status, report)
	}
	if again, status := strict.imported(t, body.String(), "user_id", "u1", "strict", "true", "import_id", "i"); status != http.StatusUnprocessableEntity || again.Nodes.Unchanged != 2 || again.ResumedAtLine != 0 {
		t.Errorf("strict, again: %d %+v", status, again)
	}
}

// A key that is bound to a user imports into that user's memory, and changes no other memory.
func TestImportWithABoundKey(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	admin := s.as(s.newKey(t, team, "read", "write"))
	admin.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"concept","entity_key":"secret","name":"S"},{"kind":"concept","entity_key":"secret2","name":"S2"}]}`)
	admin.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u2","entity_key":"s2","messages":[]}`)
	before := private(t, admin.exported(t), "u2")
	bound := s.as(s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"u1","scopes":["read","write"]}`)["key"].(string))
	report, status := bound.imported(t, strings.Join([]string{
		`{"relationship":{"from":"secret","to":"secret2","type":"relates_to"}}`,
		`{"node":{"kind":"message","source_key":"s2","role":"user","text":"x","user_id":null}}`,
		`{"node":{"kind":"message","source_key":"s2","role":"user","text":"x","user_id":null,"seq":0,"entity_key":"mm","history":{}}}`,
		`{"node":{"kind":"concept","entity_key":"secret","name":"mine now"}}`,
		`{"node":{"kind":"concept","entity_key":"secret","name":"mine now","user_id":"u2"}}`,
		`{"preference":{"user_id":"u2","key":"k","value":1}}`,
	}, "\n"))
	if status != http.StatusOK || len(report.Refused) != 5 || report.Nodes.Created != 1 { // a key is the user's own
		t.Errorf("%d %+v", status, report)
	}
	if diff := cmp.Diff(before, private(t, admin.exported(t), "u2")); diff != "" {
		t.Errorf("another user's memory (-before +after):\n%s", diff)
	}
	if r := bound.do(t, http.MethodGet, "/v1/export", ""); r.status != http.StatusForbidden || bytes.Contains(r.body, []byte("secret")) {
		t.Errorf("export with a bound key: %d %s", r.status, r.body)
	}
}

// Every refused line is reported with its location.
func TestImportTellsAllPlaces(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	file := nodesOf("a")
	for n := range 150 {
		file += fmt.Sprintf(`{"relationship":{"from":"a","to":"x%d","type":"relates_to"}}`+"\n", n)
	}
	report, _ := c.imported(t, file)
	for _, r := range report.Refused {
		if r.Location != "to" {
			t.Fatalf("%+v", r)
		}
	}
	if len(report.Refused) != 150 {
		t.Errorf("%d refused", len(report.Refused))
	}
}
