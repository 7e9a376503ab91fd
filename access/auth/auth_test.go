package auth_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// fake is a store with settable answers.
type fake struct {
	create func(auth.APIKey) error
	find   func(keyID string) (auth.APIKey, error)
	list   func(teamID string) ([]auth.APIKey, error)
	revoke func(teamID, keyID string) error
	touch  func(used map[string]time.Time) error
	admins func(teamID string) ([]auth.APIKey, error)
	ids    func() ([]string, error)
	more   bool // there are more keys than ids returns
}

func (f *fake) AdminAPIKeys(_ context.Context, teamID string) ([]auth.APIKey, error) {
	return f.admins(teamID)
}

func (f *fake) APIKeyIDs(context.Context) (ids []string, complete bool, err error) {
	ids, err = f.ids()
	return ids, !f.more, err
}

func (f *fake) CreateAPIKey(_ context.Context, k auth.APIKey) error { return f.create(k) }

func (f *fake) FindAPIKey(_ context.Context, keyID string) (auth.APIKey, error) {
	return f.find(keyID)
}

func (f *fake) ListAPIKeys(_ context.Context, teamID string) ([]auth.APIKey, error) {
	return f.list(teamID)
}

func (f *fake) RevokeAPIKey(_ context.Context, teamID, keyID string) error {
	return f.revoke(teamID, keyID)
}

func (f *fake) TouchAPIKeys(_ context.Context, used map[string]time.Time) error { return f.touch(used) }

// env is a Keys over visible records, with a settable clock.
type env struct {
	*auth.Keys
	fake
	records map[string]auth.APIKey
	finds   atomic.Int64
	now     time.Time
}

func fresh(t *testing.T) *env {
	t.Helper()
	t.Parallel()
	e := &env{records: map[string]auth.APIKey{}, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	e.create = func(k auth.APIKey) error {
		if _, ok := e.records[k.KeyID]; !ok {
			e.records[k.KeyID] = k
		}
		return nil
	}
	e.find = func(keyID string) (auth.APIKey, error) {
		e.finds.Add(1)
		if k, ok := e.records[keyID]; ok {
			return k, nil
		}
		return auth.APIKey{}, fmt.Errorf("find: %w", fault.ErrNotFound)
	}
	e.list = func(teamID string) (keys []auth.APIKey, err error) {
		for _, k := range e.records {
			if teamID == "" || k.TeamID == teamID {
				keys = append(keys, k)
			}
		}
		return keys, nil
	}
	e.admins = func(teamID string) ([]auth.APIKey, error) {
		all, err := e.list(teamID)
		return slices.DeleteFunc(all, func(k auth.APIKey) bool {
			return k.RevokedAt != nil || k.UserID != nil || !slices.Contains(k.Scopes, auth.Admin)
		}), err
	}
	e.ids = func() ([]string, error) {
		e.finds.Add(1)
		return slices.Collect(maps.Keys(e.records)), nil
	}
	e.revoke = func(teamID, keyID string) error {
		k, ok := e.records[keyID]
		if !ok || teamID != "" && k.TeamID != teamID {
			return fmt.Errorf("revoke: %w", fault.ErrNotFound)
		}
		k.RevokedAt = &e.now
		e.records[keyID] = k
		return nil
	}
	e.Keys = auth.New(&e.fake, func() time.Time { return e.now })
	t.Cleanup(e.Close)
	return e
}

func (e *env) made(t *testing.T, spec auth.Spec) (secret, id string) {
	t.Helper()
	secret, id, err := e.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return secret, id
}

func verify(t *testing.T, k *auth.Keys, secret string, want auth.Principal) {
	t.Helper()
	got, err := k.Verify(t.Context(), secret)
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
}

func refuse(t *testing.T, k *auth.Keys, secret string) {
	t.Helper()
	got, err := k.Verify(t.Context(), secret)
	if !errors.Is(err, auth.ErrUnauthorized) || !cmp.Equal(got, auth.Principal{}) {
		t.Errorf("got %+v, %v; want ErrUnauthorized", got, err)
	}
}

// A key for an empty user or team is not created, and a stored one is not accepted.
func TestAnEmptyUserIsNotEverybody(t *testing.T) {
	e := fresh(t)
	for _, spec := range []auth.Spec{
		{TeamID: "acme", UserID: new(""), Scopes: auth.Scopes}, {TeamID: "acme", UserID: new(" "), Scopes: auth.Scopes}, {TeamID: "", Scopes: auth.Scopes},
	} {
		if secret, _, err := e.Create(t.Context(), spec); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%+v: %q, %v", spec, secret, err)
		}
	}
	none, past, much := int64(-1), time.Unix(1, 0), 7.0
	for what, change := range map[string]func(*auth.Spec){
		"scopes": func(s *auth.Spec) { s.Scopes = nil }, "scopes[0]": func(s *auth.Spec) { s.Scopes = []string{"all"} },
		"origin": func(s *auth.Spec) { s.Origin = new("extern") }, "trust": func(s *auth.Spec) { s.Trust = &much },
		"rate_limit": func(s *auth.Spec) { s.RateLimit = &none }, "expires_at": func(s *auth.Spec) { s.ExpiresAt = &past },
	} {
		spec := auth.Spec{TeamID: "acme", Scopes: auth.Scopes}
		change(&spec)
		_, _, err := e.Create(t.Context(), spec)
		if fields := fault.Fields(err); len(fields) != 1 || fields[0].Path.String() != what {
			t.Errorf("%s: %v", what, err)
		}
	}
	secret, id := e.made(t, auth.Spec{TeamID: "acme", UserID: new("u"), Scopes: auth.Scopes})
	stored := e.records[id]
	stored.UserID = new("")
	e.records[id] = stored
	refuse(t, e.Keys, secret)
}

