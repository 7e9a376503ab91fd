// Package migrate reads the memory of a running system of another make, and writes the file that kith import reads.
package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"kith/cmd/kith/internal/terminal"
	"kith/internal/redirect"
)

// Bounds of reading another system.
const (
	pageSize        = 100
	maxPage         = 64 << 20 // bytes of a response
	requestTimeout  = time.Minute
	maxTries        = 6
	maxRetryAfter   = 2 * time.Minute
	maxRetryElapsed = 10 * time.Minute
)

// Options say what to read, and how to reach the system.
type Options struct {
	Address string // of its API or database
	Key     string // an API key
	User    string // only this user of the system; empty: all users
	Agent   string // Letta, which has no users: only this agent; empty: all agents
	Hosted  bool   // mem0: the hosted platform, not the open-source server

	Progress *terminal.Progress
}

// api calls the HTTP API of another system.
type api struct {
	address, header, value string
	client                 *http.Client
	progress               *terminal.Progress
	firstWait              time.Duration
}

// newAPI returns an api that sends a key as the value of a header.
func newAPI(o *Options, header, prefix string) (*api, error) {
	address, err := url.Parse(o.Address)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, errors.New("the address must begin with http:// or https://")
	}
	a := &api{
		address: strings.TrimSuffix(o.Address, "/"), header: header, progress: o.Progress, firstWait: time.Second,
		client: &http.Client{Timeout: requestTimeout, CheckRedirect: func(r *http.Request, via []*http.Request) error {
			return backoff.Permanent(redirect.SameHost(r, via)) // nil stays nil
		}},
	}
	if o.Key != "" {
		a.value = prefix + o.Key
	}
	return a, nil
}

// get decodes the response of a GET into out.
func (a *api) get(ctx context.Context, path string, query url.Values, out any) error {
	return a.call(ctx, http.MethodGet, path, query, nil, out)
}

// call decodes the response of a request into out. It retries while the system is busy or away.
func (a *api) call(ctx context.Context, method, path string, query url.Values, body, out any) error {
	target := a.address + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval = a.firstWait
	raw, err := backoff.Retry(ctx, func() ([]byte, error) { return a.try(ctx, method, target, body) },
		backoff.WithBackOff(pauses), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(maxRetryElapsed),
		backoff.WithNotify(func(err error, wait time.Duration) {
			a.progress.Line(fmt.Sprintf("%s %s: %v; trying again in %s", method, path, err, wait.Round(time.Millisecond)))
		}))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%s %s: the response is not the JSON that the API of this system returns", method, path)
	}
	return nil
}

func (a *api) try(ctx context.Context, method, target string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		sent = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, sent)
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.value != "" {
		request.Header.Set(a.header, a.value)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = response.Body.Close() }()
	return read(response)
}

// read returns the body of a response, or an error that says whether to try again.
func read(response *http.Response) ([]byte, error) {
	status := &StatusError{response.StatusCode}
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests || code >= http.StatusInternalServerError:
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
			wait := min(seconds, int(maxRetryAfter/time.Second))
			return nil, fmt.Errorf("%w (%w)", status, backoff.RetryAfter(wait))
		}
		return nil, status
	case code >= http.StatusMultipleChoices:
		return nil, backoff.Permanent(status)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxPage+1))
	if err == nil && len(raw) > maxPage {
		return nil, backoff.Permanent(fmt.Errorf("the response has more than %d bytes", maxPage))
	}
	return raw, err
}

// StatusError is the status of a response that is not a success.
type StatusError struct{ Code int }

// Error returns the status, and what it means for the caller.
func (e *StatusError) Error() string {
	text := strings.ToLower(fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code)))
	if e.Code == http.StatusUnauthorized || e.Code == http.StatusForbidden {
		text += ": the API key is missing, or may not read this"
	}
	return text
}

// skipDeleted returns the error of reading from something that was listed. If that does not exist any more, it warns instead.
func (a *api) skipDeleted(err error, of string) error {
	var status *StatusError
	if errors.As(err, &status) && status.Code == http.StatusNotFound {
		a.progress.Line(fmt.Sprintf("warning: %v: the %s was deleted after it was listed", err, of))
		return nil
	}
	return err
}

// warnMissing warns if fewer things were read than the system counts.
func (a *api) warnMissing(read, total int, what string) {
	if read < total {
		a.progress.Line(fmt.Sprintf("warning: the server lists only %d of %d %s", read, total, what))
	}
}

// withoutURL removes the address, which may contain a password, from an error of net/http.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
