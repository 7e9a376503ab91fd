package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/audit"
	"kith/tests/testenv"
)

func TestChangesAreAudited(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	environ := append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_AUDIT_LOG="+path)
	s := start(t, environ)
	team := testenv.Team(t)
	key := s.newKey(t, team, "read", "write")
	c := s.as(key)
	const secret = "what nobody may read"
	written := c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","name":"`+secret+`"},{"kind":"concept","entity_key":"b","name":"b"}],
		"relationships":[{"from":"a","to":"b","type":"relates_to","description":"`+secret+`"}]}`)
	link := at(written, "relationships", 0, "key").(string)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","name":"`+secret+`"}]}`) // changes nothing
	c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s","messages":[{"entity_key":"m","role":"user","text":"`+secret+`"}],"mentions":["a"]}`)
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"style","value":"`+secret+`"}]}`)
	c.must(t, http.MethodPut, "/v1/systems/sys/memory", `{"entities":[{"name":"`+secret+`","type":"x"}],"relationships":[]}`)
	c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","text_matches":["`+secret+`"]}`)
	c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
	c.do(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"none"}]}`)
	s.as("").do(t, http.MethodPost, "/v1/memory", `{}`)
	c.must(t, http.MethodDelete, "/v1/nodes/concept/b?user_id=u1", "")
	if code, out := command(t, environ, "key", "revoke", "none"); code == 0 {
		t.Errorf("revoke: %s", out)
	}
	if code, out := command(t, environ, "key", "create", "--team", team); code != 0 {
		t.Errorf("create: %s", out)
	}

	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); strings.Contains(text, secret) || strings.Contains(text, key) || strings.Contains(text, bootstrapKey) {
		t.Errorf("the log tells too much: %s", text)
	}
	var got []string
	for line := range strings.Lines(string(raw)) {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.At.IsZero() {
			t.Fatalf("%v: %s", err, line)
		}
		if !slices.Contains(e.IDs, team) && (e.TeamID != team || e.KeyID == "" || e.RequestID == "") {
			t.Errorf("who: %s", line)
		}
		got = append(got, fmt.Sprint(e.Operation, " ", e.Users, " ", e.IDs))
	}
	for i, want := range []string{
		"POST /v1/keys [] [" + team + " ",
		"POST /v1/memory [u1] [a b " + link + "]",
		"POST /v1/memory [] []",
		"POST /v1/sources [u1] [s m]",
		"PUT /v1/users/:id/preferences [u1] [u1]",
		"PUT /v1/systems/:system/memory [] [sys]",
		"DELETE /v1/nodes/:kind/:key [u1] [b]",
		"kith key create [] [" + team + " ",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("line %d is not %q: %q", i, want, got)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d lines: %q", len(got), got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// auditLines returns the lines of an audit log after the first ones, as operation, users and ids.
func auditLines(t *testing.T, path string, since int) (lines []string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.At.IsZero() || e.TeamID == "" {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, fmt.Sprint(e.Operation, " ", e.Status, " ", e.Users, " ", e.IDs))
	}
	return lines[since:]
}

// Each call of a tool that changes something has its own line with the tool and the changed ids. Other calls, resources and
// prompts have no line.
func TestChangesOverMCPAreAudited(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	s := start(t, append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_AUDIT_LOG="+path, "KITH_MCP_COMPAT=memory"))
	team := testenv.Team(t)
	key := s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"u1","scopes":["read","write"]}`)["key"].(string)
	a := s.agent(t, key)
	for i, c := range []struct{ tool, arguments, want string }{
		{"remember", `{"nodes":[{"kind":"concept","entity_key":"a","name":"a","note":"n"},{"kind":"concept","entity_key":"b","name":"b"},{"kind":"project","entity_key":"p","name":"p"},{"kind":"task","entity_key":"t","name":"t","project_id":"p"}],
			"relationships":[{"from":"a","to":"b","type":"relates_to"}]}`, "mcp remember 200 [u1] [a b p t LINK]"},
		{"remember", `{"nodes":[{"kind":"concept","entity_key":"a","name":"a"}]}`, ""}, // changes nothing
		{"remember", `{"nodes":[{"kind":"concept","entity_key":"c","name":"c"}],"relationships":[{"from":"c","to":"none","type":"relates_to"}]}`, "mcp remember 200 [u1] [c]"},
		{"remember", `{"nodes":[{"kind":"concept","name":""}]}`, ""},
		{"remember", `{"user_id":"u2","nodes":[{"kind":"concept","name":"x"}]}`, ""},
		{"add_conversation", `{"conversation_id":"s","messages":[{"entity_key":"m","role":"user","text":"x"}]}`, "mcp add_conversation 200 [u1] [s m]"},
		{"add_conversation", `{"conversation_id":"s","content_type":"none"}`, ""},
		{"get_context", `{}`, ""},
		{"explore", `{"text_matches":["a"]}`, ""},
		{"traverse", `{"mode":"neighbors","entity_key":"a","direction":"both"}`, ""},
		{"get_linked_entities", `{"entity_kind":"task","entity_id":"t"}`, ""},
		{"get_entity_relationships", `{"entity_kind":"concept","entity_id":"a"}`, ""},
		{"get_ontology", `{}`, ""},
		{"set_preference", `{"key":"tone","value":"dry"}`, "mcp set_preference 200 [u1] [tone]"},
		{"set_preference", `{"key":"never set","remove":true}`, ""},
		{"merge_system", `{"system":"shop","entities":[{"name":"api","type":"service"}]}`, "mcp merge_system 200 [] [shop]"},
		{"forget", `{"entity_keys":["b","nobody"]}`, "mcp forget 200 [u1] [b]"},
		{"forget", `{"entity_keys":["nobody"]}`, ""},
		{"create_entities", `{"entities":[{"name":"Zoe","entityType":"person","observations":["has a boat","sings"]},{"name":"Bo","entityType":"person","observations":[]}]}`, "mcp create_entities 200 [u1] [ZOE BO]"},
		{"create_entities", `{"entities":[{"name":"Zoe","entityType":"person","observations":[]}]}`, ""},
		{"create_relations", `{"relations":[{"from":"Zoe","to":"Bo","relationType":"knows"}]}`, "mcp create_relations 200 [u1] [LINK]"},
		{"add_observations", `{"observations":[{"entityName":"Bo","contents":["sails"]}]}`, "mcp add_observations 200 [u1] [BO]"},
		{"read_graph", `{}`, ""},
		{"search_nodes", `{"query":"boat"}`, ""},
		{"open_nodes", `{"names":["Zoe"]}`, ""},
		{"delete_observations", `{"deletions":[{"entityName":"Zoe","observations":["sings"]}]}`, "mcp delete_observations 200 [u1] [NOTE ZOE]"},
		{"delete_relations", `{"relations":[{"from":"Zoe","to":"Bo","relationType":"knows"}]}`, "mcp delete_relations 200 [u1] [LINK]"},
		{"delete_entities", `{"entityNames":["Zoe","nobody"]}`, "mcp delete_entities 200 [u1] [ZOE]"},
	} {
		before := len(auditLines(t, path, 0))
		a.call(t, c.tool, c.arguments)
		got := auditLines(t, path, before)
		if c.want == "" && len(got) > 0 || c.want != "" && len(got) != 1 {
			t.Errorf("call %d, %s: %q", i, c.tool, got)
			continue
		}
		if c.want != "" {
			sameLine(t, c.want, got[0])
		}
	}
	before := len(auditLines(t, path, 0))
	if _, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "kith://context"}); err != nil {
		t.Error(err)
	}
	if _, err := a.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "session_start"}); err != nil {
		t.Error(err)
	}
	if got := auditLines(t, path, before); len(got) > 0 {
		t.Errorf("resources and prompts: %q", got)
	}
	proxy := startMCP(t, []string{"KITH_URL=" + s.url, "KITH_KEY=" + key})
	proxy.call(t, "remember", `{"nodes":[{"kind":"concept","entity_key":"d","name":"d"}]}`)
	own := startMCP(t, append(settings(testenv.Neo4j(t), ""), "KITH_TEAM="+team, "KITH_USER=u1", "KITH_AUDIT_LOG="+path))
	own.call(t, "forget", `{"entity_keys":["d"]}`)
	if got := auditLines(t, path, before); !slices.Equal(got, []string{"mcp remember 200 [u1] [d]", "mcp forget 200 [u1] [d]"}) {
		t.Errorf("over standard input and output: %q", got)
	}
}

// sameLine compares a line with the expected one, in which LINK, NOTE and names in capitals stand for generated keys.
func sameLine(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := strings.Fields(strings.Trim(want, "]")), strings.Fields(strings.Trim(got, "]"))
	for i, word := range wanted {
		name := strings.Trim(word, "[]")
		made := name == strings.ToUpper(name) && strings.ContainsAny(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if i >= len(found) || made && len(strings.Trim(found[i], "[]")) < 8 || !made && word != found[i] {
			t.Errorf("%s instead of %s", got, want)
			return
		}
	}
	if len(found) != len(wanted) {
		t.Errorf("%s instead of %s", got, want)
	}
}