func TestCreateAndVerify(t *testing.T) {
	e := fresh(t)
	expires := e.now.Add(time.Hour)
	free, freeID := e.made(t, auth.Spec{TeamID: "acme", Scopes: []string{auth.Read}})
	bound, boundID := e.made(t, auth.Spec{TeamID: "acme", UserID: new("u"), Scopes: []string{auth.Read, auth.Write}, ExpiresAt: &expires})
	verify(t, e.Keys, free, auth.Principal{KeyID: freeID, TeamID: "acme", Scopes: []string{auth.Read}})
	verify(t, e.Keys, bound, auth.Principal{KeyID: boundID, TeamID: "acme", UserID: "u", Scopes: []string{auth.Read, auth.Write}})
	if free == bound || freeID == boundID {
		t.Error("two keys are the same")
	}

	user := "u"
	sum := sha256.Sum256([]byte(bound))
	hash := hex.EncodeToString(sum[:])
	want := auth.APIKey{
		KeyID: hash[:12], Hash: hash, TeamID: "acme", UserID: &user, Scopes: []string{auth.Read, auth.Write}, CreatedAt: e.now, ExpiresAt: &expires, Bootstrap: new(false),
	}
	if diff := cmp.Diff(want, e.records[boundID]); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// A secret is long and has a prefix that scanners find; neither the record nor the id contains any of it.
func TestSecretIsNotStored(t *testing.T) {
	e := fresh(t)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	random, marked := strings.CutPrefix(secret, "kith_")
	if !marked || len(random) != 43 { // 256 bits
		t.Errorf("the secret has %d characters, marked: %v", len(secret), marked)
	}
	record := fmt.Sprintf("%+v", e.records[id])
	for i := 0; i+6 <= len(random); i++ {
		if part := random[i : i+6]; strings.Contains(record, part) || strings.Contains(id, part) {
			t.Errorf("the record has a part of the secret: %s", part)
		}
	}
	sum := sha256.Sum256([]byte(secret))
	if want := hex.EncodeToString(sum[:6]); id != want {
		t.Errorf("id %s, want the first 48 bits of the hash, %s", id, want)
	}
}

func TestRefused(t *testing.T) {
	e := fresh(t)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	for name, key := range map[string]string{
		"id": id, "hash": e.records[id].Hash, "shorter": secret[:len(secret)-1], "longer": secret + "A", "without mark": strings.TrimPrefix(secret, "kith_"),
		"upper case": strings.ToUpper(secret), "spaces": " " + secret, "unknown": "kith_unknown",
	} {
		t.Run(name, func(t *testing.T) { refuse(t, e.Keys, key) })
	}

	before := e.finds.Load()
	refuse(t, e.Keys, "")
	refuse(t, e.Keys, strings.Repeat("x", 513))
	if e.finds.Load() != before {
		t.Error("the store was asked for a key that cannot be one")
	}
	refuse(t, e.Keys, strings.Repeat("x", 512))
	if e.finds.Load() != before+1 {
		t.Error("the store was not asked for a key of full length")
	}

	// Another key with the same id: 48 bits can be found by trying.
	k := e.records[id]
	k.Hash = k.Hash[:12] + strings.Repeat("0", 52)
	e.records[id] = k
	other := auth.New(&e.fake, time.Now)
	defer other.Close()
	refuse(t, other, secret)
}

func TestExpires(t *testing.T) {
	e := fresh(t)
	expires := e.now.Add(time.Hour)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes, ExpiresAt: &expires})
	want := auth.Principal{KeyID: id, TeamID: "acme", Scopes: auth.Scopes}
	verify(t, e.Keys, secret, want)
	e.now = expires.Add(-time.Nanosecond)
	verify(t, e.Keys, secret, want)
	e.now = expires // at once, although the verdict is still kept
	refuse(t, e.Keys, secret)
	e.now = expires.Add(time.Hour)
	refuse(t, e.Keys, secret)
}

