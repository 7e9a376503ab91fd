package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	keysFor    = 10 * time.Minute // lifetime of the issuer's keys without Cache-Control
	keysLeast  = time.Minute
	keysMost   = 10 * time.Minute
	keysGrace  = time.Hour        // additional lifetime while the issuer does not answer
	keysRetry  = 30 * time.Second // pause between attempts in that time
	keysEarly  = 5                // keys are renewed when a fifth of their lifetime is left
	maxSigning = 1000             // maximum keys of an issuer
)

// signingKeys holds the keys with which an issuer signs its tokens. It renews them in the background before they
// expire, so that a withdrawn key does not stay valid. It is safe for concurrent use.
type signingKeys struct {
	client *http.Client
	url    string
	now    func() time.Time

	asking   sync.Mutex     // held while requesting the issuer's keys
	renewals sync.WaitGroup // background renewals

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	body     string // of the response with the keys
	changes  int    // counts changes of the keys
	received time.Time
	asked    time.Time // last request to the issuer
	life     time.Duration
}

// VerifySignature returns the payload of a token signed by the issuer. It returns ErrIssuer when the issuer's keys are
// unavailable.
func (s *signingKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	algorithms := make([]jose.SignatureAlgorithm, len(signatures))
	for i, name := range signatures {
		algorithms[i] = jose.SignatureAlgorithm(name)
	}
	jws, err := jose.ParseSigned(jwt, algorithms)
	if err != nil {
		return nil, fmt.Errorf("malformed token: %w", err)
	}
	if err := s.renew(ctx); err != nil {
		return nil, err
	}
	if payload, ok := s.verify(jws); ok {
		return payload, nil
	}
	if err := s.request(ctx); err != nil { // there may be a new key
		return nil, err
	}
	if payload, ok := s.verify(jws); ok {
		return payload, nil
	}
	return nil, errors.New("signature matches no key of the issuer")
}

func (s *signingKeys) verify(jws *jose.JSONWebSignature) ([]byte, bool) {
	if len(jws.Signatures) != 1 {
		return nil, false
	}
	s.mu.Lock()
	keys := s.keys
	s.mu.Unlock()
	id := jws.Signatures[0].Header.KeyID
	for i := range keys {
		if id != "" && keys[i].KeyID != id {
			continue
		}
		if payload, err := jws.Verify(&keys[i]); err == nil {
			return payload, true
		}
	}
	return nil, false
}

// renew requests the issuer's keys when they are due. It does so in the background as long as the keys are valid, or
// the last attempt just failed. It returns ErrIssuer when no valid keys are left.
func (s *signingKeys) renew(ctx context.Context) error {
	s.mu.Lock()
	now := s.now()
	age, pause, life := now.Sub(s.received), now.Sub(s.asked), s.life
	none := len(s.keys) == 0 && s.received.IsZero() || age >= life+keysGrace
	due := age >= life-life/keysEarly && pause >= keysRetry
	background := !none && (age < life || pause < life)
	if due && background {
		s.asked = now // only one request renews them
	}
	s.mu.Unlock()
	switch {
	case none:
		return s.request(ctx)
	case due && background:
		s.renewals.Go(func() { _ = s.request(ctx) })
	case due:
		_ = s.request(ctx) // the keys are valid within keysGrace
	}
	return nil
}

// generation returns a number that changes with the issuer's keys; false when they are due for renewal.
func (s *signingKeys) generation() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	return s.changes, now.Sub(s.received) < s.life-s.life/keysEarly || now.Sub(s.asked) < keysRetry
}

// request requests the issuer's keys. It returns ErrIssuer.
func (s *signingKeys) request(ctx context.Context) error {
	s.asking.Lock()
	defer s.asking.Unlock()
	s.mu.Lock()
	s.asked = s.now()
	s.mu.Unlock()
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return errors.Join(ErrIssuer, err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return errors.Join(ErrIssuer, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument))
	if err != nil {
		return errors.Join(ErrIssuer, err)
	}
	return s.replace(string(body), keysLife(response.Header.Get("Cache-Control")))
}

// replace replaces the keys with those of a response.
func (s *signingKeys) replace(body string, life time.Duration) error {
	keys, err := keysIn(body)
	if err != nil {
		return errors.Join(ErrIssuer, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if body != s.body {
		s.changes++
	}
	s.keys, s.body, s.received, s.life = keys, body, s.now(), life
	return nil
}

// keysIn returns the keys of a response that can verify signatures; other kinds are ignored.
func keysIn(body string) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal([]byte(body), &set); err != nil || set.Keys == nil {
		return nil, errors.New("the issuer's keys are not a JSON Web Key Set")
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys[:min(len(set.Keys), maxSigning)] {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && key.IsPublic() && (key.Algorithm == "" || slices.Contains(signatures, key.Algorithm)) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// keysLife returns the lifetime of keys with a Cache-Control header.
func keysLife(control string) time.Duration {
	life := keysFor
	for directive := range strings.SplitSeq(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return keysLeast
		case "max-age":
			if n, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 32); err == nil {
				life = time.Duration(n) * time.Second
			}
		}
	}
	return min(max(life, keysLeast), keysMost)
}

var _ oidc.KeySet = (*signingKeys)(nil)
