package feed

import (
	"context"
	"errors"
	"time"

	"kith/graph"
	"kith/internal/sleep"
)

// Step is one message of a watch: new changes, or none as a sign of life, and the cursor behind them.
type Step struct {
	Changes []Change
	Cursor  string
}

const (
	stepLimit = 100              // changes of a step
	lifeSign  = 15 * time.Second // between steps
	stepPause = time.Second      // before another try of a read that failed, or lacked commits
)

// Watch sends the changes behind a position as they are committed, and a step without changes every 15 seconds, until ctx is done or
// send fails. It reads no further before send returns. It returns a GoneError if the changes behind the position are not kept any
// more.
func (s *Store) Watch(ctx context.Context, scope graph.Scope, from Position, filter Filter, send func(Step) error) error {
	wake, stop := s.Listen(scope.TeamID)
	defer stop()
	sign := time.NewTicker(lifeSign)
	defer sign.Stop()
	if err := send(Step{Cursor: from.Cursor(scope.TeamID)}); err != nil {
		return err
	}
	for {
		batch, err := s.Read(ctx, scope, Range{From: from}, filter, stepLimit)
		if errors.Is(err, graph.ErrUnavailable) && sleep.For(ctx, stepPause) {
			continue
		}
		if err != nil {
			return err
		}
		from = batch.Next
		if len(batch.Changes) > 0 {
			if err := send(Step{batch.Changes, from.Cursor(scope.TeamID)}); err != nil {
				return err
			}
		}
		if batch.More {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
			continue
		case <-s.retry(scope.TeamID, from):
			continue
		case <-sign.C:
		}
		if err := send(Step{Cursor: from.Cursor(scope.TeamID)}); err != nil {
			return err
		}
	}
}
