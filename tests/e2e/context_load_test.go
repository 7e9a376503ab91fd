package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/loader"
	"kith/tests/testenv"
)

// Contexts are the same whether their sections are loaded by one statement or side by side (KITH_CONTEXT_LOAD).
func TestContextsAreLoadedAlike(t *testing.T) {
	t.Parallel()
	combined, parallel := shared(t), start(t, append(settings(testenv.Neo4j(t), ""), "KITH_CONTEXT_LOAD=parallel"))
	c := combined.as(combined.newKey(t, testenv.Team(t), "read", "write"))
	p := caller{parallel.url, c.key, c.client}
	now := time.Now().UTC()
	writeForSections(t, c, "u")
	for i := range 3 {
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":"u","summary":"about the boat","started_at":%q,"ended_at":%q,"mentions":["friend u"]}`,
			now.Add(-time.Duration(2+i)*time.Hour).Format(time.RFC3339), now.Add(-time.Duration(1+i)*time.Hour).Format(time.RFC3339)))
	}
	for _, query := range []string{"user_id=u", "user_id=nobody", "user_id=u&sections=user,relationships", "user_id=u&format=text", "user_id=u&format=text&max_tokens=100", "user_id=u&focus_kind=person&focus_id=friend%20u"} {
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

// writeForSections writes something for each section of a user's context.
func writeForSections(t *testing.T, c caller, user string) {
	t.Helper()
	c.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":%[1]q,"nodes":[{"kind":"person","entity_key":"me %[1]s","name":"Ada","is_owner":true},
		{"kind":"person","entity_key":"friend %[1]s","name":"Jon"},{"kind":"concept","entity_key":"belief %[1]s","name":"calm","state":"core","ttl_policy":"keep_forever"},
		{"kind":"concept","entity_key":"goal %[1]s","name":"a boat","state":"core","description":"goal"},{"kind":"concept","entity_key":"seen %[1]s","name":"rain"}],
		"relationships":[{"from":"me %[1]s","to":"friend %[1]s","type":"relates_to","description":"sail together"}]}`, user))
	c.must(t, http.MethodPut, "/v1/users/"+user+"/preferences", `{"preferences":[{"key":"tone","value":"plain"}]}`)
	talk := fmt.Sprintf(`{"user_id":%q,"conversation_id":"talk %[1]s"}`, user)
	c.must(t, http.MethodPost, "/v1/conversations", talk)
	c.must(t, http.MethodPost, "/v1/conversations/talk%20"+user+"/messages", fmt.Sprintf(`{"user_id":%q,"messages":[{"role":"user","text":"Never call me before nine."}]}`, user))
}

// A section whose statement fails is named and missing, and the others are there, however they are loaded. Without the owner or the
// focus there is no context.
func TestContextsWithoutASection(t *testing.T) {
	t.Parallel()
	db := testenv.Neo4j(t)
	cluster := testenv.StartCluster(t, db)
	db.URI = cluster.URI()
	for _, mode := range []loader.Mode{loader.Combined, loader.Parallel} {
		s := start(t, append(settings(db, ""), "KITH_CONTEXT_LOAD="+string(mode)))
		c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
		for _, section := range append([]loader.Section{loader.FocusSection}, loader.AllSections...) {
			user := string(section) // a new one each time, so that no context is cached
			writeForSections(t, c, user)
			cluster.Fail(" AS " + string(section))
			r := c.do(t, http.MethodGet, "/v1/context?user_id="+user+"&focus_kind=concept&focus_id=seen%20"+user, "")
			cluster.Fail("")
			if section == loader.OwnerSection || section == loader.FocusSection {
				if r.status != http.StatusInternalServerError {
					t.Errorf("%s, %s: %d %s", mode, section, r.status, r.body)
				}
				continue
			}
			var context loader.AgentContext
			if err := json.Unmarshal(r.body, &context); err != nil || r.status != http.StatusOK {
				t.Fatalf("%s, %s: %d %s", mode, section, r.status, r.body)
			}
			if diff := cmp.Diff([]loader.Section{section}, context.Degraded); diff != "" {
				t.Errorf("%s (-want +got): %s", mode, diff)
			}
			for of, text := range map[loader.Section]string{
				loader.CoreBeliefsSection: `"calm"`, loader.PrimaryGoalsSection: `"a boat"`, loader.PreferencesSection: `"plain"`, loader.StatementsSection: "before nine",
				loader.RelationshipsSection: "sail together", loader.SourcesSection: `"sources":[{`, loader.LastConversationSection: `"time_since_last_conversation":"P`, loader.FocusSection: `"rain"`,
			} {
				if has := strings.Contains(string(r.body), text); has == (section == of) {
					t.Errorf("%s without %s: %s is there: %v", mode, section, of, has)
				}
			}
		}
	}
}
