package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kith/internal/redirect"
	"kith/internal/sleep"
)

// apiClient calls a running Kith over HTTP with an API key.
type apiClient struct {
	url, key string
	http     *http.Client
}

const (
	attemptTimeout = time.Minute // timeout of one attempt
	maxAttempts    = 5
	maxRetryWait   = 10 * time.Second // between attempts, whatever Retry-After says
	maxResponse    = 32 << 20         // bytes
	maxErrorFaults = 3                // field errors in the text of an apiError
)

func newAPIClient(url, key string) *apiClient {
	return &apiClient{url: strings.TrimRight(url, "/"), key: key, http: &http.Client{Timeout: attemptTimeout, CheckRedirect: redirect.SameHost}}
}

// call sends in as JSON (nil: no body) and decodes the response into out (nil: discarded; *[]byte: raw).
// The path begins with a slash and is escaped. A 503 with Retry-After is retried, so the call must be idempotent.
// An error response is returned as an *apiError.
func (c *apiClient) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("call %s %s: %w", method, withoutQuery(path), err)
		}
	}
	for try := 1; ; try++ {
		err := c.send(ctx, method, path, body, out)
		if err == nil {
			return nil
		}
		var refused *apiError
		if !errors.As(err, &refused) || !refused.retryable || try == maxAttempts || !sleep.For(ctx, refused.retryAfter) {
			return fmt.Errorf("call %s %s: %w", method, withoutQuery(path), err)
		}
	}
}

// withoutQuery returns path without its query, which may contain user ids that errors must not show.
func withoutQuery(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

func (c *apiClient) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	return request, err
}

func (c *apiClient) send(ctx context.Context, method, path string, body []byte, out any) error {
	request, err := c.request(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	switch {
	case err != nil:
		return fmt.Errorf("read response: %w", err)
	case len(answer) > maxResponse:
		return fmt.Errorf("response exceeds %d bytes", maxResponse)
	case response.StatusCode/100 != 2:
		return newAPIError(response, answer)
	case out == nil:
		return nil
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = answer
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	return nil
}

// apiError is an error response of the service.
type apiError struct {
	status     int
	detail     string // of the problem; empty if the body is not a problem
	faults     []apiFault
	retryable  bool // the response is a 503 with Retry-After
	retryAfter time.Duration
}

type apiFault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// newAPIError parses a problem (RFC 9457). For any other body, such as a proxy's page, the error has only the status.
func newAPIError(response *http.Response, answer []byte) *apiError {
	var problem struct {
		Detail  string     `json:"detail"`
		Errors  []apiFault `json:"errors"`
		Stopped string     `json:"stopped"` // set in the report of an import that stopped, which is not a problem
	}
	_ = json.Unmarshal(answer, &problem)
	e := &apiError{status: response.StatusCode, detail: cmp.Or(problem.Detail, problem.Stopped), faults: problem.Errors}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if e.retryable = response.StatusCode == http.StatusServiceUnavailable && err == nil && seconds >= 0; e.retryable {
		e.retryAfter = min(time.Duration(seconds)*time.Second, maxRetryWait)
	}
	return e
}

// Error returns the status, the detail and the first field errors.
func (e *apiError) Error() string {
	text := strconv.Itoa(e.status)
	if e.detail != "" {
		text += " " + e.detail
	} else if name := http.StatusText(e.status); name != "" {
		text += " " + strings.ToLower(name)
	}
	for _, f := range e.faults[:min(len(e.faults), maxErrorFaults)] {
		text += "; " + f.Location + " " + f.Message
	}
	if more := len(e.faults) - maxErrorFaults; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
