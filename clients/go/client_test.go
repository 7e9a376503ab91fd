package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// at returns a client of a server that answers by a script, and repeats its last response.
func at(t *testing.T, script ...http.HandlerFunc) (*Client, *atomic.Int64) {
	t.Helper()
	asked := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		script[min(n, len(script))-1](w, r)
	}))
	t.Cleanup(server.Close)
	c := New(server.URL+"/", "kith_secret", server.Client())
	c.pause = time.Millisecond
	return c, asked
}

func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func breaks(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Requests follow the contract: path, query, body and key.
func TestCallsAreSent(t *testing.T) {
	t.Parallel()
	var got string
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.RequestURI + " " + r.Header.Get("Authorization") + " " + string(body)
		_, _ = io.WriteString(w, "{}")
	})
	for want, call := range map[string]func() error{
		"GET /v1/context?as_of=2026-03-04T12%3A00%3A00Z&max_tokens=400&sections=user&sections=temporal&user_id=u+1 Bearer kith_secret ": func() error {
			_, err := c.Context(t.Context(), ContextQuery{UserID: "u 1", MaxTokens: 400, Sections: []string{"user", "temporal"}, AsOf: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)})
			return err
		},
		"GET /v1/context?format=text&user_id=u1 Bearer kith_secret ": func() error {
			_, err := c.ContextText(t.Context(), ContextQuery{UserID: "u1"})
			return err
		},
		`POST /v1/explore Bearer kith_secret {"format":"text","text_matches":["Jon"],"user_id":"u1"}`: func() error {
			_, err := c.ExploreText(t.Context(), &ExploreRequest{UserID: "u1", TextMatches: []string{"Jon"}})
			return err
		},
		"GET /v1/ontology?snapshot=false Bearer kith_secret ": func() error {
			_, err := c.Ontology(t.Context(), OntologyQuery{Snapshot: Some(false)})
			return err
		},
		`PATCH /v1/nodes/person/a%2Fb%20%3F?user_id=u1 Bearer kith_secret {"description":null,"name":"Jon"}`: func() error {
			_, err := c.PatchNode(t.Context(), "person", "a/b ?", PatchNodeQuery{UserID: "u1"}, &NodeWrite{Name: Some("Jon"), Description: Null[string]()})
			return err
		},
		"GET /v1/systems/sys/memory/text?max_tokens=200&type=a%2Cb&type=c Bearer kith_secret ": func() error {
			_, err := c.SystemText(t.Context(), "sys", SystemTextQuery{Type: []string{"a,b", "c"}, MaxTokens: 200})
			return err
		},
		"DELETE /v1/keys/k1 Bearer kith_secret ": func() error { return c.RevokeKey(t.Context(), "k1") },
	} {
		if err := call(); err != nil || got != want {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
		}
	}
}

func TestCallsAreRepeated(t *testing.T) {
	t.Parallel()
	read := func(c *Client) error { _, err := c.Context(t.Context(), ContextQuery{}); return err }
	open := func(c *Client) error {
		_, err := c.OpenConversation(t.Context(), &OpenConversationRequest{})
		return err
	}
	write := func(c *Client) error { _, err := c.WriteMemory(t.Context(), &MemoryWrite{}); return err }
	away, busy, ok := says(503, "", "Retry-After", "0"), says(429, "", "Retry-After", "0"), says(200, "{}")
	for name, one := range map[string]struct {
		call   func(*Client) error
		script []http.HandlerFunc
		asked  int64
		fails  bool
	}{
		"away, then back":             {read, []http.HandlerFunc{away, away, ok}, 3, false},
		"away for good":               {read, []http.HandlerFunc{away}, tries, true},
		"broken, then back":           {read, []http.HandlerFunc{breaks, ok}, 2, false},
		"busy, then not":              {open, []http.HandlerFunc{busy, ok}, 2, false},
		"a write that may be stored":  {open, []http.HandlerFunc{away, ok}, 1, true},
		"a write that broke":          {open, []http.HandlerFunc{breaks, ok}, 1, true},
		"a write with a key":          {write, []http.HandlerFunc{away, breaks, ok}, 3, false},
		"another failure":             {read, []http.HandlerFunc{says(500, ""), ok}, 1, true},
		"a fault of the caller":       {read, []http.HandlerFunc{says(422, ""), ok}, 1, true},
		"an answer that is none":      {read, []http.HandlerFunc{says(200, "<html>"), ok}, 1, true},
		"an answer that is too large": {read, []http.HandlerFunc{says(200, strings.Repeat(" ", maxAnswer+1)), ok}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, asked := at(t, one.script...)
			if err := one.call(c); (err != nil) != one.fails || asked.Load() != one.asked {
				t.Errorf("%v, asked %d times, want %d", err, asked.Load(), one.asked)
			}
		})
	}
}

// A wrong address fails at once, and the error does not contain it: it may have a password.
func TestWrongAddressesAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:8080", "ftp://secret", "http://", "http://secret:port", "http://a b", ":secret"} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := New(address, "kith_secret", nil).Context(t.Context(), ContextQuery{})
			if !errors.Is(err, errAddress) || strings.Contains(err.Error(), "secret") || time.Since(begun) != 0 {
				t.Errorf("%q: %v after %v", address, err, time.Since(begun))
			}
		})
	}
}

