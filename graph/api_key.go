package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// APIKey is what is stored of an API key: never the key, only its SHA-256. KeyID is the part by which it is found.
type APIKey struct {
	KeyID     string
	Hash      string // hex SHA-256 of the whole key
	TeamID    string
	UserID    *string // bound to this user, if set
	Scopes    []string
	RateLimit *int64 // requests a minute; 0: any number, nil: as the service has it
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
	LastUsed  *time.Time // a minute late, while a service runs
	Bootstrap *bool      // the first key of a store, or one that KITH_BOOTSTRAP_KEY gave; nil: made before this was noted
}

// maxKeys bounds the list of keys, maxKeyIDs that of their ids.
const (
	maxKeys   = 1000
	maxKeyIDs = 100_000
)

// CreateAPIKey stores a key. ErrConflict when another key has its id.
func (s *Store) CreateAPIKey(ctx context.Context, k APIKey) error {
	properties := map[string]any{"hash": k.Hash, "scopes": k.Scopes, "created_at": k.CreatedAt.UTC()}
	if k.UserID != nil {
		properties["user_id"] = *k.UserID
	}
	if k.RateLimit != nil {
		properties["rate_limit"] = *k.RateLimit
	}
	if k.ExpiresAt != nil {
		properties["expires_at"] = k.ExpiresAt.UTC()
	}
	bootstrap := k.Bootstrap != nil && *k.Bootstrap
	if k.Bootstrap != nil {
		properties["bootstrap"] = bootstrap
	}
	return s.transaction(ctx, "api_key_create", func(t *tx) error {
		rows, err := t.exec("api_key_create", map[string]any{
			"team_id": k.TeamID, "key_id": k.KeyID, "properties": properties, "bootstrap": bootstrap,
		})
		if err == nil && text(rows[0].Values[0]) != k.Hash {
			err = fmt.Errorf("create api key: %w", ErrConflict)
		}
		return err
	})
}

// FindAPIKey reads a key by its id, revoked or expired or not. ErrNotFound.
func (s *Store) FindAPIKey(ctx context.Context, keyID string) (APIKey, error) {
	row, err := s.readOne(ctx, "api_key_find", map[string]any{"key_id": keyID})
	if err != nil {
		return APIKey{}, err
	}
	return apiKeyFrom(row.Values[0]), nil
}

// ListAPIKeys lists the newest thousand keys of a team; of every team when teamID is empty.
func (s *Store) ListAPIKeys(ctx context.Context, teamID string) ([]APIKey, error) {
	row, err := s.readOne(ctx, "api_key_list", map[string]any{"team_id": orNil(teamID), "limit": maxKeys})
	if err != nil {
		return nil, err
	}
	return apiKeysFrom(row.Values[0]), nil
}

// AdminAPIKeys lists the oldest thousand admin keys of a team that are neither revoked nor bound to a user.
func (s *Store) AdminAPIKeys(ctx context.Context, teamID string) ([]APIKey, error) {
	row, err := s.readOne(ctx, "api_key_admins", map[string]any{"team_id": teamID, "limit": maxKeys})
	if err != nil {
		return nil, err
	}
	return apiKeysFrom(row.Values[0]), nil
}

// APIKeyIDs lists the ids of the newest hundred thousand keys that are not revoked.
func (s *Store) APIKeyIDs(ctx context.Context) ([]string, error) {
	row, err := s.readOne(ctx, "api_key_ids", map[string]any{"limit": maxKeyIDs})
	if err != nil {
		return nil, err
	}
	return texts(row.Values[0]), nil
}

func apiKeysFrom(v any) []APIKey {
	rows := items(v)
	keys := make([]APIKey, len(rows))
	for i := range rows {
		keys[i] = apiKeyFrom(rows[i])
	}
	return keys
}

// RevokeAPIKey makes a key useless; again is no error. With a teamID only a key of that team is found. ErrNotFound.
func (s *Store) RevokeAPIKey(ctx context.Context, teamID, keyID string) error {
	return s.transaction(ctx, "api_key_revoke", func(t *tx) error {
		rows, err := t.exec("api_key_revoke", map[string]any{
			"team_id": orNil(teamID), "key_id": keyID, "now": s.now(),
		})
		if err == nil && len(rows) == 0 {
			err = fmt.Errorf("revoke api key: %w", ErrNotFound)
		}
		return err
	})
}

// TouchAPIKeys notes when keys, by their ids, were last used. Unknown ones are passed over.
func (s *Store) TouchAPIKeys(ctx context.Context, used map[string]time.Time) error {
	rows := make([]map[string]any, 0, len(used))
	for _, id := range slices.Sorted(maps.Keys(used)) { // two processes lock them in one order
		rows = append(rows, map[string]any{"key_id": id, "at": used[id].UTC().Truncate(precision)})
	}
	return s.transaction(ctx, "api_key_touch", func(t *tx) error {
		_, err := t.exec("api_key_touch", map[string]any{"rows": rows})
		return err
	})
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func apiKeyFrom(v any) APIKey {
	l := items(v)
	return APIKey{
		KeyID: text(l[0]), Hash: text(l[1]), TeamID: text(l[2]), UserID: optionalText(l[3]), Scopes: texts(l[4]),
		CreatedAt: moment(l[5]), ExpiresAt: optionalMoment(l[6]), RevokedAt: optionalMoment(l[7]), RateLimit: optionalInteger(l[8]), LastUsed: optionalMoment(l[9]), Bootstrap: optionalTruth(l[10]),
	}
}
