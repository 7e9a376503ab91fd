package graph

import (
	"context"
	"errors"
	"maps"
	"time"

	"kith/graph/neo"
)

// maxSkipped is how many records of one step may be too large for a transaction before the step fails.
const maxSkipped = 100

// pieces runs statements that do some of what is left, piece by piece, each in a transaction of its own. How much memory a piece takes
// depends on the texts and versions in it, so the size of a piece adapts.
type pieces struct {
	store   *Store
	most    int                              // items of a piece
	did     func(step string, n int64) error // after each piece; an error ends the work
	skipped func(step string, err error)     // a record that is too large alone is left
}

// lacksMemory reports whether a transaction may succeed if it does less.
func lacksMemory(err error) bool {
	return errors.Is(err, neo.ErrTooLarge) || errors.Is(err, neo.ErrNoMemory)
}

// run repeats a statement with the parameters limit and skip until it finds nothing more. first is called before each piece; it may be nil.
func (p pieces) run(ctx context.Context, q neo.Query[int64], params map[string]any, first func(context.Context) error) error {
	for limit, skip := p.most, 0; ; {
		if first != nil {
			if err := first(ctx); err != nil {
				return err
			}
		}
		n, err := p.once(ctx, q, params, limit, skip)
		switch {
		case lacksMemory(err) && limit > 1:
			limit /= 2
		case lacksMemory(err) && skip < maxSkipped:
			skip++
			p.skipped(q.Name, err)
		case err != nil:
			return err
		default:
			if err := p.did(q.Name, n); err != nil || n == 0 {
				return err
			}
		}
	}
}

func (p pieces) once(ctx context.Context, q neo.Query[int64], params map[string]any, limit, skip int) (n int64, err error) {
	params = maps.Clone(params)
	params["limit"], params["skip"] = limit, skip
	err = p.store.Transaction(ctx, q.Name, func(t *Tx) (err error) {
		n, err = q.ExecOne(t, params)
		return err
	})
	return n, err
}

// runNodes purges nodes, after their relationships: a node may have more of them than one transaction can delete.
func (p pieces) runNodes(ctx context.Context, nodes, relationships neo.Query[int64], params map[string]any) error {
	of := maps.Clone(params)
	of["nodes"] = p.most
	links := p
	links.did = func(step string, _ int64) error { return p.did(step, 0) } // relationships of nodes are not counted
	return p.run(ctx, nodes, params, func(ctx context.Context) error { return links.run(ctx, relationships, of, nil) })
}

// pieces returns work in pieces that keeps the lease of a pass.
func (m *Maintenance) pieces(ctx context.Context, most int) pieces {
	return pieces{m.store, most, func(step string, n int64) error {
		m.options.Observe(step, n)
		if time.Since(m.stored) < m.every {
			return nil
		}
		return m.keep(ctx)
	}, func(step string, err error) { m.skipped(step, err) }}
}

// purge erases what was deleted, replaced or served long ago. A step that fails does not end it.
func (m *Maintenance) purge(ctx context.Context) error {
	m.stored = time.Now()
	p := m.pieces(ctx, min(purgeBatch, m.most.links))
	deleted, former, served := m.store.cutoff(), m.store.historyCutoff(), m.store.Now().Add(-ServedLife).UnixNano()
	err := p.runNodes(ctx, purgeOldNodes, purgeOldNodeLinks, map[string]any{"cutoff": deleted})
	if err != nil {
		if err = m.passOver(ctx, err, "step", purgeOldNodes.Name); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		purge  neo.Query[int64]
		cutoff any
	}{
		{purgeOldRelationships, deleted}, {purgeWithdrawals, deleted}, {purgeReviews, former}, {purgeStoredAnswers, m.store.Now().Add(-idempotencyLife)},
		{thinVersions, m.store.Now()}, {purgeOldVersions, former}, {purgeOldCommits, former},
		{purgeServed, served}, {purgeBodies, served}, {purgeEvents, served},
	} {
		if err := p.run(ctx, step.purge, map[string]any{"cutoff": step.cutoff}, nil); err != nil {
			if err := m.passOver(ctx, err, "step", step.purge.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
