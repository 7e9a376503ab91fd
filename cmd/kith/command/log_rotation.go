package command

import (
	"context"
	"log/slog"
	"time"

	"kith/graph"
	"kith/memory/erasure"
)

// logRotationInterval is the time between rotations of the transaction log of the embedded Neo4j. Neo4j deletes rotated
// logs at a later checkpoint, and all logs when it stops cleanly.
const logRotationInterval = 30 * time.Minute

// logRotator rotates the transaction log of the embedded Neo4j at an interval, and at once after an erasure.
type logRotator struct {
	*erasure.Store
	log    *slog.Logger
	erased chan struct{} // has an element after an erasure
}

func newLogRotator(store *erasure.Store, log *slog.Logger) *logRotator {
	return &logRotator{store, log, make(chan struct{}, 1)}
}

// EraseUser erases a user in the store, and then rotates the log.
func (k *logRotator) EraseUser(ctx context.Context, scope graph.Scope, beside erasure.Beside) (erasure.Receipt, error) {
	defer k.requestRotation()
	return k.Store.EraseUser(ctx, scope, beside)
}

// EraseTeam erases a team in the store, and then rotates the log.
func (k *logRotator) EraseTeam(ctx context.Context, teamID string, beside erasure.Beside) (erasure.Receipt, error) {
	defer k.requestRotation()
	return k.Store.EraseTeam(ctx, teamID, beside)
}

func (k *logRotator) requestRotation() {
	select {
	case k.erased <- struct{}{}:
	default:
	}
}

// run rotates the log until ctx is done. A failed rotation is logged and retried the next time.
func (k *logRotator) run(ctx context.Context) error {
	tick := time.NewTicker(logRotationInterval)
	defer tick.Stop()
	for {
		if err := k.RotateLogs(ctx); err != nil && ctx.Err() == nil {
			k.log.WarnContext(ctx, "rotation of neo4j's transaction log failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-k.erased:
		}
	}
}
