package chatlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"kith/internal/jsonline"
)

// A fault refuses one conversation, and the others are taken.
func TestFaults(t *testing.T) {
	t.Parallel()
	at := func(time string) string { return strings.Replace(said("user", "x"), "1700000000.5", time, 1) }
	claude := func(id, messages string) string { return fmt.Sprintf(`{"uuid":%q,"chat_messages":[%s]}`, id, messages) }
	for name, test := range map[string]struct {
		bad    string
		format Format
		fault  string
	}{
		"unknown role":                      {gpt("b", said("user", "x"), said("critic", "x")), ChatGPT, "message 3: author.role must be one of user, assistant, system, tool"},
		"unknown sender":                    {claude("b", `{"uuid":"1","sender":"robot","text":"x"}`), Claude, "message 1: sender must be one of human, assistant"},
		"a role in a log":                   {`{"messages":[{"role":"robot","content":"x"}]}`, OpenAI, "message 1: role must be one of"},
		"no role in a log":                  {`{"messages":[{"content":"x"}]}`, Anthropic, "message 1: role must be one of"},
		"no messages in a log":              {`{"model":"x"}`, OpenAI, "has no messages: expected messages, input"},
		"the future":                        {gpt("b", at("4102444800")), ChatGPT, "message 1: its time must not be in the future"},
		"the far future":                    {gpt("b", at("9e10")), ChatGPT, "message 1: its time must be a time from the year 1000 to 2199"},
		"no time":                           {gpt("b", at(`"yesterday"`)), ChatGPT, "message 2: its time must be RFC 3339, or seconds since 1970"},
		"an id":                             {strings.Replace(gpt("b?", said("user", "x")), "b?", `b\u0007`, 1), ChatGPT, "its id must have at most 256 characters, and no control characters"},
		"a long id":                         {gpt(strings.Repeat("b", 257), said("user", "x")), ChatGPT, "its id must have"},
		"no id":                             {claude("", `{"uuid":"1","sender":"human","text":"x"}`), Claude, "its id is missing"},
		"a message twice":                   {claude("b", `{"uuid":"1","sender":"human","text":"x"},{"uuid":"1","sender":"human","text":"y"}`), Claude, "message 2: its id repeats that of another message"},
		"the same id":                       {gpt("c", said("user", "other")), ChatGPT, "has the id of conversation 1, and other messages"},
		"the same keys":                     {`{"mapping":{},"mapping":{}}`, ChatGPT, "has the same key twice in an object"},
		"latin-1":                           {gpt("b", strings.Replace(said("user", "caf?"), "?", "\xe9", 1)), ChatGPT, "must be valid UTF-8"},
		"half a surrogate pair":             {gpt("b", strings.Replace(said("user", "?"), "?", `\ud83d`, 1)), ChatGPT, "has half a surrogate pair"},
		"NUL":                               {gpt("b", strings.Replace(said("user", "?"), "?", `\u0000`, 1)), ChatGPT, "must not contain NUL characters"},
		"deep":                              {`{"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}", ChatGPT, "must be nested at most 64 deep"},
		"many values":                       {`{"x":[` + strings.Repeat("1,", maxValues) + "1]}", ChatGPT, "must have at most 1000000 values"},
		"long":                              {`{"x":"` + strings.Repeat("x", maxConversation) + `"}`, ChatGPT, "exceeds 67108864 bytes"},
		"no object":                         {`7`, ChatGPT, "must be a JSON object"},
		"a wrong type":                      {`{"mapping":[]}`, ChatGPT, "mapping must not be a JSON array"},
		"a conversation of another program": {claude("b", ""), ChatGPT, "has no mapping: expected a conversation of ChatGPT"},
		"no messages":                       {gpt("b"), Claude, "has no chat_messages: expected a conversation of Claude"},
		"a cycle":                           {`{"id":"b","current_node":"1","mapping":{"1":{"parent":"2"},"2":{"parent":"1"}}}`, ChatGPT, "the tree of messages has a cycle"},
		"no current node":                   {`{"id":"b","mapping":{"1":{},"2":{"parent":"1"},"3":{"parent":"1"}}}`, ChatGPT, "current_node must name a message of the mapping"},
		"a long line":                       {`{"x":"` + strings.Repeat("x", maxConversation) + `"}`, OpenAI, "exceeds 67108864 bytes"},
		"a line that is no JSON":            {`{"messages":[{"role":"user","conte`, OpenAI, "ends in the middle"},
	} {
		good := map[Format]string{
			ChatGPT: gpt("c", said("user", "good")) + "\n", Claude: claude("c", `{"uuid":"1","sender":"human","text":"good"}`),
		}[test.format]
		file, want := "", []string{"c: user good"}
		if good == "" { // a log
			good = `{"messages":[{"role":"user","content":"good"}]}`
			file, want = good+"\n\n"+test.bad+"\n", []string{"#: user good"}
		} else {
			file = "[" + good + "," + test.bad + "]"
		}
		taken, _, faults, err := read(t, file, test.format)
		if diff := cmp.Diff(want, taken); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if len(faults) != 1 || !strings.Contains(faults[0], test.fault) || !strings.HasPrefix(faults[0], "conversation 2") && !strings.HasPrefix(faults[0], "line 3") {
			t.Errorf("%s: %.300q", name, faults)
		}
	}
}

// A file that cannot be read to its end is an error, so that nothing of it is sent.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	whole := "[" + gpt("c", said("user", "good")) + "]"
	for file, want := range map[string]string{
		"": "the file is empty", " ": "the file is empty", "x": "the file is not JSON", strings.Repeat(" ", 1<<17) + whole: "the file is not JSON",
		whole[:len(whole)-1]: "the file ends in the middle of the document", whole[:len(whole)-9]: "the file ends in the middle", whole + "x": "unexpected text after",
		utf16Text(whole, "\xff\xfe"): "the file is UTF-16", utf16Text(whole, ""): "the file is UTF-16",
	} {
		if _, _, _, err := read(t, file, ChatGPT); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", file, err, want)
		}
	}
	if taken, _, _, err := read(t, jsonline.ByteOrderMark+" \r\n"+whole, ChatGPT); err != nil || len(taken) != 1 {
		t.Error("a byte order mark:", taken, err)
	}
}

func utf16Text(text, mark string) string {
	out := []byte(mark)
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// What is taken, but not as it is in the file, is counted.
func TestChanges(t *testing.T) {
	t.Parallel()
	old := strings.Replace(said("user", strings.Repeat("é", 70_000)), "1700000000.5", "-3600", 1)
	_, notTaken, faults, err := read(t, "["+gpt("c", old)+`,{"id":"d","current_node":"1","mapping":{"1":{"parent":"gone","message":{`+said("user", "x")+`}}}}]`, ChatGPT)
	want := []string{
		"1 conversations whose first messages are missing in the file", "1 texts cut to 65,536 characters", "1 messages from before 1970: stored with that time",
	}
	if diff := cmp.Diff(want, notTaken); diff != "" || err != nil || faults != nil {
		t.Error(err, faults, diff)
	}
	long := fmt.Sprintf(`[{"uuid":"c","name":%q,"summary":%q,"chat_messages":[{"uuid":"1","sender":"human","text":"x"}]}]`, strings.Repeat("é", 513), strings.Repeat("é", 16385))
	if _, notTaken, _, _ := read(t, long, Claude); !slices.Contains(notTaken, "2 titles cut to 512 characters, and summaries to 16,384") {
		t.Error(notTaken)
	}
	again, notTaken, _, _ := read(t, "["+gpt("c", said("user", "x"))+","+gpt("c", said("user", "x"))+"]", ChatGPT)
	if len(again) != 1 || len(notTaken) != 1 || notTaken[0] != "1 conversations that are in the file twice" {
		t.Error(again, notTaken)
	}
}

// The limit of conversations does not count lines that continue one, are refused or have no messages.
func TestLimitOfConversations(t *testing.T) {
	t.Parallel()
	message := []Message{{ID: "1", Role: userRole, Text: "x"}}
	next := &Conversation{ID: "c", Messages: message, Continues: true}
	var fault error
	in := &Reader{read: func() (*Conversation, error) { return next, fault }, seen: map[[16]byte]seen{}}
	for range maxConversations {
		if _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
	}
	fault = &Fault{"line 1", "x"}
	for range maxConversations {
		if _, err := in.Next(); !errors.Is(err, fault) {
			t.Fatal(err)
		}
	}
	fault, next.Continues = nil, false
	if _, err := in.Next(); err != nil {
		t.Error(err)
	}
	for n := range maxConversations - 1 {
		in.seen[[16]byte{1, byte(n), byte(n >> 8), byte(n >> 16)}] = seen{}
	}
	if _, err := in.Next(); err != nil {
		t.Error("a conversation that is repeated:", err)
	}
	next = &Conversation{ID: "d", Messages: message}
	if _, err := in.Next(); !errors.Is(err, errTooMany) {
		t.Error(err)
	}
}

// manyConversations is a list of conversations of some 10 kB, as large as wanted. It exists only while it is read.
type manyConversations struct {
	size, sent int64
	rest       []byte
	count      int
}

func (m *manyConversations) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		switch {
		case m.sent < 0:
			return 0, io.EOF
		case m.sent >= m.size:
			m.rest, m.sent = []byte("]"), -1
		default:
			comma := ","
			if m.count == 0 {
				comma = "["
			}
			m.count++
			m.rest = []byte(comma + gpt(strconv.Itoa(m.count), said("user", strings.Repeat("a question ", 450)), said("assistant", strings.Repeat("an answer ", 500))))
			m.sent += int64(len(m.rest))
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// TestMemory reads a large file within bounded memory. KITH_TEST_CHATLOG_MB is its size.
func TestMemory(t *testing.T) {
	size := int64(20)
	if given, err := strconv.ParseInt(os.Getenv("KITH_TEST_CHATLOG_MB"), 10, 64); err == nil {
		size = given
	}
	file := &manyConversations{size: size << 20}
	parse, err := newParser(file, ChatGPT, now, "")
	if err != nil {
		t.Fatal(err)
	}
	in := &Reader{read: parse, seen: map[[16]byte]seen{}}
	out, err := NewWriter(io.Discard, ChatGPT, "ada", "")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	highest := uint64(0)
	for n := 1; ; n++ {
		c, err := in.Next()
		if errors.Is(err, io.EOF) {
			if n-1 != file.count {
				t.Errorf("%d conversations of %d", n-1, file.count)
			}
			break
		}
		if err == nil {
			err = out.Write(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n%100 == 0 {
			runtime.ReadMemStats(&after)
			highest = max(highest, after.HeapAlloc-min(after.HeapAlloc, before.HeapAlloc))
		}
	}
	t.Logf("%d MB: at most %d kB more on the heap", size, highest>>10)
	if highest > 16<<20+256*uint64(file.count) { // ids and places are kept
		t.Errorf("%d MB need %d kB more", size, highest>>10)
	}
}

func FuzzReader(f *testing.F) {
	f.Add("["+gpt("c", said("user", "x"), said("assistant", "y"))+"]", uint8(0))
	f.Add(`[{"uuid":"c","chat_messages":[{"uuid":"1","sender":"human","text":"x","content":[{"type":"text","text":"y"},7]}]}]`, uint8(1))
	f.Add(`{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"x"}}`, uint8(2))
	f.Add(`{"request":{"system":"s","messages":[{"role":"user","content":["x",{"type":"image"}]}]},"response":{"choices":[{"message":null}],"output":[{}]}}`, uint8(3))
	f.Add(`{"input":"x","body":{"response":{"body":{"role":"assistant","content":[{"type":"text","text":"z"}]}}}}`, uint8(4))
	f.Fuzz(func(t *testing.T, file string, format uint8) {
		in, err := Open(strings.NewReader(file), int64(len(file)), Formats[int(format)%len(Formats)], now)
		if err != nil {
			return
		}
		w, err := NewWriter(io.Discard, ChatGPT, "ada", "")
		if err != nil {
			t.Fatal(err)
		}
		for range len(file) + 2 {
			c, err := in.Next()
			var fault *Fault
			switch {
			case errors.As(err, &fault):
				continue
			case err != nil:
				return
			}
			for _, m := range c.Messages {
				if strings.TrimSpace(m.Text) == "" || m.ID == "" || m.Role != userRole && m.Role != assistantRole {
					t.Errorf("%+v", m)
				}
			}
			if len(c.Messages) > 0 && w.Write(c) != nil {
				t.Error("cannot be written")
			}
		}
		t.Error("more conversations than bytes")
	})
}
