// Package fence keeps writes for erased users from being committed.
//
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
package fence

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"kith/graph/neo"
	"kith/internal/fault"
	"kith/internal/sleep"
)

var (
	readMarks       = neo.Load[storedMarks]("erasure_marks")
	readLastErasure = neo.Load[*int64]("erasure_recall")
)

// storedMarks are the marks of erasures with the database's clock.
type storedMarks struct {
	Marks      []string
	Floor, Now int64
}

type beganKey struct{}

// WithBegin returns a context of work that began at a time. Its writes for a user who was erased since then are refused. Without
// it each transaction counts as its own work.
func WithBegin(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, beganKey{}, at)
}

// Began returns when the work of a context began; now if it does not say.
func Began(ctx context.Context) time.Time {
	if began, ok := ctx.Value(beganKey{}).(time.Time); ok {
		return began
	}
	return time.Now()
}

// Fence holds what a process knows of the erasures of all processes. It is safe for concurrent use.
type Fence struct {
	db *neo.DB

	mu    sync.Mutex
	marks []mark // never changed in place
	floor int64
	read  time.Time // when the marks were requested; zero: never
	clock clock
}

// New returns the fence of a database.
func New(db *neo.DB) *Fence { return &Fence{db: db} }

// clock is a reading of the database's clock: it showed now at the local time at, or later.
type clock struct {
	now  int64
	at   time.Time
	slow time.Duration // at most so much later
}

// of returns the least that the database's clock may have shown at a local time.
func (c clock) of(t time.Time) int64 { return c.now + t.Sub(c.at).Milliseconds() - 1 }

const clockFor = time.Minute // for which a more precise reading of the clock takes precedence over a later one

