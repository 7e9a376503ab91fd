package chatlog

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// read returns what is taken of a file as "id: role text, …", why other things are not as "count reason", and the faults.
func read(t testing.TB, file string, format Format) (taken, notTaken, faults []string, err error) {
	t.Helper()
	in, err := Open(strings.NewReader(file), int64(len(file)), format, now)
	if err != nil {
		return nil, nil, nil, err
	}
	tally := Tally{}
	tally.Add(in.NotTaken(), 0)
	for {
		c, err := in.Next()
		var fault *Fault
		switch {
		case errors.As(err, &fault):
			faults = append(faults, fault.Error())
			continue
		case err != nil:
			for _, n := range append(tally.List(false), tally.List(true)...) {
				notTaken = append(notTaken, fmt.Sprint(n.Count, " ", n.Reason))
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return taken, notTaken, faults, err
		}
		tally.Add(c.NotTaken, 1)
		if len(c.Messages) > 0 {
			taken = append(taken, show(c))
		}
	}
}

func show(c *Conversation) string {
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, m.Role+" "+m.Text)
	}
	name := c.ID
	if len(name) == 32 { // a hash
		name = "#"
	}
	if c.Continues {
		name = "+" + name
	}
	return name + ": " + strings.Join(texts, ", ")
}

// gpt returns a conversation of ChatGPT whose messages follow each other. They are given as members of their objects.
func gpt(id string, messages ...string) string {
	nodes, last := []string{`"root":{"parent":null,"message":null}`}, "root"
	for n, m := range messages {
		name := fmt.Sprintf("%s-%d", id, n)
		nodes = append(nodes, fmt.Sprintf(`%q:{"parent":%q,"message":{%s}}`, name, last, m))
		last = name
	}
	return fmt.Sprintf(`{"conversation_id":%q,"title":"T","current_node":%q,"mapping":{%s}}`, id, last, strings.Join(nodes, ","))
}

func said(role, text string) string {
	return fmt.Sprintf(`"author":{"role":%q},"create_time":1700000000.5,"content":{"content_type":"text","parts":[%q]}`, role, text)
}

func TestChatGPT(t *testing.T) {
	t.Parallel()
	with := func(role, content string) string {
		return fmt.Sprintf(`"author":{"role":%q},"content":%s`, role, content)
	}
	file := "[" + gpt("c", said("system", ""), said("user", "Hi"), said("assistant", "Hello"), said("tool", "result"),
		with("user", `{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"x"},"What is it?",{"content_type":"audio_transcription","text":"Say"}]}`),
		with("assistant", `{"content_type":"thoughts","thoughts":[]}`), with("assistant", `{"content_type":"code","language":"python","text":"1"}`),
		with("assistant", `{"content_type":"text","parts":["search"]},"recipient":"web"`),
		with("user", `{"content_type":"user_editable_context","user_profile":"x"}`),
		with("user", `{"content_type":"text","parts":["secret"]},"metadata":{"is_visually_hidden_from_conversation":true}`),
		with("assistant", `{"content_type":"hologram","parts":["x"]}`), with("assistant", `{"content_type":"text","parts":[""]}`),
		with("user", `{"content_type":"text","parts":["See file"]},"metadata":{"attachments":[{"mime_type":"application/pdf"},{"mime_type":"image/png"}]}`),
	) + "," + gpt("empty", said("system", "x")) + "]"
	taken, notTaken, faults, err := read(t, file, ChatGPT)
	if err != nil || faults != nil {
		t.Fatal(err, faults)
	}
	if diff := cmp.Diff([]string{"c: user Hi, assistant Hello, user What is it?\nSay, user See file"}, taken); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"1 images", "1 files and attachments", "2 tool calls", "1 thoughts", "1 instructions and profiles for all conversations",
		"1 content of an unknown type", "1 messages that the user did not see", "2 messages of the system", "1 messages of tools",
		"1 messages without text", "1 conversations without messages", "2 messages without a time: stored with that of the message before",
	}
	if diff := cmp.Diff(want, notTaken); diff != "" {
		t.Error(diff)
	}
}

