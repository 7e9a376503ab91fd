package feed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	readFeed    = neo.Load[state]("feed_read")
	lockFeed    = neo.Load[state]("feed_lock")
	listCommits = neo.Load[commit]("commit_list")
)

// state is a row of feed_read: the zero state if nothing was committed.
type state struct{ Seq, Begun, Pruned int64 }

// end returns the position behind all commits.
func (s state) end() Position { return Position{Seq: s.Seq + 1} }

// oldest returns the first position that is kept.
func (s state) oldest() Position { return Position{Seq: s.Pruned + 1} }

// from returns the position to read from. The cursor of an empty feed is the position of the first commit, which gets a number when
// there is one.
func (s state) from(p Position) Position {
	if p == (state{}).end() && s.Pruned == s.Begun {
		return s.oldest()
	}
	return p
}

const (
	firstRows   = 16   // commits of the first read of a page; each has up to 500 changes
	mostRows    = 500  // commits of one read
	mostScanned = 5000 // commits of one page, selected or not
)

// Start returns the position of a cursor. Without a cursor it is the oldest that is kept; with Now the end. It returns an
// InvalidError for a cursor of another team or of a number that is not reached, and a GoneError for one that is too old or of a feed that was erased.
func (s *Store) Start(ctx context.Context, team, after string) (Position, error) {
	var from Position
	if after != "" && after != Now {
		var err error
		if from, err = parseCursor(team, after); err != nil {
			return from, err
		}
	}
	current, err := s.state(ctx, team)
	if err == nil && current.end().Before(from) { // a member of a cluster may lag behind
		current, err = s.settled(ctx, team)
	}
	switch {
	case err != nil:
		return from, err
	case after == Now:
		return current.end(), nil
	case after == "":
		return current.oldest(), nil
	case current.end().Before(from):
		return from, invalid()
	}
	from = current.from(from)
	return from, current.check(team, from)
}

// check returns a GoneError if the position is not kept any more.
func (s state) check(team string, from Position) error {
	if from.Before(s.oldest()) {
		return &GoneError{Oldest: s.oldest().Cursor(team)}
	}
	return nil
}

func (s *Store) state(ctx context.Context, team string) (state, error) {
	return orZero(readFeed.ReadOne(ctx, s.db, map[string]any{"team_id": team}))
}

// settled returns the state after all commits that are under way.
func (s *Store) settled(ctx context.Context, team string) (current state, err error) {
	err = s.db.Write(ctx, lockFeed.Name, func(t *neo.Tx) (err error) {
		current, err = orZero(lockFeed.ExecOne(t, map[string]any{"team_id": team}))
		return err
	})
	return current, err
}

func orZero(found state, err error) (state, error) {
	if errors.Is(err, fault.ErrNotFound) {
		return state{}, nil
	}
	return found, err
}

// Range is a part of a feed. Without an end it ends with the last commit.
type Range struct{ From, To Position }

// Batch has changes in their order, and the position behind all that was read.
type Batch struct {
	Changes []Change
	Next    Position
	More    bool
}

// Read returns at most limit changes of a range that the scope may see and the filter selects. It returns a GoneError if the range
// begins before the oldest position.
func (s *Store) Read(ctx context.Context, scope graph.Scope, r Range, filter Filter, limit int) (Batch, error) {
	current, err := s.state(ctx, scope.TeamID)
	if err != nil {
		return Batch{}, err
	}
	r.From = current.from(r.From)
	if err := current.check(scope.TeamID, r.From); err != nil {
		return Batch{}, err
	}
	if r.To == (Position{}) {
		r.To = current.end()
	}
	read := &reading{team: scope.TeamID, filter: filter, limit: limit, to: r.To, Batch: Batch{Next: r.From, Changes: []Change{}}}
	for scanned, rows := 0, firstRows; read.wants() && scanned < mostScanned; {
		if err := s.take(ctx, scope, read, rows); err != nil {
			return Batch{}, err
		}
		scanned += rows
		rows = read.nextRows(scanned)
	}
	read.More = read.Next.Before(read.to)
	return read.Batch, nil
}

