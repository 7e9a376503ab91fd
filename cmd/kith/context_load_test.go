package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/internal/testenv"
)

// loadAlike checks that contexts are the same whether their sections are loaded by one statement or side by side
// (KITH_CONTEXT_LOAD), also where a section cannot be read: the others are answered, and it is listed. It damages the database.
func loadAlike(t *testing.T, db testenv.Database, combined *service) {
	t.Helper()
	parallel := start(t, append(settings(db, ""), "KITH_CONTEXT_LOAD=parallel"))
	defer parallel.stop()
	team, now := testenv.Team(t), time.Now().UTC()
	c := combined.as(combined.newKey(t, team, "read", "write"))
	p := caller{parallel.url, c.key, c.client}
	for i, damage := range []struct{ section, property, of string }{
		{}, // none
		{"owner", "description", "me"}, {"core_beliefs", "description", "belief"}, {"primary_goals", "description", "goal"},
		{"preferences", "value", ""}, {"relationships", "description", "friend"}, {"sources", "summary", "talk"},
	} {
		user := fmt.Sprintf("u%d", i)
		c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":%q,"nodes":[
			{"kind":"person","entity_key":"me%[2]d","name":"Ada","is_owner":true},{"kind":"person","entity_key":"friend%[2]d","name":"Jon","state":"active"},
			{"kind":"concept","entity_key":"belief%[2]d","name":"calm","state":"core","ttl_policy":"keep_forever"},
			{"kind":"concept","entity_key":"goal%[2]d","name":"a boat","state":"core","description":"goal"}],
			"relationships":[{"from":"me%[2]d","to":"friend%[2]d","type":"relates_to","description":"sail together"}]}`, user, i))
		c.must(t, http.MethodPut, "/v1/users/"+user+"/preferences", `{"preferences":[{"key":"tone","value":"plain"}]}`)
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"entity_key":"talk%d","summary":"about the boat","ended_at":%q,
			"started_at":%q,"mentions":["friend%[2]d"]}`, user, i, now.Add(-time.Hour).Format(time.RFC3339), now.Add(-2*time.Hour).Format(time.RFC3339)))
		if damage.section != "" {
			changed := neo4jNumberIn(t, db, fmt.Sprintf(`MATCH (n {team_id: $text, user_id: '%s'})
				WHERE n.entity_key = '%s%d' OR '%[2]s' = '' AND n:Preference SET n.%[4]s = 5 RETURN count(n)`, user, damage.of, i, damage.property), team)
			if changed != 1 {
				t.Fatalf("%s: %d nodes are damaged", damage.section, changed)
			}
		}
		for _, query := range []string{"", "&sections=user,relationships", "&format=text", "&format=text&max_tokens=100"} {
			answer := func(c caller) string {
				r := c.do(t, http.MethodGet, "/v1/context?user_id="+user+query, "")
				return fmt.Sprintln(r.status, r.header.Get("ETag"), string(r.body))
			}
			if diff := cmp.Diff(answer(c), answer(p)); diff != "" {
				t.Errorf("%s damaged, %s (-combined +parallel): %s", damage.section, query, diff)
			}
		}
		want := any(nil)
		if damage.section != "" {
			want = []any{damage.section}
		}
		for how, c := range map[string]caller{"combined": c, "parallel": p} {
			if diff := cmp.Diff(want, c.must(t, http.MethodGet, "/v1/context?user_id="+user, "")["degraded"]); diff != "" {
				t.Errorf("%s: degraded: %s", how, diff)
			}
		}
	}
}
