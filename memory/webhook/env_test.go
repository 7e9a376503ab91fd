package webhook

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/feed"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// env is a team with webhooks, and a deliverer whose jobs the test starts.
type env struct {
	*graphtest.Env
	store     *Store
	deliverer *Deliverer

	mu       sync.Mutex
	outcomes []Outcome
}

func fresh(t *testing.T, private bool) *env {
	t.Helper()
	e := &env{Env: graphtest.New(t)}
	e.store = NewStore(e.Store, feed.NewStore(e.Store), private)
	e.deliverer = e.process()
	return e
}

// process returns the deliverer of another process.
func (e *env) process() *Deliverer {
	return NewDeliverer(e.store, Options{Log: slog.New(slog.DiscardHandler), Observe: func(o Outcome, _ time.Duration) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.outcomes = append(e.outcomes, o)
	}})
}

// run runs a process until end is called.
func (e *env) run() (end func()) {
	ctx, cancel := context.WithCancel(e.Context())
	var running sync.WaitGroup
	d := e.process()
	running.Go(func() {
		if err := d.Run(ctx); err != nil {
			e.Error(err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// create stores a webhook that gets the changes of the whole team.
func (e *env) create(url string) (w Webhook, secret string) {
	e.Helper()
	w, secret, err := e.store.Create(e.Context(), graph.Scope{TeamID: e.Team}, Write{URL: url, Active: true})
	if err != nil {
		e.Fatal(err)
	}
	return w, secret
}

// attempt has the deliverer do what is due of a webhook, and returns the webhook.
func (e *env) attempt(id string) Webhook {
	e.Helper()
	e.deliverer.do(e.Context(), job{team: e.Team, webhook: id})
	return e.read(id)
}

func (e *env) read(id string) Webhook {
	e.Helper()
	w, err := e.store.Webhook(e.Context(), e.Team, id)
	if err != nil {
		e.Fatal(err)
	}
	return w
}

// dead returns the failed deliveries of a webhook.
func (e *env) dead(id string) []FailedDelivery {
	e.Helper()
	page, err := e.store.Dead(e.Context(), e.Team, id, "", 100)
	if err != nil {
		e.Fatal(err)
	}
	return page.Dead
}

// receiver records what it gets, and answers with a status.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	status int
	got    []received
	before func() // called with each request, before the answer
}

// received is a request.
type received struct {
	id     string
	header http.Header
	body   []byte
	keys   []string
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusNoContent, before: func() {}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		var d delivery
		if err := json.Unmarshal(body, &d); err != nil || request.Method != http.MethodPost {
			t.Errorf("%s %s: %v", request.Method, body, err)
		}
		got := received{id: request.Header.Get("webhook-id"), header: request.Header, body: body}
		for _, c := range d.Changes {
			got.keys = append(got.keys, c.Key)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, got)
		r.before()
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

// requests returns what came since the last call, and sets the status of the next answers.
func (r *receiver) requests(status int) []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got, r.status = nil, status
	return got
}

// one returns the only request since the last call.
func (r *receiver) one(t *testing.T, status int) received {
	t.Helper()
	got := r.requests(status)
	if len(got) != 1 {
		t.Fatalf("%d requests", len(got))
	}
	return got[0]
}

func created(key string) string { return graphtest.Item("created", "concept", key, 1) }

// erase deletes the commits of a user.
func (e *env) erase(user string) {
	e.Raw(`MATCH (c:Commit {team_id: $team, user_id: '` + user + `'}) DELETE c`)
}

// stopped is a context that has ended.
func stopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
