package hook

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	client "kith/clients/go"
	"kith/graph"
)

// The first messages create the conversation, also if lines without messages were read before; a refused write does not count.
func TestStoreCreates(t *testing.T) {
	t.Parallel()
	status, sent := http.StatusOK, []graph.SourceWrite{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var write graph.SourceWrite
		if err := json.NewDecoder(r.Body).Decode(&write); err != nil {
			t.Error(err)
		}
		sent = append(sent, write)
		w.WriteHeader(status)
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	folder := t.TempDir()
	in := &Input{Name: "Stop", SessionID: "s", TranscriptPath: filepath.Join(folder, "t.jsonl"), Folder: "/home/ada/app"}
	memory := &Memory{API: client.New(server.URL, "key", nil)}
	file := ""
	store := func(line string) *State {
		file += line + "\n"
		if err := os.WriteFile(in.TranscriptPath, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		state := OpenState(folder, "m", in)
		if err := memory.Store(t.Context(), in, state, func(string) {}); (err != nil) != (status >= 400) {
			t.Errorf("%s: %v", line, err)
		}
		return OpenState(folder, "m", in)
	}
	said := func(id, minute string) string {
		return `{"type":"user","uuid":"` + id + `","timestamp":"2026-01-01T10:` + minute + `:00Z","message":{"role":"user","content":"Hello"}}`
	}
	if state := store(`{"type":"summary","summary":"S"}`); state.Offset == 0 || state.Created || len(sent) > 0 {
		t.Fatalf("without messages: %+v, sent %+v", state, sent)
	}
	status = http.StatusBadRequest
	if state := store(said("u1", "00")); state.Created || !state.Began.IsZero() {
		t.Errorf("refused: %+v", state)
	}
	status, sent = http.StatusOK, nil
	began := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	if state := store(said("u2", "01")); !state.Created || !state.Began.Equal(began) {
		t.Errorf("stored: %+v", state)
	}
	if state := store(said("u3", "02")); !state.Began.Equal(began) {
		t.Errorf("continued: %+v", state)
	}
	if len(sent) != 2 {
		t.Fatalf("sent %+v", sent)
	}
	first, next := sent[0], sent[1]
	if first.ContextType.Value != "work-session" || len(first.Tags) != 2 || !first.StartedAt.Value.Equal(began) || len(first.Messages) != 2 {
		t.Errorf("first: %+v", first)
	}
	if next.ContextType.Given || len(next.Tags) > 0 || next.StartedAt.Given || len(next.Messages) != 1 {
		t.Errorf("next: %+v", next)
	}
	file = ""
	if state := store(said("u9", "09")); !state.Began.Equal(began.Add(9 * time.Minute)) {
		t.Errorf("a new transcript: %+v", state)
	}
}
