package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
)

// Uses are stored when the service stops, and after a failure the next time.
func TestUseIsNoted(t *testing.T) {
	e := fresh(t)
	expires := e.now.Add(time.Hour)
	good, goodID := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	short, shortID := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes, ExpiresAt: &expires})
	gone, goneID := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	if err := e.Revoke(t.Context(), "", goneID); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var noted map[string]time.Time
	run := func(outcome error) {
		t.Helper()
		noted = nil
		e.touch = func(used map[string]time.Time) error {
			noted = used
			return outcome
		}
		if err := e.Run(ended); err != nil {
			t.Fatal(err)
		}
	}
	first := e.now
	verify(t, e.Keys, good, auth.Principal{KeyID: goodID, TeamID: "acme", Scopes: auth.Scopes})
	verify(t, e.Keys, short, auth.Principal{KeyID: shortID, TeamID: "acme", Scopes: auth.Scopes})
	refuse(t, e.Keys, gone)
	refuse(t, e.Keys, "kith_unknown")
	run(errors.New("away"))

	e.now = e.now.Add(2 * time.Hour)
	e.Forget() // as after two seconds
	verify(t, e.Keys, good, auth.Principal{KeyID: goodID, TeamID: "acme", Scopes: auth.Scopes})
	refuse(t, e.Keys, short)
	run(nil)
	if diff := cmp.Diff(map[string]time.Time{goodID: e.now, shortID: first}, noted); diff != "" {
		t.Error(diff)
	}
	if run(nil); noted != nil {
		t.Errorf("noted again: %v", noted)
	}
}