// A write is repeated with one idempotency key, and two writes have two.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	var keys []string
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) == 1 {
			w.WriteHeader(503)
			return
		}
		_, _ = io.WriteString(w, "{}")
	})
	for _, given := range []string{"", "", "mine"} {
		if _, err := c.WriteSource(t.Context(), WriteSourceQuery{}, &SourceWrite{IdempotencyKey: given}); err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) != 4 || keys[0] == "" || keys[0] != keys[1] || keys[1] == keys[2] || keys[3] != "mine" {
		t.Errorf("keys %q", keys)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	problem := `{"type":"about:blank","title":"x","status":422,"detail":"the request has faults","errors":[{"location":"body.a","message":"is required"},{"location":"b","message":"x"},{"location":"c","message":"x"},{"location":"d","message":"x"}]}`
	for want, script := range map[string]http.HandlerFunc{
		"kith: GET /v1/context: 422 the request has faults; body.a is required; b x; c x; and 1 more": says(422, problem, "X-Request-Id", "r1"),
		"kith: GET /v1/context: 502 bad gateway":                                                      says(502, "<html>", "X-Request-Id", "r1"),
	} {
		c, _ := at(t, script)
		_, err := c.Context(t.Context(), ContextQuery{UserID: "hidden"})
		var refused *Error
		if !errors.As(err, &refused) || err.Error() != want || refused.RequestID != "r1" {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c, _ := at(t, breaks)
	if _, err := c.Context(t.Context(), ContextQuery{UserID: "hidden"}); err == nil || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, asked := at(t, func(w http.ResponseWriter, r *http.Request) {
		says(503, "", "Retry-After", "3600")(w, r)
		time.AfterFunc(50*time.Millisecond, cancel)
	})
	if _, err := c.Context(ctx, ContextQuery{}); err == nil || asked.Load() != 1 {
		t.Errorf("waits past its context: %v, asked %d times", err, asked.Load())
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	type fields struct {
		A Optional[string] `json:"a,omitzero"`
		B Optional[string] `json:"b,omitzero"`
		C Optional[string] `json:"c,omitzero"`
	}
	const wire = `{"b":null,"c":"x"}`
	raw, err := json.Marshal(fields{B: Null[string](), C: Some("x")})
	if err != nil || string(raw) != wire {
		t.Errorf("%s, %v", raw, err)
	}
	var read fields
	if err := json.Unmarshal([]byte(wire), &read); err != nil {
		t.Fatal(err)
	}
	type state struct {
		value     string
		ok, given bool
	}
	var got []state
	for _, o := range []Optional[string]{read.A, read.B, read.C} {
		value, ok := o.Value()
		got = append(got, state{value, ok, !o.IsZero()})
	}
	if want := []state{{"", false, false}, {"", false, true}, {"x", true, true}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, `{"lines":`+string(body)+`}`)
			return
		}
		_, _ = io.WriteString(w, "{\"kith\":")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	stream, err := c.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(stream); err == nil || string(got) != "{\"kith\":" {
		t.Errorf("an export that breaks off: %q, %v", got, err)
	}
	if err := stream.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Import(t.Context(), strings.NewReader("7"), ImportQuery{DryRun: true}); err != nil {
		t.Error(err)
	}
	c, asked := at(t, says(503, ""))
	if _, err := c.Import(t.Context(), strings.NewReader("7"), ImportQuery{}); err == nil || asked.Load() != 1 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
	if _, err := c.Export(t.Context()); err == nil {
		t.Error("an export that is refused is no error")
	}
}

// A redirect to another host gets neither key nor request.
func TestRedirectsStayWithTheHost(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			_, _ = w.Write([]byte(`{}`))
			return
		}
		to := other.URL
		if r.Method == http.MethodGet {
			to = "/here"
		}
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}))
	defer service.Close()
	c := New(service.URL, "kith_secret", nil)
	if _, err := fetch[struct{}](t.Context(), c, request{method: http.MethodPost, path: "/v1/memory", body: "text", again: true}); !errors.Is(err, errRedirect) || elsewhere.Load() > 0 {
		t.Errorf("%v, %d requests elsewhere", err, elsewhere.Load())
	}
	if _, err := fetch[struct{}](t.Context(), c, request{method: http.MethodGet, path: "/v1/context"}); err != nil {
		t.Errorf("within the host: %v", err)
	}
}

func TestWatchChanges(t *testing.T) {
	t.Parallel()
	const event = "id: c1\nevent: change\ndata: {\"cursor\":\"c1\",\"op\":\"created\",\"kind\":\"task\",\"key\":\"k\"}\n\n"
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "text/event-stream" || r.URL.Query().Get("after") != "c0" {
			t.Errorf("asked for %s as %s", r.URL, r.Header.Get("Accept"))
		}
		_, _ = io.WriteString(w, ": \nid: c0\n\n"+event+event)
	})
	var got []string
	err := c.WatchChanges(t.Context(), ListChangesQuery{After: "c0"}, func(change *Change) error {
		got = append(got, change.Kind+" "+change.Cursor)
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"task c1", "task c1"}) {
		t.Errorf("%v, %q", err, got)
	}
	if err := c.WatchChanges(t.Context(), ListChangesQuery{After: "c0"}, func(*Change) error { return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("the error of visit: %v", err)
	}
	c, _ = at(t, says(410, `{"detail":"gone","oldest_cursor":"c9"}`))
	var gone *Error
	if err := c.WatchChanges(t.Context(), ListChangesQuery{}, nil); !errors.As(err, &gone) || gone.OldestCursor != "c9" {
		t.Errorf("a cursor that is too old: %v", err)
	}
}
