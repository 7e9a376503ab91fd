package sessions

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/internal/jsonline"
)

// line returns a line of a file to import.
func line(session int, speaker, text string) string {
	return fmt.Sprintf(`{"conversation":"c1","session":%d,"time":"2026-03-%02dT09:00:00Z","speaker":%q,"text":%q}`+"\n",
		session, session, speaker, text)
}

// readAll returns the sessions of a file as "conversation/session: ids of its turns", and its faults.
func readAll(t *testing.T, file, layout string) (sessions, faults []string) {
	t.Helper()
	r := newReader(strings.NewReader(file), layout, func(line int, message string) {
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
		r := newReader(strings.NewReader(file), layout, func(line int, _ string) {
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
	same := &session{turns: []turn{{at: at}, {at: at}, {at: at}}}
	same.spreadTimes()
	if from, to := same.timeRange(); !from.Equal(at) || !to.Equal(at.Add(2*time.Second)) || !same.turns[1].at.Equal(at.Add(time.Second)) {
		t.Errorf("spread: %v to %v", from, to)
	}
	own := &session{turns: []turn{{at: at.Add(time.Minute)}, {at: at}, {at: at}}}
	own.spreadTimes()
	if from, to := own.timeRange(); !from.Equal(at) || !to.Equal(at.Add(time.Minute)) || !own.turns[2].at.Equal(at) {
		t.Errorf("times of its own: %v to %v", from, to)
	}
}

func TestImportStopsWhenTheServiceRefuses(t *testing.T) {
	t.Parallel()
	called := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		called++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer service.Close()
	file := strings.NewReader(line(1, "Ada", "x") + line(2, "Ada", "x"))
	_, err := Import(t.Context(), client.New(service.URL, "k", nil), file, Options{TimeLayout: time.RFC3339}, terminal.NewProgress(io.Discard))
	if err == nil || called != 1 || !strings.Contains(err.Error(), "session 1 of c1 (line 1): call POST /v1/memory: 401 unauthorized") {
		t.Errorf("%d calls: %v", called, err)
	}
}
