package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/maypok86/otter/v2"

	"kith/internal/fault"
)

// ErrIssuer reports that the issuer does not answer, so that no token can be verified.
var ErrIssuer = errors.New("the issuer of tokens does not answer")

const (
	maxToken      = 16 << 10 // bytes
	issuerTimeout = 5 * time.Second
	issuerPause   = 5 * time.Second // between requests for the issuer's configuration
	tokenTTL      = time.Minute     // lifetime of a verified token in the cache
)

// signatures holds the accepted signature algorithms: those with a public key.
var signatures = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// TokenOptions configures which tokens are accepted, and how their claims map to a caller.
type TokenOptions struct {
	Issuer      string // its URL, as in the claim iss
	Audience    string // required in aud
	TeamClaim   string // the caller's team
	UserClaim   string // the caller's user; empty: the caller may act for every user of the team
	ScopesClaim string // read, write, admin: a list, or a string of words; unknown scopes are ignored
}

// Tokens verifies OpenID Connect tokens. It requests the issuer's keys at the first use. It is safe for concurrent use.
type Tokens struct {
	options  TokenOptions
	now      func() time.Time
	client   *http.Client
	verified *otter.Cache[[32]byte, bearer]

	mu    sync.Mutex
	keys  *signingKeys // nil: their address is not known yet
	asked time.Time    // last attempt to find it

	erasures erasures // nil: erasures are ignored
}

// clockSkew is how far the issuer's clock may be ahead.
const clockSkew = time.Minute

// bearer is the caller of a verified token.
type bearer struct {
	principal Principal
	expires   time.Time
	issued    time.Time // zero: the token has no iat
	keys      int       // generation of the issuer's keys
}

// NewTokens returns a Tokens; now is the clock for expiry. It sends no request yet. Close it after use.
func NewTokens(o TokenOptions, now func() time.Time) (*Tokens, error) {
	at, err := url.Parse(o.Issuer)
	switch {
	case err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return nil, errors.New("KITH_OIDC_ISSUER is not an https:// or http:// address with nothing but host, port and path")
	case o.Audience == "":
		return nil, errors.New("KITH_OIDC_AUDIENCE is not given: tokens for other services would be good here")
	case o.TeamClaim == "" || o.ScopesClaim == "":
		return nil, errors.New("KITH_OIDC_TEAM_CLAIM or KITH_OIDC_SCOPES_CLAIM is empty")
	}
	return &Tokens{
		options: o, now: now, client: &http.Client{Timeout: issuerTimeout, Transport: &issuerCache{next: http.DefaultTransport, now: now}},
		verified: otter.Must(&otter.Options[[32]byte, bearer]{
			MaximumSize: maxVerified, ExpiryCalculator: otter.ExpiryWriting[[32]byte, bearer](tokenTTL),
		}),
	}, nil
}

// Close stops the cache of verified tokens, and waits for requests to the issuer. Call it after the last Verify.
func (t *Tokens) Close() {
	t.verified.StopAllGoroutines()
	t.mu.Lock()
	keys := t.keys
	t.mu.Unlock()
	if keys != nil {
		keys.renewals.Wait()
	}
}

// IsToken reports whether a credential has the form of a token. API keys have not.
func IsToken(credential string) bool {
	return strings.HasPrefix(credential, "eyJ") && strings.Count(credential, ".") == 2
}

// Verify returns the caller with a token. It returns ErrUnauthorized, or ErrIssuer when the issuer's keys are
// unavailable.
func (t *Tokens) Verify(ctx context.Context, token string) (Principal, error) {
	if len(token) > maxToken {
		return Principal{}, ErrUnauthorized
	}
	sum := sha256.Sum256([]byte(token))
	b, ok := t.verified.GetIfPresent(sum)
	if !ok || !t.isCurrent(b) {
		var err error
		if b, err = t.look(ctx, token); err != nil {
			return Principal{}, err
		}
		t.verified.Set(sum, b)
	}
	if !t.now().Before(b.expires) {
		return Principal{}, ErrUnauthorized
	}
	if t.erasures != nil {
		of, err := t.erasures.ErasureOf(ctx, b.principal.TeamID, b.principal.UserID)
		if err != nil {
			return Principal{}, fmt.Errorf("verify token: %w", err)
		}
		if b.isBefore(of.At) {
			return Principal{}, ErrUnauthorized
		}
	}
	return b.principal, nil
}

// Heed makes Verify refuse tokens issued before the erasure of their user or team. Call it before the first Verify.
func (t *Tokens) Heed(e erasures) { t.erasures = e }

