// Package auth authenticates callers: API keys, tokens and their Principal. It knows nothing of HTTP frameworks, and
// stores only the SHA-256 of a key.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"kith/graph"
	"kith/graph/fence"
	"kith/graph/trust"
	"kith/internal/fault"
	"kith/internal/sleep"
)

var (
	// ErrUnauthorized reports that the key is missing, unknown, revoked or expired. Callers cannot distinguish the four.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden reports that the key is valid, but lacks a right.
	ErrForbidden = errors.New("forbidden")
)

// ScopeError names the missing scope; it unwraps to ErrForbidden.
type ScopeError struct{ Scope string }

// Error returns a message with the missing scope.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("the key lacks the scope %s: %v", e.Scope, ErrForbidden)
}

// Unwrap makes errors.Is(err, ErrForbidden) true.
func (e *ScopeError) Unwrap() error { return ErrForbidden }

// Scopes of a key. They are independent: none includes another.
const (
	Read  = "read"
	Write = "write"
	Admin = "admin"
)

// Scopes holds all scopes.
var Scopes = []string{Read, Write, Admin}

// DefaultTeam is the team of the first admin key. Its admin keys may create keys for any team.
const DefaultTeam = "default"

// Principal is a caller: a team, optionally bound to one of its users, and its scopes.
type Principal struct {
	KeyID  string
	TeamID string
	UserID string // empty: may act for any user of the team
	Scopes []string

	RateLimit *int64 // requests a minute; 0: no limit, nil: the service's default
	Limit     graph.Limit
}

// limitedCalls are the operations, beside those that only read, of a caller whose trust is limited: what they write carries the trust.
var limitedCalls = []string{ //nolint:gochecknoglobals // a constant list
	"write-memory", "write-source", "append-messages", "open-conversation", "end-conversation", "explore", "traverse", "make-prompt",
}

// MayChange returns ErrForbidden for an operation that may change something and that the caller, whose trust is limited, must not
// call: set preferences, decide, delete or import.
func (p Principal) MayChange(operation string) error {
	if p.Limit.Believed() < 1 && !slices.Contains(limitedCalls, operation) {
		return fmt.Errorf("the trust of the key is limited: it writes memory and sources only: %w", ErrForbidden)
	}
	return nil
}

// Allows reports whether the caller has a scope.
func (p Principal) Allows(scope string) bool { return slices.Contains(p.Scopes, scope) }

// tokenPrefix begins the KeyID of a caller with a token; its subject follows.
const tokenPrefix = "oidc:"

// WriterID returns the caller's id as nodes and relationships keep it: the subject of a token is a person's, and is left out.
func (p Principal) WriterID() string {
	if strings.HasPrefix(p.KeyID, tokenPrefix) {
		return graph.TokenWriter
	}
	return p.KeyID
}

// For returns the graph scope in which the caller acts for a user: the named user, or the user that it is bound to. It
// returns ErrForbidden if the caller lacks the scope or is bound to another user, and an InvalidError if it would write for a user whose id
// looks like another's: nothing shows that this is somebody new. Callers who are bound to such a user are that user.
func (p Principal) For(scope, userID string) (graph.Scope, error) {
	if !p.Allows(scope) {
		return graph.Scope{}, &ScopeError{scope}
	}
	if p.UserID != "" && userID != "" && userID != p.UserID {
		return graph.Scope{}, fmt.Errorf("the key is bound to another user: %w", ErrForbidden)
	}
	if scope == Write && p.UserID == "" && fault.ValidKey(userID) {
		f := &fault.List{}
		if f.User(fault.At("user_id"), userID); f.Len() > 0 {
			return graph.Scope{}, f.Err()
		}
	}
	if userID == "" {
		userID = p.UserID
	}
	return graph.Scope{TeamID: p.TeamID, UserID: userID, Bound: p.UserID != ""}, nil
}

type principalKey struct{}

// WithPrincipal returns a context with a caller.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the caller of a context. Without one it returns the zero Principal, which has no rights.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

type store interface {
	CreateAPIKey(ctx context.Context, key APIKey) error
	FindAPIKey(ctx context.Context, keyID string) (APIKey, error)
	ListAPIKeys(ctx context.Context, teamID string) ([]APIKey, error)
	RevokeAPIKey(ctx context.Context, teamID, keyID string) error
	AdminAPIKeys(ctx context.Context, teamID string) ([]APIKey, error)
	APIKeyIDs(ctx context.Context) (ids []string, complete bool, err error)
	TouchAPIKeys(ctx context.Context, used map[string]time.Time) error
}

// erasures returns when users and teams were erased.
type erasures interface {
	ErasureOf(ctx context.Context, teamID, userID string) (fence.Erasure, error)
	LastErasure(ctx context.Context, teamID, userID string) (time.Time, error)
}

const (
	verifiedTTL = 2 * time.Second // lifetime of a cached verdict, and so the delay of a revocation
	maxVerified = 10_000
	keyPrefix   = "kith_"
	minKey      = 32 // characters of a key chosen by the operator
	maxKey      = 512
)

