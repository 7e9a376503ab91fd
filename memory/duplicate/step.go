package duplicate

import (
	"context"
	"errors"
	"slices"
	"time"

	"kith/graph"
	"kith/memory/feed"
)

const (
	stepTime  = 20 * time.Second // after which comparing nodes has failed
	mostTries = 3                // to look at a node or change, the last ones at it alone
	shrinks   = 7                // by how much a step of a team becomes smaller when one fails
)

// reached is how far a team was looked through: the next change and, during the first look, the key of the last node. tries is how often
// looking further failed.
type reached struct {
	next  feed.Position
	first *string
	tries int64
}

func (r *reached) params() map[string]any {
	params := map[string]any{"next_seq": r.next.Seq, "next_item": r.next.Item, "first": nil, "tries": r.tries}
	if r.first != nil {
		params["first"] = *r.first
	}
	return params
}

// save stores how far a team was looked through, if this process still has the lease.
func (w *Worker) save(ctx context.Context, team string, params map[string]any) error {
	if err := w.hold(ctx); err != nil {
		return err
	}
	params["team_id"] = team
	return w.store.graph.Transaction(ctx, "duplicate_look", func(t *graph.Tx) error {
		t.Changes(nil)
		return saveLook.Run(t, params)
	})
}

// size returns at how many nodes or changes of a team a step looks.
func (w *Worker) size(team string) int {
	if size := w.sizes[team]; size > 0 {
		return size
	}
	return examineBatch
}

// step looks at some nodes, and stores the place behind them. It reports whether the time is over. If it fails, the place stays, and the
// next steps of the team are smaller, until one looks at a single node or change. If that fails, too, it is skipped.
func (w *Worker) step(ctx context.Context, team string, at *reached, behind reached, batches []batch, until time.Time) (over bool, err error) {
	err = w.examine(ctx, team, batches)
	if err != nil && (errors.Is(err, errLost) || ctx.Err() != nil) {
		return false, err
	}
	size := w.size(team)
	switch {
	case err == nil:
		w.sizes[team] = 2 * size
		if w.sizes[team] >= examineBatch {
			delete(w.sizes, team)
		}
	case at.tries+1 >= mostTries && size == 1:
		w.options.Log.Warn("nodes are not compared", "team_id", team, "entity_keys", keysIn(batches), "tries", at.tries+1, "error", err)
		w.options.Observe(Skipped, int64(len(keysIn(batches))))
	default:
		w.sizes[team] = max(1, size/shrinks)
		at.tries++
		return false, errors.Join(err, w.save(ctx, team, at.params()))
	}
	*at = behind
	return !w.now().Before(until), w.save(ctx, team, at.params())
}

// examine compares nodes, and merges what is probable enough.
func (w *Worker) examine(ctx context.Context, team string, batches []batch) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	for _, all := range batches {
		for keys := range slices.Chunk(all.keys, examineBatch) {
			if err := w.hold(ctx); err != nil {
				return err
			}
			proposed, err := w.compare(ctx, team, batch{keys, all.user})
			if err != nil {
				return err
			}
			w.options.Observe(Compared, int64(len(keys)))
			w.options.Observe(Found, int64(len(proposed)))
			if err := w.merge(ctx, team, proposed); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchesOf returns the nodes that changes are about, those of each user apart. A change of what is a user's own changes nothing of what the
// team shares: a relationship of theirs does not count there, so the shared node at its end is not compared anew.
func batchesOf(changes []feed.Change) []batch {
	keys, users := map[string][]string{}, []string{}
	for i := range changes {
		c, user := &changes[i], ""
		if c.UserID != nil {
			user = *c.UserID
		}
		if keys[user] == nil {
			users = append(users, user)
		}
		if c.Kind == graph.RelationshipRecord {
			keys[user] = append(keys[user], c.From, c.To)
		} else {
			keys[user] = append(keys[user], c.Key)
		}
	}
	batches := make([]batch, len(users))
	for i, user := range users {
		batches[i] = batch{graph.Distinct(keys[user]), &user}
	}
	return batches
}

func keysIn(batches []batch) (keys []string) {
	for _, b := range batches {
		keys = append(keys, b.keys...)
	}
	return keys
}
