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
	steadyTime  = 5 * time.Second
	maxDocument = 1 << 20 // bytes
)

// steady is a transport to the issuer that answers the same question with what it heard for five seconds: every token with
// a wrong signature has the issuer asked for its keys again. What is no success is ErrIssuer.
type steady struct {
	next http.RoundTripper
	now  func() time.Time

	mu    sync.Mutex
	heard map[string]document
}

// document is what the issuer said at an address.
type document struct {
	body    []byte
	control string // its Cache-Control
	err     error
	at      time.Time
}

// RoundTrip asks the issuer, unless it has just been asked.
func (s *steady) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	address := r.URL.String()
	d, ok := s.heard[address]
	if !ok || s.now().Sub(d.at) >= steadyTime {
		d = s.ask(r)
		if r.Context().Err() == nil { // else it says nothing of the issuer
			s.keep(address, d)
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

func (s *steady) keep(address string, d document) {
	if s.heard == nil {
		s.heard = map[string]document{}
	}
	s.heard[address] = d
}

func (s *steady) ask(r *http.Request) document {
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
