package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// event is a chunk of an answer with a piece of its text, or, where that is empty, the end of it.
func event(piece string) string {
	end := `null`
	if piece == "" {
		end = `"stop"`
	}
	text, _ := json.Marshal(piece)
	return fmt.Sprintf(`data: {"model":"tiny-2","choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}`+"\n\n", text, end)
}

const done = "data: [DONE]\n\n"

// streams sends events, and ends cleanly.
func streams(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			_, _ = io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

// sequence calls one handler after the other.
func sequence(first, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		first(w, r)
		next(w, r)
	}
}

func breakConnection(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// newChatServer starts a model's server that repeats the last message, in three pieces.
func newChatServer(t *testing.T, script ...http.HandlerFunc) *scripted {
	t.Helper()
	s := &scripted{script: script}
	s.well = func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model    string
			Stream   bool
			Messages []struct{ Role, Content string }
		}
		err := json.NewDecoder(r.Body).Decode(&request)
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+secretKey ||
			request.Model != "tiny" || !request.Stream || request.Messages[0].Role != "system" {
			http.Error(w, "not a request as it should be", http.StatusTeapot)
			return
		}
		last := request.Messages[len(request.Messages)-1]
		streams(event(last.Role), event(" said: "), event(last.Content), event(""), done)(w, r)
	}
	s.listen(t)
	return s
}

func generatorAt(t *testing.T, s *scripted) *Generator {
	t.Helper()
	g, err := NewGenerator(s.URL+"/v1", "tiny", GeneratorOptions{Key: secretKey, Silence: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	g.pause = time.Millisecond
	t.Cleanup(g.Close)
	return g
}

func ask(text string) []Message { return []Message{{"system", "Be brief."}, {"user", text}} }

func TestGenerate(t *testing.T) {
	t.Parallel()
	s := newChatServer(t)
	g := generatorAt(t, s)
	var pieces []string
	got, err := g.Generate(t.Context(), "", ask("Ä \n{\"x\"}"), func(text string) { pieces = append(pieces, text) })
	if diff := cmp.Diff(Answer{"user said: Ä \n{\"x\"}", "tiny-2"}, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if diff := cmp.Diff([]string{"user", " said: ", "Ä \n{\"x\"}"}, pieces); diff != "" {
		t.Error(diff)
	}
	if _, err := g.Generate(t.Context(), "", ask("again"), nil); err != nil || s.connections.Load() != 1 {
		t.Errorf("%v, %d connections", err, s.connections.Load())
	}
	if g.Availability() != Available {
		t.Error(g.Availability())
	}
	if _, err := g.Generate(t.Context(), "other", ask("of another model"), nil); !errors.Is(err, ErrRefused) { // by a server of tiny alone
		t.Errorf("another model is not asked: %v", err)
	}
}

// TestGenerateFaults has one fault each, then a server that is well.
func TestGenerateFaults(t *testing.T) {
	t.Parallel()
	piece, end := event(secretText), event("")
	ending := func(reason string) string { return strings.ReplaceAll(end, "stop", reason) }
	for name, one := range map[string]struct {
		fault http.HandlerFunc
		want  error // nil: tried again
		heard string
	}{
		"429":                        {status(429), nil, ""},
		"429 with a long pause":      {status(429, "Retry-After", "3600"), ErrUnavailable, ""},
		"500":                        {status(500), nil, ""},
		"503 without JSON":           {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secretText, http.StatusServiceUnavailable) }, nil, ""},
		"hangs":                      {neverAnswer, nil, ""},
		"hangs before the text":      {sequence(streams(strings.ReplaceAll(piece, secretText, "")), neverAnswer), nil, ""},
		"cut before the text":        {sequence(streams(": comment\n\n"), breakConnection), nil, ""},
		"ends before the text":       {streams(), nil, ""},
		"a failure before the text":  {streams(`data: {"error":{"message":"` + secretText + `","code":500}}` + "\n\n"), nil, ""},
		"400":                        {status(400), ErrRefused, ""},
		"401":                        {status(401), ErrRefused, ""},
		"404":                        {status(404), ErrRefused, ""},
		"redirect":                   {status(307, "Location", "/elsewhere"), ErrRefused, ""},
		"a page":                     {writeText("<html>" + secretText), ErrGarbled, ""},
		"no stream":                  {writeText(`{"choices":[{"message":{"content":"` + secretText + `"}}]}`), ErrGarbled, ""},
		"garbage":                    {streams("data: {\"choices\": " + secretText + "\n\n"), ErrGarbled, ""},
		"another form":               {streams("data: {\"choices\": \"" + secretText + "\"}\n\n"), ErrGarbled, ""},
		"no text":                    {streams(end, done), ErrGarbled, ""},
		"a call of a tool":           {streams(ending("tool_calls"), done), ErrGarbled, ""},
		"held back":                  {streams(ending("content_filter"), done), ErrRefused, ""},
		"cut in the text":            {sequence(streams(piece, piece), breakConnection), ErrUnavailable, secretText + secretText},
		"ends in the text":           {streams(piece), ErrUnavailable, secretText},
		"done in the text":           {streams(piece, done), ErrUnavailable, secretText},
		"hangs in the text":          {sequence(streams(piece), neverAnswer), ErrUnavailable, secretText},
		"a failure in the text":      {streams(piece, `data: {"error":{"message":"`+secretText+`"}}`+"\n\n"), ErrUnavailable, secretText},
		"garbage in the text":        {streams(piece, "data: "+secretText+"\n\n"), ErrGarbled, secretText},
		"at the limit of the model":  {streams(piece, ending("length"), done), ErrGarbled, secretText},
		"held back in the text":      {streams(piece, ending("content_filter"), done), ErrRefused, secretText},
		"longer than what is taken":  {streams(event(strings.Repeat("x", maxAnswerText)), piece, end, done), ErrGarbled, strings.Repeat("x", maxAnswerText)},
		"endless without a line end": {endlessStream, ErrGarbled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChatServer(t, one.fault)
			g := generatorAt(t, s)
			if strings.HasPrefix(name, "hangs") {
				g.silence = 100 * time.Millisecond
			}
			var heard strings.Builder
			got, err := g.Generate(t.Context(), "", ask(secretText), func(text string) { heard.WriteString(text) })
			if one.want == nil {
				if err != nil || got.Text != "user said: "+secretText || heard.String() != got.Text || s.requests.Load() != 2 {
					t.Errorf("%+v, %v, heard %q, %d requests", got, err, heard.String(), s.requests.Load())
				}
				return
			}
			if !errors.Is(err, one.want) || got != (Answer{}) || heard.String() != one.heard || s.requests.Load() != 1 {
				t.Errorf("got %d bytes, %v, heard %d, %d requests; want %v", len(got.Text), err, heard.Len(), s.requests.Load(), one.want)
			}
			for _, secret := range []string{secretText, secretKey, s.URL, s.Listener.Addr().String()} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells %s", secret)
				}
			}
		})
	}
}

