package e2e

import (
	"net/http"
	"strings"
	"testing"

	"kith/tests/testenv"
)

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
