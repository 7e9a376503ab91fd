package main

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

	"kith/internal/testenv"
)

// newTestClient returns a client of a server with one handler.
func newTestClient(t *testing.T, handle http.HandlerFunc) *apiClient {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return newAPIClient(server.URL+"/", "kith_secret")
}

func TestCallSendsAndReads(t *testing.T) {
	t.Parallel()
	api := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type"); got != "POST /v1/x Bearer kith_secret application/json" {
			t.Errorf("request: %s", got)
		}
		_, _ = w.Write(body)
	})
	var out map[string]int
	if err := api.call(t.Context(), http.MethodPost, "/v1/x", map[string]int{"n": 3}, &out); err != nil || out["n"] != 3 {
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
			api := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			err := api.call(t.Context(), http.MethodGet, "/v1/x?user_id=ada", nil, &struct{}{})
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
		{"away for good", 503, "0", 99, maxAttempts, true},
		{"no word of when", 503, "", 99, 1, true},
		{"another failure", 500, "0", 99, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			called := 0
			api := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); string(body) != `{"n":1}` {
					t.Errorf("body of call %d: %s", called, body)
				}
				if called++; called <= test.fails {
					w.Header().Set("Retry-After", test.after)
					w.WriteHeader(test.status)
				}
			})
			err := api.call(t.Context(), http.MethodPost, "/v1/x", map[string]int{"n": 1}, nil)
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
	called := make(chan struct{}, maxAttempts)
	api := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		called <- struct{}{}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	go func() {
		<-called
		cancel()
	}()
	var refused *apiError
	if err := api.call(ctx, http.MethodGet, "/v1/x", nil, nil); err == nil {
		t.Error("no error")
	} else if errors.As(err, &refused) && refused.retryAfter > maxRetryWait {
		t.Errorf("would wait %v", refused.retryAfter)
	}
	if n := len(called); n > 0 {
		t.Errorf("called %d times more", n)
	}
}

func TestCallBoundsTheAnswer(t *testing.T) {
	t.Parallel()
	api := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, maxResponse+1))
	})
	err := api.call(t.Context(), http.MethodGet, "/v1/x", nil, &json.RawMessage{})
	if err == nil || !strings.Contains(err.Error(), "exceeds") {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, strings.Repeat("0", len(p))), nil }

// A node is found by the key of a generated owner that another person replaced.
func TestFormerKeyOfAnOwner(t *testing.T) {
	t.Parallel()
	s := shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	c := s.as(key)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"boat","name":"Boat"},{"kind":"task","entity_key":"caulk","name":"Caulk"},{"kind":"person","entity_key":"ada","name":"Ada"}]}`)
	made := ""
	for _, n := range c.must(t, http.MethodGet, "/v1/nodes/person?user_id=u1", "")["nodes"].([]any) {
		if at(n, "name") == "u1" {
			made = at(n, "entity_key").(string)
		}
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","relationships":[{"from":"`+made+`","type":"engages_with","to":"boat"},{"from":"`+made+`","type":"relates_to","to":"caulk"}]}`)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"ada","is_owner":true}]}`)
	for _, one := range []struct{ method, path, body, says string }{
		{http.MethodGet, "/v1/nodes/person/" + made + "?user_id=U", "", `"entity_key":"ada"`},
		{http.MethodGet, "/v1/nodes/person/" + made + "/relationships?user_id=U", "", `"from":"ada","to":"boat"`},
		{http.MethodGet, "/v1/nodes/person/" + made + "/linked?user_id=U", "", `"caulk"`},
		{http.MethodGet, "/v1/context?focus_kind=person&focus_id=" + made + "&user_id=U", "", `"entity_key":"ada"`},
		{http.MethodPost, "/v1/traverse", `{"user_id":"U","mode":"neighbors","entity_key":"` + made + `"}`, `"boat"`},
		{http.MethodPost, "/v1/traverse", `{"user_id":"U","mode":"path","from":"boat","to":"` + made + `"}`, `"ada"`},
		{http.MethodPost, "/v1/traverse", `{"user_id":"U","mode":"ppr","seed_nodes":["` + made + `"]}`, `"boat"`},
	} {
		as := func(user string) reply {
			return c.do(t, one.method, strings.ReplaceAll(one.path, "=U", "="+user), strings.ReplaceAll(one.body, `"U"`, `"`+user+`"`))
		}
		if r := as("u1"); r.status != http.StatusOK || !strings.Contains(string(r.body), one.says) {
			t.Errorf("%s %s: %d, want %s: %s", one.path, one.body, r.status, one.says, r.body)
		}
		if r := as("u2"); r.status != http.StatusNotFound {
			t.Errorf("%s %s for somebody else: %d %s", one.path, one.body, r.status, r.body)
		}
	}
	a := s.agent(t, key)
	a.says(t, "get_node", `{"user_id":"u1","entity_key":"`+made+`"}`, "# Ada (person) [ada]")
	a.says(t, "get_context", `{"user_id":"u1","focus_kind":"person","focus_id":"`+made+`"}`, "Ada")
}
