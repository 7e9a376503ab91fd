package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/exchange"
	"kith/exchange/chatlog"
	"kith/exchange/transcript"
	"kith/tests/testenv"
)

// chatFormats writes files of conversations with as many messages as wanted. The user and the assistant take turns, and each
// message has a number.
var chatFormats = map[string]func(messages int) string{
	"chatgpt": func(messages int) string {
		nodes, last := []string{`"root":{"id":"root","message":null,"parent":null,"children":[]}`}, "root"
		for n := range messages {
			id := fmt.Sprintf("m-%d", n)
			nodes = append(nodes, fmt.Sprintf(`%q:{"id":%q,"parent":%q,"children":[],"message":{"id":%q,"author":{"role":%q,"name":null},"create_time":%d,"content":{"content_type":"text","parts":[%q]},"recipient":"all","metadata":{}}}`,
				id, id, last, id, turn(n, "user"), 1_700_000_000+n, chatText(n)))
			last = id
		}
		return fmt.Sprintf(`[{"title":"Tides","create_time":1700000000,"conversation_id":"c-1","current_node":%q,"mapping":{%s}}]`, last, strings.Join(nodes, ","))
	},
	"claude": func(messages int) string {
		var all []string
		for n := range messages {
			all = append(all, fmt.Sprintf(`{"uuid":"m-%d","sender":%q,"text":"","content":[{"type":"text","text":%q}],"created_at":"2026-01-01T00:%02d:%02d.5Z","attachments":[],"files":[]}`,
				n, turn(n, "human"), chatText(n), n/60, n%60))
		}
		return fmt.Sprintf(`[{"uuid":"c-1","name":"Tides","created_at":"2026-01-01T00:00:00Z","chat_messages":[%s]}]`, strings.Join(all, ","))
	},
	"claude-code": func(messages int) string {
		var out strings.Builder
		for n := range messages {
			_, _ = fmt.Fprintf(&out, `{"type":%q,"uuid":"m-%d","sessionId":"c-1","timestamp":"2026-01-01T00:%02d:%02d.5Z","message":{"role":%q,"content":%q}}`+"\n",
				turn(n, "user"), n, n/60, n%60, turn(n, "user"), chatText(n))
		}
		return out.String()
	},
	"openai": func(messages int) string { return messageLog(messages, `{"created":%d,"messages":[%s]}`) },
	"anthropic": func(messages int) string {
		return messageLog(messages, `{"timestamp":%d,"system":"Be brief.","messages":[%s]}`)
	},
}

// messageLog returns a log of requests that each have all messages before them.
func messageLog(messages int, line string) string {
	var out strings.Builder
	var all []string
	for n := range messages {
		all = append(all, fmt.Sprintf(`{"role":%q,"content":%q}`, turn(n, "user"), chatText(n)))
		if n%2 == 1 && (n < 10 || n == messages-1) {
			_, _ = fmt.Fprintf(&out, line+"\n", 1_700_000_000+n, strings.Join(all, ","))
		}
	}
	return out.String()
}

func turn(n int, user string) string { return []string{user, "assistant"}[n%2] }

func chatText(n int) string {
	if n == 0 {
		return "I prefer trains over planes."
	}
	return fmt.Sprintf("This is message %d.", n)
}

// importReport is the report of an import of conversations.
type importReport struct {
	Nodes, Relationships exchange.Counts
	Refused, Warnings    []any
	ResumedAtLine        int64 `json:"resumed_at_line"`
	Conversations        struct {
		Taken, Refused int64
		NotTaken       []chatlog.NotTaken `json:"not_taken"`
	}
}

// runImport runs kith import on a file, and returns its status, its report and its errors.
func runImport(ctx context.Context, t *testing.T, c caller, path string, args ...string) (code int, report importReport, errs string) {
	t.Helper()
	var out, err bytes.Buffer
	args = append([]string{"import", path, "--json", "--user", "ada", "--url", c.url, "--key", c.key}, args...)
	code = run(ctx, args, nil, streams{nil, &out, &err})
	if out.Len() > 0 && json.Unmarshal(out.Bytes(), &report) != nil {
		t.Fatalf("no report: %s", &out)
	}
	return code, report, err.String()
}

// storedMessages returns the messages of a team as "number role text", by key.
func storedMessages(t *testing.T, c caller) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(c.exported(t)) {
		var in struct {
			Node struct {
				Kind, Role, Text, At string
				EntityKey            string `json:"entity_key"`
				Seq                  int
			}
		}
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatal(err)
		}
		if n := in.Node; n.Kind == "message" {
			all[n.EntityKey] = fmt.Sprintf("%d %s %s %s", n.Seq, n.Role, n.Text, n.At)
		}
	}
	return all
}

