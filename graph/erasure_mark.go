package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"kith/internal/sleep"
	"kith/neo"
)

var (
	lockMarks       = neo.Load[storedMarks]("erasure_marks_lock")
	saveMarks       = neo.Load[neo.None]("erasure_marks_save")
	listWriters     = neo.Load[[]string]("erasure_writers")
	rememberErasure = neo.Load[neo.None]("erasure_remember")
)

// An erasure ends under the protection of a mark in the database. While the mark is raised, no process can commit a write that names
// the user. After that, no write that began before the end of the erasure can commit. Three rules ensure this without another
// statement in each write:
//
//   - A process reads the marks about twice a second, and trusts what it read for marksFor. A write transaction checks them before
//     it commits. If they are older, it reads them itself, in the same transaction.
//   - An erasure that raises a mark waits for marksFor. Every transaction that checked without the mark was open then.
//   - Then it waits until all open write transactions have ended, and erases what they wrote.
//
// Marks name users and teams by hashes, and outlive them.

const (
	marksFor      = 2 * time.Second        // for which a process trusts the marks it has read
	marksEvery    = 500 * time.Millisecond // between two reads
	markLease     = time.Minute            // for which a mark stays raised when its process dies
	maxErasures   = 1000                   // stored marks, the last ones
	writersEvery  = 20 * time.Millisecond
	writersFor    = 2 * time.Minute       // for which to wait for open transactions
	receiptPause  = 30 * time.Millisecond // between the end of an erasure and its receipt: far more than clocks differ
	markSeparator = " "
)

// eraseMark is the mark of one erasure. Times are the database's, in milliseconds.
type eraseMark struct {
	team, user string // hashes; no user: the whole team
	until      int64  // raised until then
	done       int64  // 0: not yet
	holder     string
}

func newMark(scope Scope) eraseMark {
	return eraseMark{team: hashOf("team", scope.TeamID), user: userHash(scope.TeamID, scope.UserID), holder: uuid.NewString()}
}

func userHash(team, user string) string {
	if user == "" {
		return "-"
	}
	return hashOf("user", team, user)
}

