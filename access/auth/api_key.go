package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	createAPIKey  = neo.Load[string]("api_key_create")
	findAPIKey    = neo.Load[foundAPIKey]("api_key_find")
	listAPIKeys   = neo.Load[[]APIKey]("api_key_list")
	listAdminKeys = neo.Load[[]APIKey]("api_key_admins")
	listAPIKeyIDs = neo.Load[[]string]("api_key_ids")
	revokeAPIKey  = neo.Load[string]("api_key_revoke")
	touchAPIKeys  = neo.Load[neo.None]("api_key_touch")
)

// APIKey is the stored form of an API key. Only the SHA-256 of the key is stored, never the key itself. KeyID is the part of the
// key by which it is found. Statements return keys as lists in the order of the fields.
type APIKey struct {
	KeyID     string
	Hash      string // hex SHA-256 of the whole key
	TeamID    string
	UserID    *string // bound to this user, if set
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
	RateLimit *int64     // requests a minute; 0: unlimited, nil: the default of the service
	LastUsed  *time.Time // up to a minute old while a service runs
	Bootstrap *bool      // the first key of a store, or one from KITH_BOOTSTRAP_KEY; nil: the key is older than this field
	Origin    *string    // of what it writes; nil: none
	Trust     *float64   // the most that what it writes is believed; nil: it is believed
}

// limit returns how far what the key writes is believed.
func (k *APIKey) limit() graph.Limit {
	l := graph.Limit{}
	if k.Origin != nil {
		l.Origin = *k.Origin
	}
	if k.Trust != nil {
		l.Trust = graph.Some(*k.Trust)
	}
	return l
}

// foundAPIKey is a row with one key.
type foundAPIKey struct{ Key APIKey }

// maxKeys is the most keys in a list, maxKeyIDs the most key ids (some 100 MB).
const (
	maxKeys   = 1000
	maxKeyIDs = 1_000_000
)

// CreateAPIKey stores a key. It returns ErrConflict when another key has its id.
func (s *Store) CreateAPIKey(ctx context.Context, k APIKey) error {
	properties := map[string]any{"hash": k.Hash, "scopes": k.Scopes, "created_at": k.CreatedAt.UTC()}
	if k.UserID != nil {
		properties["user_id"] = *k.UserID
	}
	if k.RateLimit != nil {
		properties["rate_limit"] = *k.RateLimit
	}
	if k.Origin != nil {
		properties["origin"] = *k.Origin
	}
	if k.Trust != nil {
		properties["trust"] = *k.Trust
	}
	if k.ExpiresAt != nil {
		properties["expires_at"] = k.ExpiresAt.UTC()
	}
	bootstrap := k.Bootstrap != nil && *k.Bootstrap
	if k.Bootstrap != nil {
		properties["bootstrap"] = bootstrap
	}
	return s.graph.Transaction(ctx, "api_key_create", func(t *graph.Tx) error {
		hash, err := createAPIKey.ExecOne(t, map[string]any{
			"team_id": k.TeamID, "key_id": k.KeyID, "properties": properties, "bootstrap": bootstrap,
		})
		if err == nil && hash != k.Hash {
			err = fmt.Errorf("create api key: %w", fault.ErrConflict)
		}
		return err
	})
}

// FindAPIKey returns a key by its id, also a revoked or expired one, or ErrNotFound.
func (s *Store) FindAPIKey(ctx context.Context, keyID string) (APIKey, error) {
	found, err := findAPIKey.ReadOne(ctx, s.db, map[string]any{"key_id": keyID})
	return found.Key, err
}

// ListAPIKeys returns the newest thousand keys of a team, or of all teams when teamID is empty.
func (s *Store) ListAPIKeys(ctx context.Context, teamID string) ([]APIKey, error) {
	return listAPIKeys.ReadOne(ctx, s.db, map[string]any{"team_id": graph.OrNil(teamID), "limit": maxKeys})
}

// AdminAPIKeys returns the oldest thousand admin keys of a team that are neither revoked nor bound to a user.
func (s *Store) AdminAPIKeys(ctx context.Context, teamID string) ([]APIKey, error) {
	return listAdminKeys.ReadOne(ctx, s.db, map[string]any{"team_id": teamID, "limit": maxKeys})
}

// APIKeyIDs returns the ids of the keys that are not revoked, at most a million, and whether these are all.
func (s *Store) APIKeyIDs(ctx context.Context) (ids []string, complete bool, err error) {
	ids, err = listAPIKeyIDs.ReadOne(ctx, s.db, map[string]any{"limit": maxKeyIDs})
	return ids, len(ids) < maxKeyIDs, err
}

// RevokeAPIKey revokes a key. Revoking it again is not an error. With a teamID only a key of that team is found. It returns
// ErrNotFound for an unknown key.
func (s *Store) RevokeAPIKey(ctx context.Context, teamID, keyID string) error {
	return s.graph.Transaction(ctx, "api_key_revoke", func(t *graph.Tx) error {
		_, err := revokeAPIKey.ExecOne(t, map[string]any{"team_id": graph.OrNil(teamID), "key_id": keyID, "now": s.graph.Now()})
		return err
	})
}

// TouchAPIKeys stores when keys were last used, by their ids. Unknown ids are ignored.
func (s *Store) TouchAPIKeys(ctx context.Context, used map[string]time.Time) error {
	rows := make([]map[string]any, 0, len(used))
	for _, id := range slices.Sorted(maps.Keys(used)) { // in sorted order, so that two processes lock them in the same order
		rows = append(rows, map[string]any{"key_id": id, "at": used[id].UTC().Truncate(time.Millisecond)})
	}
	return s.graph.Transaction(ctx, "api_key_touch", func(t *graph.Tx) error {
		return touchAPIKeys.Run(t, map[string]any{"rows": rows})
	})
}
