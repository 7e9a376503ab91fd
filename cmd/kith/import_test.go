package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/jsonline"
	"kith/internal/terminal"
)

// line returns a line of a file to import.
func line(session int, speaker, text string) string {
	return fmt.Sprintf(`{"conversation":"c1","session":%d,"time":"2026-03-%02dT09:00:00Z","speaker":%q,"text":%q}`+"\n",
		session, session, speaker, text)
}

// readAll returns the sessions of a file as "conversation/session: ids of its turns", and its faults.
func readAll(t *testing.T, file, layout string) (sessions, faults []string) {
	t.Helper()
	r := newSessionReader(strings.NewReader(file), layout, func(line int, message string) {
		faults = append(faults, fmt.Sprintf("%d: %s", line, message))
	})
	for {
		s, err := r.read()
		if errors.Is(err, io.EOF) {
			return sessions, faults
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.faulty {
			sessions = append(sessions, s.conversation+"/"+s.name+" left out")
			continue
		}
		ids := make([]string, len(s.turns))
		for i, turn := range s.turns {
			ids[i] = turn.id
		}
		sessions = append(sessions, s.conversation+"/"+s.name+": "+strings.Join(ids, " "))
	}
}

func TestSessionReader(t *testing.T) {
	t.Parallel()
	good, long := line(1, "Ada", "hello"), strings.Repeat("x", jsonline.Max)
	for _, test := range []struct {
		name, file       string
		sessions, faults []string
	}{
		{name: "nothing"},
		{
			name: "sessions in order, blank lines, no last newline", file: good + "\n" + line(1, "Bo", "hi") + " \r\n" + strings.TrimSpace(line(2, "Ada", "")),
			sessions: []string{"c1/1: 1 2", "c1/2: 1"},
		},
		{
			name:     "ids, sessions with names, other fields",
			file:     `{"conversation":"c1","session":"a b","time":"2026-03-01T09:00:00Z","speaker":"Ada","text":"x","id":"t:7","mood":{"a":[1]}}` + "\n",
			sessions: []string{"c1/a b: t:7"},
		},
		{
			name: "fields missing and wrong", file: `{"conversation":"c1","session":1,"speaker":" ","text":7,"id":[],"time":"yesterday"}` + "\n" + line(2, "Ada", "x"),
			sessions: []string{"c1/1 left out", "c1/2: 1"},
			faults:   []string{"1: text must be a string; id must be a number or a string; speaker is missing; time does not match the layout " + time.RFC3339},
		},
		{
			name: "a lost line spoils the sessions on both sides of it", file: good + "{\n" + line(2, "Ada", "x") + line(3, "Ada", "x"),
			sessions: []string{"c1/1 left out", "c1/2 left out", "c1/3: 1"},
			faults:   []string{"2: is not valid JSON: unexpected end of JSON input"},
		},
		{
			name: "a lost line within a session spoils that alone", file: good + `{"session":1}` + "\n" + line(1, "Bo", "x") + line(2, "Ada", "x"),
			sessions: []string{"c1/1 left out", "c1/2: 1"},
			faults:   []string{"2: conversation is missing; speaker is missing; text is missing; time is missing"},
		},
		{
			name: "no object, no UTF-8", file: "[1]\n\"\xff\"\n" + good, sessions: []string{"c1/1 left out"},
			faults: []string{"1: is not a JSON object", "2: is not valid UTF-8"},
		},
		{
			name: "a line too long", file: line(1, "Ada", "x") + line(2, "Ada", long) + line(3, "Ada", "x") + line(4, "Ada", "x"),
			sessions: []string{"c1/1 left out", "c1/3 left out", "c1/4: 1"},
			faults:   []string{"2: line exceeds 1048576 bytes"},
		},
		{
			name: "a session in two places", file: good + line(2, "Ada", "x") + good, sessions: []string{"c1/1: 1", "c1/2: 1", "c1/1 left out"},
			faults: []string{"3: belongs to the session that began in line 1; the lines of a session must be adjacent"},
		},
		{
			name:     "an id twice, also as a position",
			file:     good + strings.Replace(good, `"text"`, `"id":1,"text"`, 1) + good,
			sessions: []string{"c1/1 left out"}, faults: []string{"2: id repeats that of line 1"},
		},
		{
			name: "a slash in a speaker", file: line(1, "a/b", "x"), sessions: []string{"c1/1 left out"},
			faults: []string{"1: speaker must not contain a slash"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sessions, faults := readAll(t, test.file, time.RFC3339)
			if diff := cmp.Diff(test.sessions, sessions); diff != "" {
				t.Error("sessions", diff)
			}
			if diff := cmp.Diff(test.faults, faults); diff != "" {
				t.Error("faults", diff)
			}
		})
	}
}

func FuzzSessionReader(f *testing.F) {
	f.Add(line(1, "Ada", "x")+"{\n"+line(2, "Bo", "y"), time.RFC3339)
	f.Add(`{"conversation":1,"session":"2","id":-3}`+"\n", "15:04")
	f.Fuzz(func(t *testing.T, file, layout string) {
		lines := strings.Count(file, "\n") + 1
		r := newSessionReader(strings.NewReader(file), layout, func(line int, _ string) {
			if line < 1 || line > lines {
				t.Errorf("a fault in line %d of %d", line, lines)
			}
		})
		for {
			s, err := r.read()
			if err != nil {
				return
			}
			if s.faulty == (len(s.turns) > 0) {
				t.Errorf("faulty %v with %d turns", s.faulty, len(s.turns))
			}
		}
	})
}

func TestSessionTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC)
	same := &importSession{turns: []importTurn{{at: at}, {at: at}, {at: at}}}
	same.spreadTimes()
	if from, to := same.timeRange(); !from.Equal(at) || !to.Equal(at.Add(2*time.Second)) || !same.turns[1].at.Equal(at.Add(time.Second)) {
		t.Errorf("spread: %v to %v", from, to)
	}
	own := &importSession{turns: []importTurn{{at: at.Add(time.Minute)}, {at: at}, {at: at}}}
	own.spreadTimes()
	if from, to := own.timeRange(); !from.Equal(at) || !to.Equal(at.Add(time.Minute)) || !own.turns[2].at.Equal(at) {
		t.Errorf("times of its own: %v to %v", from, to)
	}
}

