package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/tests/testenv"
)

// agent is a session of the SDK's client.
type agent struct{ *sdk.ClientSession }

func connect(t *testing.T, transport sdk.Transport) agent {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return agent{session}
}

// bearerTransport sends an API key with every request.
type bearerTransport string

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects an agent to the service over HTTP.
func (s *service) agent(t *testing.T, key string) agent {
	t.Helper()
	return connect(t, &sdk.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearerTransport(key)}, DisableStandaloneSSE: true,
	})
}

// startMCP starts kith mcp, and ends it by closing its input.
func startMCP(t *testing.T, environ []string, flags ...string) agent {
	t.Helper()
	in, toKith := io.Pipe()
	fromKith, out := io.Pipe()
	said, ended := &buffer{}, make(chan int, 1)
	go func() {
		ended <- run(t.Context(), append([]string{"mcp"}, flags...), environ, streams{in, out, said})
		_ = out.Close()
	}()
	a := connect(t, &sdk.IOTransport{Reader: fromKith, Writer: toKith})
	t.Cleanup(func() {
		_ = a.Close()
		if code := <-ended; code != 0 {
			t.Errorf("kith mcp ended with %d: %s", code, said)
		}
	})
	return a
}

// call calls a tool and returns its text and object.
func (a agent) call(t *testing.T, tool, arguments string) (text string, object map[string]any) {
	t.Helper()
	result, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if result.IsError {
		text = "error: "
	}
	for _, c := range result.Content {
		text += c.(*sdk.TextContent).Text
	}
	object, _ = result.StructuredContent.(map[string]any)
	return text, object
}

// says calls a tool and checks that its text contains some parts.
func (a agent) says(t *testing.T, tool, arguments string, parts ...string) map[string]any {
	t.Helper()
	text, object := a.call(t, tool, arguments)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s %s does not say %q:\n%s", tool, arguments, part, text)
		}
	}
	if strings.HasPrefix(text, "error: ") && object != nil {
		t.Errorf("%s: an error with the object %v", tool, object)
	}
	return object
}

// What an agent remembers is in its next conversation, over every transport.
func TestMCPConversation(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	key := s.newKey(t, team, "read", "write")
	own := append(settings(testenv.Neo4j(t), ""), "KITH_TEAM="+team, "KITH_USER=over-stdio")
	for _, way := range []struct {
		user  string
		agent agent
	}{
		{"over-http", s.agent(t, key)},
		{"over-stdio", startMCP(t, own)},
		{"over-a-proxy", startMCP(t, []string{"KITH_URL=" + s.url, "KITH_KEY=" + key})},
	} {
		t.Run(way.user, func(t *testing.T) { converse(t, way.agent, way.user) })
	}
}

