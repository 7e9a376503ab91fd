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

// apiClient calls a running Kith as any other program would: over HTTP, with a key.
type apiClient struct {
	url, key string
	http     *http.Client
}

const (
	callTime    = time.Minute // for one attempt
	callTries   = 5
	longestWait = 10 * time.Second // between attempts, whatever the service asks for
	maxAnswer   = 32 << 20         // bytes
	shownFaults = 3
)

func newAPIClient(url, key string) *apiClient {
	return &apiClient{url: strings.TrimRight(url, "/"), key: key, http: &http.Client{Timeout: callTime, CheckRedirect: redirect.SameHost}}
}

// call sends in (nil: no body) as JSON and decodes the answer into out (nil: it is dropped; *[]byte: as it
// is). Path begins with a slash
// and is escaped. A 503 that says when to come back is tried again, so what is called must bear repetition.
// What the service refuses is an *apiError.
func (c *apiClient) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return fmt.Errorf("call %s %s: %w", method, withoutQuery(path), err)
		}
	}
	for try := 1; ; try++ {
		err := c.once(ctx, method, path, body, out)
		if err == nil {
			return nil
		}
		var refused *apiError
		if !errors.As(err, &refused) || !refused.again || try == callTries || !sleep.For(ctx, refused.wait) {
			return fmt.Errorf("call %s %s: %w", method, withoutQuery(path), err)
		}
	}
}

// withoutQuery leaves user ids out of errors.
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

func (c *apiClient) once(ctx context.Context, method, path string, body []byte, out any) error {
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
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case len(answer) > maxAnswer:
		return fmt.Errorf("the answer has more than %d bytes", maxAnswer)
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
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// apiError is an answer that is not a success.
type apiError struct {
	status int
	detail string // of the problem; empty where the answer is none
	faults []apiFault
	again  bool // the service said when to try again
	wait   time.Duration
}

type apiFault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

// newAPIError reads a problem (RFC 9457). Something else, say a proxy's page, is told by its status alone.
func newAPIError(response *http.Response, answer []byte) *apiError {
	var problem struct {
		Detail  string     `json:"detail"`
		Errors  []apiFault `json:"errors"`
		Stopped string     `json:"stopped"` // the report of an import that stopped is no problem
	}
	_ = json.Unmarshal(answer, &problem)
	e := &apiError{status: response.StatusCode, detail: cmp.Or(problem.Detail, problem.Stopped), faults: problem.Errors}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if e.again = response.StatusCode == http.StatusServiceUnavailable && err == nil && seconds >= 0; e.again {
		e.wait = min(time.Duration(seconds)*time.Second, longestWait)
	}
	return e
}

// Error tells status, detail and the first faults.
func (e *apiError) Error() string {
	text := strconv.Itoa(e.status)
	if e.detail != "" {
		text += " " + e.detail
	} else if name := http.StatusText(e.status); name != "" {
		text += " " + strings.ToLower(name)
	}
	for _, f := range e.faults[:min(len(e.faults), shownFaults)] {
		text += "; " + f.Location + " " + f.Message
	}
	if more := len(e.faults) - shownFaults; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