// endlessStream sends a line beyond the limit.
func endlessStream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for blanks := "data: " + strings.Repeat(" ", 1<<20); ; {
		if _, err := io.WriteString(w, blanks); err != nil {
			return
		}
	}
}

func TestGenerateWaitsAsAsked(t *testing.T) {
	t.Parallel()
	g := generatorAt(t, newChatServer(t, status(429, "Retry-After", "1")))
	begun := time.Now()
	if _, err := g.Generate(t.Context(), "", ask("a"), nil); err != nil || time.Since(begun) < time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// TestGenerateCancelled is that whoever gives up is answered at once, and that the provider learns of it.
func TestGenerateCancelled(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]http.HandlerFunc{"before the text": streams(), "in the text": streams(event("a"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			gone := make(chan struct{})
			s := newChatServer(t, sequence(before, func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				cancel()
				<-r.Context().Done()
				close(gone)
			}))
			g := generatorAt(t, s)
			if _, err := g.Generate(ctx, "", ask(secretText), nil); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			<-gone
			if _, err := g.Generate(ctx, "", ask(secretText), nil); !errors.Is(err, context.Canceled) || s.requests.Load() != 1 {
				t.Errorf("before it begins: %v, %d requests", err, s.requests.Load())
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := generatorAt(t, newChatServer(t, neverAnswer, neverAnswer)).Generate(ctx, "", ask("a"), nil); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

func TestGeneratorCircuit(t *testing.T) {
	t.Parallel()
	script := make([]http.HandlerFunc, maxFailures)
	for i := range script {
		script[i] = status(500)
	}
	s := newChatServer(t, script...)
	g := generatorAt(t, s)
	g.circuit = newCircuit("KITH_LLM", nil, 200*time.Millisecond)
	for range 3 {
		if _, err := g.Generate(t.Context(), "", ask("a"), nil); !errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if s.requests.Load() != maxFailures || g.Availability() != Unavailable {
		t.Errorf("%d requests, %s", s.requests.Load(), g.Availability())
	}
	<-time.After(300 * time.Millisecond)
	if _, err := g.Generate(t.Context(), "", ask("a"), nil); err != nil || g.Availability() != Available {
		t.Errorf("%v, %s", err, g.Availability())
	}
	var none *Generator
	if _, err := none.Generate(t.Context(), "", ask("a"), nil); !errors.Is(err, ErrUnavailable) || none.Availability() != Unavailable {
		t.Errorf("without a model: %v, %s", err, none.Availability())
	}
}

// TestGenerateConcurrent is that answers do not mix, and that a long one holds up no other.
func TestGenerateConcurrent(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	s := newChatServer(t, sequence(streams(event("slow")), func(w http.ResponseWriter, r *http.Request) {
		<-slow
		streams(event(""), done)(w, r)
	}))
	g := generatorAt(t, s)
	first := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		if got, err := g.Generate(t.Context(), "", ask("a"), func(string) { close(first) }); err != nil || got.Text != "slow" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	<-first
	var others sync.WaitGroup
	for i := range 20 {
		others.Go(func() {
			text := fmt.Sprint("text ", i)
			if got, err := g.Generate(t.Context(), "", ask(text), nil); err != nil || got.Text != "user said: "+text {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	others.Wait()
	close(slow)
	running.Wait()
}

func TestNewGeneratorRefuses(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ address, model, key, want string }{
		{"http://user:hidden@host/v1", "m", "", "KITH_LLM_URL"},
		{"http://host/v1", "", "", "KITH_LLM_MODEL"},
		{"http://host/v1", "m", "hidden\nkey", "KITH_LLM_KEY"},
	} {
		g, err := NewGenerator(one.address, one.model, GeneratorOptions{Key: one.key})
		if g != nil || err == nil || !strings.Contains(err.Error(), one.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v: got %v", one, err)
		}
	}
}
