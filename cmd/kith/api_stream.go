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

// transfer is a call whose body or answer may be large. It may take as long as it needs; only silence ends it.
type transfer struct {
	api     *apiClient
	silence time.Duration // after which a connection counts as broken
	pause   time.Duration // before the second try; it doubles with each
	say     func(string)  // told before another try
}

const (
	longestSilence = 5 * time.Minute
	firstPause     = time.Second
)

var errSilence = errors.New("the connection was silent for too long")

// brokenError is a failure of the connection: the same call may succeed later.
type brokenError struct{ error }

// Unwrap gives the failure itself.
func (e brokenError) Unwrap() error { return e.error }

// run makes attempts until one succeeds, fails for good, or they are too many. A broken connection and a 503 are tried again,
// so an attempt must bear repetition. Alive is to be called whenever bytes came or went.
func (t *transfer) run(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	for try, pause := 1, t.pause; ; try, pause = try+1, 2*pause {
		err := t.watch(ctx, attempt)
		wait, again := t.again(err, pause)
		if !again || try == callTries || ctx.Err() != nil {
			return err
		}
		t.say(fmt.Sprintf("%v; trying again", err))
		if !sleep.For(ctx, min(wait, longestWait)) {
			return err
		}
	}
}

// again says whether and after how long an attempt is to be repeated.
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

// watch ends an attempt that is silent for too long.
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

// open sends a request and gives its answer, if that is a success.
func (t *transfer) open(request *http.Request) (*http.Response, error) {
	client := *t.api.http
	client.Timeout = 0
	response, err := client.Do(request)
	if err != nil {
		return nil, brokenError{errors.Unwrap(err)} // without the address, which has user ids
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // a status without a problem is told as well
	return nil, newAPIError(response, answer)
}
