package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll returns the messages of a transcript from an offset on as "role: text", its faults as "line: message", and the
// offset at its end.
func readAll(t testing.TB, text string, offset int64) (messages, faults []string, end int64, err error) {
	t.Helper()
	r := NewReader(strings.NewReader(text[offset:]), offset, func(f Fault) { faults = append(faults, fmt.Sprintf("%d: %s", f.Line, f.Message)) })
	for {
		m, err := r.Read()
		if errors.Is(err, io.EOF) {
			return messages, faults, r.Offset(), nil
		}
		if err != nil {
			return messages, faults, r.Offset(), err
		}
		messages = append(messages, m.Role+": "+m.Text)
	}
}

func said(role, content string) string {
	return fmt.Sprintf(`{"type":%q,"uuid":"u","sessionId":"s","message":{"role":%q,"content":%s}}`, role, role, content)
}

// The files are shortened copies of what the agents wrote in a session with a tool call.
func TestAgents(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude-code", "codex", "cursor"} {
		raw, err := os.ReadFile(filepath.Join("testdata", agent+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		messages, faults, end, err := readAll(t, string(raw), 0)
		want := []string{"user: Where is the lighthouse?", "assistant: I look it up.", "assistant: It is on Fastnet Rock."}
		if diff := cmp.Diff(want, messages); diff != "" || faults != nil || err != nil || end != int64(len(raw)) {
			t.Errorf("%s: %s %v %v, offset %d of %d", agent, diff, faults, err, end, len(raw))
		}
	}
}

// Fields that are not needed may have any type.
func TestMessage(t *testing.T) {
	t.Parallel()
	line := `{"type":"user","uuid":"u2","parentUuid":["u1"],"sessionId":"s1","cwd":7,"timestamp":"2026-11-25T10:00:00.5+01:00","message":{"role":"user","content":"Hello"}}`
	m, err := NewReader(strings.NewReader("\n"+line+"\n"), 0, func(f Fault) { t.Error(f) }).Read()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(m), "{u2 s1 user Hello 2026-11-25 09:00:00.5 +0000 UTC 2 }"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	good := said("user", `"Hello"`)
	for name, test := range map[string]struct{ text, fault string }{
		"half a line":      {good + "\n" + good[:40], "2: is cut short: it is read when the agent has finished it"},
		"half, then whole": {good[:40] + "\n" + good, "1: is not valid JSON: unexpected end of JSON input"},
		"unknown role":     {`{"type":"user","message":{"role":"wizard","content":"a"}}` + "\n" + good, `1: unknown role "wizard": user or assistant is expected`},
		"other encoding":   {strings.Replace(good, "Hello", "caf\xe9", 1) + "\n" + good, "1: is not valid UTF-8"},
		"wrong type":       {`{"type":"user","uuid":7}` + "\n" + good, "1: uuid has a wrong type"},
		"another file":     {`{"name":"kith"}` + "\n" + good, "1: is no line of a transcript: it has neither type nor message"},
		"content":          {said("user", "7") + "\n" + good, "1: content must be a string or a list of blocks"},
		"no message":       {`{"type":"user"}` + "\n" + good, "1: message must be an object with role and content"},
		"before 1970":      {good[:len(good)-1] + `,"timestamp":"1969-12-31T23:59:59Z"}`, "1: timestamp is before 1970: it is ignored"},
		"no time":          {good[:len(good)-1] + `,"timestamp":"yesterday"}`, "1: timestamp is not a time of RFC 3339: it is ignored"},
		"long line":        {said("user", `"`+strings.Repeat("x", MaxLine)+`"`) + "\n" + good, "1: exceeds 8388608 bytes"},
		"only a long line": {good + "\n" + strings.Repeat("x", MaxLine+2), "2: exceeds 8388608 bytes"},
	} {
		messages, faults, _, err := readAll(t, test.text, 0)
		if diff := cmp.Diff([]string{test.fault}, faults); diff != "" || err != nil || len(messages) != 1 || messages[0] != "user: Hello" {
			t.Errorf("%s: %s %v %v", name, diff, messages, err)
		}
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if _, _, _, err := readAll(t, mark+"{\x00", 0); !errors.Is(err, ErrEncoding) {
			t.Errorf("UTF-16: %v", err)
		}
	}
	if messages, faults, _, err := readAll(t, "\ufeff"+good+"\r\n", 0); len(messages) != 1 || faults != nil || err != nil {
		t.Errorf("byte order mark: %v %v %v", messages, faults, err)
	}
}

// A reader that goes on at the offset of another returns each message once, wherever the file ended then.
func TestOffset(t *testing.T) {
	t.Parallel()
	file := said("user", `"One"`) + "\n" + said("assistant", `"Two"`) + "\n" + said("user", `"Three"`) + "\n"
	for cut := range len(file) {
		first, _, offset, err := readAll(t, file[:cut], 0)
		if err != nil {
			t.Fatal(err)
		}
		second, faults, _, err := readAll(t, file, offset)
		if diff := cmp.Diff([]string{"user: One", "assistant: Two", "user: Three"}, append(first, second...)); diff != "" || faults != nil || err != nil {
			t.Fatalf("cut at %d: %s %v %v", cut, diff, faults, err)
		}
	}
}

// A message without an id of its own has one that depends on where it is and what it says.
func TestID(t *testing.T) {
	t.Parallel()
	line := `{"role":"user","message":{"content":"Hello"}}` + "\n"
	r := NewReader(strings.NewReader(line+line+`{"role":"user","uuid":"a\nb","message":{"content":"Hi"}}`), 0, func(f Fault) { t.Error(f) })
	seen := map[string]bool{}
	for range 3 {
		m, err := r.Read()
		if err != nil || seen[m.ID] || !strings.HasPrefix(m.ID, "at-") {
			t.Errorf("%q %v", m.ID, err)
		}
		seen[m.ID] = true
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Hello\x00 \x1b[31mred\x1b[0m\r\nworld":                                            "Hello red\nworld",
		"<system-reminder>x\ny</system-reminder>\nFix it <ide_selection>a</ide_selection>": "Fix it",
		"<command-name>/clear</command-name>":                                              "",
		"[Request interrupted by user for tool use]":                                       "",
		"<user_query>\nFix it\n</user_query>":                                              "Fix it",
		"Why is <command-name> in the file?":                                               "Why is <command-name> in the file?",
		"use kith_abcdefghijklmnop0123456789 now":                                          "use [secret removed] now",
		"AKIAIOSFODNN7EXAMPLE and ghp_0123456789abcdefghij":                                "[secret removed] and [secret removed]",
		"API_KEY=\"q8s7d6f5g4\" password: hunter2":                                         "API_KEY=\"[secret removed]\" password: [secret removed]",
		"postgres://ada:pa55word@db/x":                                                     "postgres://ada:[secret removed]@db/x",
		"Authorization: Bearer 0a1b2c3d4e5f":                                               "Authorization: Bearer [secret removed]",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nok":         "[secret removed]\nok",
		"DB_PASSWORD=p@ssw0rd-9f3k":                                                        "DB_PASSWORD=[secret removed]",
		"password=hunter@2secret, then go":                                                 "password=[secret removed], then go",
		"password: \"correct horse battery\" is bad":                                       "password: \"[secret removed]\" is bad",
		"password := 'a b\nuser := 'ada'":                                                  "password := '[secret removed]\nuser := 'ada'",
		`{"log":"{\"password\":\"a,b c\"}"}`:                                               `{"log":"{\"password\":\"[secret removed]"}"}`,
		"PASSWORD=kith_abcdefghijklmnop0123456789":                                         "PASSWORD=[secret removed]",
		"postgres://u:p@ss@db/x":                                                           "postgres://u:[secret removed]@db/x",
		"smtp://ada@example.org:pa55@mail, ada@x.org":                                      "smtp://ada@example.org:[secret removed]@mail, ada@x.org",
		"http://localhost:8080/@kith and ada@x.org":                                        "http://localhost:8080/@kith and ada@x.org",
		"Authorization: Basic dXNlcjpwYXNz":                                                "Authorization: Basic [secret removed]",
		`"authorization": "basic dXNlcjpwYXNz"`:                                            `"authorization": "basic [secret removed]"`,
		"a basic understanding of authorization":                                           "a basic understanding of authorization",
		"passphrase=a;b;c":                                                                 "passphrase=[secret removed]",
		"SMTP_PASS=hunter2 MYSQL_PWD=p@ss":                                                 "SMTP_PASS=[secret removed] MYSQL_PWD=[secret removed]",
		"Server=db;Uid=ada;Pwd=$ecret;":                                                    "Server=db;Uid=ada;Pwd=[secret removed];",
		`{"pwd": "hunter2", "pass": 120}`:                                                  `{"pwd": "[secret removed]", "pass": 120}`,
		"PWD=/home/x OLDPWD=$HOME/y PWD=~/z":                                               "PWD=/home/x OLDPWD=$HOME/y PWD=~/z",
		`pwd = "C:\work\kith"; pwd = os.getcwd()`:                                          `pwd = "C:\work\kith"; pwd = os.getcwd()`,
		"token: 'abc@def-12345;'":                                                          "token: '[secret removed];'",
		"the password is wrong, and the tests pass: 7":                                     "the password is wrong, and the tests pass: 7",
		"the token: authentication works at http://localhost:8080/x":                       "the token: authentication works at http://localhost:8080/x",
		"a task-force of sk-owners":                                                        "a task-force of sk-owners",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(said("user", `"Hello"`) + "\n" + `{"type":"event_msg","payload":{"type":"user_message","message":"x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _, end, err := readAll(t, text, 0)
		if err == nil && (end < 0 || end > int64(len(text))) {
			t.Fatalf("offset %d of %d", end, len(text))
		}
	})
}
