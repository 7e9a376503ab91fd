package e2e

import (
	"bytes"
	"encoding/json"
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
	"kith/internal/bounds"
)

// line returns a line of a file to import.
func line(session int, speaker, text string) string {
	return fmt.Sprintf(`{"conversation":"c1","session":%d,"time":"2026-03-%02dT09:00:00Z","speaker":%q,"text":%q}`+"\n",
		session, session, speaker, text)
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
	file := line(1, "Ada", "hello") + line(2, "Ada", "hello") + line(2, "Bo", strings.Repeat("x", bounds.MessageLength+1)) +
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
		"many turns": {2001, 10}, "much text": {200, bounds.MessageLength},
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
			if len(service.sources) < 3 || service.largest > 5<<20 {
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
