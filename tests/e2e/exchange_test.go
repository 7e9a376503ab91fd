package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/tests/testenv"
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
	return withoutBlanks(string(r.body))
}

// withoutBlanks returns an export without the blanks that say that it is being made.
func withoutBlanks(export string) string {
	header, rest, _ := strings.Cut(export, "\n")
	return header + "\n" + strings.TrimLeft(rest, " ")
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
	post("/v1/sources", `{"user_id":"u1","entity_key":"s-mail","content_type":"email","origin":"user","source_type":"email","sensitivity":"high","summary":"A mail","keywords":["a","ä"],"tags":["t"],"participants":["u2"],"started_at":"2026-01-01T08:00:00Z","ended_at":"2026-01-01T09:00:00Z","mentions":["p 🦊/ü?#%","e-quay"],
		"messages":[{"entity_key":"m0","role":"user","name":"Ada","text":"one"},{"entity_key":"m1","role":"assistant","text":"two"},{"entity_key":"m2","role":"user","text":"🦊 I can't stand loud rooms. three"},{"entity_key":"m3","role":"user","text":""}]}`)
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

var storyDue = regexp.MustCompile(`,"story_due":\d+`)

func TestExportAndImportOfEverything(t *testing.T) {
	t.Parallel()
	s := shared(t)
	from, to := s.team(t), s.team(t)
	writeEverything(t, from)
	file := storyDue.ReplaceAllString(from.exported(t), "") // maintenance forms stories at any time
	for _, has := range []string{`"next_seq"`, `"valid_to"`, `"access_count"`, `"decay_gradient"`, `"is_goal_given":false`, `"system":"pay/ments"`, `for a week`, `of a message`, `"mentions"`, `"payload"`, `"u2"`, `"chat_tree"`, `"parent_id":"c-1"`, `"error":"away"`, `"max_tokens":500`, `"key":"m2#`, `{"version":{`} {
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
		Statements: counted(end.Statements, 0, 0, 0), Preferences: counted(end.Preferences, 0, 0, 0), ChatTrees: counted(end.ChatTrees, 0, 0, 0), ChatTurns: counted(end.ChatTurns, 0, 0, 0), Versions: counted(end.Versions, 0, 0, 0), Refused: []exchange.Refusal{}, Warnings: []exchange.Refusal{},
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
	want.Statements, want.ChatTrees, want.ChatTurns = counted(0, 0, end.Statements, 0), counted(0, 0, end.ChatTrees, 0), counted(0, 0, end.ChatTurns, 0)
	want.Versions = counted(0, 0, end.Versions, 0)
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

// normalized returns an export without what differs between two imports of the same file: generated keys, times of now, and the
// versions that an import in another order replaces.
func normalized(t *testing.T, c caller) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(c.exported(t)) {
		var l any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if at(l, "version") != nil {
			continue
		}
		if end, ok := at(l, "end").(map[string]any); ok {
			delete(end, "versions")
		}
		strip(l)
		for _, kind := range []string{"node", "relationship"} { // written by a key of the team
			if written, ok := at(l, kind, "history", "written").(string); ok {
				_, through, _ := strings.Cut(written, " ")
				at(l, kind, "history").(map[string]any)["written"] = through
			}
		}
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