func TestStoreAway(t *testing.T) {
	e := fresh(t)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	find := e.find
	e.find = func(string) (auth.APIKey, error) { return auth.APIKey{}, graph.ErrUnavailable }
	for range 2 {
		if _, err := e.Verify(t.Context(), secret); !errors.Is(err, graph.ErrUnavailable) || errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("got %v, want the store's error", err)
		}
	}
	e.find = find // that it was away is not kept
	verify(t, e.Keys, secret, auth.Principal{KeyID: id, TeamID: "acme", Scopes: auth.Scopes})

	e.create = func(auth.APIKey) error { return graph.ErrUnavailable }
	e.list = func(string) ([]auth.APIKey, error) { return nil, graph.ErrUnavailable }
	e.revoke = func(string, string) error { return graph.ErrUnavailable }
	_, _, created := e.Create(t.Context(), auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	_, started := e.Bootstrap(t.Context(), "")
	_, listed := e.List(t.Context(), "")
	for name, err := range map[string]error{"create": created, "bootstrap": started, "list": listed, "revoke": e.Revoke(t.Context(), "", id)} {
		if !errors.Is(err, graph.ErrUnavailable) {
			t.Errorf("%s: got %v, want the store's error", name, err)
		}
	}
}

func TestVerdictsAreKept(t *testing.T) {
	e := fresh(t)
	good, _ := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	bad := "kith_" + strings.Repeat("x", 43)
	begun := time.Now()
	for range 500 {
		if _, err := e.Verify(t.Context(), good); err != nil {
			t.Fatal(err)
		}
		refuse(t, e.Keys, bad)
	}
	// One for each, and one more for every two seconds that the machine may have taken.
	if n, most := e.finds.Load(), 2+2*int64(time.Since(begun)/(2*time.Second)); n > most {
		t.Errorf("the store was asked %d times, want at most %d", n, most)
	}
}

// A key that was looked up before it existed is valid once it is created.
func TestMadeAfterRefused(t *testing.T) {
	e := fresh(t)
	const given = "a key that the operator chose for good"
	refuse(t, e.Keys, given)
	if _, err := e.Bootstrap(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Verify(t.Context(), given); err != nil {
		t.Error(err)
	}
}

func TestRevoke(t *testing.T) {
	e := fresh(t)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	want := auth.Principal{KeyID: id, TeamID: "acme", Scopes: auth.Scopes}
	verify(t, e.Keys, secret, want)
	for _, c := range []struct{ team, id string }{{"other", id}, {"acme", "unknown"}, {"", "unknown"}} {
		if err := e.Revoke(t.Context(), c.team, c.id); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%v: got %v, want ErrNotFound", c, err)
		}
		verify(t, e.Keys, secret, want)
	}
	if err := e.Revoke(t.Context(), "acme", id); err != nil {
		t.Fatal(err)
	}
	refuse(t, e.Keys, secret)
}

