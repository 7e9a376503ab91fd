package graph

import (
	"errors"
	"testing"
	"time"
)

func TestAPIKeys(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	user, expires := "u1", noon.Add(time.Hour)
	full := APIKey{KeyID: e.team + "-1", Hash: "h1", TeamID: e.team, UserID: &user, Scopes: []string{"read", "write"}, CreatedAt: noon, ExpiresAt: &expires}
	plain := APIKey{KeyID: e.team + "-2", Hash: "h2", TeamID: e.team, Scopes: []string{"read"}, CreatedAt: noon.Add(time.Minute)}
	foreign := APIKey{KeyID: other.team + "-1", Hash: "h3", TeamID: other.team, Scopes: []string{}, CreatedAt: noon}
	for _, k := range []APIKey{full, plain, foreign, full} {
		if err := e.store.CreateAPIKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	taken := full
	taken.Hash, taken.TeamID = "other", other.team
	e.same("an id that is taken", true, errors.Is(e.store.CreateAPIKey(t.Context(), taken), ErrConflict))

	found, err := e.store.FindAPIKey(t.Context(), full.KeyID)
	e.same("found", full, found)
	e.same("error", nil, err)
	_, err = e.store.FindAPIKey(t.Context(), e.team)
	e.same("unknown", true, errors.Is(err, ErrNotFound))

	listed, err := e.store.ListAPIKeys(t.Context(), e.team)
	e.same("newest first", []APIKey{plain, full}, listed)
	e.same("error", nil, err)

	e.same("revoked by another team", true, errors.Is(e.store.RevokeAPIKey(t.Context(), other.team, full.KeyID), ErrNotFound))
	e.same("unknown", true, errors.Is(e.store.RevokeAPIKey(t.Context(), e.team, "gone-"+e.team), ErrNotFound))
	for range 2 {
		if err := e.store.RevokeAPIKey(t.Context(), e.team, full.KeyID); err != nil {
			t.Fatal(err)
		}
		e.now = e.now.Add(time.Hour)
	}
	revoked := noon
	full.RevokedAt = &revoked
	found, _ = e.store.FindAPIKey(t.Context(), full.KeyID)
	e.same("revoked, when it was first", full, found)
	for _, at := range []time.Time{noon.Add(time.Hour), noon} { // the later one stays
		if err := e.store.TouchAPIKeys(t.Context(), map[string]time.Time{plain.KeyID: at, "gone-" + e.team: at}); err != nil {
			t.Fatal(err)
		}
	}
	limit, later := int64(600), noon.Add(time.Hour)
	plain.LastUsed = &later
	found, _ = e.store.FindAPIKey(t.Context(), plain.KeyID)
	e.same("last used", plain, found)
	limited := APIKey{KeyID: e.team + "-3", Hash: "h4", TeamID: e.team, Scopes: []string{}, RateLimit: &limit, CreatedAt: noon}
	if err := e.store.CreateAPIKey(t.Context(), limited); err != nil {
		t.Fatal(err)
	}
	found, _ = e.store.FindAPIKey(t.Context(), limited.KeyID)
	e.same("a limit of its own", limited, found)
	if err := e.store.RevokeAPIKey(t.Context(), "", foreign.KeyID); err != nil {
		t.Error(err)
	}
}
