package chatlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const oneOfClaude = `{"uuid":"c-1","name":"Tea","chat_messages":[
	{"uuid":"m-1","sender":"human","created_at":"2026-01-01T08:00:00Z","content":[{"type":"voice_note","title":"note","text":"Which tea keeps?"}]},
	{"uuid":"m-2","sender":"assistant","created_at":"2026-01-01T08:01:00Z","content":[{"type":"text","text":"Black tea."},{"type":"voice_note"}]}]}`

const oneOfOpenAI = `{"messages":[{"role":"Human","content":"Which tea keeps?"},{"role":"ai","content":"Black tea."}],"created":1767254400}`

// TestOneConversationHoweverWritten reads one conversation on a line, over several lines, and in a list of one.
func TestOneConversationHoweverWritten(t *testing.T) {
	t.Parallel()
	for format, raw := range map[Format]string{Claude: oneOfClaude, OpenAI: oneOfOpenAI} {
		var compact, indented bytes.Buffer
		if err := json.Compact(&compact, []byte(raw)); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{compact.String(), indented.String(), "\ufeff\n" + indented.String() + "\n", "[" + indented.String() + "]"} {
			taken, _, faults, err := read(t, file, format)
			if err != nil || len(faults) > 0 || len(taken) != 1 || !strings.HasSuffix(taken[0], "user Which tea keeps?, assistant Black tea.") {
				t.Errorf("%s: %q, %q, %v: %s", format, taken, faults, err, file)
			}
		}
		_, _, faults, err := read(t, strings.Replace(indented.String(), "Which", `\ud83d`, 1), format)
		if err != nil || len(faults) != 1 {
			t.Errorf("%s with half a pair: %q, %v", format, faults, err)
		}
	}
	_, notTaken, _, _ := read(t, oneOfClaude, Claude)
	if !slices.Contains(notTaken, "1 "+string(Audio)) {
		t.Errorf("a voice note without a text: %q", notTaken)
	}
}

// TestRewoundSessions draws sessions in which the user goes back to an earlier line now and then, and says something else. Tools answer
// beside the branch.
func TestRewoundSessions(of *testing.T) {
	of.Parallel()
	rapid.Check(of, func(t *rapid.T) {
		var lines []string
		parents := map[string]string{}
		add := func(id, parent, kind, content string) {
			parents[id] = parent
			lines = append(lines, fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":"s","timestamp":"2026-01-01T08:00:00Z","message":{"role":%q,"content":%s}}`,
				kind, id, map[bool]string{true: "null", false: fmt.Sprintf("%q", parent)}[parent == ""], kind, content))
		}
		at, answers, said := "", []string{}, map[string]bool{}
		turns := rapid.IntRange(1, 12).Draw(t, "turns")
		for n := range turns {
			if len(answers) > 1 && rapid.Bool().Draw(t, "goes back") {
				at = rapid.SampledFrom(answers).Draw(t, "to")
			}
			ask, call, result, answer := fmt.Sprint("u", n), fmt.Sprint("c", n), fmt.Sprint("r", n), fmt.Sprint("a", n)
			add(ask, at, "user", fmt.Sprintf("%q", "asks "+ask))
			add(call, ask, "assistant", `[{"type":"tool_use","id":"x"}]`)
			add(result, call, "user", `[{"type":"tool_result","content":"y"}]`)
			add(answer, call, "assistant", fmt.Sprintf(`[{"type":"text","text":%q}]`, "says "+answer))
			said[ask], said[answer] = true, true
			at, answers = answer, append(answers, answer)
		}
		var want []string
		for id := at; id != ""; id = parents[id] {
			if said[id] {
				want = append(want, map[byte]string{'u': "user asks ", 'a': "assistant says "}[id[0]]+id)
			}
		}
		slices.Reverse(want)
		taken, _, faults, err := read(of, strings.Join(lines, "\n"), ClaudeCode)
		if err != nil || len(faults) > 0 || len(taken) != 1 {
			t.Fatalf("%q, %q, %v", taken, faults, err)
		}
		if diff := cmp.Diff("s: "+strings.Join(want, ", "), taken[0]); diff != "" {
			t.Errorf("-want +got:\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	})
}
