package handlers

import (
	"net/http"
	"strings"
	"testing"

	"kith/auth"
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
