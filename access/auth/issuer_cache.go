package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	issuerCacheTime = 5 * time.Second
	maxDocument     = 1 << 20 // bytes
)

// issuerCache is a transport that caches the issuer's responses for five seconds, as every token with a wrong signature
// makes the verifier request the issuer's keys. Unsuccessful responses become ErrIssuer.
type issuerCache struct {
	next http.RoundTripper
	now  func() time.Time

	mu        sync.Mutex
	documents map[string]document
}

// document is the issuer's response at an address.
type document struct {
	body    []byte
	control string // its Cache-Control
	err     error
	at      time.Time
}

// RoundTrip returns the cached response, or requests the issuer.
func (s *issuerCache) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	address := r.URL.String()
	d, ok := s.documents[address]
	if !ok || s.now().Sub(d.at) >= issuerCacheTime {
		d = s.request(r)
		if r.Context().Err() == nil { // otherwise the error is not the issuer's
			s.store(address, d)
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {d.control}}, Body: io.NopCloser(bytes.NewReader(d.body)), ContentLength: int64(len(d.body)),
	}, nil
}

func (s *issuerCache) store(address string, d document) {
	if s.documents == nil {
		s.documents = map[string]document{}
	}
	s.documents[address] = d
}

func (s *issuerCache) request(r *http.Request) document {
	d := document{at: s.now()}
	response, err := s.next.RoundTrip(r)
	if err != nil {
		d.err = errors.Join(ErrIssuer, err)
		return d
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		d.err = fmt.Errorf("status %d: %w", response.StatusCode, ErrIssuer)
		return d
	}
	d.control = response.Header.Get("Cache-Control")
	if d.body, err = io.ReadAll(io.LimitReader(response.Body, maxDocument)); err != nil {
		d.err = errors.Join(ErrIssuer, err)
	}
	return d
}
