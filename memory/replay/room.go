package replay

import (
	"context"

	"kith/graph"
)

// usage is a row of replay_usage.
type usage struct{ Characters, Oldest int64 }

// makeRoom removes the oldest of what a team keeps of its reads until the rest has room, and corrects the count. It returns how much it
// removed.
func (s *Store) makeRoom(ctx context.Context, team string, reads graph.Reads) (removed int64, err error) {
	if !reads.Exceeded() {
		return 0, nil
	}
	has, gone := usage{}, int64(1)
	for gone > 0 {
		gone = 0
		if has, err = countReads.ReadOne(ctx, s.db, map[string]any{"team_id": team}); err != nil {
			return removed, err
		}
		if has.Characters > reads.Most {
			gone, err = s.remove(ctx, team, has.Oldest)
		}
		if removed += gone; err != nil {
			return removed, err
		}
	}
	return removed, s.graph.Transaction(ctx, "quota_reads", func(t *graph.Tx) error {
		t.Changes(nil)
		_, err := t.ChargeReads(team, has.Characters-reads.Has) // another process may have added since
		return err
	})
}

// remove removes what a team keeps of what it was served until a moment, in pieces.
func (s *Store) remove(ctx context.Context, team string, until int64) (removed int64, err error) {
	for {
		gone := int64(0)
		err = s.graph.Transaction(ctx, "replay_remove", func(t *graph.Tx) (err error) {
			t.Changes(nil)
			gone, err = removeReads.ExecOne(t, map[string]any{"team_id": team, "cutoff": until, "limit": 4 * maxBatch})
			return err
		})
		if removed += gone; err != nil || gone == 0 {
			return removed, err
		}
	}
}
