package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"kith/graph"
)

// An instance is not ready before its statements are planned, also if the database was unavailable in between, and is ready if they
// cannot be planned.
func TestReadyAfterWarmUp(t *testing.T) {
	t.Parallel()
	m, calls := &memory{}, 0
	m.plans.run(t.Context(), slog.New(slog.DiscardHandler),
		func(ctx context.Context) error {
			if err := m.ready(ctx); !errors.Is(err, errWarmingUp) {
				t.Errorf("ready before it: %v", err)
			}
			return errors.New("a wrong statement")
		},
		func(context.Context) error {
			if calls++; calls == 1 {
				return fmt.Errorf("no answer: %w", graph.ErrUnavailable)
			}
			return nil
		},
	)
	if calls != 2 || !m.plans.ended.Load() {
		t.Errorf("%d calls of what failed once; ended: %v", calls, m.plans.ended.Load())
	}
}
