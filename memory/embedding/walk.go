package embedding

import (
	"context"
	"errors"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/sleep"
)

var (
	nextTeam             = neo.Load[string]("team_next")
	queueNodes           = neo.Load[queuedNodes]("embedding_walk")
	saveEmbeddingWalk    = neo.Load[neo.None]("embedding_walked")
	finishEmbeddingRenew = neo.Load[neo.None]("embedding_renewed")
)

// queuedNodes is a page of the walk: how many nodes were seen, the last one, and how many of them were queued.
type queuedNodes struct {
	Seen   int64
	Last   string
	Marked int64
}

// walk queues the next nodes without a vector of the present model: nodes from times without an embedder, and all nodes when
// everything is embedded anew.
func (e *Worker) walk(ctx context.Context, from state) error {
	to := from
	if from.Team != "" {
		last, err := e.walkPage(ctx, from)
		if err != nil {
			return err
		}
		to.Key = last
	}
	if to.Key == "" || from.Team == "" { // the team is done
		teams, err := nextTeam.Read(ctx, e.store.db, map[string]any{"after": from.Team})
		if err != nil {
			return err
		}
		if to.Walked = len(teams) == 0; !to.Walked {
			to.Team, to.Key = teams[0], ""
		}
	}
	return e.store.graph.Transaction(ctx, "embedding_walked", func(t *graph.Tx) error {
		return saveEmbeddingWalk.Run(t, map[string]any{
			"model": from.Model, "base": from.Base, "from_team": from.Team, "from_key": from.Key,
			"team": to.Team, "key": to.Key, "walked": to.Walked,
		})
	})
}

// walkPage queues nodes of a team, and returns the last one; empty: there are no more.
func (e *Worker) walkPage(ctx context.Context, from state) (last string, err error) {
	err = e.store.graph.Transaction(ctx, "embedding_walk", func(t *graph.Tx) error {
		page, err := queueNodes.ExecOne(t, map[string]any{
			"team_id": from.Team, "after": from.Key, "limit": embeddingPage, "base": from.Base, "now_ms": e.store.graph.Now().UnixMilli(),
		})
		last = page.Last
		return err
	})
	return last, err
}

// finishAttempts is how often Finish continues after a failure before it gives up.
const finishAttempts = 5

// Finish embeds until the queue is empty, or waits until another process has emptied it. progress is called after every step. It
// completes what Renew started. It can be interrupted and called again.
func (e *Worker) Finish(ctx context.Context, progress func()) error {
	defer e.release(context.WithoutCancel(ctx))
	for failures := 0; ; {
		done, err := e.turn(ctx)
		if err == nil && e.held.IsZero() {
			done, err = e.finished(ctx)
		}
		progress()
		if done && err == nil {
			return e.store.graph.Transaction(ctx, "embedding_renewed", func(t *graph.Tx) error {
				return finishEmbeddingRenew.Run(t, map[string]any{"model": e.store.embedder.Model()})
			})
		}
		if err == nil {
			failures = 0
		} else if failures++; failures == finishAttempts || ctx.Err() != nil || errors.Is(err, graph.ErrModel) {
			return err
		}
		if !sleep.For(ctx, min(e.next(done, err), embeddingLook)) {
			return ctx.Err()
		}
	}
}

// finished reports whether nothing is left to embed for any process.
func (e *Worker) finished(ctx context.Context) (bool, error) {
	state, err := e.store.readState(ctx)
	if err != nil || !state.Walked {
		return false, err
	}
	rows, err := e.due(ctx, e.limit())
	return len(rows) == 0, err
}
