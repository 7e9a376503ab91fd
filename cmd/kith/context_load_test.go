package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/internal/testenv"
)

// Contexts are the same whether their sections are loaded by one statement or side by side (KITH_CONTEXT_LOAD).
func TestContextsAreLoadedAlike(t *testing.T) {
	t.Parallel()
	combined, parallel := shared(t), start(t, append(settings(testenv.Neo4j(t), ""), "KITH_CONTEXT_LOAD=parallel"))
	c := combined.as(combined.newKey(t, testenv.Team(t), "read", "write"))
	p := caller{parallel.url, c.key, c.client}
	now := time.Now().UTC()
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true},
		{"kind":"person","entity_key":"friend","name":"Jon","state":"active"},{"kind":"concept","entity_key":"belief","name":"calm","state":"core","ttl_policy":"keep_forever"},
		{"kind":"concept","entity_key":"goal","name":"a boat","state":"core","description":"goal"}],
		"relationships":[{"from":"me","to":"friend","type":"relates_to","description":"sail together"}]}`)
	c.must(t, http.MethodPut, "/v1/users/u/preferences", `{"preferences":[{"key":"tone","value":"plain"}]}`)
	for i := range 3 {
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":"u","summary":"about the boat","started_at":%q,"ended_at":%q,"mentions":["friend"]}`,
			now.Add(-time.Duration(2+i)*time.Hour).Format(time.RFC3339), now.Add(-time.Duration(1+i)*time.Hour).Format(time.RFC3339)))
	}
	for _, query := range []string{"user_id=u", "user_id=nobody", "user_id=u&sections=user,relationships", "user_id=u&format=text", "user_id=u&format=text&max_tokens=100", "user_id=u&focus_kind=person&focus_id=friend"} {
		answer := func(c caller) string {
			r := c.do(t, http.MethodGet, "/v1/context?"+query, "")
			body, _, _ := strings.Cut(string(r.body), `"temporal"`) // has the time to the second
			return fmt.Sprintln(r.status, r.header.Get("ETag"), body)
		}
		diff := cmp.Diff(answer(c), answer(p))
		if diff != "" { // a minute may have passed, which texts show
			diff = cmp.Diff(answer(c), answer(p))
		}
		if diff != "" || !strings.HasPrefix(answer(c), "200 ") {
			t.Errorf("%s (-combined +parallel): %s", query, diff)
		}
	}
}
