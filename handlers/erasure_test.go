package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

// kept is the cache, and where preferences are, of fakes.
type kept struct {
	err   error
	calls []string
}

func (k *kept) Erase(_ context.Context, team, user string) (int64, error) {
	k.calls = append(k.calls, "cache "+team+" "+user)
	return 7, k.err
}

func (k *kept) EraseTeam(_ context.Context, team string) (int64, error) {
	k.calls = append(k.calls, "cache "+team)
	return 8, k.err
}

func (k *kept) ErasePreferences(_ context.Context, scope graph.Scope) (int64, error) {
	k.calls = append(k.calls, "preferences "+scope.TeamID+" "+scope.UserID)
	return 2, nil
}

func (k *kept) EraseTeamPreferences(_ context.Context, team string) (int64, error) {
	k.calls = append(k.calls, "preferences "+team)
	return 2, nil
}

func TestWhoMayErase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		team, user string
		scopes     []string
		path       string
		want       int
	}{
		{"t", "", []string{"admin"}, "/v1/users/u1", 200},
		{"t", "", []string{"read", "write"}, "/v1/users/u1", 403},
		{"t", "u1", []string{"write"}, "/v1/users/u1", 200},
		{"t", "u1", []string{"read"}, "/v1/users/u1", 403},
		{"t", "u2", []string{"read", "write", "admin"}, "/v1/users/u1", 403},
		{"t", "", []string{"admin"}, "/v1/users/%00", 422},
		{"t", "", []string{"admin"}, "/v1/teams/t", 200},
		{"t", "", []string{"admin"}, "/v1/teams/t2", 403},
		{"t", "", []string{"write"}, "/v1/teams/t", 403},
		{"t", "u1", []string{"admin", "write"}, "/v1/teams/t", 403},
		{"default", "", []string{"admin"}, "/v1/teams/t2", 200},
		{"default", "", []string{"admin"}, "/v1/teams/default", 409},
		{"default", "", []string{"admin"}, "/v1/teams/%01", 422},
	} {
		f := &fakes{principal: auth.Principal{TeamID: c.team, UserID: c.user, Scopes: c.scopes}}
		w := ask(newAPI(f), http.MethodDelete, c.path, "")
		if w.Code != c.want || (w.Code == 200) != (len(f.kept.calls) > 0) {
			t.Errorf("%+v: %d %s, erased %v", c, w.Code, w.Body, f.kept.calls)
		}
	}
}

func TestEraseReceipt(t *testing.T) {
	t.Parallel()
	f := &fakes{}
	var receipt map[string]any
	w := ask(newAPI(f), http.MethodDelete, "/v1/users/u1", "")
	if err := json.Unmarshal(w.Body.Bytes(), &receipt); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"user_id": "u1", "erased_at": "0001-01-01T00:00:00Z", "nodes": 2., "messages": 0., "relationships": 0., "notes_anonymised": 0.,
		"preferences": 3., "keys": 0., "records": 0., "anonymised": 0., "cache_entries": 7., "remaining": 0.,
	}
	if diff := cmp.Diff(want, receipt); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"preferences t u1", "cache t u1"}, f.kept.calls); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(f.changed, " "); got != "keys" {
		t.Errorf("told %q", got)
	}
	if want := []graph.Scope{{TeamID: "t", UserID: "u1"}}; !slices.Equal(f.forgotten, want) {
		t.Errorf("vectors are forgotten of %v", f.forgotten)
	}
}

// Whatever is left is no success.
func TestEraseFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		store, cache error
		want         int
	}{
		{fault.ErrConflict, nil, 409},
		{graph.ErrUnavailable, nil, 503},
		{nil, context.DeadlineExceeded, 503},
	} {
		f := &fakes{err: c.store, kept: kept{err: c.cache}}
		w := ask(newAPI(f), http.MethodDelete, "/v1/users/u1", "")
		if w.Code != c.want || len(f.changed) == 0 || len(f.forgotten) == 0 {
			t.Errorf("%+v: %d %s, told %v", c, w.Code, w.Body, f.changed)
		}
	}
}