// learn records marks that were requested at a time.
func (f *Fence) learn(found storedMarks, asked time.Time) {
	now := time.Now()
	look := clock{found.Now, now, now.Sub(asked)}
	marks := make([]mark, 0, len(found.Marks))
	for _, stored := range found.Marks {
		marks = append(marks, markFrom(stored))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.clock.at.IsZero() || look.slow <= f.clock.slow || look.at.Sub(f.clock.at) > clockFor || !f.clock.agrees(look) {
		f.clock = look
	}
	if asked.After(f.read) {
		f.marks, f.floor, f.read = marks, found.Floor, asked
	}
}

// agrees reports whether another reading can be of the same clock, which was not reset meanwhile.
func (c clock) agrees(other clock) bool {
	drift := other.now - c.now - other.at.Sub(c.at).Milliseconds()
	return drift >= -other.slow.Milliseconds()-5 && drift <= c.slow.Milliseconds()+5
}

// known returns the marks; fresh is false if they are too old to be trusted.
func (f *Fence) known() (v view, fresh bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return view{f.marks, f.floor, f.clock}, !f.read.IsZero() && time.Since(f.read) < marksFor
}

// view holds what is known of erasures at a time.
type view struct {
	marks []mark
	floor int64
	clock clock
}

// forbidding returns the marks that forbid work that began at a time.
func (v view) forbidding(began time.Time) (found []mark) {
	if len(v.marks) == 0 {
		return nil
	}
	now, since := v.clock.of(time.Now()), v.clock.of(began)
	for _, m := range v.marks {
		if m.until > now || m.done >= since {
			found = append(found, m)
		}
	}
	return found
}

// readMarks reads the marks.
func (f *Fence) readMarks(ctx context.Context) error {
	asked := time.Now()
	found, err := readMarks.ReadOne(ctx, f.db.Leader(), nil)
	if err == nil {
		f.learn(found, asked)
	}
	return err
}

// Watch reads twice a second who was erased, until ctx is done, so that writes need not do so.
func (f *Fence) Watch(ctx context.Context) error {
	for ctx.Err() == nil {
		_ = f.readMarks(ctx) // writes then read the marks themselves
		sleep.For(ctx, marksEvery)
	}
	return nil
}

// Check returns ErrErased if any user whom the parameters of a transaction name was erased since its work began. Call it last
// before the commit.
func (f *Fence) Check(t neo.Execer, params []map[string]any, began time.Time) error {
	v, fresh := f.known()
	if !fresh {
		if err := f.readMarksIn(t); err != nil {
			return err
		}
		v, _ = f.known()
	}
	forbidding := v.forbidding(began)
	if v.floor > 0 && v.clock.of(began) <= v.floor {
		return fmt.Errorf("the request took too long, and too many users were erased since it began: nothing more of it is stored; send the rest again: %w",
			ErrErased)
	}
	if !namesOneOf(params, forbidding) {
		return nil
	}
	if fresh { // the erasure may be over
		if err := f.readMarksIn(t); err != nil {
			return err
		}
		v, _ = f.known()
	}
	if namesOneOf(params, v.forbidding(began)) {
		return errErased
	}
	return nil
}

// readMarksIn reads the marks in a transaction.
func (f *Fence) readMarksIn(t neo.Execer) error {
	asked := time.Now()
	found, err := readMarks.ExecOne(t, nil)
	if err == nil {
		f.learn(found, asked)
	}
	return err
}

// namesOneOf reports whether a parameter is the user, or the team, of a mark.
func namesOneOf(params []map[string]any, marks []mark) bool {
	if len(marks) == 0 {
		return false
	}
	named := map[string]bool{}
	for _, p := range params {
		gather(p, named)
	}
	for name := range named {
		team := hashOf("team", name)
		for _, m := range marks {
			if m.team == team && (m.user == "-" || namesUser(named, name, m.user)) {
				return true
			}
		}
	}
	return false
}

func namesUser(named map[string]bool, team, user string) bool {
	for name := range named {
		if userHash(team, name) == user {
			return true
		}
	}
	return false
}

// Admit returns ErrErased if a write for a user may not be committed elsewhere: the user or the team is being erased, or was since
// the work of ctx began. Call it when only the commit is left, and while the code that erases such writes waits for the commit.
func (f *Fence) Admit(ctx context.Context, team, user string) error {
	began := Began(ctx)
	v, fresh := f.known()
	if !fresh || v.forbids(team, user, began) {
		if err := f.readMarks(ctx); err != nil {
			return err
		}
		v, _ = f.known()
	}
	if v.forbids(team, user, began) {
		return errErased
	}
	return nil
}

func (v view) forbids(team, user string, began time.Time) bool {
	own := newMark(team, user)
	return slices.ContainsFunc(v.forbidding(began), func(m mark) bool {
		return m.team == own.team && (m.user == "-" || m.user == own.user)
	})
}

// erased is the type of ErrErased.
type erased struct{ error }

// Unwrap returns ErrConflict.
func (e erased) Unwrap() error { return e.error }

// ErrErased reports that a write may be for somebody who was erased since it began. It wraps ErrConflict. A program must not repeat the
// write by itself.
var ErrErased error = erased{fault.ErrConflict}

var errErased = fmt.Errorf("the user or the team is being erased, or was erased since the request began: nothing of it is stored; "+
	"send it again if it is still wanted: %w", ErrErased)

// Erasure describes the erasure of a caller's user or team. Recent means that earlier knowledge about the caller is not to be
// trusted, because it is being erased or was a moment ago. At is when it was last erased, by the database's clock; zero: not
// among the last thousand erasures.
type Erasure struct {
	Recent bool
	At     time.Time
}

const recently = 3 * marksFor

// ErasureOf returns what is known of the erasure of a team, and of a user of it unless user is empty. Every process knows of an
// erasure two seconds after it has begun to end.
func (f *Fence) ErasureOf(ctx context.Context, team, user string) (Erasure, error) {
	v, fresh := f.known()
	if !fresh {
		if err := f.readMarks(ctx); err != nil {
			return Erasure{}, err
		}
		v, _ = f.known()
	}
	of, raised := v.of(team, user)
	if !raised || !fresh {
		return of, nil
	}
	if err := f.readMarks(ctx); err != nil { // it may be done
		return Erasure{}, err
	}
	v, _ = f.known()
	of, _ = v.of(team, user)
	return of, nil
}

func (v view) of(teamID, userID string) (of Erasure, raised bool) {
	if len(v.marks) == 0 {
		return of, false
	}
	team, user, now := hashOf("team", teamID), userHash(teamID, userID), v.clock.of(time.Now())
	for _, m := range v.marks {
		if m.team != team || m.user != "-" && m.user != user {
			continue
		}
		raised = raised || m.until > now
		of.Recent = of.Recent || m.until > now || m.done > now-recently.Milliseconds()
		if at := time.UnixMilli(m.done); m.done > 0 && at.After(of.At) {
			of.At = at
		}
	}
	return of, raised
}

// LastErasure returns when a team, or a user of it unless user is empty, was last erased, by the database's clock; zero: never.
func (f *Fence) LastErasure(ctx context.Context, team, user string) (time.Time, error) {
	names := []string{newMark(team, "").name(), newMark(team, user).name()}
	last, err := readLastErasure.ReadOne(ctx, f.db, map[string]any{"keys": names})
	if err != nil || last == nil {
		return time.Time{}, err
	}
	return time.UnixMilli(*last), nil
}
