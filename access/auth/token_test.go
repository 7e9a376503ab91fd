package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"kith/access/auth"
)

// issuer is an OpenID Connect issuer over HTTP.
type issuer struct {
	*httptest.Server
	key      *ecdsa.PrivateKey
	status   atomic.Int64 // that it answers with
	asked    atomic.Int64 // for its keys
	replaced atomic.Pointer[ecdsa.PrivateKey]
	control  atomic.Pointer[string] // its Cache-Control
	hold     atomic.Pointer[chan struct{}]
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func startIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{key: newKey(t)}
	i.status.Store(http.StatusOK)
	i.replaced.Store(i.key)
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if control := i.control.Load(); control != nil {
		w.Header().Set("Cache-Control", *control)
	}
	if hold := i.hold.Load(); hold != nil {
		<-*hold
	}
	w.WriteHeader(int(i.status.Load()))
	if r.URL.Path == "/.well-known/openid-configuration" {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
		return
	}
	i.asked.Add(1)
	key := i.replaced.Load()
	_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
}

// claims returns the claims of a valid token, with changes; nil removes one.
func (i *issuer) claims(change map[string]any) map[string]any {
	all := map[string]any{
		"iss": i.URL, "aud": []string{"kith", "other"}, "sub": "u1", "team_id": "acme", "scope": "openid read write profile",
		"exp": now.Add(time.Hour).Unix(), "iat": now.Unix(),
	}
	maps.Copy(all, change)
	for name, value := range all {
		if value == nil {
			delete(all, name)
		}
	}
	return all
}

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func sign(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(raw)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (i *issuer) token(t *testing.T, change map[string]any) string {
	t.Helper()
	return sign(t, jose.ES256, i.key, i.claims(change))
}

// verifier returns a Tokens for an issuer, and its clock.
func verifier(t *testing.T, i *issuer, change func(*auth.TokenOptions)) (*auth.Tokens, *atomic.Pointer[time.Time]) {
	t.Helper()
	o := auth.TokenOptions{Issuer: i.URL, Audience: "kith", TeamClaim: "team_id", UserClaim: "sub", ScopesClaim: "scope"}
	if change != nil {
		change(&o)
	}
	clock := &atomic.Pointer[time.Time]{}
	clock.Store(&now)
	v, err := auth.NewTokens(o, func() time.Time { return *clock.Load() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v, clock
}

func TestTokens(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	v, clock := verifier(t, i, nil)
	token := i.token(t, nil)
	if !auth.IsToken(token) || auth.IsToken("kith_x") || auth.IsToken("a.key.of") {
		t.Error("a token is not told from a key")
	}
	for range 3 {
		got, err := v.Verify(t.Context(), token)
		if diff := cmp.Diff(auth.Principal{KeyID: "oidc:u1", TeamID: "acme", UserID: "u1", Scopes: []string{"read", "write"}}, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	if i.asked.Load() != 1 {
		t.Errorf("the issuer was asked %d times for its keys", i.asked.Load())
	}
	later := now.Add(time.Hour)
	clock.Store(&later)
	if _, err := v.Verify(t.Context(), token); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("after its end: %v", err)
	}
	v, _ = verifier(t, i, func(o *auth.TokenOptions) { o.UserClaim, o.TeamClaim, o.ScopesClaim = "", "org", "roles" })
	got, err := v.Verify(t.Context(), i.token(t, map[string]any{"org": "beta", "roles": []string{"admin", "else"}}))
	if diff := cmp.Diff(auth.Principal{KeyID: "oidc:u1", TeamID: "beta", Scopes: []string{"admin"}}, got); err != nil || diff != "" {
		t.Errorf("other claims: %v %s", err, diff)
	}
}

func TestTokensThatAreNotGood(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	v, _ := verifier(t, i, nil)
	public, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	part := func(v any) string {
		raw, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	good := strings.Split(i.token(t, nil), ".")
	for name, token := range map[string]string{
		"expired":                i.token(t, map[string]any{"exp": now.Add(-time.Second).Unix()}),
		"without an end":         i.token(t, map[string]any{"exp": nil}),
		"not yet good":           i.token(t, map[string]any{"nbf": now.Add(time.Hour).Unix()}),
		"issued in the future":   i.token(t, map[string]any{"iat": now.Add(61 * time.Second).Unix()}),
		"issued later, as text":  i.token(t, map[string]any{"iat": fmt.Sprint(now.Add(24 * time.Hour).Unix())}),
		"of another issuer":      i.token(t, map[string]any{"iss": "https://elsewhere"}),
		"for another audience":   i.token(t, map[string]any{"aud": "other"}),
		"for no audience":        i.token(t, map[string]any{"aud": nil}),
		"without a team":         i.token(t, map[string]any{"team_id": nil}),
		"of two teams":           i.token(t, map[string]any{"team_id": []string{"a", "b"}}),
		"of a team that is none": i.token(t, map[string]any{"team_id": "a\x1fb"}),
		"without a subject":      i.token(t, map[string]any{"sub": nil}),
		"of a blank subject":     i.token(t, map[string]any{"sub": " "}),
		"signed by another key":  sign(t, jose.ES256, newKey(t), i.claims(nil)),
		"signed by another kind": sign(t, jose.RS256, weak, i.claims(nil)),
		"signed by a secret":     sign(t, jose.HS256, public, i.claims(nil)),
		"not signed":             part(map[string]string{"alg": "none"}) + "." + part(i.claims(nil)) + ".",
		"changed":                good[0] + "." + part(i.claims(map[string]any{"team_id": "other"})) + "." + good[2],
		"garbage":                "eyJ.x.y",
		"too long":               "eyJ" + strings.Repeat("x", 20<<10) + ".x.y",
	} {
		if p, err := v.Verify(t.Context(), token); !errors.Is(err, auth.ErrUnauthorized) || p.TeamID != "" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if _, err := v.Verify(t.Context(), i.token(t, map[string]any{"iat": now.Add(time.Minute).Unix()})); err != nil {
		t.Errorf("by a clock that is a minute ahead: %v", err)
	}
	if p, err := v.Verify(t.Context(), i.token(t, map[string]any{"scope": nil})); err != nil || p.Allows(auth.Read) {
		t.Errorf("without scopes: %+v, %v", p, err)
	}
	if i.asked.Load() > 1 { // the clock stands still
		t.Errorf("the issuer was asked %d times for its keys", i.asked.Load())
	}
}

// A claim counts under its own name only: one whose letters differ in case is another claim, before or behind it.
func TestClaimsAreReadExactly(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	v, _ := verifier(t, i, nil)
	raw, err := json.Marshal(i.claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	inside := string(raw[1 : len(raw)-1])
	want := auth.Principal{KeyID: "oidc:u1", TeamID: "acme", UserID: "u1", Scopes: []string{"read", "write"}}
	for _, other := range []string{`"SUB":"x"`, `"Sub":"x"`, "\"\u017fub\":\"x\"", `"IAT":4000000000`, `"TEAM_ID":"other"`, `"Scope":"admin"`} {
		for _, claims := range []string{inside + "," + other, other + "," + inside} {
			p, err := v.Verify(t.Context(), sign(t, jose.ES256, i.key, json.RawMessage("{"+claims+"}")))
			if diff := cmp.Diff(want, p); err != nil || diff != "" {
				t.Errorf("%s: %v %s", claims, err, diff)
			}
		}
	}
}

// An issuer that is unavailable at the start, or changes its keys, is found again.
func TestIssuerComesAndGoes(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	v, clock := verifier(t, i, nil)
	pass := func(d time.Duration) {
		later := clock.Load().Add(d)
		clock.Store(&later)
	}
	i.status.Store(http.StatusBadGateway)
	for range 2 {
		if _, err := v.Verify(t.Context(), i.token(t, nil)); !errors.Is(err, auth.ErrIssuer) {
			t.Fatalf("away: %v", err)
		}
	}
	i.status.Store(http.StatusOK)
	pass(time.Minute)
	if _, err := v.Verify(t.Context(), i.token(t, nil)); err != nil {
		t.Fatalf("back: %v", err)
	}
	next := newKey(t)
	i.replaced.Store(next)
	pass(time.Minute)
	if _, err := v.Verify(t.Context(), sign(t, jose.ES256, next, i.claims(map[string]any{"jti": "2"}))); err != nil {
		t.Errorf("with a new key: %v", err)
	}
	i.status.Store(http.StatusInternalServerError)
	pass(time.Minute)
	if _, err := v.Verify(t.Context(), sign(t, jose.ES256, newKey(t), i.claims(nil))); !errors.Is(err, auth.ErrIssuer) {
		t.Errorf("its keys cannot be had: %v", err)
	}
	if _, err := v.Verify(t.Context(), sign(t, jose.ES256, next, i.claims(map[string]any{"jti": "3"}))); err != nil {
		t.Errorf("with a key that is known: %v", err)
	}
}

func TestTokenOptions(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]auth.TokenOptions{
		"KITH_OIDC_ISSUER":     {Issuer: "https://user:hidden@host", Audience: "a", TeamClaim: "t", ScopesClaim: "s"},
		"KITH_OIDC_AUDIENCE":   {Issuer: "https://host", TeamClaim: "t", ScopesClaim: "s"},
		"KITH_OIDC_TEAM_CLAIM": {Issuer: "https://host", Audience: "a", ScopesClaim: "s"},
	} {
		if _, err := auth.NewTokens(o, time.Now); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A key withdrawn by the issuer is valid for ten minutes at most, or as long as Cache-Control says within bounds,
// whatever tokens come.
func TestWithdrawnKeys(t *testing.T) {
	t.Parallel()
	for control, life := range map[string]time.Duration{
		"": 10 * time.Minute, "public, max-age=120": 2 * time.Minute, "max-age=1": time.Minute, "no-store": time.Minute,
		"max-age=864000": 10 * time.Minute, "max-age=x": 10 * time.Minute,
	} {
		i := startIssuer(t)
		i.control.Store(&control)
		v, clock := verifier(t, i, nil)
		at := func(d time.Duration) {
			later := now.Add(d)
			clock.Store(&later)
		}
		seen := i.token(t, nil)
		if _, err := v.Verify(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
		i.replaced.Store(newKey(t))
		at(life * 3 / 4)
		if _, err := v.Verify(t.Context(), i.token(t, map[string]any{"jti": "2"})); err != nil {
			t.Errorf("%q: before its time: %v", control, err)
		}
		at(life + time.Second)
		for what, token := range map[string]string{"a new token": i.token(t, map[string]any{"jti": "3"}), "one seen before": seen} {
			if _, err := v.Verify(t.Context(), token); !errors.Is(err, auth.ErrUnauthorized) {
				t.Errorf("%q: %s of a key that was withdrawn: %v", control, what, err)
			}
		}
	}
}

// An issuer that does not answer causes no outage: its keys stay valid for another hour, and no request waits for it if
// others have lately tried.
func TestIssuerIsAway(t *testing.T) {
	t.Parallel()
	i := startIssuer(t)
	v, clock := verifier(t, i, nil)
	good := func(at time.Duration, id string) error {
		later := now.Add(at)
		clock.Store(&later)
		_, err := v.Verify(t.Context(), i.token(t, map[string]any{"jti": id, "exp": now.Add(24 * time.Hour).Unix()}))
		return err
	}
	if err := good(0, "1"); err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	i.hold.Store(&hold)
	if err := good(9*time.Minute, "2"); err != nil { // the issuer is asked, and does not answer yet
		t.Errorf("a request waits: %v", err)
	}
	i.status.Store(http.StatusBadGateway)
	close(hold)
	for n, at := range []time.Duration{11 * time.Minute, 30 * time.Minute, time.Hour} {
		if err := good(at, string(rune('a'+n))); err != nil {
			t.Errorf("after %v: %v", at, err)
		}
	}
	if err := good(2*time.Hour, "z"); !errors.Is(err, auth.ErrIssuer) {
		t.Errorf("after the grace: %v", err)
	}
	i.status.Store(http.StatusOK)
	if err := good(3*time.Hour, "y"); err != nil {
		t.Errorf("back: %v", err)
	}
}