// hashOf returns a hash from which the parts cannot be read.
func hashOf(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// name returns the name under which the database stores the last erasure.
func (m eraseMark) name() string { return "erased " + m.team + markSeparator + m.user }

func (m eraseMark) is(other eraseMark) bool { return m.team == other.team && m.user == other.user }

// stored returns the mark in its stored form. done stands for the time at which it is stored.
func (m eraseMark) stored(done bool) string {
	at := strconv.FormatInt(m.done, 10)
	if done {
		at = "now"
	}
	return strings.Join([]string{m.team, m.user, strconv.FormatInt(m.until, 10), at, m.holder}, markSeparator)
}

func markFrom(stored string) (m eraseMark) {
	fields := strings.Split(stored, markSeparator)
	if len(fields) != 5 {
		return eraseMark{}
	}
	m = eraseMark{team: fields[0], user: fields[1], holder: fields[4]}
	m.until, _ = strconv.ParseInt(fields[2], 10, 64)
	m.done, _ = strconv.ParseInt(fields[3], 10, 64)
	return m
}

// marksChange is a change of the marks: the stored ones, which it may change, and the database's clock.
type marksChange struct {
	marks []eraseMark
	floor int64
	now   int64
	done  int // the mark that is done now; -1: none
}

// find returns the position of a mark. It adds the mark if it is missing.
func (c *marksChange) find(mark eraseMark) int {
	if i := slices.IndexFunc(c.marks, mark.is); i >= 0 {
		return i
	}
	c.marks = append(c.marks, mark)
	return len(c.marks) - 1
}

// bound drops the oldest marks that are done, and raises the floor instead.
func (c *marksChange) bound() {
	for i := 0; len(c.marks) > maxErasures && i < len(c.marks); {
		if i == c.done || c.marks[i].until > c.now {
			i++
			continue
		}
		c.floor = max(c.floor, c.marks[i].done)
		c.marks = slices.Delete(c.marks, i, i+1)
		if c.done > i {
			c.done--
		}
	}
}

// changeMarks changes the marks in one transaction.
func (s *Store) changeMarks(ctx context.Context, name string, change func(t *Tx, c *marksChange) error) error {
	return s.Transaction(ctx, name, func(t *Tx) error {
		t.erases = true
		found, err := lockMarks.ExecOne(t, nil)
		if err != nil {
			return err
		}
		c := &marksChange{floor: found.Floor, now: found.Now, done: -1}
		for _, stored := range found.Marks {
			c.marks = append(c.marks, markFrom(stored))
		}
		if err := change(t, c); err != nil {
			return err
		}
		c.bound()
		stored := make([]string, len(c.marks))
		for i, m := range c.marks {
			stored[i] = m.stored(i == c.done)
		}
		return saveMarks.Run(t, map[string]any{"keys": stored, "seq": c.floor})
	})
}

// raise forbids writes that name the user. It returns when every process knows of the mark, and no transaction that began without
// it is open.
func (e *erasure) raise(ctx context.Context) error {
	err := e.store.changeMarks(ctx, "erasure_raise", func(_ *Tx, c *marksChange) error {
		m := &c.marks[c.find(e.mark)]
		m.until, m.holder = c.now+markLease.Milliseconds(), e.mark.holder
		return nil
	})
	if err != nil {
		return err
	}
	e.renewed = time.Now()
	if !sleep.For(ctx, marksFor) {
		return neo.Translate("erase", ctx.Err())
	}
	return e.awaitWriters(ctx)
}

// awaitWriters waits until the write transactions that are open now have ended.
func (e *erasure) awaitWriters(ctx context.Context) error {
	open, err := e.store.writers(ctx)
	for end := time.Now().Add(writersFor); err == nil && len(open) > 0; {
		if time.Now().After(end) {
			return fmt.Errorf("erase: %d earlier transactions do not end: repeat the erasure: %w", len(open), ErrConflict)
		}
		if !sleep.For(ctx, writersEvery) {
			return neo.Translate("erase", ctx.Err())
		}
		if err := e.renew(ctx); err != nil {
			return err
		}
		var now []string
		now, err = e.store.writers(ctx)
		open = slices.DeleteFunc(open, func(id string) bool { return !slices.Contains(now, id) })
	}
	return err
}

// writers returns the names of the open write transactions. In a cluster they are on the leader.
func (s *Store) writers(ctx context.Context) ([]string, error) {
	return listWriters.ReadOne(ctx, leader{s.db}, nil)
}

// renew keeps the mark raised while the erasure works.
func (e *erasure) renew(ctx context.Context) error {
	if e.renewed.IsZero() || time.Since(e.renewed) < markLease/4 {
		return nil
	}
	begun := time.Now()
	err := e.store.changeMarks(ctx, "erasure_renew", func(_ *Tx, c *marksChange) error {
		m := &c.marks[c.find(e.mark)]
		if err := m.held(c.now); err != nil {
			return err
		}
		m.until = c.now + markLease.Milliseconds()
		return nil
	})
	e.renewed = begun
	return err
}

// held returns an error unless the mark was raised all the time.
func (m eraseMark) held(now int64) error {
	if m.until <= now {
		return fmt.Errorf("erase: the mark expired, and others may have written: repeat the erasure: %w", ErrConflict)
	}
	return nil
}

// lower ends the erasure. Once it is done, only writes that begin later may name the user.
func (e *erasure) lower(ctx context.Context, done bool) error {
	err := e.store.changeMarks(ctx, "erasure_lower", func(t *Tx, c *marksChange) error {
		i := c.find(e.mark)
		m := &c.marks[i]
		if !done {
			e.release(m)
			return nil
		}
		if err := m.held(c.now); err != nil {
			return err
		}
		e.release(m)
		c.done = i
		return rememberErasure.Run(t, map[string]any{"key": m.name()})
	})
	if err == nil && done && !sleep.For(ctx, receiptPause) {
		err = neo.Translate("erase", ctx.Err())
	}
	return err
}

// outdate makes the user's tokens useless, as the keys are, and refuses work that began before now, when a round has left
// records.
func (e *erasure) outdate(ctx context.Context) error {
	return e.store.changeMarks(ctx, "erasure_outdate", func(t *Tx, c *marksChange) error {
		c.done = c.find(e.mark)
		return rememberErasure.Run(t, map[string]any{"key": e.mark.name()})
	})
}

// release lowers a mark, unless another erasure of the same user has raised it since.
func (e *erasure) release(m *eraseMark) {
	if m.holder == e.mark.holder {
		m.until = 0
	}
}