// Keys creates and verifies API keys. It is safe for concurrent use.
type Keys struct {
	store    store
	now      func() time.Time
	verified *otter.Cache[[32]byte, verdict]
	erasures erasures              // nil: erasures are ignored
	announce func(context.Context) // announces a revocation to the other instances
	failures failures
	known    known

	mu   sync.Mutex
	used map[string]time.Time // last use by key id, not stored yet
	era  int                  // counts changes of keys: a verdict read before a change is not cached after it

	first string // generated by Bootstrap, and perhaps not stored yet; empty: none
}

// verdict is a cached result of a key's lookup, valid or not.
type verdict struct {
	principal Principal
	expires   *time.Time
	good      bool
}

// New returns a Keys over a store; now is the clock for expiry.
func New(s store, now func() time.Time) *Keys {
	return &Keys{store: s, now: now, announce: func(context.Context) {}, used: map[string]time.Time{}, verified: otter.Must(&otter.Options[[32]byte, verdict]{
		MaximumSize: maxVerified, ExpiryCalculator: otter.ExpiryWriting[[32]byte, verdict](verifiedTTL),
	})}
}

// Heed makes Verify check again keys that were verified before the erasure of their user or team. Call it before the first Verify.
func (k *Keys) Heed(e erasures) { k.erasures = e }

// Announce sets the function that is called after a revocation, to make other instances drop their cached verdicts.
// Call it before the first Verify.
func (k *Keys) Announce(announce func(context.Context)) { k.announce = announce }

// Close stops the cache of verdicts.
func (k *Keys) Close() { k.verified.StopAllGoroutines() }

// Verify returns the caller with a key. It returns ErrUnauthorized, or the store's error.
func (k *Keys) Verify(ctx context.Context, key string) (Principal, error) {
	if len(key) == 0 || len(key) > maxKey {
		return Principal{}, ErrUnauthorized
	}
	sum := sha256.Sum256([]byte(key))
	v, ok := k.verified.GetIfPresent(sum)
	if ok && k.isDoubtful(ctx, v) {
		ok = false
	}
	if !ok {
		k.mu.Lock()
		era := k.era
		k.mu.Unlock()
		var err error
		if v, err = k.lookWithin(ctx, sum); err != nil {
			return Principal{}, err
		}
		k.keep(sum, v, era)
	}
	if !v.good || v.expires != nil && !k.now().Before(*v.expires) {
		return Principal{}, ErrUnauthorized
	}
	if !ok {
		k.use(v.principal.KeyID)
	}
	return v.principal, nil
}

// isDoubtful reports whether a verdict may be older than the erasure of its user or team.
func (k *Keys) isDoubtful(ctx context.Context, v verdict) bool {
	if k.erasures == nil || !v.good {
		return false
	}
	of, err := k.erasures.ErasureOf(ctx, v.principal.TeamID, v.principal.UserID)
	return err != nil || of.Recent
}

func (k *Keys) keep(sum [32]byte, v verdict, era int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if era == k.era {
		k.verified.Set(sum, v)
	}
}

// Forget drops all verdicts, including lookups in progress. Call it after keys were deleted by other means than this
// Keys.
func (k *Keys) Forget() {
	k.forgetKnown()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.era++
	k.verified.InvalidateAll()
}