// memoryService is a fake service that records which keys are stored.
type memoryService struct {
	stored  map[string]bool
	sources []graph.SourceWrite
	memory  []graph.MemoryWrite
	largest int // bytes of a body
}

func (m *memoryService) status(key string) graph.Status {
	if m.stored[key] {
		return graph.Unchanged
	}
	m.stored[key] = true
	return graph.Created
}

// ServeHTTP accepts memories and sources.
func (m *memoryService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	m.largest = max(m.largest, len(raw))
	if r.URL.Path == "/v1/memory" {
		var write graph.MemoryWrite
		_ = json.Unmarshal(raw, &write)
		m.memory = append(m.memory, write)
		return
	}
	var write graph.SourceWrite
	_ = json.Unmarshal(raw, &write)
	m.sources = append(m.sources, write)
	result := graph.SourceResult{EntityKey: write.EntityKey, Status: m.status(write.EntityKey)}
	for _, message := range write.Messages {
		result.Messages = append(result.Messages, graph.MessageResult{EntityKey: message.EntityKey, Status: m.status(message.EntityKey)})
	}
	_ = json.NewEncoder(w).Encode(result)
}

// importFile runs the command on a file.
func importFile(t *testing.T, service *memoryService, file string, more ...string) (code int, out, progress string) {
	t.Helper()
	if service.stored == nil {
		service.stored = map[string]bool{}
	}
	address := serveHandler(t, service.ServeHTTP)
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := append([]string{"import", "conversations", path, "--url", address}, more...)
	code = run(t.Context(), args, []string{"KITH_KEY=kith_secret"}, streams{nil, &stdout, &stderr})
	return code, stdout.String(), stderr.String()
}

func TestImportWritesEachSpeakersMemory(t *testing.T) {
	t.Parallel()
	service := &memoryService{}
	code, out, progress := importFile(t, service, line(1, "Ada", "hello")+line(1, "Bo", "hi")+line(3, "Bo", "again")+line(3, "Ada", "yes"))
	if code != 0 || progress != "" {
		t.Fatalf("exit %d: %s", code, progress)
	}
	for _, want := range []string{
		"sessions: 2 with 4 messages, for 2 users", "sources: 4 created, 0 updated, 0 unchanged",
		"messages: 8 created, 0 updated, 0 unchanged", "user_id=c1%2FAda'",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in: %s", want, out)
		}
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	want := graph.SourceWrite{
		UserID: "c1/Bo", Strict: true, EntityKey: "c1/Bo/session-1", SourceType: graph.Some("text-import"),
		StartedAt: graph.Some(at), EndedAt: graph.Some(at.Add(time.Second)), Mentions: []string{"c1/Bo/person/Ada"},
		Messages: []graph.MessageWrite{
			{EntityKey: "c1/Bo/session-1/1", Role: "other", Name: "Ada", Text: "hello", At: graph.Some(at)},
			{EntityKey: "c1/Bo/session-1/2", Role: "user", Name: "Bo", Text: "hi", At: graph.Some(at.Add(time.Second))},
		},
	}
	if diff := cmp.Diff(want, service.sources[1]); diff != "" {
		t.Error(diff)
	}
	if n := len(service.memory); n != 4 { // persons and relationships of two users
		t.Fatalf("%d memory writes", n)
	}
	known := service.memory[3].Relationships[0]
	if known.From != "c1/Bo/person/Bo" || known.To != "c1/Bo/person/Ada" ||
		known.Description.Value != "talked in 2 sessions from 2026-03-01 to 2026-03-03" {
		t.Errorf("relationship: %+v", known)
	}
}

