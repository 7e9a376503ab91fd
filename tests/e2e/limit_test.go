package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

// Two processes count the requests of a key together.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	environ := append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_RATE_LIMIT=6")
	one, two := start(t, environ), start(t, environ)
	team := testenv.Team(t)
	admin := one.as(bootstrapKey)
	admin.awaitReady(t)
	make := func(limit string) string {
		t.Helper()
		return admin.must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","scopes":["read","admin"]`+limit+`}`)["key"].(string)
	}
	standard, free, teamAdmin := make(""), make(`,"rate_limit":0`), make(`,"rate_limit":1000`)

	const path = "/v1/users/u1/preferences"
	eventually(t, time.Minute, "both count in Redis, which may be slow to answer at first", func() bool {
		key, left := make(""), ""
		for _, s := range []*service{one, two} {
			left += s.as(key).do(t, http.MethodGet, path, "").header.Get("RateLimit-Remaining")
		}
		return left == "54"
	})
	for i := range 6 {
		s := []*service{one, two}[i%2]
		if r := s.as(standard).do(t, http.MethodGet, path, ""); r.status != 200 || r.header.Get("RateLimit-Limit") != "6" || r.header.Get("RateLimit-Remaining") != string(rune('5'-i)) {
			t.Errorf("request %d: %d %v", i, r.status, r.header)
		}
	}
	for _, s := range []*service{one, two} {
		r := s.as(standard).do(t, http.MethodGet, path, "")
		if r.status != http.StatusTooManyRequests || r.header.Get("RateLimit-Remaining") != "0" || r.header.Get("RateLimit-Reset") == "" ||
			(r.header.Get("Retry-After") != "10" && r.header.Get("Retry-After") != "9") || r.object(t)["status"] != 429.0 {
			t.Errorf("one too many: %d %v %s", r.status, r.header, r.body)
		}
	}
	for range 10 {
		if r := one.as(free).do(t, http.MethodGet, path, ""); r.status != 200 || r.header.Get("RateLimit-Limit") != "" {
			t.Errorf("any number: %d %v", r.status, r.header)
		}
	}
	if r := two.as(teamAdmin).do(t, http.MethodPost, "/v1/keys", `{"scopes":["read"],"rate_limit":0}`); r.status != http.StatusForbidden {
		t.Errorf("a team lifts its own limits: %d", r.status)
	}
	if r := two.as(teamAdmin).do(t, http.MethodPost, "/v1/keys", `{"scopes":["read"]}`); r.status != http.StatusCreated || r.header.Get("RateLimit-Limit") != "1000" {
		t.Errorf("a team makes a key: %d %v", r.status, r.header)
	}
	if r := one.as("").do(t, http.MethodGet, "/readyz", ""); r.status != 200 || r.header.Get("RateLimit-Limit") != "" {
		t.Errorf("health: %d %v", r.status, r.header)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	environ, team := append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_QUOTA_NODES=4"), testenv.Team(t)
	s := start(t, environ)
	c := s.as(s.newKey(t, team, "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","name":"a"},{"kind":"concept","name":"b"}]}`)
	id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)["conversation_id"].(string)
	const why = "the quota of the team is 4 nodes"
	for what, one := range map[string][2]string{
		"a node":         {"/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","name":"c"}]}`},
		"a message":      {"/v1/conversations/" + id + "/messages", `{"messages":[{"role":"user","text":"x"}]}`},
		"a conversation": {"/v1/conversations", `{"user_id":"u1"}`},
	} {
		r := c.do(t, http.MethodPost, one[0], one[1])
		if detail, _ := r.object(t)["detail"].(string); r.status != http.StatusForbidden || !strings.Contains(detail, why) {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	line := `{"node":{"kind":"concept","entity_key":"z","user_id":"u1","name":"z"}}` + "\n"
	if r := c.do(t, http.MethodPost, "/v1/import?format=kith", line, "Content-Type", "application/x-ndjson"); r.status != http.StatusForbidden || !strings.Contains(string(r.body), why) {
		t.Errorf("an import: %d %s", r.status, r.body)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"a","description":"changed"}]}`)

	quota := func(args ...string) (int, string) {
		return command(t, append(environ, "KITH_AUDIT_LOG=-"), append([]string{"team", "quota", team}, args...)...)
	}
	if code, out := quota("--nodes", "5"); code != 0 || !strings.Contains(out, "nodes: 4 of 5 (own)\nrelationships: ") || !strings.Contains(out, `"ids":["`+team+`"]`) {
		t.Errorf("set: %d %s", code, out)
	}
	eventually(t, 10*time.Second, "there is room", func() bool {
		return c.do(t, http.MethodPost, "/v1/conversations/"+id+"/messages", `{"messages":[{"role":"user","text":"x"}]}`).status == http.StatusOK
	})
	for _, args := range [][]string{{"--nodes", "many"}, {"--text=-1"}} {
		if code, out := quota(args...); code != 1 {
			t.Errorf("%v: %d %s", args, code, out)
		}
	}
	if code, out := quota("--nodes", "standard"); code != 0 || !strings.Contains(out, "nodes: 5 of 4 (standard)\nrelationships: ") || !strings.Contains(out, "of unlimited (standard)\n") {
		t.Errorf("as it was: %d %s", code, out)
	}
}
