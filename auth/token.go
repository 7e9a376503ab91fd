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

	"kith/graph"
)

// ErrIssuer says: the issuer of tokens does not answer, so that none can be verified.
var ErrIssuer = errors.New("the issuer of tokens does not answer")

const (
	maxToken      = 16 << 10 // bytes
	issuerTimeout = 5 * time.Second
	issuerPause   = 5 * time.Second // between questions for the issuer's address
	tokenTTL      = time.Minute     // for which a token that was verified is not verified again
)

// signatures are the algorithms by which a token may be signed: those with a public key.
var signatures = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// TokenOptions say whose tokens are good, and what they tell of a caller.
type TokenOptions struct {
	Issuer      string // its URL, as in the claim iss
	Audience    string // that aud must name
	TeamClaim   string // the caller's team
	UserClaim   string // the user that the caller is bound to; empty: it may act for any of the team
	ScopesClaim string // read, write, admin: a list, or words in a text; those of other services are passed over
}

// Tokens verifies OpenID Connect tokens. The issuer is asked for its keys when they are first needed. It is safe for
// concurrent use.
type Tokens struct {
	options  TokenOptions
	now      func() time.Time
	client   *http.Client
	verified *otter.Cache[[32]byte, bearer]

	mu    sync.Mutex
	keys  *signingKeys // nil: where they are is not known yet
	asked time.Time    // when that was tried last

	erasures erasures // nil: nobody is ever erased
}

// bearer is who has shown a good token.
type bearer struct {
	principal Principal
	expires   time.Time
	issued    time.Time // zero: the token does not say
	keys      int       // the generation of the issuer's keys
}

// NewTokens makes a Tokens; now is the clock by which tokens expire. Nothing is asked yet. Close it after use.
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
		options: o, now: now, client: &http.Client{Timeout: issuerTimeout, Transport: &steady{next: http.DefaultTransport, now: now}},
		verified: otter.Must(&otter.Options[[32]byte, bearer]{
			MaximumSize: maxVerified, ExpiryCalculator: otter.ExpiryWriting[[32]byte, bearer](tokenTTL),
		}),
	}, nil
}

// Close stops the cache of verified tokens, and waits for what is asked of the issuer. Call it after the last Verify.
func (t *Tokens) Close() {
	t.verified.StopAllGoroutines()
	t.mu.Lock()
	keys := t.keys
	t.mu.Unlock()
	if keys != nil {
		keys.beside.Wait()
	}
}

// IsToken says whether a credential has the form of a token. API keys have not.
func IsToken(credential string) bool {
	return strings.HasPrefix(credential, "eyJ") && strings.Count(credential, ".") == 2
}

// Verify says whose token it is. ErrUnauthorized, or ErrIssuer where its keys cannot be had.
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

// Heed makes tokens useless that were issued before their user, or team, was erased. Call it before the first Verify.
func (t *Tokens) Heed(store *graph.Store) { t.erasures = store }

// isBefore says whether the token may have been issued before an erasure. The issuer's clock tells seconds.
func (b bearer) isBefore(erased time.Time) bool {
	return !erased.IsZero() && !b.issued.After(erased)
}

// isCurrent says whether the issuer has the same keys as when the token was verified, as far as is known.
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
	p, ok := t.principal(token.Subject, claims)
	if !ok {
		return bearer{}, ErrUnauthorized
	}
	b := bearer{p, token.Expiry, token.IssuedAt, generation}
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

// principal is the caller that claims tell of; false where they leave out whom.
func (t *Tokens) principal(subject string, claims map[string]json.RawMessage) (Principal, bool) {
	p := Principal{KeyID: "oidc:" + subject, Scopes: scopesIn(claims[t.options.ScopesClaim])}
	named := func(claim string, into *string) bool {
		return json.Unmarshal(claims[claim], into) == nil && graph.ValidKey(*into)
	}
	if !graph.ValidKey(subject) || !named(t.options.TeamClaim, &p.TeamID) {
		return p, false
	}
	return p, t.options.UserClaim == "" || named(t.options.UserClaim, &p.UserID)
}

// scopesIn are Kith's scopes in a claim: a list, or words in a text.
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

// issuerKeys are the keys of the issuer. Where they cannot be had it is not asked again for some seconds.
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
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), t.client) // others wait for the same answer
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

// notedKeys notes why a signature could not be verified: the verifier tells it as text alone.
type notedKeys struct {
	oidc.KeySet
	err error
}

// VerifySignature is that of the keys.
func (n *notedKeys) VerifySignature(ctx context.Context, jwt string) (payload []byte, err error) {
	payload, n.err = n.KeySet.VerifySignature(ctx, jwt)
	return payload, n.err
}
