package erasure

import (
	"context"

	"kith/graph"
	"kith/graph/neo"
)

var (
	scanNodes              = neo.Load[erasureStep]("erasure_scan")
	unlinkNodes            = neo.Load[unlinked]("erasure_unlink")
	detachNodes            = neo.Load[neo.None]("erasure_detach")
	eraseNodes             = neo.Load[erased]("erasure_delete")
	anonymiseNodes         = neo.Load[anonymised]("erasure_anonymise")
	anonymiseRelationships = neo.Load[anonymised]("erasure_relationships")
)

// erasureStep is a page of the walk over a team's nodes.
type erasureStep struct {
	Seen     int64
	Last     string
	Own      []string // to erase
	Authored []string // others that name the user
}

// unlinked counts removed relationships: all, and those that callers know by their keys.
type unlinked struct{ Removed, Relationships int64 }

// erased counts erased nodes or records. Messages are among them.
type erased struct{ Nodes, Messages int64 }

// anonymised counts nodes or relationships that were found, those that no longer name the user, and the user's notes on them.
type anonymised struct{ Found, Anonymised, Notes int64 }

// walk visits a team's nodes in the order of their keys.
func (e *job) walk(ctx context.Context, visit func(erasureStep) error) error {
	for after := ""; ; {
		step, err := scanNodes.ReadOne(ctx, e.store.db, e.params(map[string]any{"after": after, "limit": erasurePage}))
		if err != nil {
			return err
		}
		if err := e.mark.Renew(ctx); err != nil {
			return err
		}
		if err := visit(step); err != nil {
			return err
		}
		if step.Seen < erasurePage {
			return nil
		}
		after = step.Last
	}
}

func (e *job) nodes(ctx context.Context) error {
	return e.walk(ctx, func(step erasureStep) error {
		if err := e.unlink(ctx, append(step.Own, step.Authored...)); err != nil {
			return err
		}
		if err := e.drop(ctx, step.Own); err != nil {
			return err
		}
		return e.anonymise(ctx, step.Authored)
	})
}

// unlink deletes relationships in batches: a node may have more than one transaction can hold.
func (e *job) unlink(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return eraseBatches(ctx, e, unlinkNodes, map[string]any{"entity_keys": keys}, e.countUnlinked)
}

func (e *job) drop(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	more := map[string]any{"entity_keys": keys}
	if e.scope.UserID != "" {
		if _, err := eraseBatch(ctx, e, detachNodes, more); err != nil {
			return err
		}
	}
	counts, err := eraseBatch(ctx, e, eraseNodes, more)
	e.receipt.Nodes += counts.Nodes - counts.Messages
	e.receipt.Messages += counts.Messages
	return err
}

func (e *job) anonymise(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	for _, anonymise := range []neo.Query[anonymised]{anonymiseNodes, anonymiseRelationships} {
		if err := eraseBatches(ctx, e, anonymise, map[string]any{"entity_keys": keys}, e.countAnonymised); err != nil {
			return err
		}
	}
	return nil
}

func (e *job) countUnlinked(c unlinked) (found int64) {
	e.receipt.Relationships += c.Relationships
	return c.Removed
}

func (e *job) countAnonymised(c anonymised) (found int64) {
	e.receipt.Anonymised += c.Anonymised
	e.receipt.NotesAnonymised += c.Notes
	return c.Found
}

// eraseBatches runs a statement until it finds less than a batch. count returns how much it found.
func eraseBatches[T any](ctx context.Context, e *job, q neo.Query[T], more map[string]any, count func(T) int64) error {
	for {
		counts, err := eraseBatch(ctx, e, q, more)
		if err != nil {
			return err
		}
		if count(counts) < erasureBatch {
			return nil
		}
	}
}

// eraseBatch runs a statement that returns one row of counts, in a transaction of its own.
func eraseBatch[T any](ctx context.Context, e *job, q neo.Query[T], more map[string]any) (counts T, err error) {
	if err := e.mark.Renew(ctx); err != nil {
		return counts, err
	}
	err = e.store.graph.Transaction(ctx, q.Name, func(t *graph.Tx) (err error) {
		t.PassFence()
		t.Changes([]string{e.scope.UserID, ""})
		counts, err = q.ExecOne(t, e.params(more))
		return err
	})
	return counts, err
}
