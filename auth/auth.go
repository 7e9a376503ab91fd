// Package auth says who a caller is: API keys and the Principal they stand for. It knows nothing of HTTP frameworks,
// and keeps no key: only its SHA-256.
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
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"kith/graph"
	"kith/internal/sleep"
)

var (
	// ErrUnauthorized says: no key, or one that is unknown, revoked or expired; the four are not told apart.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrForbidden says: the key is good, but not for this.
	ErrForbidden = errors.New("forbidden")
)

// ScopeError says which scope a key lacks; it unwraps to ErrForbidden.
type ScopeError struct{ Scope string }

// Error says which scope is missing.
func (e *ScopeError) Error() string {
	return fmt.Sprintf("the key lacks the scope %s: %v", e.Scope, ErrForbidden)
}

// Unwrap makes errors.Is(err, ErrForbidden) true.
func (e *ScopeError) Unwrap() error { return ErrForbidden }

// The scopes of a key. None includes another.
const (
	Read  = "read"
	Write = "write"
	Admin = "admin"
)

// Scopes lists all scopes.
var Scopes = []string{Read, Write, Admin}

// DefaultTeam is the team of the first admin key; its admin keys may make keys for any team.
const DefaultTeam = "default"

// Principal is a caller: a team, perhaps bound to one of its users, and what it may do.
type Principal struct {
	KeyID  string
	TeamID string
	UserID string // empty: may act for any user of the team
	Scopes []string

	RateLimit *int64 // requests a minute; 0: any number, nil: as the service has it
}

// Allows says whether the caller has a scope.
func (p Principal) Allows(scope string) bool { return slices.Contains(p.Scopes, scope) }

// For is the scope in which the caller acts for a user: the user named, or the one it is bound to.
// ErrForbidden when it lacks the scope, or is bound to somebody else.
func (p Principal) For(scope, userID string) (graph.Scope, error) {
	if !p.Allows(scope) {
		return graph.Scope{}, &ScopeError{scope}
	}
	if p.UserID != "" && userID != "" && userID != p.UserID {
		return graph.Scope{}, fmt.Errorf("the key is bound to another user: %w", ErrForbidden)
	}
	if userID == "" {
		userID = p.UserID
	}
	return graph.Scope{TeamID: p.TeamID, UserID: userID, Bound: p.UserID != ""}, nil
}

type principalKey struct{}

// WithPrincipal is a context in which a caller acts.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf is who acts in a context: nobody, who may do nothing, where nobody was let in.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

type store interface {
	CreateAPIKey(ctx context.Context, key graph.APIKey) error
	FindAPIKey(ctx context.Context, keyID string) (graph.APIKey, error)
	ListAPIKeys(ctx context.Context, teamID string) ([]graph.APIKey, error)
	RevokeAPIKey(ctx context.Context, teamID, keyID string) error
	AdminAPIKeys(ctx context.Context, teamID string) ([]graph.APIKey, error)
	APIKeyIDs(ctx context.Context) ([]string, error)
	TouchAPIKeys(ctx context.Context, used map[string]time.Time) error
}

// erasures says who was erased.
type erasures interface {
	ErasureOf(ctx context.Context, teamID, userID string) (graph.ErasureOf, error)
	LastErasure(ctx context.Context, teamID, userID string) (time.Time, error)
}

const (
	verifiedTTL = 2 * time.Second // for which a verdict on a key is believed: a revocation waits for as long
	maxVerified = 10_000
	keyPrefix   = "kith_"
	minKey      = 32 // characters of a key that was not generated
	maxKey      = 512
)

// Keys makes and verifies API keys. It is safe for concurrent use.
type Keys struct {
	store    store
	now      func() time.Time
	verified *otter.Cache[[32]byte, verdict]
	erasures erasures              // nil: nobody is ever erased
	announce func(context.Context) // that a key was revoked, to the other processes
	failures failures
	known    known

	mu   sync.Mutex
	used map[string]time.Time // when keys were last used, by id, as far as that is not stored
	era  int                  // counts the changes of keys: what the store said before one is not kept after it
}

// verdict is what the store said of a key, good or not, for a moment.
type verdict struct {
	principal Principal
	expires   *time.Time
	good      bool
}

// New makes a Keys over a store; now is the clock by which keys expire.
func New(s store, now func() time.Time) *Keys {
	erased, _ := s.(erasures)
	return &Keys{store: s, now: now, erasures: erased, announce: func(context.Context) {}, used: map[string]time.Time{}, verified: otter.Must(&otter.Options[[32]byte, verdict]{
		MaximumSize: maxVerified, ExpiryCalculator: otter.ExpiryWriting[[32]byte, verdict](verifiedTTL),
	})}
}

