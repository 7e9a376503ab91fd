package handlers

import (
	"net/http"
	"strings"
	"testing"

	"kith/access/auth"
)

// One preference is set and deleted by its key in the path.
func TestOnePreference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		scopes             []string
		status             int
		want, asked        string
	}{
		{http.MethodPut, "/v1/users/u1/preferences/time_zone", `{"value": "Europe/Paris"}`, nil, 200, `{"key":"time_zone","value":"Europe/Paris"}`, `set time_zone to "Europe/Paris" for u1`},
		{http.MethodPut, "/v1/users/u1/preferences/a%20b%2Fc", `{"value":{"n": 1.0}}`, nil, 200, `{"key":"a b/c","value":{"n":1.0}}`, `set a b/c to {"n": 1.0} for u1`},
		{http.MethodPut, "/v1/users/u1/preferences/k", `{"value":null}`, nil, 422, `"body.value"`, ""},
		{http.MethodPut, "/v1/users/u1/preferences/k", `{}`, nil, 422, `"body`, ""},
		{http.MethodPut, "/v1/users/u1/preferences/%20", `{"value":1}`, nil, 422, `"path.key"`, ""},
		{http.MethodPut, "/v1/users/u1/preferences/k", `{"value":1}`, []string{auth.Read}, 403, "lacks the scope write", ""},
		{http.MethodGet, "/v1/users/u1/preferences?as_of=2026-03-01T00:00:00Z", "", nil, 200, `"preferences":[]`, "preferences of u1 at 2026-03-01"},
		{http.MethodGet, "/v1/users/u1/preferences?as_of=yesterday", "", nil, 422, `"query.as_of"`, ""},
		{http.MethodGet, "/v1/users/u1/preferences/history?key=k&limit=3&cursor=c", "", nil, 200, `"next":"next"`, `3 versions of k of u1 after "c"`},
		{http.MethodGet, "/v1/users/u1/preferences/history", "", nil, 200, `"until":null`, `20 versions of  of u1 after ""`},
		{http.MethodGet, "/v1/users/u1/preferences/history?key=%FF", "", nil, 422, `"query.key"`, ""},
		{http.MethodGet, "/v1/users/u1/preferences/history", "", []string{auth.Write}, 403, "lacks the scope read", ""},
		{http.MethodDelete, "/v1/users/u1/preferences/k", "", nil, 204, "", "delete k of u1"},
		{http.MethodDelete, "/v1/users/u1/preferences/k", "", []string{auth.Read}, 403, "lacks the scope write", ""},
	} {
		f := &fakes{}
		if c.scopes != nil {
			f.principal = auth.Principal{TeamID: "t", Scopes: c.scopes}
		}
		w := ask(newAPI(f), c.method, c.path, c.body)
		if asked := strings.Join(f.asked, ";"); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || asked != c.asked {
			t.Errorf("%s %s %s: %d, asked %q: %s", c.method, c.path, c.body, w.Code, asked, w.Body)
		}
	}
}
