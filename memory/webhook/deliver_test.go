package webhook

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kith/graph"
	"kith/memory/feed"
	"kith/tests/graphtest"
)

func verifies(t *testing.T, secret string, r received) bool {
	t.Helper()
	w, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return w.VerifyIgnoringTimestamp(r.body, r.header) == nil
}

// TestDeliveriesAreSigned verifies deliveries with the library of the specification, over a rotation of the secret.
func TestDeliveriesAreSigned(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, first := e.create(r.URL + "/hook")
	e.Commit("u", created("a"))
	w = e.attempt(w.ID)
	got := r.one(t, 204)
	if !verifies(t, first, got) || verifies(t, newSecret(), got) || got.header.Get("webhook-timestamp") != fmt.Sprint(e.Now.Unix()) {
		t.Errorf("signed %q", got.header)
	}
	var body map[string]any
	if err := json.Unmarshal(got.body, &body); err != nil || body["type"] != "memory.changed" || body["webhook_id"] != w.ID || body["next"] != w.Cursor {
		t.Errorf("body %s, cursor %q: %v", got.body, w.Cursor, err)
	}
	second, err := e.store.Rotate(t.Context(), e.Team, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		first bool
	}{{0, true}, {overlap - time.Second, true}, {overlap, false}} {
		e.Now = graphtest.Noon.Add(c.after)
		e.Commit("u", created("b"))
		w = e.attempt(w.ID)
		got := r.one(t, 204)
		if !verifies(t, second, got) || verifies(t, first, got) != c.first || (w.SecretUntil != nil) != c.first {
			t.Errorf("%v after the rotation: %q", c.after, got.header.Get("webhook-signature"))
		}
	}
}

// TestFailedDeliveriesAreRepeated checks that each attempt has the same id and changes, whatever is committed meanwhile.
func TestFailedDeliveriesAreRepeated(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"), created("b"))
	r.requests(500)
	w = e.attempt(w.ID)
	first := r.one(t, 500)
	if w.Attempts != 1 || *w.LastResult != "status 500" || !w.NextAt.After(e.Now.Add(firstRetry/2-time.Second)) {
		t.Errorf("after a failure: %+v", w)
	}
	if e.attempt(w.ID); len(r.requests(503)) != 0 {
		t.Error("is sent before it is due")
	}
	e.Commit("u", created("c"))
	e.Now = e.Now.Add(firstRetry)
	w = e.attempt(w.ID)
	second := r.one(t, 204)
	e.Now = e.Now.Add(2 * firstRetry)
	w = e.attempt(w.ID)
	third := r.one(t, 204)
	if second.id != first.id || third.id != first.id || string(second.body) != string(first.body) || string(third.body) != string(first.body) || w.Attempts != 0 {
		t.Errorf("attempts %q, %q, %q", first.keys, second.keys, third.keys)
	}
	e.attempt(w.ID)
	if next := r.one(t, 204); next.id == first.id || !slices.Equal(next.keys, []string{"c"}) {
		t.Errorf("then %q", next.keys)
	}
	if e.attempt(w.ID); len(r.requests(204)) != 0 {
		t.Error("is sent although nothing was committed")
	}
	if want := []Outcome{Failed, Failed, Delivered, Delivered}; !slices.Equal(e.outcomes, want) {
		t.Errorf("outcomes %v", e.outcomes)
	}
}

// TestKilledAfterDelivery loses the lease between the delivery and its record, as if the process were killed there.
func TestKilledAfterDelivery(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	r.before = func() {
		e.Raw(`MATCH (w:Webhook {team_id: $team}) SET w.lease_holder = 'killed', w.lease_until = 0`)
		r.before = func() {}
	}
	w = e.attempt(w.ID)
	first := r.one(t, 204)
	if w.LastResult != nil {
		t.Fatalf("the delivery is recorded: %+v", w)
	}
	e.Commit("u", created("b"))
	e.deliverer = e.process()
	w = e.attempt(w.ID)
	if again := r.one(t, 204); again.id != first.id || string(again.body) != string(first.body) {
		t.Errorf("first %q %s, then %q %s", first.id, first.body, again.id, again.body)
	}
	e.attempt(w.ID)
	if next := r.one(t, 204); !slices.Equal(next.keys, []string{"b"}) {
		t.Errorf("then %q", next.keys)
	}
}

func TestOneProcessDelivers(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	var all sync.WaitGroup
	for range 4 {
		d := e.process()
		all.Go(func() { d.do(t.Context(), job{team: e.Team, webhook: w.ID}) })
	}
	all.Wait()
	r.one(t, 204)
}

