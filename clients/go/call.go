package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	callTimeout  = time.Minute // of one attempt
	maxReadiness = 4 << 10     // bytes of a response of /readyz
)

// ErrNotKith is in the error of Ready for an address at which something else answers.
var ErrNotKith = errors.New("is not a Kith")

// Call sends in as JSON (nil: no body) to a path of the API, and decodes the response into out (nil: discarded; *[]byte:
// raw). It is for calls without a method here. The path begins with a slash and is escaped. The call must be idempotent:
// it is retried if the service is unavailable and names the time after which to retry. An attempt takes at most a minute.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	err := c.call(ctx, method, path, in, out)
	if err != nil {
		path, _, _ = strings.Cut(path, "?") // the query may contain ids of users
		return fmt.Errorf("call %s %s: %w", method, path, err)
	}
	return nil
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) (err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	r := request{method: method, path: path}
	answer, err := c.callOnce(ctx, r, body)
	for try := 1; try < tries; try++ {
		var refused *Error
		if !errors.As(err, &refused) || !refused.unavailable() || !sleep(ctx, min(refused.RetryAfter, maxPause)) {
			break
		}
		answer, err = c.callOnce(ctx, r, body)
	}
	raw, isRaw := out.(*[]byte)
	switch {
	case err != nil || out == nil:
		return err
	case isRaw:
		*raw = answer
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	return nil
}

func (c *Client) callOnce(ctx context.Context, r request, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.once(ctx, r, c.url+r.path, body)
}

// Readiness is the state of a service, as /readyz reports it.
type Readiness struct {
	Ready   bool   `json:"ready"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"` // of the commit
	Clock   string `json:"-"`    // the service's time, as in the header Date; empty: not sent
}

// Ready requests the state of the service. For a service that is not ready it returns no error. No key is needed.
func (c *Client) Ready(ctx context.Context) (r Readiness, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request, err := c.newRequest(ctx, http.MethodGet, c.url+"/readyz", http.NoBody)
	if err != nil {
		return r, err
	}
	response, err := exchange(c.http, request)
	if err != nil {
		return r, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxReadiness))
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(raw)).Decode(&r)
	}
	if err != nil {
		return r, fmt.Errorf("%s %w: %w", request.URL, ErrNotKith, err)
	}
	r.Clock = response.Header.Get("Date")
	return r, nil
}