func TestClaude(t *testing.T) {
	t.Parallel()
	file := `[{"uuid":"c","name":"T","summary":"S","created_at":"2026-01-01T00:00:00Z","account":{"uuid":"a"},"chat_messages":[
		{"uuid":"1","sender":"human","text":"Hi","content":[],"created_at":"2026-01-01T00:00:00.123456Z","attachments":[{"file_name":"a","extracted_content":"x"}],"files":[{"file_name":"b"}]},
		{"uuid":"2","sender":"assistant","text":"shown twice","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"It is "},{"type":"text","text":"sunny."},{"type":"tool_use","name":"x","input":{}},{"type":"tool_result","content":[]},{"type":"text","text":"Bye"}],"created_at":"2026-01-01T00:00:01Z"},
		{"uuid":"3","sender":"human","text":"","content":[{"type":"text","text":""}],"created_at":"2026-01-01T00:00:02Z"}]},
	{"uuid":"d","name":"","chat_messages":[
		{"uuid":"1","parent_message_uuid":"0","sender":"human","text":"Q"},{"uuid":"2","parent_message_uuid":"1","sender":"assistant","text":"old"},
		{"uuid":"3","parent_message_uuid":"1","sender":"assistant","text":"new"}]},
	{"uuid":"e","name":"nothing","chat_messages":[]}]`
	taken, notTaken, faults, err := read(t, file, Claude)
	if err != nil || faults != nil {
		t.Fatal(err, faults)
	}
	if diff := cmp.Diff([]string{"c: user Hi, assistant It is sunny.\n\nBye", "d: user Q, assistant new"}, taken); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"2 files and attachments", "1 tool calls", "1 tool results", "1 thoughts", "1 messages of other branches", "1 messages without text",
		"1 conversations without messages", "2 messages without a time: stored with that of the import",
	}
	if diff := cmp.Diff(want, notTaken); diff != "" {
		t.Error(diff)
	}
}

