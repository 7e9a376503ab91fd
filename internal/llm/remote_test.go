package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	secretKey  = "sk-secret-key"
	secretText = "the text of a memory"
)

// scripted is an OpenAI-compatible server that does what the script says for each request in turn, and answers those
// beyond it, and where that is nil, as it should.
type scripted struct {
	*httptest.Server
	script      []http.HandlerFunc
	well        http.HandlerFunc
	requests    atomic.Int64
	connections atomic.Int64
	mu          sync.Mutex
	batches     [][]string
}

func serve(t *testing.T, script ...http.HandlerFunc) *scripted {
	t.Helper()
	s := &scripted{script: script}
	s.well = s.embed
	s.listen(t)
	return s
}

func (s *scripted) listen(t *testing.T) {
	t.Helper()
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.answer))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
}

func (s *scripted) answer(w http.ResponseWriter, r *http.Request) {
	n := int(s.requests.Add(1))
	if n <= len(s.script) && s.script[n-1] != nil {
		s.script[n-1](w, r)
		return
	}
	s.well(w, r)
}

// embed returns for each text its length, 1 and 0.
func (s *scripted) embed(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model string
		Input []string
	}
	err := json.NewDecoder(r.Body).Decode(&request)
	if err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+secretKey || request.Model != "small" {
		http.Error(w, "not a request as it should be", http.StatusTeapot)
		return
	}
	s.mu.Lock()
	s.batches = append(s.batches, request.Input)
	s.mu.Unlock()
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	data := []item{}
	for i, text := range request.Input { // the last one first: the index gives the order
		data = append([]item{{i, []float64{float64(len(text)), 1, 0}}}, data...)
	}
	w.(http.Flusher).Flush() // chunked, as many servers do
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

// want returns the server's vector for a text of that length.
func want(length int) []float32 {
	norm := math.Hypot(float64(length), 1)
	return []float32{float32(float64(length) / norm), float32(1 / norm), 0}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"%s of %s","type":"x"}}`, secretText, secretKey)
	}
}

func writeText(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// cutAnswer ends the connection in the middle of an answer.
func cutAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[1,`))
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// neverAnswer does not answer, and ends with its request.
func neverAnswer(_ http.ResponseWriter, r *http.Request) {
	_, _ = new(bytes.Buffer).ReadFrom(r.Body) // only then is the end of the connection seen
	<-r.Context().Done()
}

func embedderAt(t *testing.T, s *scripted, o RemoteOptions) *RemoteEmbedder {
	t.Helper()
	o.Key = secretKey
	e, err := NewRemoteEmbedder(s.URL+"/v1/", "small", o)
	if err != nil {
		t.Fatal(err)
	}
	e.pause = time.Millisecond
	t.Cleanup(e.Close)
	return e
}

func TestRemote(t *testing.T) {
	t.Parallel()
	s := serve(t)
	e := embedderAt(t, s, RemoteOptions{})
	if e.Model() != "small" || e.Dimensions() != 0 {
		t.Errorf("model %s, %d dimensions before the first answer", e.Model(), e.Dimensions())
	}
	var texts []string
	var wanted [][]float32
	for i := range 70 {
		if i%10 == 5 {
			texts, wanted = append(texts, " \n"), append(wanted, nil)
			continue
		}
		texts, wanted = append(texts, strings.Repeat("x", i+1)), append(wanted, want(i+1))
	}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	if e.Dimensions() != 3 || len(s.batches) != 2 || len(s.batches[0]) != 32 || s.connections.Load() != 1 {
		t.Errorf("%d dimensions, %d batches, %d connections", e.Dimensions(), len(s.batches), s.connections.Load())
	}
	if got, err := e.Embed(t.Context(), []string{"", " "}); err != nil || len(got) != 2 || got[0] != nil || s.requests.Load() != 2 {
		t.Errorf("blank texts: %v, %v, %d requests", got, err, s.requests.Load())
	}
}

func TestRemoteCutsTexts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	texts := []string{strings.Repeat("ä", 5000), "x" + strings.Repeat("ä", 5000), strings.Repeat("x", 8192)}
	if _, err := embedderAt(t, s, RemoteOptions{}).Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if got := s.batches[0]; got[0] != texts[0][:8192] || got[1] != texts[1][:8191] || got[2] != texts[2] {
		t.Errorf("%d, %d and %d bytes were sent", len(got[0]), len(got[1]), len(got[2]))
	}
}

