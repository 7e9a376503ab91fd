package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/exchange"
	"kith/graph"
	"kith/internal/testenv"

	"github.com/google/go-cmp/cmp"
)

// exported returns the export of the caller's team.
func (c caller) exported(t *testing.T) string {
	t.Helper()
	r := c.do(t, http.MethodGet, "/v1/export", "")
	if r.status != http.StatusOK {
		t.Fatalf("export: %d %s", r.status, r.body)
	}
	lines := strings.Split(strings.TrimSuffix(string(r.body), "\n"), "\n")
	if _, ok := exchange.ParseEnd([]byte(lines[len(lines)-1])); !ok {
		t.Fatalf("the export ends with %.200s", lines[len(lines)-1])
	}
	return string(r.body)
}

// imported sends a body and returns the report and the status. Query holds names and values.
func (c caller) imported(t *testing.T, body string, query ...string) (exchange.Report, int) {
	t.Helper()
	r := c.do(t, http.MethodPost, importPath(query...), body)
	var report exchange.Report
	if err := json.Unmarshal(r.body, &report); err != nil {
		t.Fatalf("import: %d %s", r.status, r.body)
	}
	return report, r.status
}

func importPath(query ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	return "/v1/import?" + values.Encode()
}

// importComplete is imported for a body that must be accepted without faults.
func (c caller) importComplete(t *testing.T, body string, query ...string) exchange.Report {
	t.Helper()
	report, status := c.imported(t, body, query...)
	if status != http.StatusOK || !report.Complete || len(report.Refused) > 0 {
		t.Fatalf("import: %d %+v", status, report)
	}
	return report
}

func (s *service) team(t *testing.T) caller {
	t.Helper()
	return s.as(s.newKey(t, testenv.Team(t), "read", "write"))
}

func counted(created, updated, unchanged, refused int64) exchange.Counts {
	return exchange.Counts{Created: created, Updated: updated, Unchanged: unchanged, Refused: refused}
}

