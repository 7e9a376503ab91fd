package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a caller writes without states and times is in the next context.
func TestFirstWriteIsInTheFirstContext(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"a","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true},{"kind":"person","entity_key":"s","name":"Sarah"},
		{"kind":"concept","entity_key":"g","name":"learn to sail","is_goal":true}],
		"relationships":[{"from":"me","to":"s","type":"has_relationship_with","description":"her sister","salience":0.9}]}`)
	for n := range 12 {
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":"a","started_at":%q,"summary":"Sarah moves","mentions":["s","g"]}`, stamp(-time.Duration(n)*12*time.Hour)))
	}
	got := c.must(t, http.MethodGet, "/v1/context?user_id=a", "")
	if names(got["relationships"], "node", "name") != "Sarah" || names(at(got, "user", "primary_goals"), "name") != "learn to sail" {
		t.Errorf("context: %v", got)
	}
	if mentions := at(got, "relationships", 0, "recent_mentions"); mentions != 12.0 {
		t.Errorf("mentions: %v", mentions)
	}
}

// An agent that remembers facts without naming the user links them with the user, and gets them in the context.
func TestRememberedIsInTheNextContext(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	a := s.agent(t, c.key)
	a.says(t, "remember", `{"user_id":"b","nodes":[{"kind":"concept","name":"learn to sail","is_goal":true}]}`, "Stored 1 of 1")
	got := c.must(t, http.MethodGet, "/v1/context?user_id=b", "")
	owner := at(got, "user", "owner_person_node", "entity_key")
	if at(got, "user", "owner_person_node", "name") != "b" || names(at(got, "user", "primary_goals"), "name") != "learn to sail" {
		t.Fatalf("context: %v", got)
	}
	a.says(t, "remember", fmt.Sprintf(`{"user_id":"b","nodes":[{"kind":"person","name":"Sarah"}],"relationships":[{"from":%q,"to":"Sarah","type":"has_relationship_with","description":"the sister"}]}`, owner), "Stored 2 of 2")
	a.says(t, "remember", `{"user_id":"b","nodes":[{"kind":"person","name":"Bea","is_owner":true}]}`, "Stored 1 of 1")
	a.says(t, "get_context", `{"user_id":"b"}`, "# About Bea", "Sarah", "the sister", "learn to sail")
	old := c.must(t, http.MethodGet, fmt.Sprintf("/v1/nodes/person/%s?user_id=b", owner), "")
	if at(old, "name") != "Bea" || at(old, "entity_key") == owner {
		t.Errorf("by the old key: %v", old)
	}
}

// journeys lists files of each format, with texts that must be in the context, and words that explore must find.
var journeys = map[string]struct{ args, file, owner, says, finds string }{
	"mcp-memory": {"", `{"type":"entity","name":"default_user","entityType":"person","observations":["keeps the tide tables"]}
{"type":"entity","name":"Sarah","entityType":"person","observations":["moves to Hvar","sings alto"]}
{"type":"entity","name":"Quay 4","entityType":"place","observations":["lies in the east"]}
{"type":"relation","from":"default_user","to":"Sarah","relationType":"has_relationship_with"}`,
		"default_user", "keeps the tide tables|Sarah|moves to Hvar|sings alto|Quay 4|lies in the east", ""},
	"graphiti": {"--owner ada", `{"nodes":[{"uuid":"1","name":"Ada","labels":["Entity"],"summary":"keeps the tide tables"},
{"uuid":"2","name":"Sarah","labels":["Entity","Person"],"summary":"moves to Hvar"},{"uuid":"4","name":"call","content":"Sarah rang on Sunday","labels":["Episodic"]}],
"edges":[{"uuid":"3","source_node_uuid":"1","target_node_uuid":"2","name":"HAS_RELATIONSHIP_WITH","fact":"her sister"},{"uuid":"5","source_node_uuid":"4","target_node_uuid":"2","name":"MENTIONS"}]}`,
		"Ada", "keeps the tide tables|Sarah|moves to Hvar|her sister", "Sarah rang on Sunday"},
	"graphiti in sections": {"--owner ada", `{"entity_nodes":[{"uuid":"1","name":"Ada"},{"uuid":"2","name":"Sarah","labels":["Person"],"summary":"moves to Hvar"}],
"entity_edges":[{"uuid":"3","source_node_uuid":"1","target_node_uuid":"2","name":"HAS_RELATIONSHIP_WITH","fact":"her sister"}],
"episodic_nodes":[{"uuid":"4","name":"call","content":"Sarah rang on Sunday"}],"episodic_edges":[{"uuid":"5","source_node_uuid":"4","target_node_uuid":"2"}]}`,
		"Ada", "Sarah|moves to Hvar|her sister", "Sarah rang on Sunday"},
	"mem0": {"", `{"results":[{"id":"1","memory":"likes tea"},{"id":"2","memory":"sails to Hvar"}],"relations":[{"source":"USER","relationship":"has_relationship_with","target":"Sarah","target_type":"person"}]}`,
		"USER", "likes tea|sails to Hvar|Sarah", ""},
	"mem0 as a list": {"--owner Ada", `[{"id":"1","memory":"likes tea"},{"memory":"Sarah sails to Hvar"}]`, "Ada", "likes tea|Sarah sails to Hvar", ""},
	"kith": {"--owner Ada", `{"node":{"kind":"person","entity_key":"x","name":"Ada","description":"keeps the tide tables"}}
{"node":{"kind":"person","entity_key":"y","name":"Sarah"}}
{"node":{"kind":"concept","entity_key":"g","name":"learn to sail","is_goal":true}}
{"node":{"kind":"source","entity_key":"s","summary":"Sarah rang on Sunday","content_type":"conversation"}}
{"relationship":{"from":"x","to":"y","type":"has_relationship_with","description":"her sister"}}
{"relationship":{"from":"s","to":"y","type":"mentions"}}
{"preference":{"key":"tone","value":"direct"}}`,
		"Ada", "keeps the tide tables|Sarah|her sister|learn to sail|Sarah rang on Sunday|tone|direct", ""},
	"conversations": {"conversations", line(1, "u1", "I keep the tide tables") + line(1, "Sarah", "I sail to Hvar"), "u1", "Sarah|talked in 1 session", "I keep the tide tables|I sail to Hvar"},
}

