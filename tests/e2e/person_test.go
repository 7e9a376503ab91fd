package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"kith/handlers"
	"kith/tests/testenv"
)

// Commands print text on a terminal and objects for programs.
func TestCommandsForPeople(t *testing.T) {
	t.Parallel()
	s := shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	s.as(key).awaitReady(t)
	s.as(key).must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"a","name":"Ada","is_owner":true},{"kind":"person","entity_key":"g","name":"Grace","description":"Sings alto"}],
		"relationships":[{"from":"a","to":"g","type":"has_relationship_with"}]}`)
	environ := []string{"KITH_URL=" + s.url, "KITH_KEY=" + key}
	s.as(key).must(t, http.MethodPatch, "/v1/nodes/person/g?user_id=u1", `{"description":"Sings alto; and tenor"}`)
	link := s.as(key).must(t, http.MethodGet, "/v1/nodes/person/g/relationships?user_id=u1", "")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"context", "u1"}, "# About Ada"},
		{[]string{"history", "--user", "u1", "person/g"}, `description was "Sings alto", now "Sings alto; and tenor" (patch-node)` + "\n- version 1, 2"},
		{[]string{"history", "--user", "u1", "relationship/" + fmt.Sprint(at(link, "relationships", 0, "key"))}, "- version 1, 2"},
		{[]string{"changes", "--user", "u1", "person/g", "--since", "yesterday", "--limit", "1"}, `: was "Sings alto", now "Sings alto; and tenor" (patch-node)`},
		{[]string{"explore", "--user", "u1", "who", "sings?"}, "**Grace**: Sings alto"},
		{[]string{"status", "--user", "u1"}, "Person         2\nrelationships  1\n"},
	} {
		if code, out := command(t, environ, c.args...); code != 0 || !strings.Contains(out, c.says) {
			t.Errorf("kith %v: %d, not %q: %s", c.args, code, c.says, out)
		}
		code, out := command(t, environ, append(c.args, "--json")...)
		var object map[string]any
		if err := json.Unmarshal([]byte(out), &object); code != 0 || err != nil || len(object) < 2 {
			t.Errorf("kith %v --json: %d, %v: %s", c.args, code, err, out)
		}
	}
	if code, out := command(t, environ, "context", "u1", "--as-of", "2020-01-01T00:00:00Z"); code != 0 || strings.Contains(out, "# About Ada") {
		t.Errorf("long ago: %d %s", code, out)
	}
	if code, out := command(t, environ, "context", "u1", "--time-zone", "nowhere"); code != 1 || !strings.Contains(out, "query.time_zone must be an IANA time zone") {
		t.Errorf("a wrong time zone: %d %s", code, out)
	}
}

// The status of a key without a user counts shared data and, for an admin, lists the team's users.
func TestStatusOfATeam(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	admin, plain := s.newKey(t, team, "read", "write", "admin"), s.newKey(t, team, "read")
	s.as(admin).awaitReady(t)
	c := s.as(admin)
	bound := c.must(t, http.MethodPost, "/v1/keys", `{"user_id":"u1","scopes":["read"]}`)["key"].(string)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"a","name":"Ada","is_owner":true},{"kind":"concept","entity_key":"c","name":"C"}]}`)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","entity_key":"b","name":"Bo","is_owner":true}]}`)
	c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u2"}`)
	c.must(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"entity","entity_key":"e","name":"Quay"}]}`)
	const sharedTable = "Shared by the team (--user USER counts the memory of a user):\nKIND           NODES\nEntity         1\nrelationships  0\n"
	for _, k := range []struct {
		key, says, not string
		args           []string
		users          int
	}{
		{admin, sharedTable + "\nUsers of the team:\nUSER  NODES  CONVERSATIONS  MESSAGES  CHATS  LAST ACTIVITY\nu1    2      0              0         0      20", "-\n", nil, 2},
		{plain, sharedTable, "u1", nil, 0},
		{bound, "Concept        1\n", "Shared", nil, 0},
		{admin, "Concept        1\n", "Shared", []string{"--user", "u1"}, 0},
	} {
		environ := []string{"KITH_URL=" + s.url, "KITH_KEY=" + k.key}
		code, out := command(t, environ, append([]string{"status"}, k.args...)...)
		if code != 0 || !strings.Contains(out, k.says) || strings.Contains(out, k.not) {
			t.Errorf("%v: %d %s", k.args, code, out)
		}
		var got struct {
			Shared bool
			Users  []any
		}
		code, out = command(t, environ, append([]string{"status", "--json"}, k.args...)...)
		if err := json.Unmarshal([]byte(out), &got); code != 0 || err != nil || len(got.Users) != k.users || got.Shared != strings.HasPrefix(k.says, "Shared") {
			t.Errorf("--json %v: %d, %v: %s", k.args, code, err, out)
		}
	}
}

// A Kith that starts reports that, and its version, to people and to Docker.
func TestStartingIsNotReady(t *testing.T) {
	t.Parallel()
	starting := httptest.NewServer(handlers.Starting(handlers.Build{Version: "v9"}))
	t.Cleanup(starting.Close)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"status", "--url", starting.URL, "--key", "k"}, "Kith v9 at " + starting.URL + " is not ready.\n"},
		{[]string{"health", "--listen", starting.Listener.Addr().String()}, `{"ready":false,"version":"v9","commit":"","date":""}` + "\n"},
	} {
		if code, out := command(t, nil, c.args...); code != 1 || out != c.says {
			t.Errorf("kith %v: %d %s, want %s", c.args, code, out, c.says)
		}
	}
}

// The doctor reports each check and its advice, without secrets.
func TestDoctor(t *testing.T) {
	t.Parallel()
	db, redis := testenv.Neo4j(t), testenv.Redis(t)
	s := shared(t)
	key := s.newKey(t, testenv.Team(t), "read")
	s.as(key).awaitReady(t)
	if code, out := command(t, append(settings(db, redis), "KITH_URL="+s.url, "KITH_KEY="+key), "doctor"); code != 0 || strings.Count(out, "✓") != 8 {
		t.Errorf("all is well: %d %s", code, out)
	}
	ill := db
	ill.Password = "wr0ng-secret"
	code, out := command(t, append(settings(ill, "redis://:s3cret@127.0.0.1:1"), "KITH_URL="+s.url, "KITH_KEY=kith_wrong-secret"), "doctor")
	for _, want := range []string{"✗ Neo4j", "✗ Redis", "✗ Key", "→ start it, and check KITH_NEO4J_URI", "→ create one with the scope read"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("ill: %d, not %q: %s", code, want, out)
		}
	}
	if strings.Contains(out, "s3cret") || strings.Contains(out, "-secret") {
		t.Errorf("a secret is told: %s", out)
	}
	code, out = command(t, []string{"KITH_DATA=" + t.TempDir(), "KITH_LISTEN=" + freeAddress(t), "KITH_ADMIN_LISTEN=127.0.0.1:0"}, "doctor", "--json")
	var findings []any
	if err := json.Unmarshal([]byte(out), &findings); err != nil || code != 0 || len(findings) != 6 {
		t.Errorf("nothing runs: %d, %v: %s", code, err, out)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]string{"bash": "' key create --scopes') values='read write admin'", "zsh": "bashcompinit", "fish": "__kith_at ' key create'\" -l scopes -x -a 'read write admin'"} {
		if code, out := command(t, nil, "completion", shell); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s", shell, code, out)
		}
	}
	if code, _ := command(t, nil, "completion", "tcsh"); code != 2 {
		t.Errorf("an unknown shell: %d", code)
	}
}

// The bash script completes the last word.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	_, script := command(t, nil, "completion", "bash")
	for line, want := range map[string]string{
		"kith key ":                         "create list revoke",
		"kith key c":                        "create",
		"kith key --":                       "--help --version",
		"kith key create ":                  "--help --version --team --user --scopes --limit --origin --trust --expires",
		"kith key create --scopes ":         "read write admin",
		"kith key create --scopes = w":      "write",
		"kith key create --scopes =":        "read write admin",
		"kith key create --team t1 --exp":   "--expires",
		"kith key create --team list --exp": "--expires",
		"kith key create --team ":           "",
		"kith completion ":                  "bash zsh fish",
		"kith import ":                      "file conversations",
		"kith import --format m":            "mcp-memory mem0",
		"kith import file --format m":       "mcp-memory mem0",
		"kith import x.json --dry-run --st": "--strict",
		"kith import file ":                 "",
		"kith context u1 --j":               "--json",
		"kith system show s --format ":      "json compact",
		"kith serve --log-format ":          "text json",
		"kith nothing --":                   "--help --version",
		"kith st":                           "status",
	} {
		words := strings.Split(line, " ")
		program := script + "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _kith; echo \"${COMPREPLY[*]}\""
		out, err := exec.CommandContext(t.Context(), "bash", append([]string{"-c", program, "bash"}, words...)...).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
}