// A request that begins with the messages of an earlier one continues its conversation.
func TestMessageLogs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, format    string
		taken, notTaken []string
	}{
		"OpenAI, a chat": {
			file: `{"request":{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"Hi"}]},"response":{"id":"x","created":1700000000,"choices":[{"message":{"role":"assistant","content":"Hello"}},{"message":{"role":"assistant","content":"Hey"}}]}}
{"request":{"messages":[{"role":"system","content":"S"},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":[{"type":"text","text":"What"},{"type":"image_url","image_url":{"url":"x"}}]}]},"response":{"created":1700000100,"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t"}]}}]}}
{"messages":[{"role":"user","content":"Hi"}]}
{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Other"}]}
`, taken: []string{"#: user Hi, assistant Hello", "+#: user What", "#: user Hi", "+#: assistant Hello, user Other"},
			notTaken: []string{"1 images", "1 tool calls", "1 messages of the system", "1 messages without text", "1 answers beyond the first", "3 messages without a time: stored with that of the import"},
		},
		"OpenAI, two chats that begin alike": {
			file: `{"created":1700000000,"messages":[{"role":"user","content":"Hi"}]}
{"created":1700000001,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"I am Ada"}]}
{"created":1700000002,"messages":[{"role":"user","content":"Hi"}]}
{"created":1700000003,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hey"},{"role":"user","content":"I am Bob"}]}
`, taken: []string{"#: user Hi", "+#: assistant Hello, user I am Ada", "#: user Hi, assistant Hey, user I am Bob"},
			notTaken: []string{"1 conversations that are in the file twice"},
		},
		"OpenAI, fine-tuning and batches, a list": {
			file:     `[{"messages":[{"role":"user","content":"A"},{"role":"assistant","content":"B","refusal":null}]},{"custom_id":"x","response":{"status_code":200,"body":{"object":"chat.completion","created":1700000000,"choices":[{"message":{"role":"assistant","content":"C"}}]}}}]`,
			taken:    []string{"#: user A, assistant B", "#: assistant C"},
			notTaken: []string{"2 messages without a time: stored with that of the import"},
		},
		"OpenAI, responses": {
			file:     `{"request":{"instructions":"S","input":"Q"},"response":{"object":"response","created_at":1700000000,"output":[{"type":"reasoning","summary":[]},{"type":"function_call","name":"f"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A","annotations":[]}]}]}}`,
			taken:    []string{"#: user Q, assistant A"},
			notTaken: []string{"1 tool calls", "1 thoughts", "1 messages of the system"},
		},
		"Anthropic": {
			format: "anthropic",
			file: `{"timestamp":"2026-01-01T00:00:00Z","request":{"system":[{"type":"text","text":"S"}],"messages":[{"role":"user","content":[{"type":"text","text":"Q"}]}]},"response":{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"A"},{"type":"tool_use","id":"1","name":"f","input":{}}],"stop_reason":"tool_use"}}
{"timestamp":"2026-01-01T00:00:09Z","request":{"system":[{"type":"text","text":"S"}],"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]},"response":{"type":"message","role":"assistant","content":[{"type":"text","text":"B"}]}}
{"timestamp":"2026-01-01T00:00:09Z","request":{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]}, "response":{"type":"message","role":"assistant","content":[{"type":"text","text":"B"}]}}
`, taken: []string{"#: user Q, assistant A", "+#: assistant B"},
			notTaken: []string{"1 tool calls", "1 tool results", "1 thoughts", "1 messages of the system", "1 messages without text", "1 conversations that are in the file twice"},
		},
	} {
		format := Format(test.format)
		if format == "" {
			format = OpenAI
		}
		taken, notTaken, faults, err := read(t, test.file, format)
		if err != nil || faults != nil {
			t.Errorf("%s: %v %q", name, err, faults)
		}
		if diff := cmp.Diff([][]string{test.taken, test.notTaken}, [][]string{taken, notTaken}); diff != "" {
			t.Error(name, diff)
		}
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	line := func(session, id, role, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":%q,"timestamp":"2026-01-01T00:00:00Z","message":{"role":%q,"content":%s}}`+"\n", role, id, session, role, content)
	}
	file := `{"type":"summary","summary":"x","leafUuid":"y"}` + "\n" + line("s", "1", "user", `"Hi"`) + line("t", "1", "user", `"Other"`) +
		line("s", "2", "assistant", `[{"type":"tool_use","name":"x"}]`) + line("s", "3", "assistant", `[{"type":"text","text":"Hello"}]`) +
		line("s", "1", "user", `"Hi"`) + "{\n" + `{"type":"user","uuid":"4","sess`
	taken, notTaken, faults, err := read(t, file, ClaudeCode)
	if diff := cmp.Diff([]string{"s: user Hi, assistant Hello", "t: user Other"}, taken); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff([]string{"2 lines without a message"}, notTaken); diff != "" {
		t.Error(diff)
	}
	if len(faults) != 2 || !strings.HasPrefix(faults[0], "line 7: is not valid JSON") || !strings.HasPrefix(faults[1], "line 8: is cut short") {
		t.Errorf("%q", faults)
	}
}

// A message with a wrong time is taken without it, and its line is not refused.
func TestSessionsWithWrongTimes(t *testing.T) {
	t.Parallel()
	line := func(id, at string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s","timestamp":%q,"message":{"role":"user","content":%[1]q}}`+"\n", id, at)
	}
	file := line("a", "2026-01-01T00:00:00Z") + line("b", "yesterday") + line("b", "yesterday") + line("c", "1969-12-31T00:00:00Z") + line("d", "2026-01-02T00:00:00Z")
	taken, notTaken, faults, err := read(t, file, ClaudeCode)
	if diff := cmp.Diff([]string{"s: user a, user b, user c, user d"}, taken); diff != "" || err != nil || len(faults) > 0 {
		t.Error(err, faults, diff)
	}
	want := []string{"2 " + string(NoTime), "2 " + string(WrongTime)}
	if diff := cmp.Diff(want, notTaken); diff != "" {
		t.Error(diff)
	}
}