// TestRemoteFaults has one fault each, then a server that is well.
func TestRemoteFaults(t *testing.T) {
	t.Parallel()
	const vector = `{"index":0,"embedding":[1,2,3]}`
	for name, one := range map[string]struct {
		fault http.HandlerFunc
		want  error // nil: tried again
	}{
		"429":                     {status(429), nil},
		"429 with a pause":        {status(429, "Retry-After", "0"), nil},
		"429 with a past date":    {status(429, "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), nil},
		"429 with a long pause":   {status(429, "Retry-After", "3600"), ErrUnavailable},
		"408":                     {status(408), nil},
		"500":                     {status(500), nil},
		"503 without JSON":        {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secretText, http.StatusServiceUnavailable) }, nil},
		"cut in the middle":       {cutAnswer, nil},
		"nothing":                 {writeText(""), nil},
		"half of it":              {writeText(`{"data":[` + vector), nil},
		"hangs":                   {neverAnswer, nil},
		"400":                     {status(400), ErrRefused},
		"401":                     {status(401), ErrRefused},
		"404":                     {status(404), ErrRefused},
		"413":                     {status(413), ErrRefused},
		"redirect":                {status(307, "Location", "/elsewhere"), ErrRefused},
		"garbage":                 {writeText("<html>" + secretText), ErrGarbled},
		"other JSON":              {writeText(`[]`), ErrGarbled},
		"error with status 200":   {writeText(`{"error":{"message":"no"}}`), ErrGarbled},
		"too few":                 {writeText(`{"data":[]}`), ErrGarbled},
		"too many":                {writeText(`{"data":[` + vector + `,` + strings.Replace(vector, "0", "1", 1) + `]}`), ErrGarbled},
		"other index":             {writeText(`{"data":[` + strings.Replace(vector, "0", "1", 1) + `]}`), ErrGarbled},
		"negative index":          {writeText(`{"data":[` + strings.Replace(vector, "0", "-1", 1) + `]}`), ErrGarbled},
		"other dimensions":        {writeText(`{"data":[{"index":0,"embedding":[1,2,3,4]}]}`), ErrGarbled},
		"no dimensions":           {writeText(`{"data":[{"index":0,"embedding":[]}]}`), ErrGarbled},
		"no embedding":            {writeText(`{"data":[{"index":0}]}`), ErrGarbled},
		"zero vector":             {writeText(`{"data":[{"index":0,"embedding":[0,0,0]}]}`), ErrGarbled},
		"NaN":                     {writeText(`{"data":[{"index":0,"embedding":[NaN,2,3]}]}`), ErrGarbled},
		"infinite":                {writeText(`{"data":[{"index":0,"embedding":[1e999,2,3]}]}`), ErrGarbled},
		"words":                   {writeText(`{"data":[{"index":0,"embedding":["a",2,3]}]}`), ErrGarbled},
		"null":                    {writeText(`{"data":[{"index":0,"embedding":[null,null,null]}]}`), ErrGarbled},
		"base64 though not asked": {writeText(`{"data":[{"index":0,"embedding":"AACAPwAAAEAAAEBA"}]}`), ErrGarbled},
		"endless":                 {endless, ErrGarbled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, one.fault)
			e := embedderAt(t, s, RemoteOptions{Dimensions: 3, Timeout: 10 * time.Second})
			if name == "hangs" {
				e.timeout = 100 * time.Millisecond
			}
			got, err := e.Embed(t.Context(), []string{secretText})
			if one.want == nil {
				if diff := cmp.Diff([][]float32{want(len(secretText))}, got); err != nil || diff != "" || s.requests.Load() != 2 {
					t.Errorf("%v, %d requests: %s", err, s.requests.Load(), diff)
				}
				return
			}
			if !errors.Is(err, one.want) || got != nil || s.requests.Load() != 1 {
				t.Errorf("got %v, %v, %d requests; want %v", got, err, s.requests.Load(), one.want)
			}
			for _, secret := range []string{secretText, secretKey, s.URL, s.Listener.Addr().String()} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error tells %s", secret)
				}
			}
		})
	}
}

// endless sends an answer beyond the limit.
func endless(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(`{"data":[{"index":0,"embedding":[1`))
	for zeros := strings.Repeat(" ", 1<<20); ; {
		if _, err := w.Write([]byte(zeros)); err != nil {
			return
		}
	}
}

