package handlers

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A request uses its own focus, which the conversation stores, or else the stored one.
func TestFocusOfConversations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		status             int
		asked              []string
	}{
		{http.MethodPut, "/v1/conversations/c/focus", `{"user_id":"u1","focus":{"project_id":"p","focus_kind":"task","focus_id":"t"}}`, 200, []string{`focus of "c" for "u1": &{ProjectID:p FocusKind:task FocusID:t}`}},
		{http.MethodPut, "/v1/conversations/c/focus", `{"focus":null}`, 200, []string{`focus of "c" for "": <nil>`}},
		{http.MethodPost, "/v1/prompt", `{"user_id":"u1","message":"x","context_type":"project_audit","focus":{"project_id":"p"}}`, 200, []string{`prompt of project_audit for "u1", focus p  , remembered false`}},
		{http.MethodPost, "/v1/prompt", `{"message":"x","focus":{"project_id":"p","focus_kind":"task","focus_id":"t"},"conversation_id":"c"}`, 200, []string{`focus of "c" for "": &{ProjectID:p FocusKind:task FocusID:t}`, `prompt of project for "", focus p task t, remembered false`}},
		{http.MethodPost, "/v1/prompt", `{"message":"x","focus":null,"conversation_id":"c"}`, 200, []string{`focus of "c" for "": <nil>`, `prompt of  for "", focus   , remembered false`}},
		{http.MethodPost, "/v1/prompt", `{"message":"x","conversation_id":"c"}`, 200, []string{`prompt of project for "", focus kept task t, remembered true`}},
		{http.MethodGet, "/v1/ontology?conversation_id=c&context_type=project_audit", "", 200, []string{`ontology project_audit of kept task t, remembered true`}},
		{http.MethodGet, "/v1/ontology?conversation_id=c&project_id=p&context_type=project", "", 200, []string{`ontology project of p  , remembered false`}},
		{http.MethodGet, "/v1/ontology?conversation_id=%01", "", 404, nil},
		{http.MethodPut, "/v1/conversations/c/focus", `{}`, 422, nil},
		{http.MethodPut, "/v1/conversations/c/focus", `{"focus":"x"}`, 422, nil},
		{http.MethodPut, "/v1/conversations/c/focus", `{"focus":{}}`, 422, nil},
		{http.MethodPost, "/v1/prompt", `{}`, 422, nil},
		{http.MethodPost, "/v1/prompt", `{"message":"","conversation_id":"c","focus":null}`, 422, nil},
		{http.MethodPost, "/v1/prompt", `{"message":"x","history":[{"role":"robot","content":"y"}],"conversation_id":"c","focus":null}`, 422, nil},
	} {
		f := &fakes{}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if diff := cmp.Diff(c.asked, f.asked); w.Code != c.status || diff != "" {
			t.Errorf("%s %s %s: %d (-want +got):\n%s%s", c.method, c.path, c.body, w.Code, diff, w.Body)
		}
	}
}