// TestAnswers checks what becomes of other answers than a success.
func TestAnswers(t *testing.T) {
	target := receive(t)
	redirecting := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirecting.Close)
	held := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-held }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(held) })
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 1 << 20 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
		t.Error("an endless answer is read")
	}))
	t.Cleanup(endless.Close)
	e := fresh(t, true)
	e.deliverer.attempt = time.Second
	for name, c := range map[string]struct{ url, result string }{
		"redirect": {redirecting.URL, "redirect"}, "slow": {slow.URL, "timeout"}, "away": {away.URL, "no connection"}, "endless": {endless.URL, "delivered"},
	} {
		w, _ := e.create(c.url)
		e.Commit("u", created("a"))
		w = e.attempt(w.ID)
		if w.LastResult == nil || *w.LastResult != c.result || (w.Attempts > 0) != (c.result != "delivered") {
			t.Errorf("%s: %+v", name, w)
		}
	}
	if len(target.requests(204)) > 0 {
		t.Error("a redirect is followed")
	}
}

// TestPrivateNamesAreRefused delivers to a name that leads to this machine.
func TestPrivateNamesAreRefused(t *testing.T) {
	e, r := fresh(t, false), receive(t)
	w, _ := e.create("https://example.org")
	e.Raw(`MATCH (w:Webhook {team_id: $team}) SET w.url = '` + strings.Replace(r.URL, "127.0.0.1", "localhost", 1) + `'`) // what is refused when it is created
	e.Commit("u", created("a"))
	w = e.attempt(w.ID)
	if len(r.requests(204)) > 0 || *w.LastResult != "no connection" || w.Attempts != 1 {
		t.Errorf("a name of a private address: %+v", w)
	}
}

