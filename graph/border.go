package graph

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"kith/graph/neo"
)

// A border is a moment at which a relationship begins or ends. What was read before it is another answer after it, so a
// cached answer ends there. Borders in the future are noted when they are written.

var (
	addBorders = neo.Load[neo.None]("border_add")
	findBorder = neo.Load[nextBorder]("border_next")

	findDuePlaces = neo.Load[[]string]("border_due")
	forgetPlaces  = neo.Load[neo.None]("border_settle")
)

const (
	mostBorders = 10_000
	// unknownLife is how long an answer is right for sure where a team has had more borders than are noted.
	unknownLife = time.Second
)

type nextBorder struct{ Next, Until *int64 }

// mostSkew is how far the clock of another instance may be behind. There what has just begun or ended is in the future,
// so such borders are noted, too.
const mostSkew = time.Minute

// noteBorders remembers the borders in the future of a relationship that is written.
func (t *Tx) noteBorders(row map[string]any) {
	p, ok := row["properties"].(map[string]any)
	if !ok {
		return
	}
	for _, name := range []string{"valid_from", "valid_to"} {
		at := Properties(p).Moment(name)
		if at == nil || !at.After(t.store.Now().Add(-mostSkew)) || name == "valid_from" && Properties(p).startsUnknown() {
			continue
		}
		t.borders = append(t.borders, at.UnixMilli())
		for _, end := range []string{"from", "to"} {
			t.places = append(t.places, strconv.FormatInt(at.UnixMilli(), 10)+KeySeparator+neo.Text(row[end]))
		}
	}
}

// SettleDue renews the places of nodes in their workspaces where a relationship to the project has begun or ended since
// they were stored. Reads of workspaces call it first.
func (s *Store) SettleDue(ctx context.Context, team string) error {
	rows, err := findDuePlaces.Read(ctx, s.db, map[string]any{"team_id": team, "at": s.Now().UnixMilli()})
	if err != nil || len(rows) == 0 || len(rows[0]) == 0 {
		return err
	}
	for places := range slices.Chunk(rows[0], renewBatch) {
		keys := make([]string, len(places))
		for i, place := range places {
			_, keys[i], _ = strings.Cut(place, KeySeparator)
		}
		err := s.Transaction(ctx, "border_settle", func(t *Tx) error {
			t.Changes(nil)
			if _, err := t.find(team, lookups{entityKeys: slices.Clone(keys)}); err != nil {
				return err
			}
			if err := t.settle(team, keys); err != nil {
				return err
			}
			return forgetPlaces.Run(t, map[string]any{"team_id": team, "places": places})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// storeBorders notes the remembered borders of a team, whose feed the transaction has locked.
func (t *Tx) storeBorders(team string) error {
	if len(t.borders) == 0 {
		return nil
	}
	borders, places := t.borders, append([]string{}, t.places...)
	t.borders, t.places = nil, nil
	return addBorders.Run(t, map[string]any{
		"team_id": team, "after": t.store.Now().Add(-mostSkew).UnixMilli(), "borders": borders, "places": Distinct(places), "most": mostBorders,
	})
}

// NextBorder returns until when what is read of a team at a time stays as it is without a write: when the next
// relationship begins or ends. It returns the zero time if none does.
func (s *Store) NextBorder(ctx context.Context, team string, at time.Time) (time.Time, error) {
	rows, err := findBorder.Read(ctx, s.db, map[string]any{"team_id": team, "at": at.UnixMilli()})
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return BorderAfter(at, rows[0].Next, rows[0].Until), nil
}

// BorderAfter returns the next border after a time: next, unless that is not known from some moment on. Both are in ms since 1970.
func BorderAfter(at time.Time, next, until *int64) time.Time {
	switch {
	case until != nil && *until <= at.UnixMilli():
		return at.Add(unknownLife)
	case next != nil:
		return time.UnixMilli(*next)
	}
	return time.Time{}
}
