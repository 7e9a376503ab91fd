package main

import (
	"context"
	"log/slog"
	"time"

	"kith/graph"
)

// logsEvery is the time between two new transaction logs of Kith's own Neo4j. It drops those that have ended at a later checkpoint, and all of
// them when it stops in order.
const logsEvery = 30 * time.Minute

// logKeeper has Kith's own Neo4j end its transaction logs in time, at once after an erasure.
type logKeeper struct {
	*graph.Store
	log    *slog.Logger
	erased chan struct{} // holds something when somebody was erased
}

func newLogKeeper(store *graph.Store, log *slog.Logger) *logKeeper {
	return &logKeeper{store, log, make(chan struct{}, 1)}
}

// EraseUser is that of the store. The log is ended after it.
func (k *logKeeper) EraseUser(ctx context.Context, scope graph.Scope) (graph.Erasure, error) {
	defer k.wake()
	return k.Store.EraseUser(ctx, scope)
}

// EraseTeam is that of the store. The log is ended after it.
func (k *logKeeper) EraseTeam(ctx context.Context, teamID string) (graph.Erasure, error) {
	defer k.wake()
	return k.Store.EraseTeam(ctx, teamID)
}

func (k *logKeeper) wake() {
	select {
	case k.erased <- struct{}{}:
	default:
	}
}

// run ends logs until ctx is done. What failed is tried again the next time.
func (k *logKeeper) run(ctx context.Context) error {
	tick := time.NewTicker(logsEvery)
	defer tick.Stop()
	for {
		if err := k.RotateLogs(ctx); err != nil && ctx.Err() == nil {
			k.log.WarnContext(ctx, "neo4j's transaction log was not ended", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-k.erased:
		}
	}
}