// Everything that kith import reads, in any format, is in the next context or found by kith explore.
func TestImportedIsInTheNextContext(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for name, of := range journeys {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environ, user := []string{"KITH_URL=" + s.url, "KITH_KEY=" + s.team(t).key}, "u1"
			args := append([]string{"import"}, strings.Fields(of.args)...)
			if args = append(args, importedFile(t, of.file)); of.args == "conversations" {
				user = "c1/u1"
			} else {
				args = append(args, "--user", user)
			}
			if code, out := command(t, environ, args...); code != 0 {
				t.Fatalf("import: %d %s", code, out)
			}
			if code, text := command(t, environ, "context", user); code != 0 || !strings.HasPrefix(text, "# About "+of.owner+"\n") {
				t.Errorf("context: %d %s", code, text)
			}
			_, object := command(t, environ, "context", user, "--json")
			_, found := command(t, environ, "explore", "--user", user, "sail tide Sunday")
			for in, of := range map[string]string{object: of.says, found: of.finds} {
				for what := range strings.SplitSeq(of, "|") {
					if !strings.Contains(in, what) {
						t.Errorf("%q is not in: %s", what, in)
					}
				}
			}
			if code, out := command(t, environ, args...); code != 0 || strings.Contains(out, "1 created") || strings.Contains(out, "1 updated") {
				t.Errorf("imported again: %d %s", code, out)
			}
		})
	}
}

func TestImportOfAnOwnerThatIsNotInTheFile(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	file := `{"node":{"kind":"concept","entity_key":"x","name":"learn to sail","is_goal":true}}`
	report := c.importComplete(t, file, "user_id", "u1", "owner", "Ada")
	if report.Nodes != counted(2, 0, 0, 0) || len(report.Warnings) != 2 || report.Warnings[1].Location != "owner" {
		t.Errorf("report: %+v", report)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","name":"Eve","is_owner":true}]}`)
	refused, _ := c.imported(t, file, "user_id", "u2", "owner", "Ada")
	if len(refused.Refused) == 0 || refused.Refused[len(refused.Refused)-1].Location != "is_owner" {
		t.Errorf("an owner beside another: %+v", refused)
	}
	if r := c.do(t, http.MethodPost, importPath("owner", "Ada"), file); r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), "query.owner") {
		t.Errorf("an owner without a user: %d %s", r.status, r.body)
	}
	for user, want := range map[string]string{"u1": "Ada", "u2": "Eve"} {
		got := c.must(t, http.MethodGet, "/v1/context?user_id="+user, "")
		if at(got, "user", "owner_person_node", "name") != want {
			t.Errorf("%s: %v", user, got)
		}
	}
}

