package webhook

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/erasure"
	"kith/tests/graphtest"
)

func TestWebhooksAreChecked(t *testing.T) {
	for _, private := range []bool{false, true} {
		e := &env{Env: graphtest.Alone(t)}
		e.store = NewStore(e.Store, nil, private)
		for url, good := range map[string]bool{
			"https://example.org/hook?token=x": true, "http://example.org:8080": true, "https://8.8.8.8/": true, "https://[2606:4700::1111]:443/": true,
			"https://127.0.0.1/": private, "http://[::1]:80/": private, "http://169.254.169.254/latest": private, "http://[::ffff:10.0.0.1]/": private,
			"https://localhost/": private, "http://LocalHost.:8080": private, "https://a.localhost": private, "http://localhost.localdomain": private,
			"http://printer.local": private, "http://metadata.google.internal/": private, "http://nas.home.arpa": private, "http://127.0.0.1./": private,
			"http://127.1": private, "http://127.0.1:80": private, "http://2130706433": private, "http://0x7f000001/": private, "http://0X7F.1": private,
			"http://017700000001": private, "http://0177.0.0.01": private, "http://127.0.0.08": private, "http://0x": private, "http://10.0x1": private,
			"http://256.0.0.1": private, "http://1.2.3.4.5": private, "http://0x08080808": private, "http://１２７.0.0.1/": private, "http://127。1": private,
			"http://loc\u00adalhost": private, "http://ｌocalhost": private, "http://a.example.1./": private,
			"https://localhost.example.org": true, "https://notlocalhost.org": true, "https://internal.example.org": true, "https://1.example.org": true,
			"https://0x7f.org": true, "https://8.8.8.8./": true, "https://bücher.example": true, "https://a_b.example.org": true,
			"": false, "example.org": false, "ftp://example.org": false, "https://": false, "https:///x": false, "https://user:pw@example.org": false,
			"https://user@example.org": false, "https://example.org/#x": false, "https://example.org:0": false, "https://example.org:99999": false,
			"https://example.org:": false, "https://exa mple.org": false, "mailto:a@example.org": false, "javascript:alert(1)": false, "https://a\n.org": false,
			"https://example.org/" + strings.Repeat("a", maxURL): false,
		} {
			f := &fault.List{}
			if e.store.checkURL(f, url); (f.Len() == 0) != good {
				t.Errorf("private %t, %q: %v", private, url, f.Fields())
			}
			for _, field := range f.Fields() {
				if field.Path.String() != "url" || len(url) > 8 && strings.Contains(field.Message, url) {
					t.Errorf("%q: %+v", url, field)
				}
			}
		}
	}
	e := fresh(t, false)
	_, _, err := e.store.Create(t.Context(), graph.Scope{TeamID: e.Team}, Write{URL: "x", Kinds: []string{"task", "secret"}, Ops: []string{"x"}})
	if got := graphtest.Locations(err); !slices.Equal(got, []string{"kinds[1]", "ops[0]", "url"}) {
		t.Errorf("a new webhook: %v", got)
	}
	bad, kinds := "x", []string{"secret"}
	if _, err := e.store.Patch(t.Context(), e.Team, "w", Patch{URL: &bad, Kinds: &kinds}); !slices.Equal(graphtest.Locations(err), []string{"kinds[0]", "url"}) {
		t.Errorf("a change: %v", err)
	}
}

// TestWebhooksAreFew has several writers add webhooks at the same time.
func TestWebhooksAreFew(t *testing.T) {
	e := fresh(t, false)
	for range MaxWebhooks - 2 {
		e.create("https://example.org")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, _, err := e.store.Create(t.Context(), graph.Scope{TeamID: e.Team}, Write{URL: "https://example.org", Active: true})
			if err != nil && !errors.Is(err, fault.ErrConflict) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	stored, err := e.store.Webhooks(t.Context(), e.Team)
	if err != nil || len(stored) != MaxWebhooks {
		t.Fatalf("%d webhooks, %v", len(stored), err)
	}
	if rows := e.Raw(`MATCH (w:Webhook {team_id: $team}) RETURN count(w)`); rows[0][0] != int64(MaxWebhooks) {
		t.Errorf("%v are stored", rows)
	}
	if _, _, err := e.store.Create(t.Context(), graph.Scope{TeamID: e.Team}, Write{URL: "https://example.org"}); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("one more: %v", err)
	}
	if err := e.store.Delete(t.Context(), e.Team, stored[3].ID); err != nil {
		t.Fatal(err)
	}
	e.create("https://example.org")
}

