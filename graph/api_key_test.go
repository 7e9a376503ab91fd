package graph_test

import (
	"errors"
	"testing"
	"time"

	"kith/graph"
)

func TestAPIKeys(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	user, expires := "u1", noon.Add(time.Hour)
	full := graph.APIKey{KeyID: e.Team + "-1", Hash: "h1", TeamID: e.Team, UserID: &user, Scopes: []string{"read", "write"}, CreatedAt: noon, ExpiresAt: &expires}
	plain := graph.APIKey{KeyID: e.Team + "-2", Hash: "h2", TeamID: e.Team, Scopes: []string{"read"}, CreatedAt: noon.Add(time.Minute)}
	foreign := graph.APIKey{KeyID: other.Team + "-1", Hash: "h3", TeamID: other.Team, Scopes: []string{}, CreatedAt: noon}
	for _, k := range []graph.APIKey{full, plain, foreign, full} {
		if err := e.Store.CreateAPIKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	taken := full
	taken.Hash, taken.TeamID = "other", other.Team
	e.Same("an id that is taken", true, errors.Is(e.Store.CreateAPIKey(t.Context(), taken), graph.ErrConflict))

	found, err := e.Store.FindAPIKey(t.Context(), full.KeyID)
	e.Same("found", full, found)
	e.Same("error", nil, err)
	_, err = e.Store.FindAPIKey(t.Context(), e.Team)
	e.Same("unknown", true, errors.Is(err, graph.ErrNotFound))

	listed, err := e.Store.ListAPIKeys(t.Context(), e.Team)
	e.Same("newest first", []graph.APIKey{plain, full}, listed)
	e.Same("error", nil, err)

	e.Same("revoked by another team", true, errors.Is(e.Store.RevokeAPIKey(t.Context(), other.Team, full.KeyID), graph.ErrNotFound))
	e.Same("unknown", true, errors.Is(e.Store.RevokeAPIKey(t.Context(), e.Team, "gone-"+e.Team), graph.ErrNotFound))
	for range 2 {
		if err := e.Store.RevokeAPIKey(t.Context(), e.Team, full.KeyID); err != nil {
			t.Fatal(err)
		}
		e.Now = e.Now.Add(time.Hour)
	}
	revoked := noon
	full.RevokedAt = &revoked
	found, _ = e.Store.FindAPIKey(t.Context(), full.KeyID)
	e.Same("revoked, when it was first", full, found)
	for _, at := range []time.Time{noon.Add(time.Hour), noon} { // the later one stays
		if err := e.Store.TouchAPIKeys(t.Context(), map[string]time.Time{plain.KeyID: at, "gone-" + e.Team: at}); err != nil {
			t.Fatal(err)
		}
	}
	limit, later := int64(600), noon.Add(time.Hour)
	plain.LastUsed = &later
	found, _ = e.Store.FindAPIKey(t.Context(), plain.KeyID)
	e.Same("last used", plain, found)
	limited := graph.APIKey{KeyID: e.Team + "-3", Hash: "h4", TeamID: e.Team, Scopes: []string{}, RateLimit: &limit, CreatedAt: noon}
	if err := e.Store.CreateAPIKey(t.Context(), limited); err != nil {
		t.Fatal(err)
	}
	found, _ = e.Store.FindAPIKey(t.Context(), limited.KeyID)
	e.Same("a limit of its own", limited, found)
	if err := e.Store.RevokeAPIKey(t.Context(), "", foreign.KeyID); err != nil {
		t.Error(err)
	}
}