// writeEverything gives a team an item of every type.
func writeEverything(t *testing.T, c caller) {
	t.Helper()
	post := func(path, body string) map[string]any { t.Helper(); return c.must(t, http.MethodPost, path, body) }
	post("/v1/memory", `{"user_id":"u1","nodes":[
		{"kind":"person","entity_key":"p-ada","name":"Ada","canonical_name":"ada l","is_owner":true,"description":"Keeps the tide tables","properties":{"z":1.0,"a":{"\"q\"":[null,true,1e-7,"\u00e9\ud83d\ude00"]},"":"","big":12345678901234567890}},
		{"kind":"person","entity_key":"p 🦊/ü?#%","name":"Jon 🌊 Ünal","state":"active","salience":0.6,"confidence":0.25},
		{"kind":"concept","entity_key":"c-goal","name":"Sail to Hvar","is_goal":true,"state":"active"},
		{"kind":"concept","entity_key":"c-nogoal","name":"The goal that is none","is_goal":false,"ttl_policy":"ephemeral"},
		{"kind":"concept","entity_key":"c-creed","name":"Measure twice","state":"core","ttl_policy":"keep_forever","salience":0.9},
		{"kind":"entity","entity_key":"e-quay","name":"Quay 4","type":"place","state":"archived","description":"line one\nline two\t\"three\""},
		{"kind":"entity","entity_key":"e-none","name":"Untyped"}],
		"relationships":[
		{"from":"p-ada","to":"p 🦊/ü?#%","type":"has_relationship_with","description":"her brother","salience":0.85,"attitude":5,"proximity":4,"relationship_type":"brother","valid_from":"2020-01-01T00:00:00Z","properties":{"since":[1,{}]}},
		{"from":"p-ada","to":"e-quay","type":"associated_with","valid_from":"2020-01-01T00:00:00Z","valid_to":"2021-01-01T00:00:00Z","description":"first time"},
		{"from":"p-ada","to":"c-goal","type":"engages_with","notes":[{"content":"for a week","lifetime":"week"},{"content":"stays","lifetime":"forever"}]}]}`)
	post("/v1/memory", `{"user_id":"u1","relationships":[{"from":"p-ada","to":"e-quay","type":"associated_with","valid_from":"2022-01-01T00:00:00Z","description":"second time"},
		{"from":"p-ada","to":"p 🦊/ü?#%","type":"has_relationship_with","contradicts":true,"description":"estranged","attitude":1}]}`)
	post("/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","entity_key":"p-two","name":"Two","is_owner":true},{"kind":"concept","name":"Measure twice"}]}`)
	post("/v1/memory", `{"nodes":[{"kind":"entity","entity_key":"e-shared","name":"Quay 4","type":"place"},{"kind":"concept","entity_key":"c-shared","name":"Shared"},
		{"kind":"project","entity_key":"pr","name":"Harbour","state_key":"open","type_key":"t.x","facet_context":"a","facet_scale":"b","facet_stage":"c","next_step_short":"s","next_step_long":"l","start_at":"2026-01-01T00:00:00Z","end_at":"2026-02-01T00:00:00.123Z"},
		{"kind":"task","entity_key":"ta","title":"Dig","project_id":"pr","state_key":"todo","priority":2,"due_at":"2026-03-01T00:00:00Z","completed_at":"2026-03-02T00:00:00Z","start_at":"2026-01-01T00:00:00Z"},
		{"kind":"plan","entity_key":"pl","name":"Plan A","project_id":"pr"},{"kind":"goal","entity_key":"go","name":"Float","goal":"stay up","target_date":"2026-12-01T00:00:00Z"},
		{"kind":"milestone","entity_key":"mi","title":"Half","due_at":"2026-05-01T00:00:00Z"},{"kind":"document","entity_key":"do","title":"Doc","content":"text\n\n","type_key":"scratch"},
		{"kind":"output","entity_key":"ou","name":"Out","facet_stage":"x","source_document_id":"do","source_event_id":"ev"},{"kind":"risk","entity_key":"ri","title":"Storm","probability":0.5,"impact":"high","content":"wind","mitigated_at":"2026-05-01T00:00:00Z"},
		{"kind":"decision","entity_key":"de","title":"Go","outcome":"yes","rationale":"why not","decision_at":"2026-01-05T00:00:00Z"},
		{"kind":"requirement","entity_key":"re","text":"Must float\nand more","priority":5},
		{"kind":"signal","entity_key":"si","channel":"mail","ts":"2026-01-05T00:00:00Z","payload":{"a":[1,2.50,{"b":null}]}},
		{"kind":"insight","entity_key":"in","title":"Aha","props":{"x":"<&>\u2028"},"derived_from_signal_id":"si"}],
		"relationships":[{"from":"pr","to":"pl","type":"has_plan"},{"from":"pl","to":"ta","type":"has_task"},{"from":"ta","to":"go","type":"supports_goal"},{"from":"e-shared","to":"c-shared","type":"free_type"},{"from":"p-two","to":"e-shared","type":"associated_with"}]}`)
	post("/v1/sources", `{"user_id":"u1","entity_key":"s-mail","content_type":"email","source_type":"email","sensitivity":"high","summary":"A mail","keywords":["a","ä"],"tags":["t"],"participants":["u2"],"started_at":"2026-01-01T08:00:00Z","ended_at":"2026-01-01T09:00:00Z","mentions":["p 🦊/ü?#%","e-quay"],
		"messages":[{"entity_key":"m0","role":"user","name":"Ada","text":"one"},{"entity_key":"m1","role":"assistant","text":"two"},{"entity_key":"m2","role":"user","text":"three"},{"entity_key":"m3","role":"user","text":""}]}`)
	post("/v1/sources", `{"entity_key":"s-team","content_type":"meeting","summary":"Of all","participants":["u2"],"started_at":"2026-01-02T08:00:00Z","mentions":["c-shared"],"messages":[{"entity_key":"m-team","role":"user","text":"all hear it"}]}`)
	id := post("/v1/conversations", `{"user_id":"u1","context_type":"planning"}`)["conversation_id"].(string)
	post("/v1/conversations/"+id+"/messages", `{"messages":[{"role":"user","text":"hello"}]}`)
	for _, key := range []string{"m1", "m3"} { // a gap within, and one at the end
		c.must(t, http.MethodDelete, "/v1/nodes/message/"+key+"?user_id=u1", "")
	}
	fox := url.PathEscape("p 🦊/ü?#%")
	post("/v1/nodes/person/"+fox+"/notes?user_id=u1", `{"content":"a note","lifetime":"year","source_entity_key":"s-mail"}`)
	post("/v1/nodes/person/"+fox+"/notes?user_id=u1", `{"content":"for ever","lifetime":"forever"}`)
	post("/v1/nodes/message/m0/notes?user_id=u1", `{"content":"of a message","lifetime":"forever"}`)
	post("/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"gone","name":"Gone"}],"relationships":[{"from":"gone","to":"c-goal","type":"relates_to"}]}`)
	c.must(t, http.MethodDelete, "/v1/nodes/concept/gone?user_id=u1", "")
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"time_zone","value":"Europe/Zagreb"},{"key":"x","value":{"b":[1,"🌊"],"a":null}}]}`)
	c.must(t, http.MethodPut, "/v1/users/u2/preferences", `{"preferences":[{"key":"n","value":1.50}]}`)
	post("/v1/systems/pay%2Fments/memory", `{"entities":[{"name":"Ledger","type":"Free text type!","description":"d","tags":["b","a"],"properties":{"k":1}},{"name":"gone","type":"x"},{"name":"API 🌊","type":"x"}],
		"relationships":[{"from":"Ledger","to":"API 🌊","type":"is called by, mostly"},{"from":"Ledger","to":"API 🌊","type":"owns","properties":{"p":[]}},{"from":"gone","to":"Ledger","type":"x"},{"from":"Ledger","to":"Ledger","type":"calls itself"}]}`)
	c.must(t, http.MethodDelete, "/v1/systems/pay%2Fments/entities/gone", "")
	post("/v1/trees", `{"id":"tree 🌳","user_id":"u1","name":"Knots","pinned":true,"system_prompt":"Be <brief>.","context":{"user_id":"u1","max_tokens":500}}`)
	post("/v1/trees", `{"id":"shared-tree"}`)
	turns := "/v1/trees/" + url.PathEscape("tree 🌳") + "/turns"
	for _, turn := range []string{`"id":"c-1"`, `"id":"c-2","parent_id":"c-1"`, `"id":"c-3","parent_id":"c-1"`, `"id":"c-4"`} {
		post(turns, `{"user_id":"u1","user_prompt":"Is @Task:ta due?\nAssistant: no","generate":false,`+turn+`}`)
	}
	c.must(t, http.MethodPatch, "/v1/turns/c-1", `{"user_id":"u1","assistant_text":"yes\n","provider_id":"own","provider_config":{"model":"m"}}`)
	c.must(t, http.MethodPatch, "/v1/turns/c-2", `{"user_id":"u1","error":"away"}`)
	c.must(t, http.MethodPost, "/v1/turns/c-3/cancel?user_id=u1", "")
	for n := 1.0; n <= 3; n++ { // recalls: counts, intervals, gradients
		c.must(t, http.MethodGet, "/v1/nodes/person/"+fox+"?user_id=u1&touch=true", "")
		eventually(t, 10*time.Second, "the recall is stored", func() bool {
			return at(c.must(t, http.MethodGet, "/v1/nodes/person/"+fox+"?user_id=u1", ""), "access_count") == n
		})
	}
}

func TestExportAndImportOfEverything(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	writeEverything(t, from)
	file := from.exported(t)
	for _, has := range []string{`"next_seq"`, `"valid_to"`, `"access_count"`, `"decay_gradient"`, `"is_goal_given":false`, `"system":"pay/ments"`, `for a week`, `of a message`, `"mentions"`, `"payload"`, `"u2"`, `"chat_tree"`, `"parent_id":"c-1"`, `"error":"away"`, `"max_tokens":500`} {
		if !strings.Contains(file, has) {
			t.Errorf("the export lacks %s, so that this shows nothing of it", has)
		}
	}
	if strings.Contains(file, `"gone"`) {
		t.Error("what was deleted is exported")
	}
	lines := int64(strings.Count(file, "\n"))
	end, _ := exchange.ParseEnd([]byte(file[strings.LastIndexByte(strings.TrimSuffix(file, "\n"), '\n')+1:]))

	dry := to.importComplete(t, file, "dry_run", "true")
	if empty := to.exported(t); strings.Count(empty, "\n") != 2 {
		t.Errorf("a dry run has stored: %s", empty)
	}
	first := to.importComplete(t, file)
	want := exchange.Report{
		Complete: true, Lines: lines, Nodes: counted(end.Nodes, 0, 0, 0), Relationships: counted(end.Relationships, 0, 0, 0),
		Preferences: counted(end.Preferences, 0, 0, 0), ChatTrees: counted(end.ChatTrees, 0, 0, 0), ChatTurns: counted(end.ChatTurns, 0, 0, 0), Refused: []exchange.Refusal{}, Warnings: []exchange.Refusal{},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("first import (-want +got):\n%s", diff)
	}
	want.DryRun = true
	if diff := cmp.Diff(want, dry); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Split(file, "\n"), strings.Split(to.exported(t), "\n")); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	again := to.importComplete(t, file)
	want.DryRun, want.Nodes, want.Relationships, want.Preferences = false, counted(0, 0, end.Nodes, 0), counted(0, 0, end.Relationships, 0), counted(0, 0, end.Preferences, 0)
	want.ChatTrees, want.ChatTurns = counted(0, 0, end.ChatTrees, 0), counted(0, 0, end.ChatTurns, 0)
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("second import (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(strings.Split(file, "\n"), strings.Split(to.exported(t), "\n")); diff != "" {
		t.Errorf("the copy after a second import (-want +got):\n%s", diff)
	}
	// Both go on alike.
	for _, c := range []caller{from, to} {
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s-mail","messages":[{"entity_key":"m-new","role":"user","text":"more","at":"2026-01-01T09:00:00Z"}]}`)
		c.must(t, http.MethodPost, "/v1/systems/pay%2Fments/memory", `{"entities":[{"name":"New","type":"x"}]}`)
	}
	if a, b := numbers(t, from), numbers(t, to); a != b || !strings.Contains(a, "m-new=4") {
		t.Errorf("numbers of what comes next: %s and %s", a, b)
	}
	for _, path := range []string{"/v1/systems/pay%2Fments/memory", "/v1/context?user_id=u1&sections=user,relationships&now=2026-11-20T00:00:00Z", "/v1/nodes/source/s-mail?user_id=u1"} {
		if a, b := from.do(t, http.MethodGet, path, ""), to.do(t, http.MethodGet, path, ""); a.status != b.status {
			t.Errorf("%s: %d and %d", path, a.status, b.status)
		}
	}
}

