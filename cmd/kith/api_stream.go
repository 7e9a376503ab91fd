package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"kith/internal/sleep"
)

// transfer is a call whose request or response may be large. It has no deadline, but it ends when no bytes move for too long.
type transfer struct {
	api        *apiClient
	maxSilence time.Duration // without bytes, after which the connection counts as broken
	retryPause time.Duration // before the second attempt; it doubles with each
	notify     func(string)  // called with a message before each retry
}

const (
	maxSilence      = 5 * time.Minute
	firstRetryPause = time.Second
)

var errSilence = errors.New("no data received for too long")

// connectionError is a failure of the connection. The same call may succeed later.
type connectionError struct{ error }

// Unwrap returns the underlying error.
func (e connectionError) Unwrap() error { return e.error }

// run calls attempt until it succeeds, fails permanently, or maxAttempts is reached. A broken connection and a 503 are
// retried, so an attempt must be idempotent. The attempt must call alive whenever it sent or received bytes.
func (t *transfer) run(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	for try, pause := 1, t.retryPause; ; try, pause = try+1, 2*pause {
		err := t.watch(ctx, attempt)
		wait, again := t.retryDelay(err, pause)
		if !again || try == maxAttempts || ctx.Err() != nil {
			return err
		}
		t.notify(fmt.Sprintf("%v; retrying", err))
		if !sleep.For(ctx, min(wait, maxRetryWait)) {
			return err
		}
	}
}

// retryDelay reports whether an attempt is retried after err, and how long to wait before.
func (t *transfer) retryDelay(err error, pause time.Duration) (wait time.Duration, again bool) {
	var broken connectionError
	var refused *apiError
	switch {
	case errors.As(err, &broken):
		return pause, true
	case !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable:
		return 0, false
	case refused.retryable:
		return refused.retryAfter, true
	}
	return pause, true
}

// watch runs an attempt and cancels it when no bytes move for too long.
func (t *transfer) watch(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(t.maxSilence, func() { cancel(errSilence) })
	defer timer.Stop()
	err := attempt(watched, func() { timer.Reset(t.maxSilence) })
	if err != nil && errors.Is(context.Cause(watched), errSilence) {
		return connectionError{errSilence}
	}
	return err
}

// open sends a request and returns its response if it is a success.
func (t *transfer) open(request *http.Request) (*http.Response, error) {
	client := *t.api.http
	client.Timeout = 0
	response, err := client.Do(request)
	if err != nil {
		return nil, connectionError{errors.Unwrap(err)} // without the URL, which may contain user ids
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse)) // on an error the status is reported alone
	return nil, newAPIError(response, answer)
}