func TestImportAgainChangesNothing(t *testing.T) {
	t.Parallel()
	service := &memoryService{}
	file := line(1, "Ada", "hello") + line(2, "Bo", "hi")
	for _, want := range []string{"sources: 2 created, 0 updated, 0 unchanged", "sources: 0 created, 0 updated, 2 unchanged"} {
		if code, out, progress := importFile(t, service, file); code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, want %q: %s%s", code, want, out, progress)
		}
	}
}

func TestImportOfOneSpeaker(t *testing.T) {
	t.Parallel()
	service := &memoryService{}
	file := line(1, "Ada", "hello") + line(1, "Bo", "hi") + line(2, "Ada", "alone")
	if code, out, _ := importFile(t, service, file, "--speaker", "Bo"); code != 0 || len(service.sources) != 1 || service.sources[0].UserID != "c1/Bo" {
		t.Errorf("exit %d, %d sources: %s", code, len(service.sources), out)
	}
	if code, _, progress := importFile(t, service, file, "--speaker", "Cy"); code != 1 || !strings.Contains(progress, "no session with this speaker") {
		t.Errorf("exit %d: %s", code, progress)
	}
}

func TestImportReadsOtherTimes(t *testing.T) {
	t.Parallel()
	service := &memoryService{}
	file := strings.Replace(line(1, "Ada", "hello"), "2026-03-01T09:00:00Z", "4:04 pm on 20 January, 2023", 1)
	code, _, progress := importFile(t, service, file, "--time-layout", "3:04 pm on 2 January, 2006")
	if want := time.Date(2023, 1, 20, 16, 4, 0, 0, time.UTC); code != 0 || !service.sources[0].StartedAt.Value.Equal(want) {
		t.Errorf("exit %d: %s", code, progress)
	}
}

func TestImportLeavesOutWhatHasFaults(t *testing.T) {
	t.Parallel()
	service := &memoryService{}
	file := line(1, "Ada", "hello") + line(2, "Ada", "hello") + line(2, "Bo", strings.Repeat("x", graph.MaxMessageLength+1)) +
		line(3, "ada", "hello") + line(4, "Ada", "bye")
	code, out, progress := importFile(t, service, file)
	for _, want := range []string{
		"line 3: text must have at most 65536 characters", "line 4: two speakers have names that differ only in case",
		"faults: 2; sessions skipped: 2",
	} {
		if !strings.Contains(progress, want) {
			t.Errorf("%q is not in: %s", want, progress)
		}
	}
	if code != 1 || len(service.sources) != 2 || !strings.Contains(out, "sessions: 2 with 2 messages") {
		t.Errorf("exit %d, %d sources: %s", code, len(service.sources), out)
	}
}

func TestImportSplitsLongSessions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ turns, length int }{
		"many turns": {2*chunkMessages + 1, 10}, "much text": {200, graph.MaxMessageLength},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, file := &memoryService{}, &strings.Builder{}
			for range test.turns {
				file.WriteString(line(1, "Ada", strings.Repeat("x", test.length)))
			}
			if code, out, progress := importFile(t, service, file.String()); code != 0 || !strings.Contains(out, "sources: 1 created, 0") {
				t.Fatalf("exit %d: %s%s", code, out, progress)
			}
			if len(service.sources) < 3 || service.largest > chunkBytes+jsonline.Max {
				t.Errorf("%d requests of at most %d bytes", len(service.sources), service.largest)
			}
			keys := 0
			for i, s := range service.sources {
				if last := i == len(service.sources)-1; s.EndedAt.Given != last || s.EntityKey != "c1/Ada/session-1" {
					t.Errorf("request %d: key %s, ended %v", i, s.EntityKey, s.EndedAt.Given)
				}
				for _, m := range s.Messages {
					if keys++; m.EntityKey != fmt.Sprintf("c1/Ada/session-1/%d", keys) {
						t.Fatalf("message %d has the key %s", keys, m.EntityKey)
					}
				}
			}
			if keys != test.turns {
				t.Errorf("%d messages of %d", keys, test.turns)
			}
		})
	}
}

func TestImportStopsWhenTheServiceRefuses(t *testing.T) {
	t.Parallel()
	called := 0
	api := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		called++
		w.WriteHeader(http.StatusUnauthorized)
	})
	i := newImporter(api, "", time.Now(), func(int, string) {})
	lines := newSessionReader(strings.NewReader(line(1, "Ada", "x")+line(2, "Ada", "x")), time.RFC3339, func(int, string) {})
	err := i.load(t.Context(), lines, terminal.NewProgress(io.Discard))
	if err == nil || called != 1 || !strings.Contains(err.Error(), "session 1 of c1 (line 1): call POST /v1/memory: 401 unauthorized") {
		t.Errorf("%d calls: %v", called, err)
	}
}
