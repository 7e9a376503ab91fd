package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var shellExample = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The example of docs/coding-agents.md works as it stands, with kith as a program in the PATH.
func TestHookExample(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/coding-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	example := shellExample.FindSubmatch(page)
	if example == nil {
		t.Fatal("docs/coding-agents.md has no example")
	}
	_, key := hookUser(t)
	folder := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=- exec '%s' \"$@\"\n", commandEnv, os.Args[0])
	if err := os.WriteFile(filepath.Join(folder, "kith"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	warm := newHooks(t, "claude-code", shared(t).url, key)
	warm.transcript = ""
	warm.must(t, "session-start", nil) // the service has had its first requests
	warm.must(t, "prompt", map[string]any{"prompt": "Where is the lighthouse?"})
	var out []byte
	for attempt := range 5 { // the first append waits for its plan, longer than a hook has time: its session is stored in the background
		command := exec.Command("sh", "-ec", string(example[1]))
		command.Dir = folder
		command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "KITH_URL="+shared(t).url, "KITH_KEY="+key, "KITH_DATA="+filepath.Join(folder, fmt.Sprint("data", attempt)))
		if out, err = command.CombinedOutput(); !strings.Contains(string(out), "the rest is stored in the background") {
			break
		}
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "# About ada") || !strings.Contains(lines[1], "Tuesdays, from the branch main") {
		t.Errorf("%v: %s", err, out)
	}
}

// The hooks of each plugin call a command that takes the event they call it for.
func TestPlugins(t *testing.T) {
	t.Parallel()
	events := map[string]string{
		"SessionStart": "session-start", "UserPromptSubmit": "prompt", "Stop": "stop", "SessionEnd": "stop", "PreCompact": "compact",
		"sessionStart": "session-start", "beforeSubmitPrompt": "prompt", "stop": "stop", "preCompact": "compact",
	}
	for path, least := range map[string]int{"claude-code/hooks/hooks.json": 5, "codex/hooks.json": 4, "cursor/hooks.json": 4} {
		var file struct {
			Hooks map[string][]struct {
				Command string
				Hooks   []struct{ Type, Command string }
			}
		}
		readPlugin(t, path, &file)
		for event, groups := range file.Hooks {
			for _, g := range groups {
				for _, h := range slices.Concat(g.Hooks, []struct{ Type, Command string }{{"command", g.Command}}) {
					if want := "kith hook " + events[event]; h.Command != "" && h.Command != want || h.Type != "command" {
						t.Errorf("%s: %s calls %q, want %q", path, event, h.Command, want)
					}
				}
			}
		}
		if len(file.Hooks) != least {
			t.Errorf("%s has %d hooks", path, len(file.Hooks))
		}
	}
	for _, path := range []string{"claude-code/.mcp.json", "cursor/mcp.json"} {
		var file struct {
			Servers map[string]struct {
				Command string
				Args    []string
			} `json:"mcpServers"`
		}
		readPlugin(t, path, &file)
		if s := file.Servers["kith"]; s.Command != "kith" || !slices.Equal(s.Args, []string{"mcp", "--shared"}) {
			t.Errorf("%s: %+v", path, file)
		}
	}
	var plugin, market map[string]any
	readPlugin(t, "claude-code/.claude-plugin/plugin.json", &plugin)
	readPlugin(t, "../../.claude-plugin/marketplace.json", &market)
	listed := at(market, "plugins", 0)
	if plugin["name"] != at(listed, "name") || at(listed, "source") != "./clients/plugins/claude-code" {
		t.Errorf("the marketplace lists %v", listed)
	}
	skill, err := os.ReadFile("../../clients/plugins/claude-code/skills/kith-memory/SKILL.md")
	if err != nil || !strings.HasPrefix(string(skill), "---\nname: kith-memory\ndescription: ") {
		t.Errorf("%v: %.60s", err, skill)
	}
}

func readPlugin(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "clients", "plugins", filepath.FromSlash(path)))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
