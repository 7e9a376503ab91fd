package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/tests/testenv"
)

// ownKeyRequests use keys, ids of conversations, trees and turns that every user may choose. U is the user.
var ownKeyRequests = []struct{ method, path, body string }{
	{"POST", "/v1/memory", `{"user_id":"U","nodes":[{"kind":"concept","entity_key":"dinner","name":"Dinner of U","description":"with friends"},
		{"kind":"person","entity_key":"ann","name":"Ann of U"}],"relationships":[{"from":"ann","to":"dinner","type":"engages_with","description":"cooks for U"}]}`},
	{"POST", "/v1/memory", `{"user_id":"U","nodes":[{"kind":"concept","entity_key":"dinner","description":"on Friday"}],"relationships":[{"from":"dinner","to":"ann","type":"relates_to"}]}`},
	{"POST", "/v1/memory", `{"user_id":"U","strict":true,"nodes":[{"kind":"project","entity_key":"move","name":"Move of U"},{"kind":"task","entity_key":"pack","name":"Pack","project_id":"move"}]}`},
	{"POST", "/v1/sources", `{"user_id":"U","entity_key":"mail","content_type":"email","summary":"about dinner","messages":[{"entity_key":"m1","role":"user","text":"Ann cooks on Friday."}],"mentions":["dinner","ann"]}`},
	{"POST", "/v1/sources", `{"user_id":"U","entity_key":"mail","content_type":"email","messages":[{"entity_key":"m1","role":"user","text":"Ann cooks on Friday."},{"entity_key":"m2","role":"user","text":"And on Sunday."}]}`},
	{"POST", "/v1/conversations", `{"user_id":"U","conversation_id":"talk"}`},
	{"POST", "/v1/conversations/talk/messages", `{"user_id":"U","messages":[{"entity_key":"t1","role":"user","text":"I prefer tea."}]}`},
	{"POST", "/v1/conversations/talk/messages", `{"user_id":"U","messages":[{"entity_key":"t1","role":"user","text":"I prefer tea."}]}`},
	{"GET", "/v1/conversations/talk?user_id=U", ""},
	{"POST", "/v1/memory", `{"user_id":"U","derived_from":["mail"],"nodes":[{"kind":"concept","entity_key":"friday","name":"Friday of U"}]}`},
	{"GET", "/v1/nodes/concept/dinner?user_id=U", ""},
	{"PATCH", "/v1/nodes/concept/dinner?user_id=U", `{"description":"on Saturday"}`},
	{"GET", "/v1/nodes/concept/dinner/relationships?user_id=U", ""},
	{"GET", "/v1/nodes/concept/dinner/history?user_id=U", ""},
	{"GET", "/v1/nodes/concept/dinner/mentions?user_id=U", ""},
	{"POST", "/v1/nodes/concept/dinner/notes?user_id=U", `{"content":"bring wine"}`},
	{"GET", "/v1/nodes/concept?user_id=U", ""},
	{"GET", "/v1/nodes/project/move/linked?user_id=U", ""},
	{"GET", "/v1/nodes/message/m1?user_id=U", ""},
	{"GET", "/v1/context?user_id=U&focus_kind=concept&focus_id=dinner", ""},
	{"GET", "/v1/context?user_id=U&format=text", ""},
	{"GET", "/v1/context/why?user_id=U&key=dinner", ""},
	{"GET", "/v1/ontology?user_id=U&context_type=project&project_id=move", ""},
	{"POST", "/v1/explore", `{"user_id":"U","text_matches":["Dinner of U"]}`},
	{"POST", "/v1/explore", `{"user_id":"U","queries":[{"query":"Friday"}],"kinds":["message"]}`},
	{"POST", "/v1/traverse", `{"user_id":"U","mode":"neighbors","entity_key":"dinner"}`},
	{"POST", "/v1/traverse", `{"user_id":"U","mode":"path","from":"move","to":"pack"}`},
	{"POST", "/v1/traverse", `{"user_id":"U","mode":"ppr","seed_nodes":["ann"]}`},
	{"POST", "/v1/traverse", `{"user_id":"U","mode":"cypher","cypher":"MATCH (n:Concept) RETURN n.entity_key ORDER BY n.entity_key"}`},
	{"POST", "/v1/nodes/concept/friday/merge?user_id=U", `{"other":"dinner"}`},
	{"GET", "/v1/nodes/concept/dinner?user_id=U", ""},
	{"DELETE", "/v1/nodes/person/ann?user_id=U", ""},
	{"GET", "/v1/nodes/person/ann?user_id=U", ""},
	{"POST", "/v1/nodes/person/ann/restore?user_id=U", ""},
	{"GET", "/v1/nodes/person/ann?user_id=U", ""},
	{"POST", "/v1/conversations/talk/end", `{"user_id":"U","summary":"about tea","mentions":["ann"]}`},
	{"POST", "/v1/sources/mail/withdraw", `{"user_id":"U"}`},
	{"POST", "/v1/trees", `{"user_id":"U","id":"tree","name":"Plans"}`},
	{"GET", "/v1/trees/tree?user_id=U", ""},
	{"PATCH", "/v1/trees/tree", `{"user_id":"U","pinned":true}`},
	{"GET", "/v1/changes?user_id=U", ""},
	{"DELETE", "/v1/trees/tree?user_id=U", ""},
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\d(T|,? )\d\d:\d\d[0-9:.]*Z?|"(cursor|next|oldest_cursor|replay)":"[^"]*"|"by":"[0-9a-f]{12}"|"(score|relevance_score|seq|salience|access_count|recalls|decay_rate)":[0-9.e-]+|"PT[0-9]+S"|"(created|updated)_at":\d+`)
)