// isBefore reports whether the token may have been issued before an erasure. The issuer's clock has whole seconds.
func (b bearer) isBefore(erased time.Time) bool {
	return !erased.IsZero() && !b.issued.After(erased)
}

// isCurrent reports whether the issuer's known keys are the same as when the token was verified.
func (t *Tokens) isCurrent(b bearer) bool {
	t.mu.Lock()
	keys := t.keys
	t.mu.Unlock()
	generation, known := keys.generation()
	return known && generation == b.keys
}

func (t *Tokens) look(ctx context.Context, raw string) (bearer, error) {
	keys, err := t.issuerKeys(ctx)
	if err != nil {
		return bearer{}, err
	}
	generation, _ := keys.generation()
	noted := &notedKeys{KeySet: keys}
	token, err := oidc.NewVerifier(t.options.Issuer, noted, &oidc.Config{
		ClientID: t.options.Audience, SupportedSigningAlgs: signatures, Now: t.now,
	}).Verify(ctx, raw)
	switch {
	case errors.Is(noted.err, ErrIssuer):
		return bearer{}, ErrIssuer
	case err != nil:
		return bearer{}, ErrUnauthorized
	}
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return bearer{}, ErrUnauthorized
	}
	p, ok := t.principal(claims)
	issued := issuedIn(claims["iat"])
	if !ok || issued.After(t.now().Add(clockSkew)) { // one of the future would outlive an erasure
		return bearer{}, ErrUnauthorized
	}
	b := bearer{p, token.Expiry, issued, generation}
	if t.erasures == nil {
		return b, nil
	}
	erased, err := t.erasures.LastErasure(ctx, p.TeamID, p.UserID)
	switch {
	case err != nil:
		return bearer{}, fmt.Errorf("verify token: %w", err)
	case b.isBefore(erased):
		return bearer{}, ErrUnauthorized
	}
	return b, nil
}

// principal returns the caller from claims; false when a required claim is missing. All are read from the same map: the verifier takes
// SUB for sub.
func (t *Tokens) principal(claims map[string]json.RawMessage) (p Principal, ok bool) {
	named := func(claim string, into *string) bool {
		return json.Unmarshal(claims[claim], into) == nil && fault.ValidKey(*into)
	}
	subject := ""
	if !named("sub", &subject) || !named(t.options.TeamClaim, &p.TeamID) {
		return p, false
	}
	p.KeyID, p.Scopes = tokenPrefix+subject, scopesIn(claims[t.options.ScopesClaim])
	return p, t.options.UserClaim == "" || named(t.options.UserClaim, &p.UserID)
}

// issuedIn returns the time in a claim; zero if there is none.
func issuedIn(claim json.RawMessage) time.Time {
	var number json.Number
	if json.Unmarshal(claim, &number) != nil {
		return time.Time{}
	}
	seconds, err := number.Float64()
	if err != nil {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}

// scopesIn returns Kith's scopes in a claim: a list, or a string of words.
func scopesIn(claim json.RawMessage) []string {
	var (
		text string
		list []string
	)
	if json.Unmarshal(claim, &list) != nil && json.Unmarshal(claim, &text) == nil {
		list = strings.Fields(text)
	}
	return slices.DeleteFunc(list, func(scope string) bool { return !slices.Contains(Scopes, scope) })
}

// issuerKeys returns the issuer's keys. After a failure it does not request them again for some seconds.
func (t *Tokens) issuerKeys(ctx context.Context) (*signingKeys, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.keys != nil:
		return t.keys, nil
	case t.now().Sub(t.asked) < issuerPause:
		return nil, ErrIssuer
	}
	t.asked = t.now()
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), t.client) // others wait for the same response
	provider, err := oidc.NewProvider(ctx, t.options.Issuer)
	var found struct {
		Keys string `json:"jwks_uri"`
	}
	if err == nil {
		err = provider.Claims(&found)
	}
	if err != nil || found.Keys == "" {
		return nil, ErrIssuer
	}
	t.keys = &signingKeys{client: t.client, url: found.Keys, now: t.now}
	return t.keys, nil
}

// notedKeys records why a signature could not be verified: the verifier returns that as text only.
type notedKeys struct {
	oidc.KeySet
	err error
}

// VerifySignature verifies a signature with the keys, and records the error.
func (n *notedKeys) VerifySignature(ctx context.Context, jwt string) (payload []byte, err error) {
	payload, n.err = n.KeySet.VerifySignature(ctx, jwt)
	return payload, n.err
}