// Each format of conversations is imported: a dry run stores nothing, a repetition changes nothing, and a later export adds only what is
// new.
func TestImportOfConversations(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for format, write := range chatFormats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			c := s.team(t)
			path := filepath.Join(t.TempDir(), "conversations")
			for _, step := range []struct {
				messages, stored int
				created          int64
				args             []string
			}{
				{6, 0, 8, []string{"--dry-run"}}, {6, 6, 8, nil}, {6, 6, 0, nil}, {10, 10, 4, nil}, {10, 10, 0, []string{"--dry-run"}},
			} {
				writeFile(t, path, write(step.messages))
				code, report, errs := runImport(t.Context(), t, c, path, append(step.args, "--owner", "Ada Quay")...)
				if code != 0 || report.Nodes.Created != step.created || report.Nodes.Refused+report.Relationships.Refused+report.Conversations.Refused > 0 || len(report.Refused) > 0 || len(report.Warnings) > 1 {
					t.Fatalf("%+v: status %d, %+v: %s", step, code, report, errs)
				}
				if !strings.Contains(errs, "detected format "+format+";") {
					t.Errorf("detected: %s", errs)
				}
				stored := storedMessages(t, c)
				if len(stored) != step.stored {
					t.Errorf("%+v: stored %v", step, stored)
				}
				for _, m := range stored {
					var n int
					_, _ = fmt.Sscan(m, &n)
					if !strings.HasPrefix(m, fmt.Sprintf("%d %s %s 20", n, turn(n, "user"), chatText(n))) {
						t.Errorf("message %d is %s", n, m)
					}
				}
			}
			if text := c.do(t, "GET", "/v1/context?format=text&user_id=ada", "").body; !bytes.Contains(text, []byte("# About Ada Quay")) || !bytes.Contains(text, []byte("I prefer trains over planes.")) {
				t.Errorf("context: %s", text)
			}
		})
	}
}

// cutter passes a part of an import to a service, and then calls cut.
type cutter struct {
	io.ReadCloser
	left int
	cut  func()
	once sync.Once
}

func (b *cutter) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.once.Do(b.cut)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), max(1, b.left))])
	b.left -= n
	return n, err
}

// An interrupted import of conversations continues where it stopped, and stores the same as one that was not interrupted.
func TestInterruptedImportOfConversations_slow(t *testing.T) {
	t.Parallel()
	s := shared(t)
	whole, broken := s.team(t), s.team(t)
	path := filepath.Join(t.TempDir(), "conversations.json")
	writeFile(t, path, chatFormats["chatgpt"](3500))
	if code, _, errs := runImport(t.Context(), t, whole, path); code != 0 {
		t.Fatal(errs)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	away := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if r.In.Method == http.MethodPost {
			r.Out.Body = &cutter{ReadCloser: r.In.Body, left: 500_000, cut: cancel}
		}
	}})
	defer away.Close()
	attempt := broken
	attempt.url = away.URL
	code, _, errs := runImport(ctx, t, attempt, path)
	if code != exitInterrupted || !strings.Contains(errs, "Run the same command again to resume") {
		t.Fatalf("status %d: %s", code, errs)
	}
	eventually(t, time.Minute, "a part is stored", func() bool { return len(storedMessages(t, broken)) > 0 })

	code, report, errs := runImport(t.Context(), t, broken, path)
	if code != 0 || report.ResumedAtLine == 0 {
		t.Fatalf("status %d, resumed at %d: %s", code, report.ResumedAtLine, errs)
	}
	if diff := cmp.Diff(storedMessages(t, whole), storedMessages(t, broken)); diff != "" {
		t.Error(diff)
	}
}

// Interrupted while the file is read, an import says that nothing was sent.
func TestImportOfConversationsIsInterruptedEarly(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "conversations.json")
	writeFile(t, path, chatFormats["claude"](2))
	if code, _, errs := runImport(ctx, t, caller{url: "http://127.0.0.1:9", key: "k"}, path); code != exitInterrupted || !strings.Contains(errs, "kith: import: interrupted; nothing was sent\n") {
		t.Errorf("status %d: %s", code, errs)
	}
}