func converse(t *testing.T, a agent, user string) {
	if got := a.InitializeResult().Instructions; !strings.Contains(got, "get_context") {
		t.Errorf("instructions: %s", got)
	}
	of := func(rest string) string { return fmt.Sprintf(`{"user_id":%q,%s}`, user, rest) }
	stored := a.says(t, "remember", of(`"nodes":[{"kind":"person","name":"Ada","is_owner":true,"description":"Builds engines"},
		{"kind":"person","name":"Grace","state":"active","note":"sings alto"},{"kind":"project","name":"Mill","entity_key":"mill-`+user+`"},
		{"kind":"task","name":"Grind","entity_key":"grind-`+user+`","project_id":"mill-`+user+`"},
		{"kind":"goal","name":"Flour","entity_key":"flour-`+user+`","project_id":"mill-`+user+`"}],
		"relationships":[{"from":"ada","to":"Grace","type":"has_relationship_with","description":"Her oldest friend","attitude":5},
		{"from":"Grind","to":"flour-`+user+`","type":"supports_goal"},{"from":"Ada","to":"nobody","type":"relates_to"}]`),
		"Stored 7 of 8", "relationships[2] (relates_to) refused: there is no such node")
	grace := at(stored, "nodes", 1, "entity_key").(string)

	a.says(t, "get_context", of(`"max_tokens":500`), "# About Ada", "**Grace** (Person): Her oldest friend")
	a.says(t, "explore", of(`"text_matches":["Grace"],"conversation_id":"c"`), "**Grace** ["+grace+"]", "sings alto")
	a.says(t, "get_node", of(`"entity_key":"grace"`), "# Grace (person) ["+grace+"]", "sings alto", "Her oldest friend")
	a.says(t, "list_nodes", of(`"kind":"task","project_id":"mill-`+user+`"`), "- **Grind** [grind-"+user+"]")
	a.says(t, "set_preference", of(`"key":"tone","value":"very dry"`), "The preference tone is set.")
	a.says(t, "get_context", of(`"sections":["user"]`), "very dry")
	a.says(t, "set_preference", of(`"key":"tone","remove":true`), "The preference tone is removed.")
	a.says(t, "merge_system", `{"system":"`+user+`","entities":[{"name":"api","type":"service"},{"name":"db","type":"store"}],"relationships":[{"from":"api","to":"db","type":"reads"}]}`, "Stored 3 of 3: 3 added")
	a.says(t, "get_system", `{"system":"`+user+`"}`, "**api** (service)", "api → db: reads")
	a.says(t, "get_system", `{}`, "- "+user+": 2 entities, 1 relationships")
	a.says(t, "traverse", of(`"mode":"path","from":"ADA","to":"grace"`), "Ada —has_relationship_with→ Grace")
	a.says(t, "traverse", of(`"mode":"neighbors","entity_key":"`+grace+`","direction":"both"`), "Her oldest friend", "**Ada**")
	a.says(t, "traverse", of(`"mode":"cypher","cypher":"MATCH (n:Person) RETURN n.name AS name ORDER BY name"`), "| Ada |\n| Grace |")
	a.says(t, "traverse", of(`"mode":"cypher","cypher":"MATCH (n) DELETE n"`), "error: ", "- cypher: line 1, column 11: DELETE is not allowed")
	a.says(t, "get_ontology", of(`"project_id":"mill-`+user+`"`), "Mill", "Flour")
	linked := a.says(t, "get_linked_entities", of(`"entity_kind":"task","entity_id":"grind-`+user+`"`), "#### Flour", "supports_goal (outgoing)")
	if got := at(linked, "summary"); got != "1 goal" {
		t.Errorf("summary %v", got)
	}
	related := a.says(t, "get_entity_relationships", of(`"entity_kind":"task","entity_id":"grind-`+user+`","direction":"outgoing"`), "goal **Flour** [flour-"+user+"]", "## Incoming (0)")
	if got := at(related, "outgoing", 0, "type"); got != "supports_goal" {
		t.Errorf("related by %v", got)
	}
	a.says(t, "get_entity_relationships", of(`"entity_kind":"person","entity_id":"`+grace+`"`), "## Outgoing (0)", "## Incoming (1)", "**Ada**")
	a.says(t, "add_conversation", of(`"conversation_id":"s-`+user+`","summary":"Ada asked how Grace is","messages":[{"role":"user","text":"How is Grace?"}],"mentions":["`+grace+`"]`), "is created, with 1 message")
	a.says(t, "get_context", of(`"sections":["recent_context"]`), "Ada asked how Grace is")
	a.says(t, "forget", of(`"entity_keys":["`+grace+`","nobody"]`), "["+grace+"] deleted; can be restored", "[nobody] not found")
	a.says(t, "forget", of(`"entity_keys":["`+grace+`"]`), "error: ", "Nothing was deleted")
	for i := range 6 {
		text, _ := a.call(t, "explore", of(`"text_matches":["Ada"],"conversation_id":"d"`))
		if hinted := strings.Contains(text, "Look 6 of this conversation"); hinted != (i == 5) {
			t.Errorf("look %d: %s", i+1, text)
		}
	}
	resource, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "kith://context/" + user})
	if err != nil || !strings.Contains(resource.Contents[0].Text, "# About Ada") {
		t.Errorf("resource: %v, %v", resource, err)
	}
	if schema, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "kith://schema"}); err != nil || !strings.Contains(schema.Contents[0].Text, "## Rules") {
		t.Errorf("schema: %v, %v", schema, err)
	}
	for name, arguments := range map[string]map[string]string{
		"session_start": {"user_id": user}, "workspace_start": {"user_id": user, "project_id": "mill-" + user},
	} {
		prompt, err := a.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: name, Arguments: arguments})
		if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "\n\n#") {
			t.Errorf("prompt %s: %v, %v", name, prompt, err)
		}
	}
}