// TestWebhooksOfOthersAreUnknown calls everything with the id of a webhook of another team.
func TestWebhooksOfOthersAreUnknown(t *testing.T) {
	e := fresh(t, false)
	w, _ := e.create("https://example.org")
	addTestDead(e, w.ID)
	other, ctx, url := e.Neighbour().Team, t.Context(), "https://example.com"
	for name, call := range map[string]func(team, id string) error{
		"read":        func(team, id string) error { _, err := e.store.Webhook(ctx, team, id); return err },
		"change":      func(team, id string) error { _, err := e.store.Patch(ctx, team, id, Patch{URL: &url}); return err },
		"rotate":      func(team, id string) error { _, err := e.store.Rotate(ctx, team, id); return err },
		"dead":        func(team, id string) error { _, err := e.store.Dead(ctx, team, id, "", 10); return err },
		"redeliver":   func(team, id string) error { return e.store.Redeliver(ctx, team, id, "msg_1") },
		"delete dead": func(team, id string) error { return e.store.DeleteDead(ctx, team, id, "msg_1") },
		"delete":      func(team, id string) error { return e.store.Delete(ctx, team, id) },
	} {
		for _, of := range [][2]string{{other, w.ID}, {e.Team, "unknown"}} {
			if err := call(of[0], of[1]); !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if all, err := e.store.Webhooks(ctx, other); err != nil || len(all) > 0 {
		t.Errorf("the other team has %v, %v", all, err)
	}
	if w := e.read(w.ID); w.URL != "https://example.org" || len(e.dead(w.ID)) != 1 || w.SecretUntil != nil {
		t.Errorf("changed by the other team: %+v", w)
	}
}

func addTestDead(e *env, webhook string) {
	e.Raw(`CREATE (:WebhookDead {team_id: $team, webhook_id: '` + webhook + `', id: 'msg_1', user_id: 'u', failed_at: 1, attempts: 1, reason: 'undelivered',
		last_result: 'timeout', from_seq: 1, from_item: 0, to_seq: 2, to_item: 0})`)
}

func TestSecretsAreShownOnce(t *testing.T) {
	e := fresh(t, false)
	w, first := e.create("https://example.org")
	second, err := e.store.Rotate(t.Context(), e.Team, w.ID)
	if err != nil || !strings.HasPrefix(second, "whsec_") || first == second {
		t.Fatal(second, err)
	}
	all, err := e.store.Webhooks(t.Context(), e.Team)
	raw, _ := json.Marshal(all)
	if err != nil || len(all) != 1 || strings.Contains(string(raw), "whsec_") {
		t.Errorf("%s, %v", raw, err)
	}
	e.Same("read alone", all[0], e.read(w.ID))
}

// TestWebhooksAreErased erases a user with a webhook, and then the team.
func TestWebhooksAreErased(t *testing.T) {
	e := fresh(t, false)
	kept, _ := e.create("https://example.org")
	own, _, err := e.store.Create(t.Context(), e.As("u"), Write{URL: "https://example.org", Active: true})
	if err != nil {
		t.Fatal(err)
	}
	addTestDead(e, own.ID)
	nothing := func() [][]any {
		return e.Raw(`MATCH (n) WHERE (n:Webhook OR n:WebhookDead) AND n.team_id = $team RETURN n.id ORDER BY n.id`)
	}
	erasures := erasure.NewStore(e.Store)
	if _, err := erasures.EraseUser(t.Context(), e.As("u"), erasure.Beside{}); err != nil {
		t.Fatal(err)
	}
	if left := nothing(); len(left) != 1 || left[0][0] != kept.ID {
		t.Errorf("after the erasure of the user: %v", left)
	}
	if _, err := erasures.EraseTeam(t.Context(), e.Team, erasure.Beside{}); err != nil {
		t.Fatal(err)
	}
	if left := nothing(); len(left) > 0 {
		t.Errorf("after the erasure of the team: %v", left)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := newLimits()
	a, b, c, other := job{"t", "a", ""}, job{"t", "b", ""}, job{"t", "c", ""}, job{"o", "d", ""}
	for _, step := range []struct {
		j    job
		runs bool
	}{{a, true}, {a, false}, {job{"t", "a", "msg_1"}, false}, {b, true}, {c, false}, {other, true}} {
		if got := l.begin(step.j); got != step.runs {
			t.Errorf("%v runs: %t", step.j, got)
		}
	}
	if l.end(a); !l.begin(c) {
		t.Error("no room after an end")
	}
	l.end(b)
	l.end(c)
	for range teamRate {
		if l.begin(a) {
			l.end(a)
		}
	}
	if l.begin(a) {
		t.Error("a team has no rate")
	}
	if !l.begin(job{"third", "e", ""}) {
		t.Error("the rate of a team is of others too")
	}
}