// numbers returns the numbers of messages and of the entities of systems.
func numbers(t *testing.T, c caller) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(c.exported(t)) {
		var l struct {
			Node struct {
				Kind      string `json:"kind"`
				EntityKey string `json:"entity_key"`
				Name      string `json:"name"`
				Seq       *int64 `json:"seq"`
			} `json:"node"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		switch l.Node.Kind {
		case "message":
			if strings.HasPrefix(l.Node.EntityKey, "m") {
				out = append(out, fmt.Sprintf("%s=%d", l.Node.EntityKey, *l.Node.Seq))
			}
		case "system_entity":
			out = append(out, fmt.Sprintf("%s=%d", l.Node.Name, *l.Node.Seq))
		}
	}
	if len(out) == 0 {
		t.Error("no numbers")
	}
	return strings.Join(bySort(out), " ")
}

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

// sameDryRun compares an import of several batches with its dry run, which also warns of what it cannot check.
func sameDryRun(t *testing.T, report, dry exchange.Report) {
	t.Helper()
	last := len(dry.Warnings) - 1
	if last < 0 || !strings.Contains(dry.Warnings[last].Message, "only an import finds") {
		t.Fatalf("the dry run does not say what it cannot see: %+v", dry.Warnings)
	}
	report.DryRun, dry.Warnings = true, dry.Warnings[:last]
	if diff := cmp.Diff(report, dry); diff != "" {
		t.Errorf("the dry run says otherwise (-import +dry run):\n%s", diff)
	}
}

// A dry run refuses lines that an import would refuse because of much earlier lines.
func TestDryRunOfManyPieces(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	var body strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&body, format+"\n", args...) }
	line(`{"node":{"kind":"person","entity_key":"me","name":"Me","user_id":"u1","is_owner":true}}`)
	line(`{"node":{"kind":"source","entity_key":"s","user_id":"u1","started_at":"2026-01-01T00:00:00Z"}}`)
	line(`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u1"}}`)
	for n := range 1100 {
		line(`{"node":{"kind":"concept","entity_key":"c-%d","name":"C %[1]d","user_id":"u1"}}`, n)
	}
	line(`{"node":{"kind":"concept","entity_key":"other","name":"C 1","user_id":"u1","history":{}}}`)               // 1104: the name
	line(`{"node":{"kind":"person","entity_key":"also me","name":"I","user_id":"u1","is_owner":true}}`)             // 1105: the owner
	line(`{"node":{"kind":"entity","entity_key":"c-2","name":"C 2","user_id":"u1"}}`)                               // 1106: another kind
	line(`{"node":{"kind":"concept","entity_key":"c-3","name":"C 4","user_id":"u1"}}`)                              // 1107: another's name
	line(`{"node":{"kind":"message","entity_key":"n","source_key":"s","role":"user","text":"y","user_id":"u1"}}`)   // taken
	line(`{"node":{"kind":"message","entity_key":"c-5","source_key":"s","role":"user","text":"y","user_id":"u1"}}`) // 1109: the key
	line(`{"node":{"kind":"concept","entity_key":"m","name":"M","user_id":"u1"}}`)                                  // 1110: a message's key
	line(`{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u1"}}`)   // unchanged
	for n := range 1100 {
		line(`{"relationship":{"from":"c-%d","to":"c-%d","type":"relates_to","key":"k%[1]d"}}`, n, (n+1)%1100)
	}
	line(`{"relationship":{"from":"me","to":"m","type":"relates_to"}}`)
	line(`{"relationship":{"from":"me","to":"nobody","type":"relates_to"}}`)         // 2213: the end
	line(`{"relationship":{"from":"me","to":"c-5","type":"relates_to","key":"k7"}}`) // 2214: the key
	line(`{"relationship":{"from":"c-1","to":"c-2","type":"mentions","key":"k-1"}}`) // 2215: the kind
	dry, _ := c.imported(t, body.String(), "dry_run", "true")
	report, status := c.imported(t, body.String())
	var lines []int64
	for _, r := range report.Refused {
		lines = append(lines, r.Line)
	}
	if diff := cmp.Diff([]int64{1104, 1105, 1106, 1107, 1109, 1110, 2213, 2214, 2215}, lines); diff != "" || status != http.StatusOK {
		t.Errorf("%d, refused (-want +got):\n%s%+v", status, diff, report.Refused)
	}
	sameDryRun(t, report, dry)
}

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

func added(a, b exchange.Counts) exchange.Counts {
	return exchange.Counts{Created: a.Created + b.Created, Updated: a.Updated + b.Updated, Unchanged: a.Unchanged + b.Unchanged, Refused: a.Refused + b.Refused}
}

// normalized returns an export without what differs between two imports of the same file: generated keys and times of now.
func normalized(t *testing.T, c caller) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(c.exported(t)) {
		var l any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		strip(l)
		if at(l, "node", "history", "owner_generated") == true { // whose key is generated
			delete(at(l, "node").(map[string]any), "entity_key")
		}
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return strings.Join(bySort(out), "\n")
}

func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"key", "created_at", "updated_at", "last_accessed_at", "recorded_at", "salience_at", "story_due", "at", "expires_at", "version"} {
			if _, preference := v["value"]; !preference {
				delete(v, name)
			}
		}
		for _, inner := range v {
			strip(inner)
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}

