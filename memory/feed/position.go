package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kith/graph/cursors"
	"kith/internal/fault"
)

// Now is the cursor of the end of a feed.
const Now = "now"

// Position is a place in a team's feed: the next change is the item with this index in the commit with this number.
type Position struct{ Seq, Item int64 }

// Before reports whether the position is before another one.
func (p Position) Before(other Position) bool {
	return p.Seq < other.Seq || p.Seq == other.Seq && p.Item < other.Item
}

// behind returns the position behind an item of a commit with some number of items.
func behind(seq int64, item, items int) Position {
	if item+1 >= items {
		return Position{Seq: seq + 1}
	}
	return Position{Seq: seq, Item: int64(item) + 1}
}

const prefix = "changes"

// Cursor returns the cursor of the position in a team's feed.
func (p Position) Cursor(team string) string {
	return cursors.Encode(fmt.Sprintf("%s %s %d %d", prefix, tagOf(team), p.Seq, p.Item))
}

// tagOf returns a short hash of a team, which binds a cursor to it.
func tagOf(team string) string {
	sum := sha256.Sum256([]byte(prefix + "\x00" + team))
	return hex.EncodeToString(sum[:8])
}

// parseCursor returns the position of a cursor. It returns an InvalidError for a cursor of another team, or another list.
func parseCursor(team, cursor string) (p Position, err error) {
	text, err := cursors.Decode(cursor)
	if err != nil {
		return p, invalid()
	}
	parts := strings.Split(text, " ")
	if len(parts) != 4 || parts[0] != prefix || parts[1] != tagOf(team) {
		return p, invalid()
	}
	p.Seq, err = strconv.ParseInt(parts[2], 10, 64)
	if err == nil {
		p.Item, err = strconv.ParseInt(parts[3], 10, 64)
	}
	if err != nil || p.Seq < 1 || p.Item < 0 || p.Cursor(team) != cursor {
		return Position{}, invalid()
	}
	return p, nil
}

func invalid() error {
	return fmt.Errorf("changes: %w", fault.Invalid(fault.At("after"), fault.Malformed, "invalid cursor"))
}

// ErrGone reports that changes behind a cursor are not kept any more.
var ErrGone = errors.New("the changes behind this cursor are not kept any more: read the memory itself, and continue with oldest_cursor")

// GoneError is ErrGone with the oldest cursor that works.
type GoneError struct{ Oldest string }

func (e *GoneError) Error() string { return ErrGone.Error() }

func (e *GoneError) Unwrap() error { return ErrGone }
