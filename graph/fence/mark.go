package fence

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

	"kith/graph/neo"
	"kith/internal/fault"
	"kith/internal/sleep"
)

var (
	lockMarks       = neo.Load[storedMarks]("erasure_marks_lock")
	saveMarks       = neo.Load[neo.None]("erasure_marks_save")
	rememberErasure = neo.Load[neo.None]("erasure_remember")
)

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

// mark is the mark of one erasure. Times are the database's, in milliseconds.
type mark struct {
	team, user string // hashes; no user: the whole team
	until      int64  // raised until then
	done       int64  // 0: not yet
	holder     string
}

func newMark(team, user string) mark {
	return mark{team: hashOf("team", team), user: userHash(team, user), holder: uuid.NewString()}
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
func (m mark) name() string { return "erased " + m.team + markSeparator + m.user }

func (m mark) is(other mark) bool { return m.team == other.team && m.user == other.user }

// stored returns the mark in its stored form. done stands for the time at which it is stored.
func (m mark) stored(done bool) string {
	at := strconv.FormatInt(m.done, 10)
	if done {
		at = "now"
	}
	return strings.Join([]string{m.team, m.user, strconv.FormatInt(m.until, 10), at, m.holder}, markSeparator)
}

func markFrom(stored string) (m mark) {
	fields := strings.Split(stored, markSeparator)
	if len(fields) != 5 {
		return mark{}
	}
	m = mark{team: fields[0], user: fields[1], holder: fields[4]}
	m.until, _ = strconv.ParseInt(fields[2], 10, 64)
	m.done, _ = strconv.ParseInt(fields[3], 10, 64)
	return m
}

// marksChange is a change of the marks: the stored ones, which it may change, and the database's clock.
type marksChange struct {
	marks []mark
	floor int64
	now   int64
	done  int // the mark that is done now; -1: none
}

// find returns the position of a mark. It adds the mark if it is missing.
func (c *marksChange) find(wanted mark) int {
	if i := slices.IndexFunc(c.marks, wanted.is); i >= 0 {
		return i
	}
	c.marks = append(c.marks, wanted)
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

// Transactor runs a write transaction that is not checked, see Check.
type Transactor func(ctx context.Context, name string, work func(neo.Execer) error) error

// Mark protects one erasure. It is not safe for concurrent use.
type Mark struct {
	db      *neo.DB
	run     Transactor
	own     mark
	renewed time.Time // zero: it is not raised
}

// NewMark returns the mark of an erasure of a user, or of a whole team if user is empty.
func NewMark(db *neo.DB, run Transactor, team, user string) *Mark {
	return &Mark{db: db, run: run, own: newMark(team, user)}
}

// change changes the marks in one transaction.
func (e *Mark) change(ctx context.Context, name string, change func(t neo.Execer, c *marksChange) error) error {
	return e.run(ctx, name, func(t neo.Execer) error {
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

// Raise forbids writes that name the user. It returns when every process knows of the mark, and no transaction that began without
// it is open.
func (e *Mark) Raise(ctx context.Context) error {
	err := e.change(ctx, "erasure_raise", func(_ neo.Execer, c *marksChange) error {
		m := &c.marks[c.find(e.own)]
		m.until, m.holder = c.now+markLease.Milliseconds(), e.own.holder
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
func (e *Mark) awaitWriters(ctx context.Context) error {
	open, err := e.db.Writers(ctx)
	for end := time.Now().Add(writersFor); err == nil && len(open) > 0; {
		if time.Now().After(end) {
			return fmt.Errorf("erase: %d earlier transactions do not end: repeat the erasure: %w", len(open), fault.ErrConflict)
		}
		if !sleep.For(ctx, writersEvery) {
			return neo.Translate("erase", ctx.Err())
		}
		if err := e.Renew(ctx); err != nil {
			return err
		}
		var now []string
		now, err = e.db.Writers(ctx)
		open = slices.DeleteFunc(open, func(id string) bool { return !slices.Contains(now, id) })
	}
	return err
}

// Renew keeps the mark raised while the erasure works.
func (e *Mark) Renew(ctx context.Context) error {
	if e.renewed.IsZero() || time.Since(e.renewed) < markLease/4 {
		return nil
	}
	begun := time.Now()
	err := e.change(ctx, "erasure_renew", func(_ neo.Execer, c *marksChange) error {
		m := &c.marks[c.find(e.own)]
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
func (m mark) held(now int64) error {
	if m.until <= now {
		return fmt.Errorf("erase: the mark expired, and others may have written: repeat the erasure: %w", fault.ErrConflict)
	}
	return nil
}

// Release lowers the mark of an erasure that failed, so that writers need not wait until the mark expires. It works after the end of
// ctx, too.
func (e *Mark) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markLease)
	defer cancel()
	_ = e.lower(ctx, false)
}

// Done ends the erasure: only writes that begin later may name the user.
func (e *Mark) Done(ctx context.Context) error { return e.lower(ctx, true) }

func (e *Mark) lower(ctx context.Context, done bool) error {
	err := e.change(ctx, "erasure_lower", func(t neo.Execer, c *marksChange) error {
		i := c.find(e.own)
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

// Outdate makes the user's tokens useless, as the keys are, and refuses work that began before now, when a round has left
// records.
func (e *Mark) Outdate(ctx context.Context) error {
	return e.change(ctx, "erasure_outdate", func(t neo.Execer, c *marksChange) error {
		c.done = c.find(e.own)
		return rememberErasure.Run(t, map[string]any{"key": e.own.name()})
	})
}

// release lowers a mark, unless another erasure of the same user has raised it since.
func (e *Mark) release(m *mark) {
	if m.holder == e.own.holder {
		m.until = 0
	}
}