// take reads some commits into a page.
func (s *Store) take(ctx context.Context, scope graph.Scope, read *reading, rows int) error {
	from, last := read.Next.Seq, read.lastSeq()
	last = min(last, from+int64(rows)-1)
	params := map[string]any{"team_id": scope.TeamID, "user_id": nil, "from_seq": from, "to_seq": last, "limit": rows}
	if scope.UserID != "" {
		params["user_id"] = scope.UserID
	}
	found, err := listCommits.Read(ctx, s.db, params)
	if err == nil && int64(len(found)) <= last-from {
		found, err = s.listSettled(ctx, read, params)
	}
	if err != nil {
		return err
	}
	for i := range found {
		if room, err := read.add(&found[i]); err != nil || !room {
			return err
		}
	}
	read.pass(Position{Seq: last + 1})
	return nil
}

// listSettled lists commits after all that are under way. What is missing then was erased.
func (s *Store) listSettled(ctx context.Context, read *reading, params map[string]any) (found []commit, err error) {
	err = s.db.Write(ctx, lockFeed.Name, func(t *neo.Tx) error {
		current, err := orZero(lockFeed.ExecOne(t, map[string]any{"team_id": read.team}))
		if err != nil {
			return err
		}
		if current.Seq == 0 { // the team was erased meanwhile
			return fmt.Errorf("changes: %w", fault.ErrNotFound)
		}
		if err := current.check(read.team, read.Next); err != nil {
			return err
		}
		found, err = listCommits.Exec(t, params)
		return err
	})
	return found, err
}

// reading is a page that is being read.
type reading struct {
	Batch

	team   string
	filter Filter
	limit  int
	to     Position
}

// wants reports whether the page has room, and there is more.
func (r *reading) wants() bool { return len(r.Changes) < r.limit && r.Next.Before(r.to) }

// lastSeq returns the number of the last commit in the range.
func (r *reading) lastSeq() int64 {
	if r.to.Item > 0 {
		return r.to.Seq
	}
	return r.to.Seq - 1
}

// nextRows returns how many commits to read next, from how many changes the scanned ones had.
func (r *reading) nextRows(scanned int) int {
	share := float64(scanned) / float64(max(len(r.Changes), 1))
	return int(math.Ceil(min(mostRows, max(1, float64(r.limit-len(r.Changes))*share))))
}

// pass moves the page's end forward, within the range.
func (r *reading) pass(to Position) {
	if r.to.Before(to) {
		to = r.to
	}
	r.Next = to
}

// add adds the changes of a commit. It reports whether the page has room for more.
func (r *reading) add(c *commit) (room bool, err error) {
	packed, _ := c.Packed.([]byte)
	items, err := graph.FeedItems(c.Items, packed)
	if err != nil {
		return false, err
	}
	first := 0
	if c.Seq == r.Next.Seq {
		first = int(min(r.Next.Item, int64(len(items))))
	}
	for i := first; i < len(items); i++ {
		if len(r.Changes) >= r.limit || !(Position{Seq: c.Seq, Item: int64(i)}).Before(r.to) {
			r.pass(Position{Seq: c.Seq, Item: int64(i)})
			return false, nil
		}
		if change := c.change(items[i]); r.filter.selects(&change) {
			change.Behind = behind(c.Seq, i, len(items))
			change.Cursor = change.Behind.Cursor(r.team)
			r.Changes = append(r.Changes, change)
		}
		r.pass(behind(c.Seq, i, len(items)))
	}
	r.pass(Position{Seq: c.Seq + 1})
	return true, nil
}

// ReadRange returns all changes of a range that has an end, as Read does.
func (s *Store) ReadRange(ctx context.Context, scope graph.Scope, r Range, filter Filter) (all []Change, err error) {
	for r.From.Before(r.To) {
		batch, err := s.Read(ctx, scope, r, filter, rangeLimit)
		if err != nil {
			return nil, err
		}
		all, r.From = append(all, batch.Changes...), batch.Next
	}
	return all, nil
}

const rangeLimit = 1000 // changes of one read
