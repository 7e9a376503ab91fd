package e2e

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

// standIn runs a Python program that stands in for another system until the test ends, and returns the addresses that it
// prints. The program has called itself with the system's own client by then.
func standIn(t *testing.T, python, program string, args ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("testdata", program)}, args...)...) //nolint:gosec // the test's own
	command.Stderr, command.WaitDelay = os.Stderr, 5*time.Second
	in, err := command.StdinPipe() // its end ends the program
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s ended: %v", program, err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	return strings.Fields(line)
}

// sdks returns a Python with the SDKs of the hosted systems.
func sdks(t *testing.T) string {
	t.Helper()
	return testenv.Python(t, "letta-client==1.12.1", "zep-cloud==4.0.1")
}

// ownSystem returns a Python with a system itself, which takes long to install.
func ownSystem(t *testing.T, packages ...string) string {
	t.Helper()
	if os.Getenv("KITH_TEST_ADAPTERS") == "" {
		t.Skip("installs " + packages[0] + ": make test-adapters")
	}
	return testenv.Python(t, packages...)
}

// migrated runs a migration into a fresh team twice: the second one changes nothing. It returns what the team knows then.
func migrated(t *testing.T, environ []string, args ...string) (c caller) {
	t.Helper()
	s := shared(t)
	c = s.team(t)
	environ = append(environ, "KITH_URL="+s.url, "KITH_KEY="+c.key)
	args = append([]string{"migrate"}, args...)
	code, dry := command(t, environ, append(args, "--dry-run")...)
	if code != 0 || !strings.Contains(dry, "dry run: nothing was stored") {
		t.Fatalf("dry run: %d %s", code, dry)
	}
	code, out := command(t, environ, args...)
	if code != 0 || strings.Contains(out, "nodes:         0 created") {
		t.Fatalf("migrate: %d %s", code, out)
	}
	if want := strings.TrimSpace(strings.Split(dry, "nodes:")[1]); !strings.Contains(out, want) {
		t.Errorf("dry run: %s\nmigrate: %s", dry, out)
	}
	if code, again := command(t, environ, args...); code != 0 || !strings.Contains(again, "nodes:         0 created") || !strings.Contains(again, "relationships: 0 created, 0 updated") {
		t.Errorf("migrated again: %d %s", code, again)
	}
	return c
}

func checkContext(t *testing.T, c caller, user, owner string, texts ...string) {
	t.Helper()
	text := string(c.do(t, http.MethodGet, "/v1/context?format=text&user_id="+user, "").body)
	for _, what := range append(texts, "# About "+owner+"\n") {
		if !strings.Contains(text, what) {
			t.Errorf("%q is not in: %s", what, text)
		}
	}
}

// Options of the import are refused where nothing is imported.
func TestMigrateToAFile(t *testing.T) {
	t.Parallel()
	for _, option := range []string{"--dry-run", "--user=ada", "--owner=Ada", "--strict", "--json"} {
		path := filepath.Join(t.TempDir(), "zep.json")
		code, out := command(t, []string{"ZEP_API_KEY=k"}, "migrate", "zep", "--from", "http://127.0.0.1:9", "--to", path, option)
		name, _, _ := strings.Cut(option, "=")
		if want := "migrate: " + name + " is for the import: pass it to kith import"; code != 1 || !strings.Contains(out, want) {
			t.Errorf("want %q: %d %s", want, code, out)
		}
	}
}

func TestMigrateZep(t *testing.T) {
	t.Parallel()
	address := standIn(t, sdks(t), "standin_zep.py", "../../exchange/testdata/zep.json")[0]
	key := "ZEP_API_KEY=zep-key"
	c := migrated(t, []string{key}, "zep", "--from", address)
	checkContext(t, c, "ada", "Ada Quay", "Sarah", "Ada's sister", "Keeps the tide tables")
	c = migrated(t, []string{key}, "zep", "--from", address, "--from-user", "ada", "--user", "u1", "--owner", "Ada of Lisbon")
	checkContext(t, c, "u1", "Ada of Lisbon", "Sarah")
	for args, want := range map[string]string{
		"ZEP_API_KEY=wrong":         "401 unauthorized: the API key is missing, or may not read this",
		key + " --from-user nobody": "the project has no user with this user_id or UUID",
		key + " --from ftp://x":     "the address must begin with http:// or https://",
		key + " --from " + c.url:    "404 not found",
	} {
		path, fields := filepath.Join(t.TempDir(), "zep.json"), strings.Fields(args)
		code, out := command(t, fields[:1], append([]string{"migrate", "zep", "--from", address, "--to", path}, fields[1:]...)...)
		if _, err := os.Stat(path); code != 1 || !strings.Contains(out, want) || strings.Contains(out, "wrong") || !os.IsNotExist(err) {
			t.Errorf("%s: %d %s %v", args, code, out, err)
		}
	}
	if code, out := command(t, []string{key}, "migrate", "zep", "--from", address); code != 1 || !strings.Contains(out, "KITH_KEY is required") {
		t.Errorf("without a key of Kith: %d %s", code, out)
	}
}