// Announce has announce called when a key was revoked, to have other processes forget what they know of keys. Call it before the
// first Verify.
func (k *Keys) Announce(announce func(context.Context)) { k.announce = announce }

// Close stops the cache of verified keys.
func (k *Keys) Close() { k.verified.StopAllGoroutines() }

// Verify says whose key it is. ErrUnauthorized, or the store's error when it cannot be asked.
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

// isDoubtful says whether a verdict may be from before its user, or team, was erased.
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

// Forget drops all verdicts, those that are still being asked for too: call it when keys went in another way than through
// this Keys.
func (k *Keys) Forget() {
	k.forgetKnown()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.era++
	k.verified.InvalidateAll()
}

func (k *Keys) look(ctx context.Context, sum [32]byte) (verdict, error) {
	hash := hex.EncodeToString(sum[:])
	stored, err := k.store.FindAPIKey(ctx, keyID(hash))
	if errors.Is(err, graph.ErrNotFound) {
		return verdict{}, nil
	}
	if err != nil {
		return verdict{}, fmt.Errorf("verify key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(stored.Hash), []byte(hash)) != 1 || stored.RevokedAt != nil {
		return verdict{}, nil
	}
	p := Principal{KeyID: stored.KeyID, TeamID: stored.TeamID, Scopes: stored.Scopes, RateLimit: stored.RateLimit}
	if stored.UserID != nil {
		if *stored.UserID == "" { // would be a key of everybody: none is made like this
			return verdict{}, nil
		}
		p.UserID = *stored.UserID
	}
	return verdict{principal: p, expires: stored.ExpiresAt, good: true}, nil
}

func idOf(sum [32]byte) string { return keyID(hex.EncodeToString(sum[:])) }

// keyID is the part of a key's hash by which it is found: 48 bits that tell nothing of the key.
func keyID(hash string) string { return hash[:12] }

// Spec says what a new key is for.
type Spec struct {
	TeamID    string
	UserID    *string // nil: not bound; an empty one is refused
	Scopes    []string
	RateLimit *int64 // requests a minute; 0: any number, nil: as the service has it
	ExpiresAt *time.Time

	bootstrap bool
}

// Create makes a key. The secret is returned once, here, and stored nowhere.
func (k *Keys) Create(ctx context.Context, spec Spec) (secret, id string, err error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", "", fmt.Errorf("create key: %w", err)
	}
	secret = keyPrefix + base64.RawURLEncoding.EncodeToString(random)
	id, err = k.put(ctx, secret, spec)
	return secret, id, err
}

func (k *Keys) put(ctx context.Context, secret string, spec Spec) (string, error) {
	if !graph.ValidKey(spec.TeamID) || spec.UserID != nil && !graph.ValidKey(*spec.UserID) {
		return "", fmt.Errorf("create key: team and user must have 1 to 256 characters and no control characters: %w", graph.ErrInvalid)
	}
	sum := sha256.Sum256([]byte(secret))
	hash := hex.EncodeToString(sum[:])
	key := graph.APIKey{
		KeyID: keyID(hash), Hash: hash, TeamID: spec.TeamID, UserID: spec.UserID, Scopes: spec.Scopes, RateLimit: spec.RateLimit, CreatedAt: k.now(), ExpiresAt: spec.ExpiresAt,
		Bootstrap: &spec.bootstrap,
	}
	if err := k.store.CreateAPIKey(ctx, key); err != nil {
		return "", fmt.Errorf("create key: %w", err)
	}
	k.Forget()
	return key.KeyID, nil
}

// Bootstrap makes sure that somebody can get in. A given key becomes an admin key of DefaultTeam; without one an empty
// store gets a generated one. Only for a store that was empty is that key returned, to be shown once.
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
		first = given
	case len(keys) == 0:
		first, _, err = k.Create(ctx, spec)
	}
	if len(keys) > 0 {
		first = ""
	}
	return first, err
}

// List lists the keys of a team, newest first; of every team when teamID is empty.
func (k *Keys) List(ctx context.Context, teamID string) ([]graph.APIKey, error) {
	return k.store.ListAPIKeys(ctx, teamID)
}

// Revoke makes a key useless: when it returns, no process lets it in. Others are told; as one may not hear of it, Revoke waits for as
// long as any believes what it knew of a key. With a teamID only a key of that team is found. graph.ErrNotFound.
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
