package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each agent gets an answer in its own format.
func TestAnswer(t *testing.T) {
	t.Parallel()
	const (
		claude = `{"session_id":"s","transcript_path":"/t","cwd":"/app","hook_event_name":"SessionStart","source":"startup"}`
		codex  = `{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/app","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"p"}`
		cursor = `{"conversation_id":"s","generation_id":"g","model":"m","hook_event_name":"beforeSubmitPrompt","cursor_version":"3.20","workspace_roots":["/app"],"prompt":"p","attachments":[]}`
		start  = `{"conversation_id":"s","session_id":"s","hook_event_name":"sessionStart","cursor_version":"3.20","workspace_roots":["/app"],"composer_mode":"agent"}`
	)
	for _, test := range []struct {
		event                    Event
		input, key, text, notice string
		want                     string
	}{
		{SessionStart, claude, "claude-code/s", "A", "", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"A"}}`},
		{SessionStart, claude, "claude-code/s", "", "N", `{"systemMessage":"N"}`},
		{SessionStart, "\ufeff" + claude, "claude-code/s", "", "", ""},
		{Prompt, codex, "codex/s", "A", "", `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"A"}}`},
		{Prompt, cursor, "cursor/s", "A\n", "", `{"continue":true,"additional_context":"A\n"}`},
		{SessionStart, start, "cursor/s", "A", "", `{"additional_context":"A"}`},
		{SessionStart, start, "cursor/s", "", "N", ""},
	} {
		in, err := Read(strings.NewReader(test.input), test.event)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(string(in.Answer(test.text, test.notice)), "\n"); got != test.want || in.Conversation() != test.key || in.Project() != "/app" {
			t.Errorf("%s: %s, %s, %s", test.input, got, in.Conversation(), in.Project())
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":           "the hook got no input: a coding agent must call it, with a JSON object on standard input",
		"hello":      "the input of the hook is not valid JSON",
		`{"session_`: "the input of the hook is not valid JSON",
		"[]":         "the input of the hook is not a JSON object",
		"\xff\xfe{":  "the input of the hook is not valid UTF-8",
		`{"session_id":7,"hook_event_name":"Stop"}`:         "the input of the hook has a wrong type at session_id",
		`{"session_id":"s"}`:                                `unknown hook_event_name "": Stop is expected`,
		`{"session_id":"s","hook_event_name":"PreToolUse"}`: `unknown hook_event_name "PreToolUse": Stop is expected`,
		`{"session_id":"s","hook_event_name":"preCompact"}`: "the input is that of preCompact: its command is kith hook compact",
		`{"hook_event_name":"Stop"}`:                        "the input of the hook has no session_id",
		`{"hook_event_name":"Stop","session_id":"a\nb"}`:    "session_id must have at most 128 bytes, without blanks, slashes and control characters",
		strings.Repeat(" ", maxInput) + "{}":                "the input of the hook exceeds 1048576 bytes",
		`{"a":"` + strings.Repeat("a", maxInput) + `"}`:     "the input of the hook exceeds 1048576 bytes",
	} {
		if _, err := Read(strings.NewReader(input), Stop); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", input, err, want)
		}
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{
		"Where is the lighthouse?": true, "灯塔在哪里?我们上次决定了什么?": true,
		"": false, "yes": false, "go on": false, "/clear all of it now": false, "!ls -l /tmp": false, "# remember this for later": false, "继续": false,
	} {
		if got := isQuestion(&Input{Prompt: prompt}); got != want {
			t.Errorf("%q: %t", prompt, got)
		}
	}
	for _, in := range []Input{{AgentID: "a"}, {Source: "system"}, {Source: "loop_wakeup"}} {
		in.Prompt = "Where is the lighthouse?"
		if isQuestion(&in) {
			t.Errorf("%+v", in)
		}
	}
}

func TestIsOff(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	below := filepath.Join(project, "a", "b")
	for _, folder := range []string{below, filepath.Join(project, ".kith")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if IsOff(below) || IsOff("") {
		t.Error("off without a file")
	}
	if err := os.WriteFile(filepath.Join(project, ".kith", "off"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !IsOff(below) || !IsOff(project) || IsOff(filepath.Dir(project)) {
		t.Error("on with a file")
	}
}