// References to missing nodes, or to nodes of other users, are refused with their location and nothing is stored. Without
// strict the rest is stored with a warning.
func TestFirstWritesThatAreWrong(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","entity_key":"eve","name":"Eve","is_owner":true}]}`)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"ada","name":"Ada"}]}`)
	many := strings.TrimSuffix(strings.Repeat(`"ada",`, 10_000), ",")
	owners := `"nodes":[{"kind":"person","entity_key":"a","name":"Ann","is_owner":true},{"kind":"person","entity_key":"b","name":"Ben","is_owner":true}]`
	before := c.exported(t)
	for _, w := range []struct{ path, body, at string }{
		{"/v1/sources", `"entity_key":"s","mentions":["late"]`, "body.mentions[0]"},
		{"/v1/sources", `"entity_key":"s","mentions":["ada","eve"]`, "body.mentions[1]"},
		{"/v1/sources", `"entity_key":"s","mentions":[` + many + `]`, "body.mentions"},
		{"/v1/memory", `"nodes":[{"kind":"concept","name":"half"}],"relationships":[{"from":"ada","to":"late","type":"knows"}]`, "body.relationships[0].to"},
		{"/v1/memory", `"nodes":[{"kind":"concept","name":"half"}],"relationships":[{"from":"ada","to":"eve","type":"knows"}]`, "body.relationships[0].to"},
		{"/v1/memory", `"nodes":[{"kind":"concept","name":"half"}],"relationships":[{"from":"eve","to":"ada","type":"knows"}]`, "body.relationships[0].from"},
		{"/v1/memory", owners, "body.nodes[1].is_owner"},
	} {
		r := c.do(t, http.MethodPost, w.path, `{"user_id":"u1","strict":true,`+w.body+`}`)
		if r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), `"location":"`+w.at+`"`) {
			t.Errorf("%.80s: %d %.300s", w.body, r.status, r.body)
		}
	}
	if diff := cmp.Diff(before, c.exported(t)); diff != "" {
		t.Errorf("stored (-before +after):\n%s", diff)
	}

	source := `{"user_id":"u1","entity_key":"s","mentions":["ada","late","eve"]}`
	first := c.must(t, http.MethodPost, "/v1/sources", source)
	if got := fmt.Sprint(first["warnings"]); got != "[mentions[1]: there is no such node mentions[2]: there is no such node]" || names(first["mentions"], "status") != "created refused refused" {
		t.Errorf("%v", first)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"late","name":"Late"}]}`)
	if again := c.must(t, http.MethodPost, "/v1/sources", source); names(again["mentions"], "status") != "unchanged created refused" {
		t.Errorf("when the node is there: %v", again)
	}
}

func TestImportsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := shared(t)
	owner := func(key string) string {
		return `{"node":{"kind":"person","entity_key":"` + key + `","name":"` + key + `","is_owner":true}}` + "\n"
	}
	for name, of := range map[string]struct{ file, owner, refused, is string }{
		"two owners":               {owner("ada") + owner("bea"), "", "2 is_owner", "ada"},
		"an owner beside --owner":  {owner("ada") + strings.Replace(owner("bea"), `,"is_owner":true`, "", 1), "bea", "2 is_owner", "ada"},
		"another user's, linked":   {owner("ada") + `{"relationship":{"from":"ada","to":"eve","type":"knows"}}`, "", "2 to", "ada"},
		"another user's, mentions": {`{"node":{"kind":"source","entity_key":"s"}}` + "\n" + `{"relationship":{"from":"s","to":"eve","type":"mentions"}}`, "", "2 to", "u1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, strict := range []string{"false", "true"} {
				c := s.team(t)
				c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","entity_key":"eve","name":"Eve","is_owner":true}]}`)
				query := []string{"user_id", "u1", "strict", strict}
				if of.owner != "" {
					query = append(query, "owner", of.owner)
				}
				report, status := c.imported(t, of.file, query...)
				if len(report.Refused) != 1 || fmt.Sprint(report.Refused[0].Line, " ", report.Refused[0].Location) != of.refused || report.Complete == (strict == "true") {
					t.Errorf("strict %s: %d %+v", strict, status, report)
				}
				got := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
				if is := at(got, "user", "owner_person_node", "name"); is != of.is {
					t.Errorf("strict %s: the owner is %v", strict, is)
				}
				if file := c.exported(t); strings.Contains(file, `"to":"eve"`) || strings.Count(file, `"is_owner":true`) != 2 {
					t.Errorf("strict %s: stored: %s", strict, file)
				}
			}
		})
	}
}

// A context includes a source that has more mentions than a request may write.
func TestImportOfManyMentions_slow(t *testing.T) {
	t.Parallel()
	const many = 10_000
	c := shared(t).team(t)
	var file strings.Builder
	_, _ = fmt.Fprintf(&file, `{"node":{"kind":"source","entity_key":"s","content_type":"conversation","summary":"Roll call","started_at":%q}}`+"\n", stamp(-time.Hour))
	for n := range many {
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"concept","entity_key":"k%d","name":"N%d"}}`+"\n", n, n)
	}
	for n := range many {
		_, _ = fmt.Fprintf(&file, `{"relationship":{"from":"s","to":"k%d","type":"mentions"}}`+"\n", n)
	}
	if report := c.importComplete(t, file.String(), "user_id", "u1"); report.Relationships != counted(many, 0, 0, 0) {
		t.Errorf("%+v", report)
	}
	got := c.do(t, http.MethodGet, "/v1/context?user_id=u1", "")
	if got.status != http.StatusOK || !strings.Contains(string(got.body), "Roll call") || len(got.body) > 64<<10 {
		t.Errorf("context: %d, %d bytes: %.300s", got.status, len(got.body), got.body)
	}
}
