package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"kith/cypher"
	"kith/internal/fault"
	"kith/internal/sleep"
	"kith/neo"
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

// leader reads on the leader of a cluster.
type leader struct{ *neo.DB }

// Read returns the rows of a statement.
func (l leader) Read(ctx context.Context, q cypher.Query, params map[string]any) ([][]any, error) {
	return l.ReadLeader(ctx, q, params)
}

type beganKey struct{}

// WithBegin returns a context of work that began at a time. Its writes for a user who was erased since then are refused. Without
// it each transaction counts as its own work.
func WithBegin(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, beganKey{}, at)
}

// fence holds what a process knows of the erasures of all processes. It is safe for concurrent use.
type fence struct {
	mu    sync.Mutex
	marks []eraseMark // never changed in place
	floor int64
	read  time.Time // when the marks were requested; zero: never
	clock clock
}

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
func (f *fence) learn(found storedMarks, asked time.Time) {
	now := time.Now()
	look := clock{found.Now, now, now.Sub(asked)}
	marks := make([]eraseMark, 0, len(found.Marks))
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
func (f *fence) known() (view fenceView, fresh bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fenceView{f.marks, f.floor, f.clock}, !f.read.IsZero() && time.Since(f.read) < marksFor
}

// fenceView holds what is known of erasures at a time.
type fenceView struct {
	marks []eraseMark
	floor int64
	clock clock
}

// forbidding returns the marks that forbid work that began at a time.
func (v fenceView) forbidding(began time.Time) (found []eraseMark) {
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

// lookForErasures reads the marks.
func (s *Store) lookForErasures(ctx context.Context) error {
	asked := time.Now()
	found, err := readMarks.ReadOne(ctx, leader{s.db}, nil)
	if err == nil {
		s.fence.learn(found, asked)
	}
	return err
}

// WatchErasures reads twice a second who was erased, until ctx is done, so that writes need not do so.
func (s *Store) WatchErasures(ctx context.Context) error {
	for ctx.Err() == nil {
		_ = s.lookForErasures(ctx) // writes then read the marks themselves
		sleep.For(ctx, marksEvery)
	}
	return nil
}

// admitted returns ErrConflict if any user whom the transaction names was erased since its work began. It is called last before a
// commit.
func (t *Tx) admitted() error {
	if t.erases {
		return nil
	}
	view, fresh := t.store.fence.known()
	if !fresh {
		if err := t.lookForErasures(); err != nil {
			return err
		}
		view, _ = t.store.fence.known()
	}
	forbidding := view.forbidding(t.began)
	if view.floor > 0 && view.clock.of(t.began) <= view.floor {
		return fmt.Errorf("the request took too long, and too many users were erased since it began: nothing more of it is stored; send the rest again: %w",
			ErrConflict)
	}
	if !t.namesOneOf(forbidding) {
		return nil
	}
	if fresh { // the erasure may be over
		if err := t.lookForErasures(); err != nil {
			return err
		}
		view, _ = t.store.fence.known()
	}
	if t.namesOneOf(view.forbidding(t.began)) {
		return errErased
	}
	return nil
}

// lookForErasures reads the marks in the transaction.
func (t *Tx) lookForErasures() error {
	asked := time.Now()
	found, err := readMarks.ExecOne(t, nil)
	if err == nil {
		t.store.fence.learn(found, asked)
	}
	return err
}

// namesOneOf reports whether a parameter of the transaction is the user, or the team, of a mark.
func (t *Tx) namesOneOf(marks []eraseMark) bool {
	if len(marks) == 0 {
		return false
	}
	named := map[string]bool{}
	for _, params := range t.given {
		gather(params, named)
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

// gather collects the texts among values that may be ids, also those in notes, which are stored as JSON.
func gather(v any, named map[string]bool) {
	switch typed := v.(type) {
	case string:
		gatherText(typed, named)
	case []string:
		for _, item := range typed {
			gatherText(item, named)
		}
	case []any:
		for _, item := range typed {
			gather(item, named)
		}
	case map[string]any:
		for _, item := range typed {
			gather(item, named)
		}
	default:
		gatherOther(reflect.ValueOf(v), named)
	}
}

// gatherOther does the same as gather for lists and maps of any other type.
func gatherOther(v reflect.Value, named map[string]bool) {
	switch v.Kind() { // the others hold no texts
	case reflect.String:
		gatherText(v.String(), named)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			gatherOther(v.Elem(), named)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			gatherOther(v.Index(i), named)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			gatherOther(key, named)
			gatherOther(v.MapIndex(key), named)
		}
	}
}

func gatherText(text string, named map[string]bool) {
	if fault.ValidKey(text) {
		named[text] = true
	}
	if strings.HasPrefix(text, "{") && strings.Contains(text, `"added_by"`) {
		var note struct {
			AddedBy string `json:"added_by"`
		}
		if json.Unmarshal([]byte(text), &note) == nil && note.AddedBy != "" {
			named[note.AddedBy] = true
		}
	}
}

// Admit returns ErrConflict if a write for the scope's user may not be committed elsewhere: the user or the team is being erased,
// or was since the work of ctx began. Call it when only the commit is left, and while the code that erases such writes waits for
// the commit.
func (s *Store) Admit(ctx context.Context, scope Scope) error {
	began, ok := ctx.Value(beganKey{}).(time.Time)
	if !ok {
		began = time.Now()
	}
	view, fresh := s.fence.known()
	if !fresh || view.forbids(scope, began) {
		if err := s.lookForErasures(ctx); err != nil {
			return err
		}
		view, _ = s.fence.known()
	}
	if view.forbids(scope, began) {
		return errErased
	}
	return nil
}

func (v fenceView) forbids(scope Scope, began time.Time) bool {
	mark := newMark(scope)
	return slices.ContainsFunc(v.forbidding(began), func(m eraseMark) bool {
		return m.team == mark.team && (m.user == "-" || m.user == mark.user)
	})
}

var errErased = fmt.Errorf("the user or the team is being erased, or was erased since the request began: nothing of it is stored; "+
	"send it again if it is still wanted: %w", ErrConflict)

// ErasureOf describes the erasure of a caller's user or team. Recent means that earlier knowledge about the caller is not to be
// trusted, because it is being erased or was a moment ago. At is when it was last erased, by the database's clock; zero: not
// among the last thousand erasures.
type ErasureOf struct {
	Recent bool
	At     time.Time
}

const recently = 3 * marksFor

// ErasureOf returns what is known of the erasure of a team, and of a user of it unless userID is empty. Every process knows of an
// erasure two seconds after it has begun to end.
func (s *Store) ErasureOf(ctx context.Context, teamID, userID string) (ErasureOf, error) {
	view, fresh := s.fence.known()
	if !fresh {
		if err := s.lookForErasures(ctx); err != nil {
			return ErasureOf{}, err
		}
		view, _ = s.fence.known()
	}
	of, raised := view.of(teamID, userID)
	if !raised || !fresh {
		return of, nil
	}
	if err := s.lookForErasures(ctx); err != nil { // it may be done
		return ErasureOf{}, err
	}
	view, _ = s.fence.known()
	of, _ = view.of(teamID, userID)
	return of, nil
}

func (v fenceView) of(teamID, userID string) (of ErasureOf, raised bool) {
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

// LastErasure returns when a team, or a user of it unless userID is empty, was last erased, by the database's clock; zero: never.
func (s *Store) LastErasure(ctx context.Context, teamID, userID string) (time.Time, error) {
	names := []string{newMark(Scope{TeamID: teamID}).name(), newMark(Scope{TeamID: teamID, UserID: userID}).name()}
	last, err := readLastErasure.ReadOne(ctx, s.db, map[string]any{"keys": names})
	if err != nil || last == nil {
		return time.Time{}, err
	}
	return time.UnixMilli(*last), nil
}
