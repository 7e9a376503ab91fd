package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newCaller returns a client of a server with one handler.
func newCaller(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return New(server.URL+"/", "kith_secret", nil)
}

func TestCallSendsAndReads(t *testing.T) {
	t.Parallel()
	api := newCaller(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type"); got != "POST /v1/x Bearer kith_secret application/json" {
			t.Errorf("request: %s", got)
		}
		_, _ = w.Write(body)
	})
	var out map[string]int
	if err := api.Call(t.Context(), http.MethodPost, "/v1/x", map[string]int{"n": 3}, &out); err != nil || out["n"] != 3 {
		t.Fatalf("got %v, %v", out, err)
	}
}

func TestCallTellsWhatIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, want string
		status           int
	}{
		{
			name: "problem", status: 422,
			body: `{"status":422,"detail":"the request has faults","errors":[{"location":"body.a","message":"is needed"},{"location":"body.b","message":"x"},{"location":"body.c","message":"x"},{"location":"body.d","message":"x"},{"location":"body.e","message":"x"}]}`,
			want: "call GET /v1/x: 422 the request has faults; body.a is needed; body.b x; body.c x; and 2 more",
		},
		{name: "page", status: 502, body: "<html>", want: "call GET /v1/x: 502 bad gateway"},
		{name: "no JSON", status: 200, body: "<html>", want: "call GET /v1/x: read response: invalid character '<' looking for beginning of value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			api := newCaller(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			err := api.Call(t.Context(), http.MethodGet, "/v1/x?user_id=ada", nil, &struct{}{})
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestCallTriesAgainOnlyWhenTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name              string
		status            int
		after             string
		fails, wantCalled int
		wantError         bool
	}{
		{"back after a while", 503, "0", 2, 3, false},
		{"away for good", 503, "0", 99, tries, true},
		{"no word of when", 503, "", 99, 1, true},
		{"another failure", 500, "0", 99, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			called := 0
			api := newCaller(t, func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != `{"n":1}` {
					t.Errorf("body of call %d: %s", called, body)
				}
				if called++; called <= test.fails {
					w.Header().Set("Retry-After", test.after)
					w.WriteHeader(test.status)
				}
			})
			err := api.Call(t.Context(), http.MethodPost, "/v1/x", map[string]int{"n": 1}, nil)
			if (err != nil) != test.wantError || called != test.wantCalled {
				t.Errorf("%d calls, error %v", called, err)
			}
		})
	}
}

func TestCallStopsWaitingWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	called := make(chan struct{}, tries)
	api := newCaller(t, func(w http.ResponseWriter, _ *http.Request) {
		called <- struct{}{}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	go func() {
		<-called
		cancel()
	}()
	var refused *Error
	if err := api.Call(ctx, http.MethodGet, "/v1/x", nil, nil); err == nil {
		t.Error("no error")
	} else if errors.As(err, &refused) && refused.RetryAfter != time.Hour {
		t.Errorf("asked to wait %v", refused.RetryAfter)
	}
	if n := len(called); n > 0 {
		t.Errorf("called %d times more", n)
	}
}

func TestCallBoundsTheAnswer(t *testing.T) {
	t.Parallel()
	api := newCaller(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, maxAnswer+1))
	})
	err := api.Call(t.Context(), http.MethodGet, "/v1/x", nil, &json.RawMessage{})
	if err == nil || !strings.Contains(err.Error(), "exceeds") {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, strings.Repeat("0", len(p))), nil }

// Ready returns the state of a service whether it is ready or not, and recognizes other services.
func TestReady(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		body    string
		want    Readiness
		notKith bool
	}{
		{200, `{"ready":true,"version":"1","commit":"c","date":"d"}`, Readiness{Ready: true, Version: "1", Commit: "c", Date: "d"}, false},
		{503, `{"ready":false,"version":"1"}`, Readiness{Version: "1"}, false},
		{200, "something else", Readiness{}, true},
		{200, strings.Repeat(" ", maxReadiness) + "{}", Readiness{}, true},
	} {
		api := newCaller(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				t.Errorf("asked for %s", r.URL)
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		got, err := api.Ready(t.Context())
		if _, failed := http.ParseTime(got.Clock); err == nil && failed != nil {
			t.Errorf("clock %q", got.Clock)
		}
		if got.Clock = ""; got != test.want || errors.Is(err, ErrNotKith) != test.notKith {
			t.Errorf("%d %.20s: %+v, %v", test.status, test.body, got, err)
		}
	}
	if _, err := New("http://127.0.0.1:1", "", nil).Ready(t.Context()); err == nil || errors.Is(err, ErrNotKith) {
		t.Errorf("nobody answers: %v", err)
	}
}