func (k *Keys) look(ctx context.Context, sum [32]byte) (verdict, error) {
	hash := hashOf(sum)
	stored, err := k.store.FindAPIKey(ctx, keyID(hash))
	if errors.Is(err, fault.ErrNotFound) {
		return verdict{}, nil
	}
	if err != nil {
		return verdict{}, fmt.Errorf("verify key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(stored.Hash), []byte(hash)) != 1 || stored.RevokedAt != nil {
		return verdict{}, nil
	}
	p := Principal{KeyID: stored.KeyID, TeamID: stored.TeamID, Scopes: stored.Scopes, RateLimit: stored.RateLimit, Limit: stored.limit()}
	if stored.UserID != nil {
		if *stored.UserID == "" { // would be valid for all users: Create refuses it
			return verdict{}, nil
		}
		p.UserID = *stored.UserID
	}
	return verdict{principal: p, expires: stored.ExpiresAt, good: true}, nil
}

func idOf(sum [32]byte) string { return keyID(hashOf(sum)) }

// keyID returns the id of a key: the first 48 bits of its hash, which reveal nothing of the key.
func keyID(hash string) string { return hash[:12] }

// Spec describes a new key.
type Spec struct {
	TeamID    string
	UserID    *string // nil: not bound; an empty one is refused
	Scopes    []string
	RateLimit *int64 // requests a minute; 0: no limit, nil: the service's default
	ExpiresAt *time.Time
	Origin    *string  // of what the key writes; nil: none
	Trust     *float64 // the most that what the key writes is believed; nil: it is believed

	bootstrap bool
}

// maxRateLimit is the highest rate limit of a key, in units a minute.
const maxRateLimit = 1_000_000

// check returns an InvalidError if a key cannot be as specified.
func (s *Spec) check(now time.Time) error {
	f := &fault.List{}
	f.Key(fault.At("team_id"), s.TeamID)
	if s.UserID != nil {
		f.User(fault.At("user_id"), *s.UserID)
	}
	f.SomeItems(fault.At("scopes"), len(s.Scopes), len(Scopes))
	for i, scope := range s.Scopes {
		f.OneOf(fault.At("scopes").Index(i), scope, Scopes...)
	}
	if s.RateLimit != nil {
		f.Between(fault.At("rate_limit"), *s.RateLimit, 0, maxRateLimit)
	}
	if s.Origin != nil {
		f.OneOf(fault.At("origin"), *s.Origin, trust.Origins...)
	}
	if s.Trust != nil {
		f.Share(fault.At("trust"), *s.Trust)
	}
	if s.ExpiresAt != nil && !s.ExpiresAt.After(now) {
		f.Add(fault.At("expires_at"), fault.OutOfRange, "must be in the future")
	}
	return f.Err()
}

// Create creates a key. The secret is returned only once and is stored nowhere. It returns an InvalidError for a wrong spec.
func (k *Keys) Create(ctx context.Context, spec Spec) (secret, id string, err error) {
	if secret, err = generate(); err != nil {
		return "", "", err
	}
	id, err = k.put(ctx, secret, spec)
	return secret, id, err
}

func generate() (secret string, err error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", fmt.Errorf("create key: %w", err)
	}
	return keyPrefix + base64.RawURLEncoding.EncodeToString(random), nil
}

func (k *Keys) put(ctx context.Context, secret string, spec Spec) (string, error) {
	if err := spec.check(k.now()); err != nil {
		return "", fmt.Errorf("create key: %w", err)
	}
	sum := sha256.Sum256([]byte(secret))
	hash := hashOf(sum)
	key := APIKey{
		KeyID: keyID(hash), Hash: hash, TeamID: spec.TeamID, UserID: spec.UserID, Scopes: spec.Scopes, RateLimit: spec.RateLimit, CreatedAt: k.now(), ExpiresAt: spec.ExpiresAt,
		Bootstrap: &spec.bootstrap, Origin: spec.Origin, Trust: spec.Trust,
	}
	if err := k.store.CreateAPIKey(ctx, key); err != nil {
		return "", fmt.Errorf("create key: %w", err)
	}
	k.learn(sum)
	return key.KeyID, nil
}

func hashOf(sum [32]byte) string { return hex.EncodeToString(sum[:]) }

// Bootstrap ensures that an admin key exists. A given key becomes an admin key of DefaultTeam; without one an empty
// store gets a generated one. It returns the key only if the store was empty, to be shown once. After an error it may be
// called again: a key that was generated then, and stored all the same, is returned. It is not for concurrent use.
func (k *Keys) Bootstrap(ctx context.Context, given string) (first string, err error) {
	if err := k.checkBootstrap(ctx, given); err != nil {
		return "", err
	}
	keys, err := k.store.ListAPIKeys(ctx, "")
	if err != nil {
		return "", fmt.Errorf("bootstrap: %w", err)
	}
	spec := Spec{TeamID: DefaultTeam, Scopes: Scopes, bootstrap: true}
	switch {
	case given != "":
		_, err = k.put(ctx, given, spec)
		if len(keys) == 0 {
			first = given
		}
	case len(keys) == 0 || k.first != "" && slices.ContainsFunc(keys, func(stored APIKey) bool { return stored.Hash == hashOf(sha256.Sum256([]byte(k.first))) }):
		first, err = k.putFirst(ctx, spec)
	}
	return first, err
}

// putFirst stores a generated key, and the same one again if its answer was lost.
func (k *Keys) putFirst(ctx context.Context, spec Spec) (first string, err error) {
	if k.first == "" {
		if k.first, err = generate(); err != nil {
			return "", err
		}
	}
	if _, err := k.put(ctx, k.first, spec); err != nil {
		return "", err
	}
	first, k.first = k.first, ""
	return first, nil
}

// List returns the keys of a team, newest first; of every team when teamID is empty.
func (k *Keys) List(ctx context.Context, teamID string) ([]APIKey, error) {
	return k.store.ListAPIKeys(ctx, teamID)
}

// Revoke revokes a key: when it returns, no instance accepts it. It notifies other instances, and waits for the
// lifetime of cached verdicts in case one misses that. With a teamID only a key of that team is found. It returns
// fault.ErrNotFound.
func (k *Keys) Revoke(ctx context.Context, teamID, id string) error {
	defer k.Forget()
	if err := k.store.RevokeAPIKey(ctx, teamID, id); err != nil {
		return err
	}
	k.Forget()
	ctx = context.WithoutCancel(ctx)
	k.announce(ctx)
	sleep.For(ctx, verifiedTTL)
	return nil
}