// A verdict read before a revocation is not cached after it.
func TestRevokeDuringVerify(t *testing.T) {
	e := fresh(t)
	secret, id := e.made(t, auth.Spec{TeamID: "acme", Scopes: auth.Scopes})
	found, answer := make(chan struct{}), make(chan struct{})
	find := e.find
	e.find = func(keyID string) (auth.APIKey, error) {
		k, err := find(keyID)
		close(found)
		<-answer
		return k, err
	}
	verified := make(chan error)
	go func() {
		_, err := e.Verify(t.Context(), secret)
		verified <- err
	}()
	<-found
	if err := e.Revoke(t.Context(), "", id); err != nil {
		t.Fatal(err)
	}
	close(answer)
	if err := <-verified; err != nil {
		t.Errorf("asked before the revocation: %v", err)
	}
	e.find = find
	refuse(t, e.Keys, secret)
}

// Nobody writes for a user who would be new and look like another one. Reads find what there is.
func TestWritersForUsersWhoLookAlike(t *testing.T) {
	t.Parallel()
	free := auth.Principal{TeamID: "acme", Scopes: []string{auth.Read, auth.Write}}
	for _, id := range []string{" u", "u ", "u\u00a0", "u\u200b", "\ufeffu", "u\u202ev"} {
		if _, err := free.For(auth.Write, id); !errors.Is(err, fault.ErrInvalid) || !strings.Contains(err.Error(), "user_id") {
			t.Errorf("write for %q: %v", id, err)
		}
		if got, err := free.For(auth.Read, id); err != nil || got.UserID != id {
			t.Errorf("read for %q: %v", id, err)
		}
		bound := auth.Principal{TeamID: "acme", UserID: id, Scopes: []string{auth.Write}}
		for _, named := range []string{"", id} {
			if got, err := bound.For(auth.Write, named); err != nil || got.UserID != id {
				t.Errorf("bound to %q, for %q: %v", id, named, err)
			}
		}
	}
}

func TestPrincipalFor(t *testing.T) {
	t.Parallel()
	free := auth.Principal{TeamID: "acme", Scopes: []string{auth.Read, auth.Write}}
	bound := auth.Principal{TeamID: "acme", UserID: "u", Scopes: []string{auth.Read}}
	admin := auth.Principal{TeamID: "acme", Scopes: []string{auth.Admin}}
	for _, c := range []struct {
		name        string
		who         auth.Principal
		scope, user string
		want        graph.Scope
		ok          bool
	}{
		{"free, anybody", free, auth.Read, "u", graph.Scope{TeamID: "acme", UserID: "u"}, true},
		{"free, nobody", free, auth.Write, "", graph.Scope{TeamID: "acme"}, true},
		{"free, not admin", free, auth.Admin, "u", graph.Scope{}, false},
		{"bound, itself", bound, auth.Read, "u", graph.Scope{TeamID: "acme", UserID: "u", Bound: true}, true},
		{"bound, nobody named", bound, auth.Read, "", graph.Scope{TeamID: "acme", UserID: "u", Bound: true}, true},
		{"bound, another", bound, auth.Read, "w", graph.Scope{}, false},
		{"bound, another case", bound, auth.Read, "U", graph.Scope{}, false},
		{"bound, not write", bound, auth.Write, "u", graph.Scope{}, false},
		{"admin includes not read", admin, auth.Read, "u", graph.Scope{}, false},
		{"admin includes not write", admin, auth.Write, "u", graph.Scope{}, false},
		{"admin", admin, auth.Admin, "", graph.Scope{TeamID: "acme"}, true},
		{"no scopes", auth.Principal{TeamID: "acme"}, auth.Read, "", graph.Scope{}, false},
		{"no such scope", free, "", "u", graph.Scope{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.who.For(c.scope, c.user)
			if c.ok != (err == nil) || !c.ok && !errors.Is(err, auth.ErrForbidden) {
				t.Errorf("error: %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("scope (-want +got):\n%s", diff)
			}
			if got := c.who.Allows(c.scope); got != (c.ok || strings.HasPrefix(c.name, "bound, another")) {
				t.Errorf("allows: %v", got)
			}
		})
	}
}
