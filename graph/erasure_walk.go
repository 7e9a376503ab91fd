package graph

import (
	"context"

	"kith/cypher"
)

// erasureStep is a page of the walk over a team's nodes.
type erasureStep struct {
	own      []string // to erase
	authored []string // others that name the user
}

// walk visits a team's nodes in the order of their keys.
func (e *erasure) walk(ctx context.Context, visit func(erasureStep) error) error {
	for after := ""; ; {
		row, err := e.store.readOne(ctx, "erasure_scan", e.params(map[string]any{"after": after, "limit": erasurePage}))
		if err != nil {
			return err
		}
		if err := e.renew(ctx); err != nil {
			return err
		}
		if err := visit(erasureStep{texts(row[2]), texts(row[3])}); err != nil {
			return err
		}
		if integer(row[0]) < erasurePage {
			return nil
		}
		after = text(row[1])
	}
}

func (e *erasure) nodes(ctx context.Context) error {
	return e.walk(ctx, func(step erasureStep) error {
		if err := e.unlink(ctx, append(step.own, step.authored...)); err != nil {
			return err
		}
		if err := e.drop(ctx, step.own); err != nil {
			return err
		}
		return e.anonymise(ctx, step.authored)
	})
}

// unlink deletes relationships in batches: a node may have more than one transaction can hold.
func (e *erasure) unlink(ctx context.Context, keys []string) error {
	return e.repeat(ctx, "erasure_unlink", keys, func(counts []any) int64 {
		e.receipt.Relationships += integer(counts[1])
		return integer(counts[0])
	})
}

func (e *erasure) drop(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	more := map[string]any{"entity_keys": keys}
	if e.scope.UserID != "" {
		if _, err := e.write(ctx, e.store.queries["erasure_detach"], more); err != nil {
			return err
		}
	}
	counts, err := e.write(ctx, e.store.queries["erasure_delete"], more)
	if err == nil {
		e.receipt.Nodes += integer(counts[0]) - integer(counts[1])
		e.receipt.Messages += integer(counts[1])
	}
	return err
}

func (e *erasure) anonymise(ctx context.Context, keys []string) error {
	for _, name := range []string{"erasure_anonymise", "erasure_relationships"} {
		if err := e.repeat(ctx, name, keys, e.countAnonymised); err != nil {
			return err
		}
	}
	return nil
}

func (e *erasure) countAnonymised(counts []any) int64 {
	e.receipt.Anonymised += integer(counts[1])
	e.receipt.NotesAnonymised += integer(counts[2])
	return integer(counts[0])
}

// repeat runs a statement for some nodes until it finds less than a batch. count returns how much it found.
func (e *erasure) repeat(ctx context.Context, name string, keys []string, count func([]any) int64) error {
	if len(keys) == 0 {
		return nil
	}
	return e.exhaust(ctx, e.store.queries[name], map[string]any{"entity_keys": keys}, count)
}

func (e *erasure) exhaust(ctx context.Context, q cypher.Query, more map[string]any, count func([]any) int64) error {
	for {
		counts, err := e.write(ctx, q, more)
		if err != nil {
			return err
		}
		if count(counts) < erasureBatch {
			return nil
		}
	}
}

// write runs a statement that returns one row of counts, in a transaction of its own.
func (e *erasure) write(ctx context.Context, q cypher.Query, more map[string]any) ([]any, error) {
	if err := e.renew(ctx); err != nil {
		return nil, err
	}
	var counts []any
	err := e.store.transaction(ctx, q.Name, func(t *tx) error {
		t.erases = true
		t.changes([]string{e.scope.UserID, ""})
		rows, err := t.Exec(q, e.params(more))
		if err == nil {
			counts = rows[0]
		}
		return err
	})
	return counts, err
}
