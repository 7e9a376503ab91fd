package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"kith/internal/fault"
	"strings"
)

// checkBootstrap refuses a bootstrap key that could be guessed. A key that is already stored stays valid, so that a
// service configured under an older rule still starts; Warnings names it.
func (k *Keys) checkBootstrap(ctx context.Context, given string) error {
	if given == "" || len(given) >= minKey && len(given) <= maxKey {
		return nil
	}
	if len(given) < minKey {
		v, err := k.look(ctx, sha256.Sum256([]byte(given)))
		if err != nil {
			return err
		}
		if v.good {
			return nil
		}
	}
	return fmt.Errorf("KITH_BOOTSTRAP_KEY must have %d to %d random characters, such as openssl rand -hex 24 prints: %w", minKey, maxKey, fault.ErrInvalid)
}

// Warnings returns advice for the operator on the bootstrap key and on earlier ones, which stay valid until they are
// revoked.
func (k *Keys) Warnings(ctx context.Context, given string) ([]string, error) {
	if given == "" {
		return nil, nil
	}
	keys, err := k.store.AdminAPIKeys(ctx, DefaultTeam)
	if err != nil {
		return nil, fmt.Errorf("look at the bootstrap keys: %w", err)
	}
	id := idOf(sha256.Sum256([]byte(given)))
	return warningsOf(id, len(given) < minKey, k.good(keys)), nil
}

func warningsOf(id string, short bool, keys []APIKey) (warnings []string) {
	marked, unmarked, there := othersOf(id, keys)
	if !there {
		warnings = append(warnings, "KITH_BOOTSTRAP_KEY lets nobody in: its key "+id+" was revoked; set another one")
	}
	if short {
		warnings = append(warnings, fmt.Sprintf("KITH_BOOTSTRAP_KEY has fewer than %d characters, so that its stored SHA-256 could be guessed from: "+
			"set another one, then kith key revoke %s", minKey, id))
	}
	if len(marked) > 0 {
		warnings = append(warnings, "earlier bootstrap keys are still admin keys of team default: if nobody uses them, kith key revoke each of "+strings.Join(marked, " "))
	}
	if len(unmarked) > 0 {
		warnings = append(warnings, "these admin keys of team default may be earlier bootstrap keys, which older versions did not mark: "+
			"if nobody uses them, kith key revoke each of "+strings.Join(unmarked, " "))
	}
	return warnings
}

// othersOf returns the ids of other bootstrap keys: marked ones, and unmarked ones of the same form from older
// versions.
func othersOf(id string, keys []APIKey) (marked, unmarked []string, there bool) {
	for _, key := range keys {
		switch {
		case key.KeyID == id:
			there = true
		case key.Bootstrap == nil && len(key.Scopes) == len(Scopes) && key.RateLimit == nil && key.ExpiresAt == nil:
			unmarked = append(unmarked, key.KeyID)
		case key.Bootstrap != nil && *key.Bootstrap:
			marked = append(marked, key.KeyID)
		}
	}
	return marked, unmarked, there
}

// good returns the keys that have not expired.
func (k *Keys) good(keys []APIKey) (good []APIKey) {
	for _, key := range keys {
		if key.ExpiresAt == nil || k.now().Before(*key.ExpiresAt) {
			good = append(good, key)
		}
	}
	return good
}