func TestRemoteDimensionsStay(t *testing.T) {
	t.Parallel()
	e := embedderAt(t, serve(t, nil, writeText(`{"data":[{"index":0,"embedding":[1,2]}]}`)), RemoteOptions{})
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); !errors.Is(err, ErrGarbled) || e.Dimensions() != 3 {
		t.Errorf("got %v, %d dimensions", err, e.Dimensions())
	}
	twice := writeText(`{"data":[{"index":1,"embedding":[1,2]},{"index":1,"embedding":[1,3]}]}`)
	if got, err := embedderAt(t, serve(t, twice), RemoteOptions{}).Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, ErrGarbled) {
		t.Errorf("the same index twice: %v, %v", got, err)
	}
	mixed := writeText(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}]}`)
	e = embedderAt(t, serve(t, mixed), RemoteOptions{})
	if _, err := e.Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, ErrGarbled) || e.Dimensions() != 0 {
		t.Errorf("got %v, %d dimensions", err, e.Dimensions())
	}
}

func TestRemoteWaitsAsAsked(t *testing.T) {
	t.Parallel()
	e := embedderAt(t, serve(t, status(429, "Retry-After", "1")), RemoteOptions{})
	begun := time.Now()
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil || time.Since(begun) < time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

func TestRemoteDeadline(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]http.HandlerFunc{"never answers": neverAnswer, "asks for more time": status(503, "Retry-After", "30")} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err := embedderAt(t, serve(t, fault, fault), RemoteOptions{}).Embed(ctx, []string{"a"})
		if !errors.Is(err, ErrUnavailable) || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(begun))
		}
	}
}

func TestRemoteCancelled(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]http.HandlerFunc{"while asking": neverAnswer, "while waiting": status(429, "Retry-After", "30")} {
		ctx, cancel := context.WithCancel(t.Context())
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			time.AfterFunc(50*time.Millisecond, cancel)
			fault(w, r)
		})
		if _, err := embedderAt(t, s, RemoteOptions{}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := embedderAt(t, s, RemoteOptions{}).Embed(ctx, []string{" "}); !errors.Is(err, context.Canceled) {
			t.Errorf("before: %v", err)
		}
	}
}

func TestRemoteCircuit(t *testing.T) {
	t.Parallel()
	script := make([]http.HandlerFunc, 8)
	for i := range script {
		script[i] = status(500)
	}
	script[6] = neverAnswer
	s := serve(t, script...)
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	e := embedderAt(t, s, RemoteOptions{Log: logger})
	e.circuit = newCircuit("KITH_EMBEDDINGS", logger, 200*time.Millisecond)
	embed := func(ctx context.Context) error {
		_, err := e.Embed(ctx, []string{secretText})
		return err
	}
	for calls, requests := range []int64{4, 5, 5} { // the fifth failure opens it
		if err := embed(t.Context()); !errors.Is(err, ErrUnavailable) || s.requests.Load() != requests {
			t.Fatalf("call %d: %v, %d requests", calls, err, s.requests.Load())
		}
	}
	cooled := func() { <-time.After(300 * time.Millisecond) }
	cooled()
	if err := embed(t.Context()); !errors.Is(err, ErrUnavailable) || s.requests.Load() != 6 { // one try, and open again
		t.Fatalf("%v, %d requests", err, s.requests.Load())
	}
	cooled()
	gone, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := embed(gone); !errors.Is(err, context.Canceled) { // who gives up says nothing of the endpoint
		t.Fatal(err)
	}
	if err := embed(t.Context()); !errors.Is(err, ErrUnavailable) || s.requests.Load() != 8 {
		t.Fatalf("%v, %d requests", err, s.requests.Load())
	}
	cooled()
	if err := embed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "circuit=open") || !strings.Contains(got, "circuit=closed") || strings.Contains(got, secretText) {
		t.Error(got)
	}
}

// TestRemoteCircuitOfAnswers is that an endpoint which answers, whatever it says, is not left alone.
func TestRemoteCircuitOfAnswers(t *testing.T) {
	t.Parallel()
	script := make([]http.HandlerFunc, 2*maxFailures)
	for i := range script {
		script[i] = []http.HandlerFunc{status(400), writeText("{}")}[i%2]
	}
	e := embedderAt(t, serve(t, script...), RemoteOptions{})
	for range script {
		if _, err := e.Embed(t.Context(), []string{"a"}); err == nil || errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
}

func TestRemoteConcurrent(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, status(500), nil, cutAnswer, nil, status(429))
	e := embedderAt(t, s, RemoteOptions{})
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for n := range 10 {
				text := strings.Repeat("x", 1+10*i+n)
				got, err := e.Embed(t.Context(), []string{text, "", text + "y"})
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff([][]float32{want(len(text)), nil, want(len(text) + 1)}, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	running.Wait()
}

func TestNewRemoteRefuses(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ address, model, key, want string }{
		{"", "m", "", "KITH_EMBEDDINGS_URL"},
		{"ftp://host/v1", "m", "", "KITH_EMBEDDINGS_URL"},
		{"http://", "m", "", "KITH_EMBEDDINGS_URL"},
		{"http://user:hidden@host/v1", "m", "", "KITH_EMBEDDINGS_URL"},
		{"http://host/v1?key=hidden", "m", "", "KITH_EMBEDDINGS_URL"},
		{"http://hidden\x7f", "m", "", "KITH_EMBEDDINGS_URL"},
		{"http://host/v1", "", "", "KITH_EMBEDDINGS_MODEL"},
		{"http://host/v1", "m", "hidden\nkey", "KITH_EMBEDDINGS_KEY"},
	} {
		_, err := NewRemoteEmbedder(one.address, one.model, RemoteOptions{Key: one.key})
		if err == nil || !strings.Contains(err.Error(), one.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v: got %v", one, err)
		}
	}
}