// answersTo plays the requests and returns the answers without what differs between two runs.
func answersTo(t *testing.T, c caller, user string) []string {
	t.Helper()
	all := make([]string, len(ownKeyRequests))
	names := map[string]string{}
	for i, r := range ownKeyRequests {
		as := strings.NewReplacer("=U", "="+user, `"U"`, `"`+user+`"`, "of U", "of "+user, "for U", "for "+user)
		reply := c.do(t, r.method, as.Replace(r.path), as.Replace(r.body))
		text := uuids.ReplaceAllStringFunc(string(reply.body), func(id string) string {
			if names[id] == "" {
				names[id] = fmt.Sprint("id-", len(names))
			}
			return names[id]
		})
		all[i] = fmt.Sprintf("%s %s: %d %s", r.method, r.path, reply.status, moments.ReplaceAllString(strings.ReplaceAll(text, user, "U"), "T"))
	}
	return all
}

// A user who chooses the keys of another user gets the answers of one who is alone.
func TestKeysAreTheUsersOwn(t *testing.T) {
	t.Parallel()
	s := shared(t)
	alone := s.as(s.newKey(t, testenv.Team(t), "read", "write", "admin"))
	team := testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write", "admin"))
	first := answersTo(t, c, "user-one")
	want := answersTo(t, alone, "user-two")
	for _, line := range want {
		if strings.Contains(line, ": 5") || strings.Contains(line, ": 4") && !strings.Contains(line, "person/ann") {
			t.Error("the requests are not good: ", line)
		}
	}
	if diff := cmp.Diff(want, answersTo(t, c, "user-two")); diff != "" {
		t.Errorf("the second user of the keys sees others (-alone +second):\n%s", diff)
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the first user (-alone +first):\n%s", diff)
	}
	if diff := cmp.Diff(want, answersTo(t, s.as(boundKey(t, s, team, "user-six")), "user-six")); diff != "" {
		t.Errorf("a key of the third user alone (-alone +third):\n%s", diff)
	}
	for _, user := range []string{"user-one", "user-two"} { // accesses are counted a little later
		for deadline := time.Now().Add(time.Minute); at(c.must(t, http.MethodGet, "/v1/nodes/concept/dinner?user_id="+user, ""), "access_count") == 0.0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no access of %s is counted", user)
			}
		}
	}
	export := c.do(t, http.MethodGet, "/v1/export", "")
	into := s.as(s.newKey(t, testenv.Team(t), "read", "write", "admin"))
	into.must(t, http.MethodPost, "/v1/import", string(export.body))
	again := into.do(t, http.MethodGet, "/v1/export", "")
	if diff := cmp.Diff(string(export.body), string(again.body)); diff != "" {
		t.Errorf("an import of the export has another export:\n%s", diff)
	}
}

func boundKey(t *testing.T, s *service, team, user string) string {
	t.Helper()
	return s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`","user_id":"`+user+`","scopes":["read","write"]}`)["key"].(string)
}
