package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// systemCaller runs kith system in a temporary folder for a new team.
type systemCaller struct {
	*testing.T
	url, key, file string
}

func newSystemCaller(t *testing.T) systemCaller {
	t.Helper()
	s := shared(t)
	return systemCaller{t, s.url, s.newKey(t, testenv.Team(t), "read", "write"), filepath.Join(t.TempDir(), "context.json")}
}

// run returns the exit status and the output.
func (c systemCaller) run(args ...string) (int, string) {
	c.Helper()
	args = append([]string{"system"}, append(args, "--url", c.url, "--memory-file", c.file)...)
	return command(c.T, []string{"KITH_KEY=" + c.key}, args...)
}

// want runs a command and checks its exit status and a part of its output.
func (c systemCaller) want(status int, part string, args ...string) {
	c.Helper()
	if code, out := c.run(args...); code != status || !strings.Contains(out, part) {
		c.Errorf("kith system %s: exit %d, want %d and %q: %s", strings.Join(args, " "), code, status, part, out)
	}
}

func (c systemCaller) write(content string) {
	c.Helper()
	if err := os.WriteFile(c.file, []byte(content), 0o600); err != nil {
		c.Fatal(err)
	}
}

func (c systemCaller) read() string {
	c.Helper()
	raw, err := os.ReadFile(c.file)
	if err != nil {
		c.Fatal(err)
	}
	return string(raw)
}

const twoEntities = `{"entities":[{"name":"a","description":"","type":"service","tags":[],"properties":{"n":1.0}},
{"name":"b","type":"store"}],"relationships":[{"from":"a","to":"b","type":"uses"},{"from":"a","to":"gone","type":"uses"}]}`

// The workflow: load at its start, use, merge new facts, export at its end.
func TestSystemFlow(t *testing.T) {
	t.Parallel()
	c := newSystemCaller(t)
	golden, err := os.ReadFile("../../memory/system/testdata/context.json")
	if err != nil {
		t.Fatal(err)
	}
	c.write(string(golden))
	c.want(0, "entities loaded: 3 added, 0 updated, 0 unchanged, 0 refused, 0 removed", "load", "shop / main")
	c.want(0, strings.ReplaceAll(string(golden), "\u2028", `\u2028`), "show", "shop / main") // no terminal gets a line end that is none
	c.want(0, "- orders-api → orders-db: reads from\n", "show", "shop / main", "--format", "compact", "--name", "orders-db")
	c.want(0, "relationships loaded: 0 added, 0 updated, 4 unchanged", "load", "shop / main")
	if err := os.Remove(c.file); err != nil {
		t.Fatal(err)
	}
	c.want(0, "3 entities, 4 relationships", "export", "shop / main")
	if c.read() != string(golden) {
		t.Errorf("exported: %s", c.read())
	}

	c.write(twoEntities)
	c.want(0, "warning: relationships[1].to: entity not found", "merge", "shop / main")
	c.want(1, "body.relationships[1].to entity not found", "merge", "shop / main", "--strict")
	c.want(1, "body.relationships[1].to entity not found", "load", "shop / main", "--strict")
	c.want(0, "5 entities, 5 relationships", "export", "shop / main")
	if !strings.Contains(c.read(), `        "n": 1.0`+"\n") {
		t.Errorf("exported: %s", c.read())
	}
	if left, err := filepath.Glob(c.file + ".*"); len(left) > 0 || err != nil {
		t.Errorf("left beside the file: %v %v", left, err)
	}
}

// A missing file is an empty memory. Neither side is emptied because the other is missing.
func TestSystemWithoutAFile(t *testing.T) {
	t.Parallel()
	c := newSystemCaller(t)
	c.want(0, "does not exist: the system starts empty", "load", "s")
	c.want(0, "nothing to merge", "merge", "s")
	c.want(0, "0 entities, 0 relationships", "export", "s")
	if got := c.read(); got != "{\n  \"entities\": [],\n  \"relationships\": []\n}" {
		t.Errorf("empty memory: %q", got)
	}
	c.write(twoEntities)
	c.want(1, "load it first", "export", "s")
	c.want(0, "entities loaded: 2 added", "load", "s")
	c.want(0, "2 entities, 1 relationships", "export", "s")
	if err := os.Remove(c.file); err != nil {
		t.Fatal(err)
	}
	c.want(1, "would delete 2 entities", "load", "s")
	c.want(0, `"name": "a"`, "show", "s")
	c.want(0, "2 removed", "load", "s", "--force")
	c.want(0, `"entities": []`, "show", "s")
}

// Faults of a file are reported with their position, and nothing changes.
func TestSystemFileFaults(t *testing.T) {
	t.Parallel()
	c := newSystemCaller(t)
	c.write(twoEntities)
	c.want(0, "2 added", "load", "s")
	for content, want := range map[string]string{
		"{\n  \"entities\": [}\n":         "context.json: line 2, column 16: not valid JSON",
		"{\"entities\": [\"é\xff\"]}":     "line 1, column 17: not valid UTF-8",
		"":                                "line 1, column 1: not valid JSON",
		"{\"entities\":\n[{\"name\":7}]}": "line 2, column 10: entities.name must not be of the JSON type number",
		"[]":                              "the file must not be of the JSON type array",
		`{"entities":[{"name":"a","type":" "}],` + "\n" + `"relationships":[]}`: "body.entities[0].type must not be blank",
	} {
		c.write(content)
		c.want(1, want, "load", "s")
		c.want(1, "", "merge", "s", "--strict")
	}
	c.write(`{"relationships":[]}`)
	c.want(1, "body expected required property entities", "load", "s")
	c.write("{\n  corrupt")
	c.want(1, "line 2, column 3: not valid JSON", "export", "s")
	if c.read() != "{\n  corrupt" {
		t.Errorf("the corrupt file was changed: %s", c.read())
	}
	c.want(0, "2 entities, 1 relationships", "export", "s", "--force")
	c.want(0, `"name": "b"`, "show", "s")
	c.file = filepath.Dir(c.file) // a folder can be neither read nor written
	c.want(1, "is a directory", "load", "s")
	c.want(1, "is a directory", "export", "s")
	c.file = filepath.Join(c.file, "none", "context.json")
	c.want(1, "no such file or directory", "export", "s")
	c.key = "kith_wrong-and-long-enough"
	c.want(1, "401", "show", "s")
}

// The default file is context.json in the working directory.
func TestMemoryFileDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	address := serveHandler(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"entities":[],"relationships":[]}`))
	})
	code, out := command(t, []string{"KITH_KEY=kith_secret"}, "system", "export", "s", "--url", address)
	if raw, err := os.ReadFile("context.json"); code != 0 || err != nil || string(raw) != `{"entities":[],"relationships":[]}` {
		t.Errorf("exit %d: %s %q %v", code, out, raw, err)
	}
}
