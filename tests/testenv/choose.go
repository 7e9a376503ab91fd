package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// start is a function that starts a server.
type start[T any] func(ctx context.Context) (source[T], error)

// anyWay starts a server as KITH_TEST_WITH allows: a container with a Docker engine, else a local process. Its error
// has the reasons of both.
func anyWay[T any](ctx context.Context, what string, container, local start[T]) (source[T], error) {
	with := os.Getenv("KITH_TEST_WITH")
	var reasons []error
	switch with {
	case "", "containers":
		got, err := bounded(ctx, container)
		if err == nil {
			return got, nil
		}
		reasons = append(reasons, fmt.Errorf("as a container: %w", err))
	case "local":
		reasons = append(reasons, errors.New("as a container: not allowed by KITH_TEST_WITH=local"))
	default:
		return source[T]{}, fmt.Errorf("KITH_TEST_WITH=%s: it is containers, local, or unset", with)
	}
	if with == "containers" {
		reasons = append(reasons, errors.New("locally: not allowed by KITH_TEST_WITH=containers"))
	} else {
		got, err := bounded(ctx, local)
		if err == nil {
			if with == "" && !errors.Is(reasons[0], errNoDocker) { // an engine answers, but the container failed
				got.way += fmt.Sprintf(" (%v)", reasons[0])
			}
			return got, nil
		}
		reasons = append(reasons, fmt.Errorf("locally: %w", err))
	}
	return source[T]{}, fmt.Errorf("no %s to be had:\n%w", what, errors.Join(reasons...))
}

func bounded[T any](ctx context.Context, start start[T]) (source[T], error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return start(ctx)
}

// checkGiven returns the server of a variable, or an error if it does not answer.
func checkGiven[T any](ctx context.Context, variable string, value T, timeout time.Duration, ping func(context.Context, T) error) (source[T], error) {
	if err := await(ctx, timeout, func(ctx context.Context) error { return ping(ctx, value) }); err != nil {
		return source[T]{}, fmt.Errorf("the server that %s names does not answer: %w", variable, err)
	}
	return source[T]{value: value, way: "given by " + variable}, nil
}

// errHopeless marks an error for which a retry is pointless.
var errHopeless = errors.New("no use to try again")

// await calls ping until it succeeds, for at most timeout. Its error is the last one of ping.
func await(ctx context.Context, timeout time.Duration, ping func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ping(ctx)
		if err == nil || errors.Is(err, errHopeless) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w within %v; last: %w", ctx.Err(), timeout, err)
		case <-ticker.C:
		}
	}
}

// oneLine returns s without line breaks, for a list with one reason a line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
