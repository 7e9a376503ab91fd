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
	api     *apiClient
	silence time.Duration // without bytes, after which the connection counts as broken
	pause   time.Duration // before the second attempt; it doubles with each
	say     func(string)  // called with a message before each retry
}

const (
	longestSilence = 5 * time.Minute
	firstPause     = time.Second
)

var errSilence = errors.New("no data received for too long")

// connectionError is a failure of the connection. The same call may succeed later.
type brokenError struct{ error }

// Unwrap returns the underlying error.
func (e brokenError) Unwrap() error { return e.error }

// run calls attempt until it succeeds, fails permanently, or maxAttempts is reached. A broken connection and a 503 are
// retried, so an attempt must be idempotent. The attempt must call alive whenever it sent or received bytes.
func (t *transfer) run(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	for try, pause := 1, t.pause; ; try, pause = try+1, 2*pause {
		err := t.watch(ctx, attempt)
		wait, again := t.again(err, pause)
		if !again || try == callTries || ctx.Err() != nil {
			return err
		}
		t.say(fmt.Sprintf("%v; retrying", err))
		if !sleep.For(ctx, min(wait, longestWait)) {
			return err
		}
	}
}

// retryDelay reports whether an attempt is retried after err, and how long to wait before.
func (t *transfer) again(err error, pause time.Duration) (wait time.Duration, again bool) {
	var broken brokenError
	var refused *apiError
	switch {
	case errors.As(err, &broken):
		return pause, true
	case !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable:
		return 0, false
	case refused.again:
		return refused.wait, true
	}
	return pause, true
}

// watch runs an attempt and cancels it when no bytes move for too long.
func (t *transfer) watch(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(t.silence, func() { cancel(errSilence) })
	defer timer.Stop()
	err := attempt(watched, func() { timer.Reset(t.silence) })
	if err != nil && errors.Is(context.Cause(watched), errSilence) {
		return brokenError{errSilence}
	}
	return err
}

// open sends a request and returns its response if it is a success.
func (t *transfer) open(request *http.Request) (*http.Response, error) {
	client := *t.api.http
	client.Timeout = 0
	response, err := client.Do(request)
	if err != nil {
		return nil, brokenError{errors.Unwrap(err)} // without the URL, which may contain user ids
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // on an error the status is reported alone
	return nil, newAPIError(response, answer)
}
