package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/tests/testenv"
)

const preferencesPath = "/v1/users/u1/preferences"

// checkNoPassword fails the test if an output contains the password of an address.
func checkNoPassword(t *testing.T, uri string, said ...fmt.Stringer) {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	for _, text := range said {
		if secret == "" || strings.Contains(text.String(), secret) {
			t.Errorf("the password %q is told: %s", secret, text)
		}
	}
}

// Responses are the same for both stores of preferences. While PostgreSQL is unavailable, contexts omit preferences with a
// warning, and nothing else fails.
func TestPreferencesInPostgres_slow(t *testing.T) {
	t.Parallel()
	postgres := testenv.StartPostgres(t)
	environ := settings(testenv.Neo4j(t), "") // each with a cache of its own
	own, inGraph := start(t, append(environ, "KITH_POSTGRES_URI="+postgres.URI())), start(t, environ)
	key := own.newKey(t, testenv.Team(t), "read", "write")
	c, g := own.as(key), inGraph.as(key)
	c.awaitReady(t)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true}]}`)

	const body = `{"preferences":[{"key":"time_zone","value":"Asia/Tokyo"},{"key":"😀","value":{"b":[1.0, "<&>"],"a":1}},{"key":"～","value":"x"}]}`
	if diff := cmp.Diff(g.must(t, http.MethodPut, preferencesPath, body), c.must(t, http.MethodPut, preferencesPath, body)); diff != "" {
		t.Errorf("stored (-graph +postgres): %s", diff)
	}
	for _, query := range []string{"&sections=user", "&format=text&sections=user", "&sections=user&focus_kind=person&focus_id=me", "&sections=temporal"} {
		from := func(c caller) string {
			return string(c.do(t, http.MethodGet, "/v1/context?user_id=u1"+query, "").body)
		}
		if diff := cmp.Diff(from(g), from(c)); diff != "" || !strings.Contains(from(c), "Tokyo") {
			t.Errorf("context %s (-graph +postgres): %s\n%s", query, diff, from(c))
		}
	}
	c.must(t, http.MethodPut, preferencesPath, `{"preferences":[{"key":"n","value":1}]}`)
	if got := at(c.must(t, http.MethodGet, "/v1/context?user_id=u1", ""), "user", "preferences", 0, "value"); got != 1.0 {
		t.Errorf("the writer sees %v", got)
	}
	if n := len(at(g.must(t, http.MethodGet, preferencesPath, ""), "preferences").([]any)); n != 3 {
		t.Errorf("the graph has %d", n)
	}

	for range 2 {
		postgres.Stop()
		for n := range 2 { // not kept: each is asked anew
			c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u1","nodes":[{"kind":"concept","name":"c","description":"%d"}]}`, n))
			found := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
			if diff := cmp.Diff([]any{"preferences"}, found["degraded"]); diff != "" || at(found, "user", "owner_person_node", "name") != "Ada" {
				t.Errorf("without postgres: %s %v", diff, found)
			}
		}
		for method, body := range map[string]string{http.MethodGet: "", http.MethodPut: `{"preferences":[]}`} {
			begun := time.Now()
			r := c.do(t, method, preferencesPath, body)
			if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" || time.Since(begun) > 10*time.Second {
				t.Errorf("%s without postgres: %d %s after %v", method, r.status, r.body, time.Since(begun))
			}
		}
		if r := c.do(t, http.MethodGet, "/readyz", ""); r.status != http.StatusOK {
			t.Errorf("not ready for want of preferences: %d", r.status)
		}
		postgres.Start()
		found := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
		if at(found, "user", "preferences", 0, "value") != 1.0 || found["degraded"] != nil {
			t.Errorf("postgres is back: %v", found)
		}
		c.must(t, http.MethodPut, preferencesPath, `{"preferences":[{"key":"n","value":1}]}`)
	}
	checkNoPassword(t, postgres.URI(), own.out, own.err)
}

// kith serve waits for a PostgreSQL that is unavailable at the start.
func TestServeWaitsForPostgres_slow(t *testing.T) {
	t.Parallel()
	postgres := testenv.StartPostgres(t)
	postgres.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	var out, said buffer
	ended := make(chan int, 1)
	environ := append(settings(testenv.Neo4j(t), ""), "KITH_POSTGRES_URI="+postgres.URI())
	go func() { ended <- run(ctx, []string{"serve"}, environ, streams{nil, &out, &said}) }()
	eventually(t, 2*time.Minute, "it waits", func() bool {
		return strings.Contains(said.String(), "database unavailable, retrying") || len(ended) > 0
	})
	if strings.Contains(out.String(), "answers") {
		t.Error("it answers without a schema")
	}
	postgres.Start()
	eventually(t, 2*time.Minute, "it answers", func() bool { return answersAt.MatchString(out.String()) || len(ended) > 0 })
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit status %d: %s", code, &said)
	}
	checkNoPassword(t, postgres.URI(), &out, &said)
}

// An invalid address makes kith serve fail at once, without showing the address.
func TestServeRefusesAnAddress(t *testing.T) {
	t.Parallel()
	const uri = "mysql://u:a-secret@h/db"
	var out buffer
	code := run(t.Context(), []string{"serve"}, append(settings(testenv.Database{URI: "bolt://127.0.0.1:1"}, ""), "KITH_POSTGRES_URI="+uri), streams{nil, &out, &out})
	if code != 1 || !strings.Contains(out.String(), "KITH_POSTGRES_URI") {
		t.Errorf("exit status %d: %s", code, &out)
	}
	checkNoPassword(t, uri, &out)
}
