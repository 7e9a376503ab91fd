package auth_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/tests/testenv"
)

func TestBootstrap(t *testing.T) {
	t.Parallel()
	const given = "chosen by the operator for good, at length"
	admin := func(t *testing.T, e *env, secret string) {
		t.Helper()
		p, err := e.Verify(t.Context(), secret)
		if err != nil || p.TeamID != auth.DefaultTeam || p.UserID != "" || !cmp.Equal(p.Scopes, auth.Scopes) {
			t.Errorf("principal %+v, %v", p, err)
		}
	}
	t.Run("empty", func(t *testing.T) {
		e := fresh(t)
		first, err := e.Bootstrap(t.Context(), "")
		if err != nil || !strings.HasPrefix(first, "kith_") {
			t.Fatalf("got %q, %v", first, err)
		}
		admin(t, e, first)
		if again, err := e.Bootstrap(t.Context(), ""); again != "" || err != nil || len(e.records) != 1 {
			t.Errorf("again: %q, %v, %d keys", again, err, len(e.records))
		}
	})
	t.Run("empty, answer lost", func(t *testing.T) {
		e := fresh(t)
		create := e.create
		e.create = func(k auth.APIKey) error {
			_ = create(k)
			return graph.ErrUnavailable
		}
		if _, err := e.Bootstrap(t.Context(), ""); !errors.Is(err, graph.ErrUnavailable) {
			t.Fatal(err)
		}
		e.create = create
		first, err := e.Bootstrap(t.Context(), "")
		if err != nil || len(e.records) != 1 {
			t.Fatalf("again: %v, %d keys", err, len(e.records))
		}
		admin(t, e, first)
		if again, err := e.Bootstrap(t.Context(), ""); again != "" || err != nil {
			t.Errorf("once more: %q, %v", again, err)
		}
	})
	t.Run("empty, given", func(t *testing.T) {
		e := fresh(t)
		if first, err := e.Bootstrap(t.Context(), given); first != given || err != nil {
			t.Fatalf("got %q, %v", first, err)
		}
		admin(t, e, given)
		if again, err := e.Bootstrap(t.Context(), given); again != "" || err != nil || len(e.records) != 1 {
			t.Errorf("again: %q, %v, %d keys", again, err, len(e.records))
		}
		admin(t, e, given)
	})
	t.Run("not empty", func(t *testing.T) {
		e := fresh(t)
		e.made(t, auth.Spec{TeamID: "acme", Scopes: []string{auth.Read}})
		if first, err := e.Bootstrap(t.Context(), ""); first != "" || err != nil || len(e.records) != 1 {
			t.Errorf("got %q, %v, %d keys", first, err, len(e.records))
		}
		if first, err := e.Bootstrap(t.Context(), given); first != "" || err != nil || len(e.records) != 2 {
			t.Errorf("given: got %q, %v, %d keys", first, err, len(e.records))
		}
		admin(t, e, given)
	})
	t.Run("length", func(t *testing.T) {
		e := fresh(t)
		for n, ok := range map[int]bool{1: false, 31: false, 32: true, 512: true, 513: false} {
			key := strings.Repeat("k", n)
			_, err := e.Bootstrap(t.Context(), key)
			if ok != (err == nil) || !ok && !errors.Is(err, fault.ErrInvalid) {
				t.Errorf("%d characters: %v", n, err)
			}
			if err != nil && n > 1 && strings.Contains(err.Error(), key) {
				t.Error("the error has the key in it")
			}
			if ok {
				admin(t, e, key)
			}
		}
		if len(e.records) != 2 {
			t.Errorf("%d keys are stored, want 2", len(e.records))
		}
	})
}

// The same on the real store.
func TestOnNeo4j(t *testing.T) {
	t.Parallel()
	team, other := testenv.Team(t), testenv.Team(t)
	store, err := graph.Open(neo.Connection(testenv.Neo4j(t)), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	here, there := auth.New(auth.NewStore(store), func() time.Time { return now }), auth.New(auth.NewStore(store), func() time.Time { return now })
	t.Cleanup(here.Close)
	t.Cleanup(there.Close)

	expires := now.Add(time.Hour)
	secret, id, err := here.Create(t.Context(), auth.Spec{TeamID: team, UserID: new("u"), Scopes: []string{auth.Read}, ExpiresAt: &expires})
	if err != nil {
		t.Fatal(err)
	}
	want := auth.Principal{KeyID: id, TeamID: team, UserID: "u", Scopes: []string{auth.Read}}
	verify(t, here, secret, want)
	verify(t, there, secret, want)
	refuse(t, here, secret+"x")

	listed, err := here.List(t.Context(), team)
	if err != nil || len(listed) != 1 {
		t.Fatalf("listed %+v, %v", listed, err)
	}
	user := "u"
	sum := sha256.Sum256([]byte(secret))
	stored := auth.APIKey{
		KeyID: id, Hash: hex.EncodeToString(sum[:]), TeamID: team, UserID: &user, Scopes: []string{auth.Read}, CreatedAt: now, ExpiresAt: &expires, Bootstrap: new(false),
	}
	if diff := cmp.Diff(stored, listed[0]); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}

	if listed, err := here.List(t.Context(), other); err != nil || len(listed) != 0 {
		t.Errorf("another team sees %+v, %v", listed, err)
	}
	if err := here.Revoke(t.Context(), other, id); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another team revokes: %v", err)
	}
	verify(t, here, secret, want)
	if err := here.Revoke(t.Context(), team, id); err != nil {
		t.Fatal(err)
	}
	refuse(t, here, secret)
	within := time.NewTimer(10 * time.Second)
	defer within.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := there.Verify(t.Context(), secret); errors.Is(err, auth.ErrUnauthorized) {
			break
		}
		select {
		case <-within.C:
			t.Fatal("another process does not learn of the revocation")
		case <-tick.C:
		}
	}

	given := "bootstrap key of the operator of " + team
	for range 2 {
		if _, err := here.Bootstrap(t.Context(), given); err != nil {
			t.Fatal(err)
		}
	}
	p, err := here.Verify(t.Context(), given)
	if err != nil || p.TeamID != auth.DefaultTeam || !p.Allows(auth.Admin) {
		t.Errorf("bootstrapped: %+v, %v", p, err)
	}
	if _, err := here.Bootstrap(t.Context(), given+", another"); err != nil {
		t.Fatal(err)
	}
	if warnings, err := here.Warnings(t.Context(), given+", another"); err != nil || !strings.Contains(strings.Join(warnings, "\n"), p.KeyID) {
		t.Errorf("another one: %q, %v", warnings, err)
	}
	if ids, _, err := auth.NewStore(store).APIKeyIDs(t.Context()); err != nil || !slices.Contains(ids, p.KeyID) || slices.Contains(ids, id) {
		t.Errorf("ids that are not revoked: %d, %v", len(ids), err)
	}
}
