package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/tests/testenv"
)

// hooks is a coding agent with hooks on a Kith.
type hooks struct {
	agent, session, project, transcript string
	environ                             []string
}

// newHooks returns an agent that works in a new folder, with a session that its hooks have not stored yet.
func newHooks(t *testing.T, agent, url, key string) *hooks {
	t.Helper()
	folder := t.TempDir()
	t.Cleanup(func() { // a process in the background may write at this moment
		eventually(t, time.Minute, "the files of the hooks are removed", func() bool { return os.RemoveAll(folder) == nil })
	})
	h := &hooks{agent: agent, session: "session-1", project: filepath.Join(folder, "app"), transcript: filepath.Join(folder, "session.jsonl")}
	h.environ = []string{"KITH_URL=" + url, "KITH_KEY=" + key, "KITH_DATA=" + filepath.Join(folder, "data")}
	raw, err := os.ReadFile(filepath.Join("..", "..", "exchange", "transcript", "testdata", agent+".jsonl"))
	if err == nil {
		err = os.WriteFile(h.transcript, raw, 0o600)
	}
	if err == nil {
		err = os.Mkdir(h.project, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// input returns what the agent writes to a hook, with further fields.
func (h *hooks) input(event string, more map[string]any) string {
	names := map[string][2]string{
		"session-start": {"SessionStart", "sessionStart"}, "prompt": {"UserPromptSubmit", "beforeSubmitPrompt"},
		"stop": {"Stop", "stop"}, "compact": {"PreCompact", "preCompact"},
	}
	fields := map[string]any{"session_id": h.session, "transcript_path": h.transcript, "cwd": h.project, "hook_event_name": names[event][0]}
	switch h.agent {
	case "codex":
		fields["model"], fields["permission_mode"] = "m", "default"
		if event != "session-start" {
			fields["turn_id"] = "t"
		}
	case "cursor":
		delete(fields, "cwd")
		delete(fields, "session_id")
		fields["conversation_id"], fields["workspace_roots"] = h.session, []string{h.project}
		fields["hook_event_name"], fields["cursor_version"] = names[event][1], "3.20.17"
	}
	for name, value := range more {
		fields[name] = value
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// call runs a hook, which must end in time.
func (h *hooks) call(t *testing.T, event string, in io.Reader) (code int, out, said string) {
	t.Helper()
	began := time.Now()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), []string{"hook", event}, h.environ, streams{in, &stdout, &stderr})
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("%s took %v", event, took)
	}
	return code, stdout.String(), stderr.String()
}

// answered runs a hook until the service, which is slow at the beginning of a test run, has had enough time.
func (h *hooks) answered(t *testing.T, event string, more map[string]any) (code int, out, said string) {
	t.Helper()
	eventually(t, 2*time.Minute, "the hook "+event+" has an answer", func() bool {
		code, out, said = h.call(t, event, strings.NewReader(h.input(event, more)))
		return !strings.Contains(said, "deadline exceeded") && !strings.Contains(said, "no time") && !strings.Contains(said, "two seconds")
	})
	return code, out, said
}

// must runs a hook that succeeds, and returns its output.
func (h *hooks) must(t *testing.T, event string, more map[string]any) string {
	t.Helper()
	code, out, said := h.answered(t, event, more)
	if code != 0 || said != "" {
		t.Fatalf("%s: %d %s%s", event, code, out, said)
	}
	return out
}

// told returns the text that an agent reads from the output of a hook.
func (h *hooks) told(t *testing.T, out string) string {
	t.Helper()
	var answer struct {
		Context  string `json:"additional_context"`
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return answer.Context + answer.Specific.Context
}

// has checks the messages of the session, as role and text. A process in the background may store them.
func (h *hooks) has(t *testing.T, c caller, want ...string) {
	t.Helper()
	var diff string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if diff = cmp.Diff(want, h.stored(t, c)); diff == "" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s is not what was said: %s", h.session, diff)
}

func (h *hooks) stored(t *testing.T, c caller) (all []string) {
	t.Helper()
	r := c.do(t, http.MethodGet, "/v1/conversations/"+url.PathEscape(h.agent+"/"+h.session)+"?limit=1000", "")
	var found struct{ Messages []struct{ Role, Text string } }
	if r.status == http.StatusNotFound {
		return nil
	}
	if err := json.Unmarshal(r.body, &found); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for _, m := range found.Messages {
		all = append(all, m.Role+": "+m.Text)
	}
	return all
}

// write writes a transcript of Claude Code with lines, and a line break after each.
func (h *hooks) write(t *testing.T, lines ...string) {
	t.Helper()
	if err := os.WriteFile(h.transcript, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h *hooks) append(t *testing.T, text string) {
	t.Helper()
	file, err := os.OpenFile(h.transcript, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
}

// eventually waits until there is a file of the session's state with a name.
func (h *hooks) eventually(t *testing.T, name string) {
	t.Helper()
	pattern := filepath.Join(filepath.Dir(h.project), "data", "hooks", name)
	eventually(t, time.Minute, pattern+" exists", func() bool {
		found, err := filepath.Glob(pattern)
		return err == nil && len(found) > 0
	})
}

// userLine is a line of Claude Code with what the user typed.
func userLine(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"role":"user","content":%q}}`, id, text)
}

// hookUser returns a Kith and a key that is bound to a user, in a new team.
func hookUser(t *testing.T) (caller, string) {
	t.Helper()
	s := shared(t)
	key := at(s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+testenv.Team(t)+`","user_id":"ada","scopes":["read","write"]}`), "key").(string)
	return s.as(key), key
}
