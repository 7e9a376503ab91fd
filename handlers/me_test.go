package handlers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kith/access/auth"
)

// Any key may ask what it is, and learns what it has left.
func TestMe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p      auth.Principal
		limits bool
		want   string
	}{
		{auth.Principal{KeyID: "k", TeamID: "t", Scopes: []string{auth.Write}}, false, `{"key_id":"k","team_id":"t","user_id":null,"scopes":["write"],"rate_limit":null,`},
		{auth.Principal{KeyID: "k", TeamID: "t", UserID: "u1", Scopes: []string{auth.Read}}, true, `{"key_id":"k","team_id":"t","user_id":"u1","scopes":["read"],"rate_limit":{"limit":60,"remaining":59},`},
		{auth.Principal{KeyID: "oidc:ada", TeamID: "t"}, true, `{"key_id":"oidc:ada","team_id":"t","user_id":null,"scopes":[],"rate_limit":{"limit":60,"remaining":59},`},
	} {
		f := &fakes{principal: c.p}
		services := servicesOf(f)
		if c.limits {
			services.Limits = &purse{60, 60}
		}
		w := ask(New(services, Options{}), http.MethodGet, "/v1/me", "")
		want := c.want + `"quota":{"nodes":{"limit":null,"used":null},"relationships":{"limit":null,"used":null},"characters":{"limit":null,"used":null}}}`
		if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want || !slices.Equal(f.asked, []string{"quota of t"}) {
			t.Errorf("%+v: %d %s, asked %q", c.p, w.Code, w.Body, f.asked)
		}
	}
}

// Users are an administrator's to see, and conversations those of the key's user.
func TestWhoMayList(t *testing.T) {
	t.Parallel()
	admin := func(team, user string) auth.Principal {
		return auth.Principal{TeamID: team, UserID: user, Scopes: auth.Scopes}
	}
	reader := auth.Principal{TeamID: "t", Scopes: []string{auth.Read, auth.Write}}
	for _, c := range []struct {
		p      auth.Principal
		path   string
		status int
		asked  string
	}{
		{admin("t", ""), "/v1/users", 200, `users of t, 50 from ""`},
		{admin("t", ""), "/v1/users?limit=2&cursor=x", 200, `users of t, 2 from "x"`},
		{admin("t", ""), "/v1/users?limit=201", 422, ""},
		{admin("t", ""), "/v1/users?team_id=t2", 403, ""},
		{admin(auth.DefaultTeam, ""), "/v1/users?team_id=t2", 200, `users of t2, 50 from ""`},
		{admin(auth.DefaultTeam, ""), "/v1/users?team_id=%01", 422, ""},
		{admin("t", "u1"), "/v1/users", 403, ""},
		{reader, "/v1/users", 403, ""},
		{reader, "/v1/conversations?user_id=u1", 200, `conversations of "u1" of t, 50 from ""`},
		{reader, "/v1/conversations?user_id=u1&limit=3&cursor=x", 200, `conversations of "u1" of t, 3 from "x"`},
		{reader, "/v1/conversations?user_id=", 422, ""},
		{admin("t", "u1"), "/v1/conversations", 200, `conversations of "u1" of t, 50 from ""`},
		{admin("t", "u1"), "/v1/conversations?user_id=u2", 403, ""},
		{auth.Principal{TeamID: "t", Scopes: []string{auth.Admin}}, "/v1/conversations?user_id=u1", 403, ""},
	} {
		f := &fakes{principal: c.p}
		w := ask(newAPI(f), http.MethodGet, c.path, "")
		var page struct{ Next *string }
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		if w.Code != c.status || strings.Join(f.asked, "; ") != c.asked || (c.status == 200) != (page.Next != nil) {
			t.Errorf("%+v %s: %d %s, asked %q", c.p, c.path, w.Code, w.Body, f.asked)
		}
	}
}

// A request for a key reports all of its faults at once.
func TestAllFaultsOfAKeyAreLocated(t *testing.T) {
	t.Parallel()
	w := ask(newAPI(&fakes{}), http.MethodPost, "/v1/keys", `{"scopes":["read","reed"],"ratelimit":3}`)
	for _, location := range []string{`"location":"body.scopes[1]"`, `"location":"body.ratelimit"`} {
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), location) {
			t.Errorf("%d %s lacks %s", w.Code, w.Body, location)
		}
	}
}