// Faults are reported with their places, and end with status 1. A file that breaks off, or whose user is not known, is not sent.
func TestRefusedConversations(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	path := filepath.Join(t.TempDir(), "conversations.json")
	good := strings.TrimSuffix(chatFormats["claude"](2), "]")[1:]
	bad := strings.NewReplacer(`"uuid":"c-1"`, `"uuid":"c-2"`, `"human"`, `"robot"`).Replace(good)
	writeFile(t, path, "["+bad+",7,"+good+"]")
	code, report, errs := runImport(t.Context(), t, c, path, "--format", "claude")
	if code != 1 || len(storedMessages(t, c)) != 2 || report.Conversations.Refused != 2 || report.Conversations.Taken != 1 {
		t.Errorf("status %d, %+v: %s", code, report.Conversations, errs)
	}
	for _, want := range []string{
		"conversation 1: message 1: sender must be one of human, assistant\n", "conversation 2: must be a JSON object\n", "kith: import: refused: 2\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in %s", want, errs)
		}
	}

	other := strings.Replace(good, chatText(1), "changed", 1)
	writeFile(t, path, "["+other+"]")
	if code, _, errs := runImport(t.Context(), t, c, path, "--format", "claude"); code != 1 || !strings.Contains(errs, "conversation 1, message 2: text cannot be changed") {
		t.Errorf("a message that differs: status %d: %s", code, errs)
	}

	empty := s.team(t)
	for content, test := range map[string]struct{ args, want string }{
		"[" + good:               {"--format claude", "the file ends in the middle of the document: it may be cut; nothing was sent"},
		"[" + good + "," + bad:   {"--format claude --strict", "conversation 2: message 1: sender must be one of human, assistant; nothing was sent"},
		"\xff\xfe[\x00":          {"", "the file is UTF-16: convert it to UTF-8"},
		"PK\x03\x04 not a zip":   {"", "read the zip: zip: not a valid zip file"},
		chatFormats["openai"](2): {"--format chatgpt", "has no mapping"},
	} {
		writeFile(t, path, content)
		if code, _, errs := runImport(t.Context(), t, empty, path, strings.Fields(test.args)...); code != 1 || !strings.Contains(errs, test.want) {
			t.Errorf("%.20q: status %d, want %s: %s", content, code, test.want, errs)
		}
	}
	if stored := storedMessages(t, empty); len(stored) > 0 {
		t.Errorf("stored %v", stored)
	}
	if code, _, errs := runKith(t, nil, "import", path, "--format", "openai"); code != 1 || !strings.Contains(errs, "--user is required") {
		t.Errorf("without a user: status %d: %s", code, errs)
	}
}

// Logs that are written with the classes of OpenAI's and Anthropic's packages are read.
func TestImportOfLogsOfSDKs(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t, "openai==3.57.0", "anthropic==2.14.0")
	folder := t.TempDir()
	copyProgram(t, folder, "logs.py")
	runProgram(t, folder, python, "logs.py")
	s := shared(t)
	for file, format := range map[string]string{"openai.jsonl": "openai", "responses.jsonl": "openai", "anthropic.jsonl": "anthropic"} {
		c := s.team(t)
		code, report, errs := runImport(t.Context(), t, c, filepath.Join(folder, file))
		if code != 0 || !strings.Contains(errs, "detected format "+format+";") {
			t.Fatalf("%s: status %d: %s", file, code, errs)
		}
		got := map[string]bool{}
		for _, m := range storedMessages(t, c) {
			got[m[:strings.LastIndexByte(m, ' ')]] = true
		}
		want := map[string]bool{
			"0 user What is the tide at Quay 4?": true, "1 assistant I will look it up.": true, "2 assistant High water is at 14:10.": true,
			"3 user Thank you.": true, "4 assistant You are welcome.": true,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(file, diff)
		}
		left := map[string]int64{}
		for _, n := range report.Conversations.NotTaken {
			left[string(n.Reason)] = n.Count
		}
		if left["tool calls"] != 1 || left["images"] != 1 || left["messages of the system"] != 1 || left["tool results"]+left["messages of tools"] != 1 {
			t.Error(file, left)
		}
	}
}

// The example of docs/import-conversations.md prints what the page says.
func TestImportConversationsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/import-conversations.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "\n```\n")
	example, says := blocks[1], blocks[3]
	folder := t.TempDir()
	runProgram(t, "../../cmd/kith", "go", "build", "-o", filepath.Join(folder, "kith"), ".")
	s := shared(t)
	command := exec.CommandContext(t.Context(), "bash", "-c", example) //nolint:gosec // of the page
	command.Dir = folder
	command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "KITH_URL="+s.url, "KITH_KEY="+s.newKey(t, testenv.Team(t), "read", "write"))
	out, err := command.CombinedOutput()
	if err != nil || says == "" || !strings.HasPrefix(string(out), says) {
		t.Errorf("%v: %s", err, out)
	}
}

// A session that a hook has begun to store is the same conversation.
func TestImportOfAStoredSession(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	key := transcript.ConversationKey(transcript.ClaudeCode, "c-1")
	c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":"ada","entity_key":%q,"messages":[{"entity_key":%q,"role":"user","text":%q,"at":"2026-01-01T00:00:00.5Z"}]}`,
		key, key+"/m-0", chatText(0)))
	path := filepath.Join(t.TempDir(), "session.jsonl")
	writeFile(t, path, chatFormats["claude-code"](4))
	code, report, errs := runImport(t.Context(), t, c, path)
	if code != 0 || report.Nodes.Created != 3 || report.Nodes.Updated != 1 || report.Nodes.Unchanged != 1 {
		t.Errorf("status %d, %+v: %s", code, report.Nodes, errs)
	}
}
