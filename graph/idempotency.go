package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	claimIdempotencyKey = neo.Load[claimedKey]("idempotency_claim")
	storeAnswer         = neo.Load[neo.None]("idempotency_answer")
)

// claimedKey is an idempotency key with the hash of its request. Answer is empty if the request was not answered yet.
type claimedKey struct{ Hash, Answer string }

// idempotencyLife is how long an idempotency key is valid for its request.
const idempotencyLife = 24 * time.Hour

// once does the work of a request. If the user sent a request of its kind with the same idempotency key and body within a day, it
// returns that answer again, and repeated is true. Another body under the same key is an ErrConflict. Without a key it does the
// work.
func (t *Tx) once(scope Scope, key string, request any, now time.Time, answer any, work func() error) (repeated bool, err error) {
	if key == "" {
		return false, work()
	}
	hash, err := fingerprint(scope, request)
	if err != nil {
		return false, err
	}
	key = idempotencyKey(scope, key, request)
	claimed, err := claimIdempotencyKey.ExecOne(t, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "key": key, "hash": hash, "now": now, "expired": now.Add(-idempotencyLife),
	})
	if err != nil {
		return false, err
	}
	if claimed.Hash != hash {
		return false, fmt.Errorf("the idempotency key was used for another request: %w", fault.ErrConflict)
	}
	if claimed.Answer != "" {
		return true, json.Unmarshal([]byte(claimed.Answer), answer)
	}
	if err := work(); err != nil {
		return false, err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return false, fmt.Errorf("idempotency: %w", err)
	}
	return false, storeAnswer.Run(t, map[string]any{"team_id": scope.TeamID, "key": key, "answer": string(raw)})
}

// idempotencyKey returns a caller's key in its stored form. Each user of a team and each kind of request has separate keys, so
// that no key refuses or reveals the request of another user.
func idempotencyKey(scope Scope, key string, request any) string {
	return strings.Join([]string{scope.UserID, requestKind(request), key}, KeySeparator)
}

// requestKind returns the name of the kind of a request.
func requestKind(request any) string { return fmt.Sprintf("%T", request) }

// fingerprint returns a hash of a request, its kind and its user.
func fingerprint(scope Scope, request any) (string, error) {
	raw, err := json.Marshal(request)
	if err != nil {
		return "", fmt.Errorf("idempotency: %w", err)
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\x1f%s\x1f", requestKind(request), scope.UserID)
	_, _ = sum.Write(raw)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
