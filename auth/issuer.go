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
	keysFor    = 10 * time.Minute // for which the issuer's keys are good, unless Cache-Control says how long
	keysLeast  = time.Minute
	keysMost   = 10 * time.Minute
	keysGrace  = time.Hour        // for which they are good besides, while the issuer does not answer
	keysRetry  = 30 * time.Second // between attempts then
	keysEarly  = 5                // they are asked for when a fifth of their time is left
	maxSigning = 1000             // keys of an issuer
)

// signingKeys are the keys with which an issuer signs its tokens. They are asked for again before their time is over, beside the
// requests, so that a key which the issuer has withdrawn does not stay good. It is safe for concurrent use.
type signingKeys struct {
	client *http.Client
	url    string
	now    func() time.Time

	asking sync.Mutex     // held by who asks the issuer
	beside sync.WaitGroup // those who ask it beside the requests

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	body    string // of the answer that has them
	changes int    // counts the changes of the keys
	heard   time.Time
	asked   time.Time // when the issuer was asked last
	life    time.Duration
}

// VerifySignature returns what a token says when the issuer has signed it: ErrIssuer where its keys cannot be had.
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
	if err := s.ask(ctx); err != nil { // it may have a new key
		return nil, err
	}
	if payload, ok := s.verify(jws); ok {
		return payload, nil
	}
	return nil, errors.New("the signature is not one of the issuer's")
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

// renew asks the issuer for its keys when it is time: beside the request as long as the keys are good, or the issuer has
// just been asked in vain. ErrIssuer when there are none that are good.
func (s *signingKeys) renew(ctx context.Context) error {
	s.mu.Lock()
	now := s.now()
	age, pause, life := now.Sub(s.heard), now.Sub(s.asked), s.life
	none := len(s.keys) == 0 && s.heard.IsZero() || age >= life+keysGrace
	due := age >= life-life/keysEarly && pause >= keysRetry
	beside := !none && (age < life || pause < life)
	if due && beside {
		s.asked = now // by one request alone
	}
	s.mu.Unlock()
	switch {
	case none:
		return s.ask(ctx)
	case due && beside:
		s.beside.Go(func() { _ = s.ask(ctx) })
	case due:
		_ = s.ask(ctx) // within the grace
	}
	return nil
}

// generation changes when the issuer has other keys; false when they should be asked for.
func (s *signingKeys) generation() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	return s.changes, now.Sub(s.heard) < s.life-s.life/keysEarly || now.Sub(s.asked) < keysRetry
}

// ask asks the issuer for its keys: ErrIssuer.
func (s *signingKeys) ask(ctx context.Context) error {
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
	return s.take(string(body), keysLife(response.Header.Get("Cache-Control")))
}

// take makes the keys of an answer those that are good.
func (s *signingKeys) take(body string, life time.Duration) error {
	keys, err := keysIn(body)
	if err != nil {
		return errors.Join(ErrIssuer, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if body != s.body {
		s.changes++
	}
	s.keys, s.body, s.heard, s.life = keys, body, s.now(), life
	return nil
}

// keysIn are the keys of an answer that can verify; those of other kinds are passed over.
func keysIn(body string) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal([]byte(body), &set); err != nil || set.Keys == nil {
		return nil, errors.New("what the issuer says of its keys is no JSON Web Key Set")
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

// keysLife is for how long keys are good that came with a Cache-Control.
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
