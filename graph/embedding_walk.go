package graph

import (
	"context"
	"errors"

	"kith/internal/sleep"
)

// walk queues the next nodes without a vector of the present model: nodes from times without an embedder, and all nodes when
// everything is embedded anew.
func (e *Embedding) walk(ctx context.Context, from embeddingState) error {
	to := from
	if from.team != "" {
		last, err := e.walkPage(ctx, from)
		if err != nil {
			return err
		}
		to.key = last
	}
	if to.key == "" || from.team == "" { // the team is done
		rows, err := e.store.read(ctx, e.store.queries["team_next"], map[string]any{"after": from.team})
		if err != nil {
			return err
		}
		if to.walked = len(rows) == 0; !to.walked {
			to.team, to.key = text(rows[0][0]), ""
		}
	}
	return e.store.transaction(ctx, "embedding_walked", func(t *tx) error {
		_, err := t.exec("embedding_walked", map[string]any{
			"model": from.model, "base": from.base, "from_team": from.team, "from_key": from.key,
			"team": to.team, "key": to.key, "walked": to.walked,
		})
		return err
	})
}

// walkPage queues nodes of a team, and returns the last one; empty: there are no more.
func (e *Embedding) walkPage(ctx context.Context, from embeddingState) (last string, err error) {
	err = e.store.transaction(ctx, "embedding_walk", func(t *tx) error {
		rows, err := t.exec("embedding_walk", map[string]any{
			"team_id": from.team, "after": from.key, "limit": embeddingPage, "base": from.base, "now_ms": e.store.now().UnixMilli(),
		})
		if err == nil {
			last = text(rows[0][1])
		}
		return err
	})
	return last, err
}

// finishAttempts is how often Finish continues after a failure before it gives up.
const finishAttempts = 5

// Finish embeds until the queue is empty, or waits until another process has emptied it. progress is called after every step. It
// completes what RenewEmbeddings started. It can be interrupted and called again.
func (e *Embedding) Finish(ctx context.Context, progress func()) error {
	defer e.release(context.WithoutCancel(ctx))
	for failures := 0; ; {
		done, err := e.turn(ctx)
		if err == nil && e.held.IsZero() {
			done, err = e.finished(ctx)
		}
		progress()
		if done && err == nil {
			return e.store.transaction(ctx, "embedding_renewed", func(t *tx) error {
				_, err := t.exec("embedding_renewed", map[string]any{"model": e.store.options.Embedder.Model()})
				return err
			})
		}
		if err == nil {
			failures = 0
		} else if failures++; failures == finishAttempts || ctx.Err() != nil || errors.Is(err, ErrModel) {
			return err
		}
		if !sleep.For(ctx, min(e.next(done, err), embeddingLook)) {
			return ctx.Err()
		}
	}
}

// finished reports whether nothing is left to embed for any process.
func (e *Embedding) finished(ctx context.Context) (bool, error) {
	state, err := e.store.embeddingState(ctx)
	if err != nil || !state.walked {
		return false, err
	}
	rows, err := e.due(ctx, e.limit())
	return len(rows) == 0, err
}
