package graph

import (
	"context"
	"time"

	"kith/neo"
)

// A border is a moment at which a relationship begins or ends. What was read before it is another answer after it, so a
// cached answer ends there. Borders in the future are noted when they are written.

var (
	addBorders = neo.Load[neo.None]("border_add")
	findBorder = neo.Load[nextBorder]("border_next")
)

const (
	mostBorders = 10_000
	// unknownLife is how long an answer is right for sure where a team has had more borders than are noted.
	unknownLife = time.Second
)

type nextBorder struct{ Next, Until *int64 }

// noteBorders remembers the borders in the future of relationships that are written.
func (t *Tx) noteBorders(properties map[string]any) {
	for _, name := range []string{"valid_from", "valid_to"} {
		if at := Properties(properties).Moment(name); at != nil && at.After(t.store.Now()) {
			t.borders = append(t.borders, at.UnixMilli())
		}
	}
}

// storeBorders notes the remembered borders of a team, whose feed the transaction has locked.
func (t *Tx) storeBorders(team string) error {
	if len(t.borders) == 0 {
		return nil
	}
	borders := t.borders
	t.borders = nil
	return addBorders.Run(t, map[string]any{"team_id": team, "at": t.store.Now().UnixMilli(), "borders": borders, "most": mostBorders})
}

// NextBorder returns until when what is read of a team at a time stays as it is without a write: when the next
// relationship begins or ends. It returns the zero time if none does.
func (s *Store) NextBorder(ctx context.Context, team string, at time.Time) (time.Time, error) {
	rows, err := findBorder.Read(ctx, s.db, map[string]any{"team_id": team, "at": at.UnixMilli()})
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	next := rows[0]
	switch {
	case next.Until != nil && *next.Until <= at.UnixMilli():
		return at.Add(unknownLife), nil
	case next.Next != nil:
		return time.UnixMilli(*next.Next), nil
	}
	return time.Time{}, nil
}