// An older export merges into a newer memory: newer data stays and is counted.
func TestImportOfAnOlderExport(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m0","role":"user","text":"a"},{"entity_key":"m1","role":"user","text":"b"}]}`)
	old := c.exported(t)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m2","role":"user","text":"c"}]}`)
	c.importComplete(t, old)
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m3","role":"user","text":"d"}]}`)
	if got := numbers(t, c); got != "m0=0 m1=1 m2=2 m3=3" {
		t.Errorf("numbers: %s", got)
	}
	if got := at(c.must(t, http.MethodGet, "/v1/nodes/source/s?user_id=u1", ""), "message_count"); got != 4.0 {
		t.Errorf("messages counted: %v", got)
	}
}

// Two memories are merged. Items with taken numbers get new ones in the order of the file, across batches, and nothing is
// lost.
func TestImportOfTwoMemories(t *testing.T) {
	t.Parallel()
	s := shared(t)
	mine := func(c caller) {
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u","entity_key":"s","messages":[{"entity_key":"m-a","role":"user","text":"a"},{"entity_key":"m-b","role":"user","text":"b"}]}`)
		c.must(t, http.MethodPost, "/v1/systems/sys/memory", `{"entities":[{"name":"A","type":"t"},{"name":"B","type":"t"}],"relationships":[{"from":"A","to":"B","type":"uses"}]}`)
	}
	lines := []string{`{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{}}}`}
	for i, seq := range []int{0, 1, 2, 9, 9, 10} {
		lines = append(lines, fmt.Sprintf(`{"node":{"kind":"message","entity_key":"m%d","source_key":"s","role":"user","text":"%d","user_id":"u","seq":%d,"history":{}}}`, i, i, seq))
	}
	for i, name := range []string{"B", "C", "D", "E"} {
		lines = append(lines, fmt.Sprintf(`{"node":{"kind":"system_entity","entity_key":"e%s","system":"sys","name":%q,"type":"t","seq":%d,"user_id":null}}`, name, name, i))
	}
	for i, to := range []string{"D", "E", "D"} {
		lines = append(lines, fmt.Sprintf(`{"relationship":{"from":"eC","to":"e%s","type":"system_relationship","relationship_type":"uses %d","key":"r%d","history":{"system":"sys","seq":%d}}}`, to, i, i, i+1))
	}
	const want = "A=0 B=1 C=3 D=4 E=5 m-a=0 m-b=1 m0=2 m1=3 m2=4 m3=9 m4=10 m5=11 m6=12"
	var exports []string
	for _, piece := range []int{len(lines), 1} {
		c := s.team(t)
		mine(c)
		for again := range 2 {
			for some := range slices.Chunk(lines, piece) {
				c.importComplete(t, strings.Join(some, "\n"))
			}
			if again == 0 {
				exports = append(exports, strings.Join(relationshipNumbers(t, c), " "))
			} else if got := strings.Join(relationshipNumbers(t, c), " "); got != exports[len(exports)-1] {
				t.Errorf("imported again: %s, before %s", got, exports[len(exports)-1])
			}
		}
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u","entity_key":"s","messages":[{"entity_key":"m6","role":"user","text":"c"}]}`)
		if got := numbers(t, c); got != want {
			t.Errorf("pieces of %d: %s, want %s", piece, got, want)
		}
	}
	if exports[0] != exports[1] || len(strings.Fields(exports[0])) != 4 {
		t.Errorf("relationships of the system, by pieces: %v", exports)
	}
	refused, _ := s.team(t).imported(t, `{"node":{"kind":"system_entity","entity_key":"e","system":"sys","name":"N","type":"t","seq":-1,"user_id":null}}
{"relationship":{"from":"a","to":"b","type":"system_relationship","history":{"system":"sys","seq":9007199254740992}}}
{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{"seq":1}}}
{"node":{"kind":"source","entity_key":"s","user_id":"u","history":{"next_seq":-1}}}`)
	if got := fmt.Sprint(refused.Refused); strings.Count(got, "must be from 0 to 9007199254740991") != 2 ||
		!strings.Contains(got, "must be from 0 to 9007199254740992") || !strings.Contains(got, "set them on the node") {
		t.Errorf("numbers that cannot be: %s", got)
	}
	highest, copied := s.team(t), s.team(t)
	highest.importComplete(t, `{"node":{"kind":"source","entity_key":"s","user_id":"u"}}
{"node":{"kind":"message","entity_key":"m","source_key":"s","role":"user","text":"x","user_id":"u","seq":9007199254740991}}`)
	copied.importComplete(t, highest.exported(t))
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

// Every field of a message is stored, or the message is refused.
func TestImportOfMessages(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	message := func(key, source, more string) string {
		return `{"node":{"kind":"message","entity_key":"` + key + `","source_key":"` + source + `","role":"user","text":"x","user_id":"u"` + more + `}}`
	}
	lines := []string{
		`{"node":{"kind":"source","entity_key":"s","user_id":"u"}}`,
		`{"node":{"kind":"source","entity_key":"r","user_id":"u"}}`,
		message("a", "s", `,"created_at":"2020-01-01T00:00:00Z","updated_at":"2021-01-01T00:00:00Z","history":{"version":3}`),
		message("b", "r", ""),
		message("b", "s", ""),                                   // 5: its source
		message("a", "s", `,"name":"Ada"`),                      // 6: who spoke
		strings.ReplaceAll(message("b", "r", ""), `"x"`, `"y"`), // 7: its text
		message("b", "r", ""),
		message("c", "s", `,"description":"d"`),                         // 9
		message("c", "s", `,"salience":0.5`),                            // 10
		message("c", "s", `,"properties":{}`),                           // 11
		message("c", "s", `,"notes":[{"content":"n"}]`),                 // 12
		message("c", "s", `,"seq":1,"state":"active"`),                  // 13
		message("c", "s", `,"last_accessed_at":"2020-01-01T00:00:00Z"`), // 14
	}
	report, _ := c.imported(t, strings.Join(lines, "\n"))
	var got []string
	for _, r := range report.Refused {
		got = append(got, fmt.Sprintf("%d %s", r.Line, r.Location))
	}
	want := []string{"5 entity_key", "6 name", "7 text", "9 description", "10 salience", "11 properties", "12 notes", "13 state", "14 last_accessed_at"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(counted(4, 0, 1, 9), report.Nodes); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	a := c.must(t, http.MethodGet, "/v1/nodes/message/a?user_id=u", "")
	if diff := cmp.Diff([]any{"2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", 3.0}, []any{a["created_at"], a["updated_at"], a["version"]}); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
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

// relationshipNumbers returns the numbers of the relationships of systems, which must be unique.
func relationshipNumbers(t *testing.T, c caller) []string {
	t.Helper()
	var out []string
	once := map[int64]bool{}
	for line := range strings.Lines(c.exported(t)) {
		var l struct {
			Relationship struct {
				From             string `json:"from"`
				RelationshipType string `json:"relationship_type"`
				History          struct {
					Seq *int64 `json:"seq"`
				} `json:"history"`
			} `json:"relationship"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if seq := l.Relationship.History.Seq; seq != nil {
			if once[*seq] {
				t.Errorf("two relationships have the number %d", *seq)
			}
			once[*seq] = true
			out = append(out, fmt.Sprintf("%s=%d", strings.ReplaceAll(l.Relationship.RelationshipType, " ", "-"), *seq))
		}
	}
	return bySort(out)
}

// A key that is bound to a user imports into that user's memory, and changes no other memory.
func TestImportWithABoundKey(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	admin := s.as(s.newKey(t, team, "read", "write"))
	admin.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"concept","entity_key":"secret","name":"S"},{"kind":"concept","entity_key":"secret2","name":"S2"}]}`)
	admin.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u2","entity_key":"s2","messages":[]}`)
	before := admin.exported(t)
	bound := s.as(s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"u1","scopes":["read","write"]}`)["key"].(string))
	report, status := bound.imported(t, strings.Join([]string{
		`{"relationship":{"from":"secret","to":"secret2","type":"relates_to"}}`,
		`{"node":{"kind":"message","source_key":"s2","role":"user","text":"x","user_id":null}}`,
		`{"node":{"kind":"message","source_key":"s2","role":"user","text":"x","user_id":null,"seq":0,"entity_key":"mm","history":{}}}`,
		`{"node":{"kind":"concept","entity_key":"secret","name":"mine now"}}`,
		`{"node":{"kind":"concept","entity_key":"secret","name":"mine now","user_id":"u2"}}`,
		`{"preference":{"user_id":"u2","key":"k","value":1}}`,
	}, "\n"))
	if status != http.StatusOK || len(report.Refused) != 6 {
		t.Errorf("%d %+v", status, report)
	}
	if diff := cmp.Diff(before, admin.exported(t)); diff != "" {
		t.Errorf("another user's memory (-before +after):\n%s", diff)
	}
	if r := bound.do(t, http.MethodGet, "/v1/export", ""); r.status != http.StatusForbidden || bytes.Contains(r.body, []byte("secret")) {
		t.Errorf("export with a bound key: %d %s", r.status, r.body)
	}
}

func bySort(lines []string) []string {
	slices.Sort(lines)
	return lines
}

func nodesOf(keys ...string) string {
	var lines strings.Builder
	for _, k := range keys {
		_, _ = fmt.Fprintf(&lines, `{"node":{"kind":"concept","user_id":"u1","name":%q,"entity_key":%q}}`+"\n", k, k)
	}
	return lines.String()
}

// No two relationships have the same key, whichever request writes the second.
func TestAKeyIsOfOneRelationship(t *testing.T) {
	t.Parallel()
	s := shared(t)
	k := func(from, to string) string {
		return `{"relationship":{"from":"` + from + `","to":"` + to + `","type":"relates_to","key":"K","valid_from":"2021-01-01T00:00:00Z"}}` + "\n"
	}
	t.Run("behind the one that it follows", func(t *testing.T) {
		t.Parallel()
		c := s.team(t)
		c.importComplete(t, nodesOf("a", "b", "c", "d")+`{"relationship":{"from":"a","to":"b","type":"relates_to","key":"X","valid_from":"2020-01-01T00:00:00Z"}}`+"\n"+k("c", "d"))
		r, _ := c.imported(t, `{"relationship":{"from":"a","to":"b","type":"relates_to","key":"X","valid_to":"2021-01-01T00:00:00Z"}}`+"\n"+k("a", "b"))
		if r.Relationships != counted(0, 1, 0, 1) || len(r.Refused) != 1 || r.Refused[0].Line != 2 || r.Refused[0].Location != "key" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("from two imports", func(t *testing.T) {
		t.Parallel()
		for range 5 {
			c := s.team(t)
			c.importComplete(t, nodesOf("a", "b", "c", "d"))
			var created [2]int64
			var running sync.WaitGroup
			for n, line := range []string{k("a", "b"), k("c", "d")} {
				running.Go(func() {
					r, _ := c.imported(t, line)
					created[n] = r.Relationships.Created
				})
			}
			running.Wait()
			if created[0]+created[1] != 1 {
				t.Errorf("created: %v", created)
			}
		}
	})
	for name, path := range map[string]string{"a deleted one": "/v1/relationships/K", "one of a deleted node": "/v1/nodes/concept/a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.team(t)
			c.importComplete(t, nodesOf("a", "b", "c")+k("a", "b"))
			c.must(t, http.MethodDelete, path+"?user_id=u1", "")
			r, _ := c.imported(t, k("b", "c"))
			status := c.do(t, http.MethodPost, path+"/restore?user_id=u1", "").status
			if refused := r.Relationships.Refused == 1; refused != (status == http.StatusOK) || !refused && status != http.StatusConflict {
				t.Errorf("imported %+v, restored %d", r.Relationships, status)
			}
			if n := strings.Count(c.exported(t), `"key":"K"`); n != 1 {
				t.Errorf("%d have the key", n)
			}
		})
	}
}

// The import ids of different users are independent.
func TestImportsOfTwoUsersHaveOneID(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	bound := func(user string) caller {
		made := s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"`+user+`","scopes":["read","write"]}`)
		return s.as(made["key"].(string))
	}
	u1, u2 := bound("u1"), bound("u2")
	var file strings.Builder
	for n := range 1500 {
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"concept","name":"n%d"}}`+"\n", n)
	}
	if _, _, ok := u1.sendBody(t, cut(file.String(), file.Len()-200), "import_id", "i"); ok {
		t.Fatal("the first import is whole")
	}
	report, _ := u2.imported(t, file.String(), "import_id", "i")
	if report.Nodes != counted(1500, 0, 0, 0) || report.ResumedAtLine != 0 {
		t.Errorf("the other user's: %+v", report)
	}
	if n := strings.Count(s.as(s.newKey(t, team, "read")).exported(t), `"user_id":"u2"`); n != 1501 { // with the user's own person
		t.Errorf("%d are the other user's", n)
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