// Refusals are reported by HTTP without a valid key, by the protocol for unknown names, and otherwise by a result that a model
// can read.
func TestMCPRefuses(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	reader := s.newKey(t, team, "read")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context","arguments":{"user_id":"u1"}}}`
	accept := []string{"Accept", "application/json, text/event-stream"}
	for _, c := range []struct {
		name, method, key, body string
		status                  int
	}{
		{"no key", http.MethodPost, "", call, http.StatusUnauthorized},
		{"a wrong key", http.MethodPost, "kith_secret", call, http.StatusUnauthorized},
		{"no JSON", http.MethodPost, reader, `{"jsonrpc":`, http.StatusUnprocessableEntity},
		{"too deep", http.MethodPost, reader, `{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, http.StatusUnprocessableEntity},
		{"too large", http.MethodPost, reader, `{"a":"` + strings.Repeat("x", 33<<20) + `"}`, http.StatusRequestEntityTooLarge},
		{"another method", http.MethodGet, reader, "", http.StatusMethodNotAllowed},
		{"good", http.MethodPost, reader, call, http.StatusOK},
	} {
		r := s.as(c.key).do(t, c.method, "/mcp", c.body, accept...)
		if r.status != c.status || strings.Contains(string(r.body), "kith_secret") {
			t.Errorf("%s: %d, want %d: %.200s", c.name, r.status, c.status, r.body)
		}
	}
	if strings.Contains(s.err.String(), "kith_secret") {
		t.Error("the log has a key")
	}

	a := s.agent(t, reader)
	a.says(t, "get_context", `{}`, "error: ", "- user_id: is ")
	a.says(t, "get_context", `{"user_id":7,"zone":"s3cret"}`, "error: ", "- user_id: expected string", "- zone: unexpected property")
	a.says(t, "remember", `{"user_id":"u1","nodes":[{"kind":"person","name":"Ada"}]}`, "error: ", "the key lacks the scope write")
	a.says(t, "get_linked_entities", `{"user_id":"u1","entity_kind":"task","entity_id":"nobodys"}`, "error: ", "- entity_id: is neither the entity key nor the name")
	if _, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "format_disk"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool: %v", err)
	}
	body, _ := json.Marshal(map[string]any{"team_id": team, "user_id": "u1", "scopes": []string{"read", "write"}})
	bound := s.agent(t, s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", string(body))["key"].(string))
	bound.says(t, "remember", `{"nodes":[{"kind":"person","name":"Ada","entity_key":"ada-`+team+`"}]}`, "Stored 1 of 1")
	bound.says(t, "get_context", `{"user_id":"u2"}`, "error: ", "the key is bound to another user")
	a.says(t, "forget", `{"user_id":"u2","entity_keys":["ada-`+team+`"]}`, "error: ", "lacks the scope")
	other := s.agent(t, s.newKey(t, testenv.Team(t), "read", "write"))
	other.says(t, "forget", `{"user_id":"u1","entity_keys":["ada-`+team+`"]}`, "error: ", "not found")
}

// npmPackages returns the folder of the npm packages that Kith is tested with.
func npmPackages(t *testing.T) string {
	return filepath.Join(testenv.Packages(t, "@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/server-memory@2026.8.31"), "node_modules")
}

// The reference client, which validates results by schema, works with Kith over both transports.
func TestMCPWithTheReferenceClient(t *testing.T) {
	t.Parallel()
	modules := npmPackages(t)
	s := shared(t)
	script := filepath.Join(filepath.Dir(modules), "client.mjs") // imports are looked for beside the file
	raw, err := os.ReadFile("testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", script, s.url+"/mcp", s.newKey(t, testenv.Team(t), "read", "write"), os.Args[0]) //nolint:gosec // the test's own
	command.Env = append(append(os.Environ(), settings(testenv.Neo4j(t), "")...), "KITH_TEAM="+testenv.Team(t), commandEnv+"=mcp", "KITH_MCP_COMPAT=memory")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"http: 16 tools, Her oldest friend", "stdio: 25 tools, Her oldest friend"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("does not say %q: %s", want, out)
		}
	}
}

// The reference memory server and Kith answer the same calls with the same results.
func TestMCPMemoryIsLikeTheReference(t *testing.T) {
	t.Parallel()
	theirs := exec.Command("node", filepath.Join(npmPackages(t), "@modelcontextprotocol/server-memory/dist/index.js")) //nolint:gosec // the test's own
	theirs.Env = append(os.Environ(), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"))
	reference := connect(t, &sdk.CommandTransport{Command: theirs})
	kith := startMCP(t, append(settings(testenv.Neo4j(t), ""), "KITH_TEAM="+testenv.Team(t), "KITH_MCP_COMPAT=memory"))
	for i, c := range []struct{ tool, arguments string }{
		{"read_graph", `{}`},
		{"create_entities", `{"entities":[{"name":"Zoe","entityType":"person","observations":["likes <tea> & rain","plays go"]},{"name":"Acme Corp","entityType":"organization","observations":[]},{"name":"alpha","entityType":"concept","observations":["an idea"]},{"name":"Ümlaut 東京","entityType":"","observations":["x"]}]}`},
		{"create_entities", `{"entities":[{"name":"Zoe","entityType":"robot","observations":["no"]},{"name":"Bo","entityType":"Person","observations":["new here"]}]}`},
		{"create_entities", `{"entities":[]}`},
		{"create_relations", `{"relations":[{"from":"Zoe","to":"Acme Corp","relationType":"works at"},{"from":"Bo","to":"Zoe","relationType":"KNOWS"},{"from":"alpha","to":"Acme Corp","relationType":"part_of"}]}`},
		{"create_relations", `{"relations":[{"from":"Zoe","to":"Acme Corp","relationType":"works at"},{"from":"Zoe","to":"Bo","relationType":"KNOWS"}]}`},
		{"read_graph", `{}`},
		{"add_observations", `{"observations":[{"entityName":"Zoe","contents":["plays go","has a boat"]},{"entityName":"Acme Corp","contents":["makes anvils"]}]}`},
		{"add_observations", `{"observations":[{"entityName":"Zoe","contents":["never stored"]},{"entityName":"nobody","contents":["x"]}]}`},
		{"search_nodes", `{"query":"ANVILS"}`},
		{"search_nodes", `{"query":"person"}`},
		{"search_nodes", `{"query":"東"}`},
		{"search_nodes", `{"query":""}`},
		{"search_nodes", `{"query":"(no such thing*"}`},
		{"open_nodes", `{"names":["Bo","nobody"]}`},
		{"open_nodes", `{"names":[]}`},
		{"delete_observations", `{"deletions":[{"entityName":"Zoe","observations":["plays go","unknown"]},{"entityName":"nobody","observations":["x"]}]}`},
		{"open_nodes", `{"names":["Zoe"]}`},
		{"delete_relations", `{"relations":[{"from":"alpha","to":"Acme Corp","relationType":"part_of"},{"from":"Bo","to":"Zoe","relationType":"knows"}]}`},
		{"read_graph", `{}`},
		{"delete_entities", `{"entityNames":["Zoe","nobody"]}`},
		{"read_graph", `{}`},
		{"create_entities", `{"entities":[{"name":"Zoe","entityType":"person","observations":["is back"]}]}`},
		{"create_relations", `{"relations":[{"from":"Zoe","to":"Acme Corp","relationType":"works at"}]}`},
		{"read_graph", `{}`},
		{"create_entities", `{"entities":"none"}`},
	} {
		wantText, want := reference.call(t, c.tool, c.arguments)
		gotText, got := kith.call(t, c.tool, c.arguments)
		if strings.HasPrefix(wantText, "error: ") || strings.HasPrefix(wantText, "MCP error") {
			if !strings.HasPrefix(gotText, "error: ") {
				t.Errorf("call %d, %s %s: no error: %s", i, c.tool, c.arguments, gotText)
			}
			continue
		}
		if diff := cmp.Diff(want, got) + cmp.Diff(wantText, gotText); diff != "" {
			t.Errorf("call %d, %s %s (- reference, + kith): %s", i, c.tool, c.arguments, diff)
		}
	}
}
