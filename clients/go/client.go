// Package client calls Kith over HTTP. Its types and calls are generated from the API contract (contract.go). It links
// no code of the service, and nothing but the standard library.
//
// A repeatable call (one that reads, replaces or deletes, or has an idempotency key) is retried when the service is
// busy or unavailable (429, 503, a broken connection): with growing pauses or after the service's Retry-After, while
// its context allows. Other calls are retried only after a 429, which means that nothing was done.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	tries      = 5
	firstPause = 250 * time.Millisecond
	maxPause   = 10 * time.Second // also when the service asks for a longer one
	maxAnswer  = 64 << 20         // bytes of a response that is not streamed
)

var errTooLarge = fmt.Errorf("response exceeds %d bytes", maxAnswer)

// Client calls a Kith service. It is safe for concurrent use.
type Client struct {
	url, key string
	http     *http.Client
	pause    time.Duration
}

// New returns a client of the Kith at an address, such as http://127.0.0.1:8080, with an API key. It sends requests
// with over; nil: http.DefaultClient. The timeout of over ends streams too, so prefer a context for each call.
// Redirects to other hosts are not followed, unless over has its own CheckRedirect.
func New(address, key string, over *http.Client) *Client {
	if over == nil {
		over = http.DefaultClient
	}
	own := *over
	if own.CheckRedirect == nil {
		own.CheckRedirect = sameHost
	}
	return &Client{url: strings.TrimRight(address, "/"), key: key, http: &own, pause: firstPause}
}

var (
	errAddress  = errors.New("invalid service address: it must be an http or https URL")
	errRedirect = errors.New("the service redirects to another host, which gets neither key nor request: configure its own address")
)

// sameHost follows redirects within the host and port of the first request, also from http to https.
func sameHost(r *http.Request, via []*http.Request) error {
	from, to := via[0].URL, r.URL
	same := from.Scheme == to.Scheme && from.Host == to.Host || from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname()
	if len(via) >= tries || !same {
		return errRedirect
	}
	return nil
}

// request is a call before it is sent.
type request struct {
	method, path string
	query        any    // a struct; nil: no query
	body         any    // nil: no body
	accept       string // media type of the response; empty: any
	asText       bool   // requests the text form of a response with several forms
	again        bool   // may be repeated
	key          string // idempotency key; empty: none
}

// fetch makes a call whose response is an object.
func fetch[T any](ctx context.Context, c *Client, r request) (*T, error) {
	answer := new(T)
	if err := c.do(ctx, r, func(raw []byte) error { return json.Unmarshal(raw, answer) }); err != nil {
		return nil, err
	}
	return answer, nil
}

// text makes a call whose response is a text.
func (c *Client) text(ctx context.Context, r request) (text string, err error) {
	err = c.do(ctx, r, func(raw []byte) error {
		text = string(raw)
		return nil
	})
	return text, err
}

// do makes a call. take reads the response; nil discards it.
func (c *Client) do(ctx context.Context, r request, take func([]byte) error) error {
	address, body, err := c.render(r)
	if err == nil {
		var answer []byte
		if answer, err = c.repeat(ctx, r, address, body); err == nil && take != nil {
			err = take(answer)
		}
	}
	if err != nil {
		return fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
	}
	return nil
}

// repeat makes a call until it succeeds, fails permanently, or was tried too often.
func (c *Client) repeat(ctx context.Context, r request, address string, body []byte) ([]byte, error) {
	for try, pause := 1, c.pause; ; try, pause = try+1, 2*pause {
		answer, err := c.once(ctx, r, address, body)
		if err == nil {
			return answer, nil
		}
		wait, again := r.repeats(err, pause)
		if !again || try == tries || !sleep(ctx, wait) {
			return nil, err
		}
	}
}

// render returns the address and body of a call.
func (c *Client) render(r request) (address string, body []byte, err error) {
	values, err := queryOf(r.query)
	if err != nil {
		return "", nil, err
	}
	if r.body != nil {
		if body, err = json.Marshal(r.body); err != nil {
			return "", nil, err
		}
	}
	if r.asText {
		values.Set("format", "text")
	}
	address = c.url + r.path
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	return address, body, nil
}

// repeats reports whether, and after which pause, a failed call is repeated.
func (r *request) repeats(err error, pause time.Duration) (time.Duration, bool) {
	pause = pause/2 + mathrand.N(pause/2+1)
	var refused *Error
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, errRedirect), errors.Is(err, errAddress):
		return 0, false
	case !errors.As(err, &refused):
		return pause, r.again
	case refused.Status == http.StatusTooManyRequests, refused.Status == http.StatusServiceUnavailable && r.again:
		return min(max(pause, refused.RetryAfter), maxPause), true
	}
	return 0, false
}

// once makes a call once.
func (c *Client) once(ctx context.Context, r request, address string, body []byte) ([]byte, error) {
	response, err := c.send(ctx, r, address, bytes.NewReader(body), "application/json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return readAnswer(response.Body)
}

func readAnswer(in io.Reader) ([]byte, error) {
	answer, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if err == nil && len(answer) > maxAnswer {
		err = errTooLarge
	}
	return answer, err
}

// send sends a call, and returns the response of a success, whose body the caller closes.
func (c *Client) send(ctx context.Context, r request, address string, body io.Reader, contentType string) (*http.Response, error) {
	out, err := c.newRequest(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	out.Header.Set("Content-Type", contentType)
	if r.accept != "" {
		out.Header.Set("Accept", r.accept)
	}
	if r.key != "" {
		out.Header.Set("Idempotency-Key", r.key)
	}
	response, err := exchange(c.http, out)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		defer func() { _ = response.Body.Close() }()
		return nil, errorOf(response)
	}
	return response, nil
}

// newRequest returns a request with the API key. Its error does not contain the address.
func (c *Client) newRequest(ctx context.Context, method, address string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil || request.URL.Scheme != "http" && request.URL.Scheme != "https" || request.URL.Host == "" {
		return nil, errAddress
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	return request, nil
}

// exchange sends a request and returns its response, whose body the caller closes. Its error does not contain the address,
// which may contain ids of users.
func exchange(over *http.Client, request *http.Request) (*http.Response, error) {
	response, err := over.Do(request)
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return response, err
}

// queryOf encodes a struct as a query string, with the JSON names of its fields.
func queryOf(query any) (url.Values, error) {
	values := url.Values{}
	if query == nil {
		return values, nil
	}
	raw, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	for name, field := range fields {
		var (
			text string
			list []string
		)
		switch {
		case json.Unmarshal(field, &text) == nil:
			values.Set(name, text)
		case json.Unmarshal(field, &list) == nil:
			values[name] = list
		default:
			values.Set(name, string(field))
		}
	}
	return values, nil
}

// escape escapes a text for one segment of a path.
func escape(s string) string { return url.PathEscape(s) }

// keyOf returns the idempotency key of a write: the given one, or a new one, so that the write is repeatable.
func keyOf(given string) string {
	if given == "" {
		return rand.Text()
	}
	return given
}

// sleep waits, unless the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