// An address that is refused has the result of a name that does not exist: an admin of a team learns no inner names.
func TestResultsTellNothingOfInnerNames(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"refused": &net.OpError{Op: "dial", Err: errAddress}, "unknown": &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}},
		"away": &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
	} {
		if got := resultOf(&url.Error{Op: "Post", URL: "http://inner.example", Err: err}); got != resultConnection {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestGoneDisables(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	r.requests(http.StatusGone)
	w = e.attempt(w.ID)
	first := r.one(t, 204)
	if w.Active || w.Disabled == nil || *w.Disabled != "gone" || w.NextAt != nil {
		t.Errorf("after 410: %+v", w)
	}
	if e.attempt(w.ID); len(r.requests(204)) > 0 {
		t.Error("an inactive webhook is served")
	}
	yes := true
	if w, err := e.store.Patch(t.Context(), e.Team, w.ID, Patch{Active: &yes}); err != nil || !w.Active || w.Disabled != nil {
		t.Fatalf("%+v, %v", w, err)
	}
	e.attempt(w.ID)
	if again := r.one(t, 204); again.id != first.id {
		t.Errorf("first %s, then %s", first.id, again.id)
	}
}

// What an attempt in flight finds does not change a webhook that was changed meanwhile.
func TestChangedDuringAnAttempt(t *testing.T) {
	e, r, moved := fresh(t, true), receive(t), receive(t)
	w, _ := e.create(r.URL)
	patch := func(p Patch) {
		t.Helper()
		if _, err := e.store.Patch(t.Context(), e.Team, w.ID, p); err != nil {
			t.Fatal(err)
		}
	}
	e.Commit("u", created("a"))
	r.requests(http.StatusGone)
	r.before = func() { patch(Patch{URL: &moved.URL}) }
	w = e.attempt(w.ID)
	first := r.one(t, 204)
	if !w.Active || w.URL != moved.URL || w.NextAt == nil || w.LastResult != nil {
		t.Errorf("410 of the former address: %+v", w)
	}
	e.attempt(w.ID)
	if again := moved.one(t, 204); again.id != first.id {
		t.Errorf("first %s, then %s", first.id, again.id)
	}
	patch(Patch{Kinds: &[]string{"source"}})
	e.Commit("u", created("b"))
	j := job{team: e.Team, webhook: w.ID}
	h, err := e.store.claim(t.Context(), j, e.deliverer.holder)
	if err != nil || h == nil {
		t.Fatalf("the claim: %v", err)
	}
	patch(Patch{Kinds: &[]string{}})
	if err := e.deliverer.deliver(t.Context(), j, h); err != nil || len(moved.requests(204)) > 0 {
		t.Fatalf("with the former kinds: %v", err)
	}
	e.attempt(w.ID)
	if got := moved.one(t, 204); !slices.Equal(got.keys, []string{"b"}) {
		t.Errorf("with the new kinds: %q", got.keys)
	}
}

// TestDeadDeliveries gives up a delivery after a day, and has it sent again.
func TestDeadDeliveries(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	r.requests(500)
	e.attempt(w.ID)
	first := r.one(t, 500)
	e.Commit("u", created("b"))
	for _, change := range []Patch{{Active: new(false)}, {Active: new(true)}, {URL: new(r.URL + "/other")}, {}} { // the last time nothing was tried, as Kith was away
		e.Now = e.Now.Add(giveUp)
		e.Raw(fmt.Sprintf(`MATCH (w:Webhook {team_id: $team}) SET w.attempts = %d`, leastTries))
		if change == (Patch{}) {
			e.Raw(`MATCH (w:Webhook {team_id: $team}) SET w.attempts = 1`)
		} else if _, err := e.store.Patch(t.Context(), e.Team, w.ID, change); err != nil {
			t.Fatal(err)
		}
		if change.Active == nil || *change.Active {
			e.attempt(w.ID)
			r.one(t, 500)
		}
		if dead := e.dead(w.ID); len(dead) > 0 {
			t.Fatalf("given up after %+v: %+v", change, dead)
		}
	}
	e.Raw(fmt.Sprintf(`MATCH (w:Webhook {team_id: $team}) SET w.attempts = %d`, leastTries-1))
	e.Now = e.Now.Add(lastRetry)
	w = e.attempt(w.ID)
	r.one(t, 204)
	dead := e.dead(w.ID)
	if len(dead) != 1 || dead[0].ID != first.id || dead[0].Reason != undelivered || dead[0].Attempts != leastTries || dead[0].LastResult != "status 500" || w.Attempts != 0 {
		t.Fatalf("dead %+v, webhook %+v", dead, w)
	}
	e.attempt(w.ID)
	if next := r.one(t, 500); !slices.Equal(next.keys, []string{"b"}) {
		t.Errorf("goes on with %q", next.keys)
	}
	for _, status := range []int{500, 204} {
		r.requests(status)
		if err := e.store.Redeliver(t.Context(), e.Team, w.ID, first.id); err != nil {
			t.Fatal(err)
		}
		if !e.dead(w.ID)[0].Requested {
			t.Error("is not requested")
		}
		e.deliverer.do(t.Context(), job{e.Team, w.ID, first.id})
		if again := r.one(t, 204); again.id != first.id || string(again.body) != string(first.body) {
			t.Errorf("again %s %s", again.id, again.body)
		}
		if left := e.dead(w.ID); (len(left) == 1) != (status == 500) || len(left) == 1 && (left[0].Requested || left[0].Attempts != leastTries+1) {
			t.Errorf("after %d: %+v", status, left)
		}
	}
}

// TestLostChangesAreRecorded has retention overtake a webhook.
func TestLostChangesAreRecorded(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	for _, key := range []string{"a", "b", "c"} {
		e.Commit("u", created(key))
	}
	e.Raw(`MATCH (f:Feed {team_id: $team}) SET f.pruned = f.begun + 2 WITH f MATCH (c:Commit {team_id: $team}) WHERE c.seq <= f.pruned DELETE c`)
	before := w.Cursor
	e.attempt(w.ID)
	e.attempt(w.ID)
	if got := r.one(t, 204); !slices.Equal(got.keys, []string{"c"}) {
		t.Errorf("delivers %q", got.keys)
	}
	dead := e.dead(w.ID)
	if len(dead) != 1 || dead[0].Reason != notKept || dead[0].After != before {
		t.Fatalf("records %+v", dead)
	}
	if err := e.store.Redeliver(t.Context(), e.Team, w.ID, dead[0].ID); err != nil {
		t.Fatal(err)
	}
	e.deliverer.do(t.Context(), job{e.Team, w.ID, dead[0].ID})
	if left := e.dead(w.ID); len(left) != 1 || left[0].Requested || len(r.requests(204)) > 0 {
		t.Errorf("sent again: %+v", left)
	}
}

// TestErasedChangesAreNotSent erases a user between two attempts.
func TestErasedChangesAreNotSent(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	e.Commit("", created("b"))
	r.requests(500)
	e.attempt(w.ID)
	r.one(t, 204)
	e.erase("u")
	e.Now = e.Now.Add(firstRetry)
	e.attempt(w.ID)
	if got := r.one(t, 500); !slices.Equal(got.keys, []string{"b"}) {
		t.Errorf("sends %q", got.keys)
	}
	e.Commit("u", created("c"))
	e.attempt(w.ID)
	r.one(t, 204)
	e.erase("u")
	e.Now = e.Now.Add(firstRetry)
	if w = e.attempt(w.ID); len(r.requests(204)) > 0 || w.Attempts != 0 {
		t.Errorf("an empty delivery: %+v", w)
	}
}

// TestDeliveriesAreBounded delivers many changes with long keys, and checks that each comes once and in order.
func TestDeliveriesAreBounded(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	var want []string
	for c := range 4 {
		var items []string
		for i := range 80 {
			key := fmt.Sprintf("%d-%d%s", c, i, strings.Repeat("k", c*c*1000))
			items, want = append(items, created(key)), append(want, key)
		}
		e.Commit("u", items...)
	}
	var got []string
	for range 20 {
		e.attempt(w.ID)
		for _, request := range r.requests(204) {
			if len(request.keys) > maxChanges || len(request.body) > maxBody {
				t.Errorf("%d changes, %d bytes", len(request.keys), len(request.body))
			}
			got = append(got, request.keys...)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d changes, want %d", len(got), len(want))
	}
}

// TestWebhooksSelect checks that a webhook gets what its user may see and its lists name, also after a change of its lists.
func TestWebhooksSelect(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _, err := e.store.Create(t.Context(), e.As("u"), Write{URL: r.URL, Kinds: []string{"concept"}, Ops: []string{"created"}, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	e.Commit("u", created("a"), graphtest.Item("updated", "concept", "no", 2), graphtest.Item("created", "task", "t", 1))
	e.Commit("v", created("no"))
	e.Commit("", created("b"))
	r.requests(500)
	e.attempt(w.ID)
	first := r.one(t, 204)
	kinds := []string{"task"}
	if _, err := e.store.Patch(t.Context(), e.Team, w.ID, Patch{Kinds: &kinds}); err != nil {
		t.Fatal(err)
	}
	e.attempt(w.ID)
	second := r.one(t, 204)
	if !slices.Equal(first.keys, []string{"a", "b"}) || !slices.Equal(second.keys, []string{"t"}) || first.id == second.id {
		t.Errorf("first %s %q, then %s %q", first.id, first.keys, second.id, second.keys)
	}
}

// TestStoppingDoesNotCount ends a process during an attempt.
func TestStoppingDoesNotCount(t *testing.T) {
	e, r := fresh(t, true), receive(t)
	w, _ := e.create(r.URL)
	e.Commit("u", created("a"))
	h, err := e.store.claim(t.Context(), job{team: e.Team, webhook: w.ID}, e.deliverer.holder)
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	if planned, err := e.deliverer.plan(t.Context(), job{team: e.Team, webhook: w.ID}, h); !planned || err != nil {
		t.Fatal(planned, err)
	}
	if err := e.deliverer.deliver(stopped(), job{team: e.Team, webhook: w.ID}, h); err == nil {
		t.Error("nothing stopped it")
	}
	if w = e.read(w.ID); w.Attempts != 0 || len(r.requests(204)) > 0 {
		t.Errorf("counts: %+v", w)
	}
	e.Now = e.Now.Add(lookEvery)
	e.deliverer = e.process()
	e.attempt(w.ID)
	if got := r.one(t, 204); got.id != h.BatchID {
		t.Errorf("another id")
	}
}

// TestRunDelivers runs two processes while changes are committed.
func TestRunDelivers(t *testing.T) {
	e := &env{Env: graphtest.Alone(t)}
	feeds := feed.NewStore(e.Store)
	e.store = NewStore(e.Store, feeds, true)
	r := receive(t)
	w, _, err := e.store.Create(t.Context(), graph.Scope{TeamID: e.Team}, Write{URL: r.URL, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Raw(`MATCH (w:Webhook {team_id: $team}) DETACH DELETE w`) })
	ends := []func(){e.run(), e.run()}
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprint(i))
		e.Commit([]string{"", "u"}[i%2], created(want[i]))
		feeds.Changed(e.Team)
		time.Sleep(20 * time.Millisecond)
	}
	var got []string
	for until := time.Now().Add(30 * time.Second); len(got) < len(want) && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		for _, request := range r.requests(204) {
			got = append(got, request.keys...)
		}
	}
	for _, end := range ends {
		end()
	}
	if !slices.Equal(got, want) || e.read(w.ID).Attempts != 0 {
		t.Errorf("delivered %q", got)
	}
}
