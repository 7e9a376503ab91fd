package auth

import (
	"errors"
	"testing"
	"time"

	"kith/internal/fault"
	"kith/tests/graphtest"
)

func TestAPIKeys(t *testing.T) {
	e := graphtest.New(t)
	other, keys, noon := e.Neighbour(), NewStore(e.Store), graphtest.Noon
	user, expires := "u1", noon.Add(time.Hour)
	full := APIKey{KeyID: e.Team + "-1", Hash: "h1", TeamID: e.Team, UserID: &user, Scopes: []string{"read", "write"}, CreatedAt: noon, ExpiresAt: &expires}
	plain := APIKey{KeyID: e.Team + "-2", Hash: "h2", TeamID: e.Team, Scopes: []string{"read"}, CreatedAt: noon.Add(time.Minute)}
	foreign := APIKey{KeyID: other.Team + "-1", Hash: "h3", TeamID: other.Team, Scopes: []string{}, CreatedAt: noon}
	for _, k := range []APIKey{full, plain, foreign, full} {
		if err := keys.CreateAPIKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	taken := full
	taken.Hash, taken.TeamID = "other", other.Team
	e.Same("an id that is taken", true, errors.Is(keys.CreateAPIKey(t.Context(), taken), fault.ErrConflict))

	found, err := keys.FindAPIKey(t.Context(), full.KeyID)
	e.Same("found", full, found)
	e.Same("error", nil, err)
	_, err = keys.FindAPIKey(t.Context(), e.Team)
	e.Same("unknown", true, errors.Is(err, fault.ErrNotFound))

	listed, err := keys.ListAPIKeys(t.Context(), e.Team)
	e.Same("newest first", []APIKey{plain, full}, listed)
	e.Same("error", nil, err)

	e.Same("revoked by another team", true, errors.Is(keys.RevokeAPIKey(t.Context(), other.Team, full.KeyID), fault.ErrNotFound))
	e.Same("unknown", true, errors.Is(keys.RevokeAPIKey(t.Context(), e.Team, "gone-"+e.Team), fault.ErrNotFound))
	for range 2 {
		if err := keys.RevokeAPIKey(t.Context(), e.Team, full.KeyID); err != nil {
			t.Fatal(err)
		}
		e.Now = e.Now.Add(time.Hour)
	}
	revoked := noon
	full.RevokedAt = &revoked
	found, _ = keys.FindAPIKey(t.Context(), full.KeyID)
	e.Same("revoked, when it was first", full, found)
	for _, at := range []time.Time{noon.Add(time.Hour), noon} { // the later one stays
		if err := keys.TouchAPIKeys(t.Context(), map[string]time.Time{plain.KeyID: at, "gone-" + e.Team: at}); err != nil {
			t.Fatal(err)
		}
	}
	limit, later := int64(600), noon.Add(time.Hour)
	plain.LastUsed = &later
	found, _ = keys.FindAPIKey(t.Context(), plain.KeyID)
	e.Same("last used", plain, found)
	limited := APIKey{KeyID: e.Team + "-3", Hash: "h4", TeamID: e.Team, Scopes: []string{}, RateLimit: &limit, CreatedAt: noon}
	if err := keys.CreateAPIKey(t.Context(), limited); err != nil {
		t.Fatal(err)
	}
	found, _ = keys.FindAPIKey(t.Context(), limited.KeyID)
	e.Same("a limit of its own", limited, found)
	if err := keys.RevokeAPIKey(t.Context(), "", foreign.KeyID); err != nil {
		t.Error(err)
	}
}