func TestMigrateLetta(t *testing.T) {
	t.Parallel()
	address := standIn(t, sdks(t), "standin_letta.py")[0]
	c := migrated(t, []string{"LETTA_API_KEY=letta-key"}, "letta", "--from", address, "--user", "ada")
	checkContext(t, c, "ada", "ada", "Her name is Ada Quay.", "She keeps the tide tables.", "I am Sam, and I am brief.", "Ada knows tide 2")
	said := c.must(t, http.MethodGet, "/v1/conversations?user_id=ada", "")
	page := c.must(t, http.MethodGet, "/v1/conversations/"+names(said["conversations"], "entity_key")+"?user_id=ada", "")
	if got := names(page["messages"], "text"); got != "My sister Sarah moves to Hvar. When does she move? In spring." {
		t.Errorf("messages: %s", got)
	}
	path := filepath.Join(t.TempDir(), "letta.json")
	code, out := command(t, []string{"LETTA_API_KEY=letta-key"}, "migrate", "letta", "--from", address, "--agent", "agent-1", "--to", path)
	raw, err := os.ReadFile(path)
	if code != 0 || err != nil || strings.Count(string(raw), `"id":"agent-`) != 1 {
		t.Errorf("one agent: %d %s %v: %s", code, out, err, raw)
	}
}

// Graphiti's own classes write a graph to Neo4j, without a language model.
func TestMigrateGraphiti(t *testing.T) {
	t.Parallel()
	python := ownSystem(t, "graphiti-core==0.31.2", "httpx==0.28.1")
	target := testenv.Neo4j(t)
	group := testenv.Team(t)
	environ := []string{"NEO4J_URI=" + target.URI, "NEO4J_USER=" + target.User, "NEO4J_PASSWORD=" + target.Password}
	write := exec.CommandContext(t.Context(), python, "testdata/graphiti_write.py", group) //nolint:gosec // the test's own
	write.Env = append(os.Environ(), environ...)
	if out, err := write.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := migrated(t, environ, "graphiti", "--group", group, "--user", "ada", "--owner", "Ada Quay")
	checkContext(t, c, "ada", "Ada Quay", "Keeps the tide tables.", "Sarah is Ada's sister.")
}

// mem0's own Memory answers for its open-source server, and its own client has called the platform's stand-in.
func TestMigrateMem0(t *testing.T) {
	t.Parallel()
	addresses := standIn(t, ownSystem(t, "mem0ai==2.2.1"), "standin_mem0.py")
	for i, more := range [][]string{nil, {"--hosted"}} {
		args := append([]string{"mem0", "--from", addresses[i]}, more...)
		c := migrated(t, []string{"MEM0_API_KEY=mem0-key"}, args...)
		checkContext(t, c, "ada", "ada", "Sarah moves to Hvar", "Ada likes tide 22", "14 more memories") // a context shows ten
		shared := string(c.do(t, http.MethodPost, "/v1/explore", `{"queries":[{"query":"desk nine"}]}`).body)
		if !strings.Contains(shared, "The desk opens at nine") {
			t.Errorf("of an agent alone: %s", shared)
		}
	}
}

// The example of docs/migrate.md works as it stands.
func TestExampleOfMigrate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/migrate.md")
	if err != nil {
		t.Fatal(err)
	}
	s := shared(t)
	address, folder := standIn(t, sdks(t), "standin_zep.py", "../../exchange/testdata/zep.json")[0], t.TempDir()
	environ := []string{"KITH_URL=" + s.url, "KITH_KEY=" + s.team(t).key, "ZEP_API_KEY=zep-key"}
	var last string
	for line := range strings.SplitSeq(strings.Split(string(page), "```")[1], "\n") {
		line, _, _ = strings.Cut(line, "#")
		if !strings.HasPrefix(line, "kith ") {
			continue
		}
		line = strings.NewReplacer(`"$ZEP_URL"`, address, `"Ada of Lisbon"`, "Ada\u00a0of\u00a0Lisbon", "ada.json", filepath.Join(folder, "ada.json")).Replace(line)
		var args []string
		for word := range strings.FieldsFuncSeq(strings.TrimPrefix(line, "kith "), func(c rune) bool { return c == ' ' }) {
			args = append(args, strings.ReplaceAll(word, "\u00a0", " "))
		}
		code, out := command(t, environ, args...)
		if code != 0 {
			t.Fatalf("%s: %d %s", line, code, out)
		}
		last = out
	}
	if !strings.HasPrefix(last, "# About Ada") || !strings.Contains(last, "Keeps the tide tables") {
		t.Errorf("the context: %s", last)
	}
}