// Lines with faults are all counted, and the first ones are held.
func TestSessionsWithManyFaults(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("{\n", maxFaults+2) + `{"type":"user","sessionId":"s","message":{"role":"user","content":"Hi"}}`
	taken, notTaken, faults, err := read(t, file, ClaudeCode)
	if diff := cmp.Diff([]string{"s: user Hi"}, taken); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff([]string{"1 " + string(Undated)}, notTaken); diff != "" {
		t.Error(diff)
	}
	if len(faults) != maxFaults+2 || !strings.HasPrefix(faults[maxFaults-1], "line 1000: ") || faults[maxFaults] != "a further line: has a fault" {
		t.Errorf("%d faults: %q", len(faults), faults[max(0, len(faults)-3):])
	}
}

// The messages of a file of sessions are bounded, also if there is much beside their texts.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	line := `{"type":"user","uuid":%q,"sessionId":%q,"message":{"role":"user","content":"x"}}` + "\n"
	long := strings.Repeat("s", 5000)
	for name, test := range map[string]struct {
		file  string
		fails bool
	}{
		"few messages":   {fmt.Sprintf(line, "1", "s") + fmt.Sprintf(line, "2", "s"), false},
		"repeated":       {strings.Repeat(fmt.Sprintf(line, "1", "s"), 50), false},
		"small messages": {fmt.Sprintf(strings.Repeat(line, 4), "1", "s", "2", "s", "3", "s", "4", "s"), true},
		"many sessions":  {fmt.Sprintf(line+line, "1", "s", "1", "t"), true},
		"a long session": {fmt.Sprintf(line, "1", long), true},
	} {
		s := newSessions(strings.NewReader(test.file), now)
		s.limit = 1000
		if _, err := s.next(); (err != nil) != test.fails || err != nil && !strings.HasPrefix(err.Error(), "the messages of the file exceed 1000 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A zip may have several lists, in folders. Nothing else of it is read.
func TestZips(t *testing.T) {
	t.Parallel()
	pack := func(files map[string]string) string {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			f, _ := w.Create(name)
			_, _ = io.WriteString(f, files[name])
		}
		_ = w.Close()
		return out.String()
	}
	one, two := "["+gpt("c", said("user", "A"))+"]", "["+gpt("d", said("user", "B"))+`,{"mapping":7}]`
	file := pack(map[string]string{
		"../../x/conversations-000.json": one, `x\conversations-001.json`: two, "__MACOSX/conversations.json": "junk", "user.json": "{}", "img/": "", "img/a.png": "x",
	})
	taken, notTaken, faults, err := read(t, file, ChatGPT)
	if diff := cmp.Diff([]string{"c: user A", "d: user B"}, taken); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff([]string{"3 other files in the zip"}, notTaken); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"conversations-001.json, conversation 2: mapping must not be a JSON number"}, faults); diff != "" {
		t.Error(diff)
	}
	for content, want := range map[string]string{
		pack(map[string]string{"a.json": "[]"}):                   "the zip has no conversations.json",
		file[:len(file)-30]:                                       "read the zip: zip: not a valid zip file",
		pack(map[string]string{"conversations.json": "nonsense"}): "conversations.json in the zip: the file is not JSON",
	} {
		if _, _, _, err := read(t, content, ChatGPT); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if _, _, _, err := read(t, file, OpenAI); err == nil || err.Error() != "files of the format openai are not in a zip" {
		t.Error(err)
	}
}
