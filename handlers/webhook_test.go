package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/webhook"
)

// fakeWebhooks notes what it is asked for.
type fakeWebhooks struct {
	asked []string
	err   error
}

func (f *fakeWebhooks) ask(format string, args ...any) error {
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
	return f.err
}

func (f *fakeWebhooks) Create(_ context.Context, s graph.Scope, w webhook.Write) (webhook.Webhook, string, error) {
	return webhook.Webhook{ID: "w"}, "whsec_x", f.ask("create for %q of %s: %s %q %q %t", s.UserID, s.TeamID, w.URL, w.Kinds, w.Ops, w.Active)
}

func (f *fakeWebhooks) Webhooks(_ context.Context, team string) ([]webhook.Webhook, error) {
	return []webhook.Webhook{}, f.ask("list of %s", team)
}

func (f *fakeWebhooks) Webhook(_ context.Context, team, id string) (webhook.Webhook, error) {
	return webhook.Webhook{}, f.ask("read %s of %s", id, team)
}

func (f *fakeWebhooks) Patch(_ context.Context, team, id string, p webhook.Patch) (webhook.Webhook, error) {
	return webhook.Webhook{}, f.ask("patch %s of %s: url %t, active %t, kinds %v, ops %v", id, team, p.URL != nil, p.Active != nil, shown(p.Kinds), shown(p.Ops))
}

// shown returns a list that may be omitted, for a test.
func shown(list *[]string) string {
	if list == nil {
		return "omitted"
	}
	return fmt.Sprint(*list)
}

func (f *fakeWebhooks) Rotate(_ context.Context, team, id string) (string, error) {
	return "whsec_y", f.ask("rotate %s of %s", id, team)
}

func (f *fakeWebhooks) Delete(_ context.Context, team, id string) error {
	return f.ask("delete %s of %s", id, team)
}

func (f *fakeWebhooks) Dead(_ context.Context, team, id, cursor string, limit int) (webhook.DeadPage, error) {
	return webhook.DeadPage{Dead: []webhook.FailedDelivery{}, Next: "more"}, f.ask("dead of %s of %s, %d from %q", id, team, limit, cursor)
}

func (f *fakeWebhooks) Redeliver(_ context.Context, team, id, dead string) error {
	return f.ask("redeliver %s of %s of %s", dead, id, team)
}

func (f *fakeWebhooks) DeleteDead(_ context.Context, team, id, dead string) error {
	return f.ask("delete %s of %s of %s", dead, id, team)
}

var webhookCalls = []struct {
	method, path, body string
	status             int
	asked, says        string
}{
	{"POST", "/v1/webhooks", `{"url":"https://a.example"}`, 201, `create for "" of t: https://a.example [] [] true`, `"secret":"whsec_x"`},
	{
		"POST", "/v1/webhooks", `{"url":"https://a.example","user_id":"u1","kinds":["task"],"ops":["deleted"],"active":false}`, 201,
		`create for "u1" of t: https://a.example ["task"] ["deleted"] false`, `"id":"w"`,
	},
	{"GET", "/v1/webhooks", "", 200, "list of t", `{"webhooks":[]}`},
	{"GET", "/v1/webhooks/w", "", 200, "read w of t", ""},
	{"PATCH", "/v1/webhooks/w", `{"kinds":null,"active":true}`, 200, "patch w of t: url false, active true, kinds [], ops omitted", ""},
	{"POST", "/v1/webhooks/w/rotate", "", 200, "rotate w of t", `"secret":"whsec_y"`},
	{"DELETE", "/v1/webhooks/w", "", 204, "delete w of t", ""},
	{"GET", "/v1/webhooks/w/dead?limit=7&cursor=c", "", 200, `dead of w of t, 7 from "c"`, `{"dead":[],"next":"more"}`},
	{"POST", "/v1/webhooks/w/dead/d/redeliver", "", 204, "redeliver d of w of t", ""},
	{"DELETE", "/v1/webhooks/w/dead/d", "", 204, "delete d of w of t", ""},
}

func TestWebhookRequests(t *testing.T) {
	t.Parallel()
	for _, c := range webhookCalls {
		f := &fakeWebhooks{}
		w := ask(New(Services{Webhooks: f, Keys: everybody()}, Options{}), c.method, c.path, c.body)
		if w.Code != c.status || strings.Join(f.asked, ";") != c.asked || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %s: %d %s, asked %q", c.method, c.path, w.Code, w.Body, f.asked)
		}
		f = &fakeWebhooks{err: fmt.Errorf("webhook: %w", fault.ErrNotFound)}
		w = ask(New(Services{Webhooks: f, Keys: everybody()}, Options{}), c.method, c.path, c.body)
		if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "whsec_") {
			t.Errorf("%s %s of an unknown webhook: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
}

// Webhooks see the whole team: a key needs the scope admin, and may not be bound to a user.
func TestWebhooksNeedAnAdmin(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]auth.Principal{
		"that reads and writes": {TeamID: "t", Scopes: []string{auth.Read, auth.Write}}, "of a user": {TeamID: "t", UserID: "u1", Scopes: auth.Scopes},
	} {
		for _, c := range webhookCalls {
			f := &fakeWebhooks{}
			w := ask(New(Services{Webhooks: f, Keys: &fakes{principal: p}}, Options{}), c.method, c.path, c.body)
			if w.Code != http.StatusForbidden || len(f.asked) > 0 {
				t.Errorf("%s %s with a key %s: %d %s", c.method, c.path, name, w.Code, w.Body)
			}
		}
	}
}

func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	f := &fakeWebhooks{err: fault.Invalid(fault.At("url"), fault.NotAllowed, "must not be an address of a private network")}
	w := ask(New(Services{Webhooks: f, Keys: everybody()}, Options{}), "POST", "/v1/webhooks", `{"url":"http://10.0.0.1"}`)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"location":"body.url"`) || strings.Contains(w.Body.String(), "10.0.0.1") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, body := range []string{`{}`, `{"url":""}`, `{"url":"https://a.example","user_id":""}`, `{"url":"https://a.example","secret":"mine"}`} {
		f := &fakeWebhooks{}
		w := ask(New(Services{Webhooks: f, Keys: everybody()}, Options{}), "POST", "/v1/webhooks", body)
		if w.Code != http.StatusUnprocessableEntity || len(f.asked) > 0 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
