// Package history records what clients asked of a service and what they were answered, and checks the record: Register, Set and Session.
// It knows nothing of the service. Tests use it; nothing of it is in the product.
package history

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Kind says what an operation does.
type Kind string

// The kinds of operations: on a register, which has a version that each write raises, and on a set.
const (
	Create  Kind = "create"  // only if there is none
	Read    Kind = "read"    // value and version as they are stored
	Cached  Kind = "cached"  // the value alone, as a cache may have it
	Write   Kind = "write"   // of what is there
	Delete  Kind = "delete"  // what is there
	Restore Kind = "restore" // what was deleted last
	Add     Kind = "add"     // an element of a set
	List    Kind = "list"    // all elements
)

// Outcome is the known result of an operation.
type Outcome string

// The outcomes. Done, Absent and Conflict are answers.
const (
	Done     Outcome = "done"
	Absent   Outcome = "absent"   // there is none
	Conflict Outcome = "conflict" // another version is stored, or there is one where none should be
	Failed   Outcome = "failed"   // it has not taken effect and never will
	Unknown  Outcome = "unknown"  // it may have taken effect, or may yet
)

// Operation is one request and its answer. Values are written once, so that it is known which write a value comes from.
type Operation struct {
	Session string // of a client with one process; empty: none
	Key     string
	Kind    Kind
	Value   string   // written, read, or added
	Asked   int64    // the version that must be stored for a Write or Delete to happen; 0: any
	Version int64    // in the answer; of a Conflict: the stored one; 0: unknown
	Values  []string // of List
	Outcome Outcome

	Invoked, Returned time.Duration
}

// Log records operations. It is safe for concurrent use.
type Log struct {
	begun time.Time

	mu         sync.Mutex
	operations []Operation
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{begun: time.Now()} }

// Now returns the time since the log began, for Invoked and Returned.
func (l *Log) Now() time.Duration { return time.Since(l.begun) }

// Add adds an operation that has ended.
func (l *Log) Add(o Operation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.operations = append(l.operations, o)
}

// Take returns the operations by key, and forgets them.
func (l *Log) Take() map[string][]Operation {
	l.mu.Lock()
	defer l.mu.Unlock()
	keys := map[string][]Operation{}
	for _, o := range l.operations {
		keys[o.Key] = append(keys[o.Key], o)
	}
	l.operations = nil
	return keys
}

// never is the time at which an operation of an unknown outcome returns: it may take effect at any time.
const never = 1 << 62

// state is a register. The zero value is one that was never created.
type state struct {
	there   bool
	value   string
	version int64
	deleted *state // what Restore brings back; shared, never changed
}

func (s state) equal(other state) bool {
	if s.there != other.there || s.value != other.value || s.version != other.version {
		return false
	}
	if s.deleted == nil || other.deleted == nil || s.deleted == other.deleted {
		return s.deleted == other.deleted
	}
	return s.deleted.equal(*other.deleted)
}

// after returns the state after an operation took effect, and the outcome that its caller should get.
func (s state) after(o Operation) (state, Outcome) {
	switch {
	case o.Kind == Create && s.there, o.Kind == Restore && s.there && s.deleted != nil:
		return s, Conflict
	case o.Kind == Create:
		return state{true, o.Value, 1, s.deleted}, Done
	case o.Kind == Restore && s.there, o.Kind == Restore && s.deleted == nil:
		return s, Absent
	case o.Kind == Restore:
		return state{true, s.deleted.value, s.deleted.version + 1, s.deleted.deleted}, Done
	case !s.there:
		return s, Absent
	case o.Asked != 0 && o.Asked != s.version:
		return s, Conflict
	case o.Kind == Write:
		return state{true, o.Value, s.version + 1, s.deleted}, Done
	case o.Kind == Delete:
		return state{deleted: &s}, Done
	default:
		return s, Done
	}
}

// step reports whether an answer is possible in a state, and returns the state after it.
func step(from state, o Operation) (bool, state) {
	next, outcome := from.after(o)
	if o.Outcome == Unknown {
		return true, next
	}
	if outcome != o.Outcome {
		return false, from
	}
	if of := next; outcome == Done || outcome == Conflict {
		if o.Version != 0 && o.Version != of.version {
			return false, from
		}
		if outcome == Done && (o.Kind == Read || o.Kind == Cached || o.Kind == Restore) && o.Value != of.value {
			return false, from
		}
	}
	return true, next
}

// Verdict is the result of Register.
type Verdict string

// The verdicts.
const (
	Linearizable    Verdict = "linearizable"
	NotLinearizable Verdict = "not linearizable"
	Undecided       Verdict = "undecided" // not within the time
)

// Register checks that the operations on one register, which did not exist before them, can be put in an order in which each takes
// effect at one moment between its request and its answer. It takes no longer than the limit.
func Register(operations []Operation, limit time.Duration) Verdict {
	checked := []porcupine.Operation{}
	for i, o := range operations {
		op := porcupine.Operation{ClientId: i, Input: o, Call: int64(o.Invoked), Return: int64(o.Returned)}
		switch {
		case o.Outcome == Failed, o.Outcome == Unknown && (o.Kind == Read || o.Kind == Cached):
			continue
		case o.Outcome == Unknown:
			op.Return = never
		}
		checked = append(checked, op)
	}
	model := porcupine.Model{
		Init:  func() any { return state{} },
		Step:  func(from, input, _ any) (bool, any) { return step(from.(state), input.(Operation)) },
		Equal: func(a, b any) bool { return a.(state).equal(b.(state)) },
	}
	switch porcupine.CheckOperationsTimeout(model, checked, limit) {
	case porcupine.Ok:
		return Linearizable
	case porcupine.Illegal:
		return NotLinearizable
	default:
		return Undecided
	}
}

// Set returns what is wrong with the operations on one set of which nothing is removed: an element that was added and is missing in a
// later list, one that is in a list and then missing, one that is there twice, and one that nobody had added by then.
func Set(operations []Operation) (faults []string) {
	var lists []Operation
	since, added := map[string]time.Duration{}, map[string]time.Duration{} // when an element is there at the latest, and at the earliest
	for _, o := range operations {
		switch {
		case o.Kind == List && o.Outcome == Done:
			lists = append(lists, o)
		case o.Kind == Add && o.Outcome != Failed:
			added[o.Value] = o.Invoked
			if o.Outcome == Done {
				since[o.Value] = o.Returned
			}
		}
	}
	slices.SortFunc(lists, func(a, b Operation) int { return int(a.Returned - b.Returned) })
	for _, l := range lists {
		seen := map[string]int{}
		for _, v := range l.Values {
			if seen[v]++; seen[v] == 2 {
				faults = append(faults, fmt.Sprintf("%s is there twice at %v", v, l.Returned))
			}
			if at, ok := added[v]; !ok || at > l.Returned {
				faults = append(faults, fmt.Sprintf("%s is there at %v, and was not added", v, l.Returned))
			}
		}
		for v, at := range since {
			if at < l.Invoked && seen[v] == 0 {
				faults = append(faults, fmt.Sprintf("%s was there at %v, and is missing at %v", v, at, l.Invoked))
			}
		}
		for v := range seen {
			if at, ok := since[v]; !ok || l.Returned < at {
				since[v] = l.Returned
			}
		}
	}
	return faults
}

// Session returns what is wrong with the cached reads of one register that is never deleted: a session that reads something older than it
// has written or read before (read-your-writes, monotonic reads), a value that nobody wrote, and two values of one version. Values whose
// version no answer has told are only checked for having been written.
func Session(operations []Operation) (faults []string) {
	written, versions, values := map[string]time.Duration{}, map[string]int64{}, map[int64]string{}
	for _, o := range operations {
		if (o.Kind == Write || o.Kind == Create) && o.Outcome != Failed {
			written[o.Value] = o.Invoked
		}
		if o.Outcome != Done || o.Version == 0 {
			continue
		}
		if other, ok := values[o.Version]; ok && other != o.Value {
			faults = append(faults, fmt.Sprintf("version %d is %s and %s", o.Version, other, o.Value))
		}
		versions[o.Value], values[o.Version] = o.Version, o.Value
	}
	least := map[string][]Operation{} // what sessions have seen
	operations = slices.SortedFunc(slices.Values(operations), func(a, b Operation) int { return int(a.Returned - b.Returned) })
	for _, o := range operations {
		if o.Outcome != Done {
			continue
		}
		if o.Kind == Cached {
			if at, ok := written[o.Value]; !ok || at > o.Returned {
				faults = append(faults, fmt.Sprintf("%s is read at %v, and was not written", o.Value, o.Returned))
				continue
			}
			for _, before := range least[o.Session] {
				if o.Session != "" && versions[o.Value] != 0 && before.Returned < o.Invoked && versions[before.Value] > versions[o.Value] {
					faults = append(faults, fmt.Sprintf("session %s: %s %s (version %d) until %v, and %s (version %d) is read at %v", o.Session,
						before.Kind, before.Value, versions[before.Value], before.Returned, o.Value, versions[o.Value], o.Invoked))
					break
				}
			}
		}
		if o.Session != "" && (o.Kind == Cached || o.Kind == Write || o.Kind == Create) && versions[o.Value] != 0 {
			least[o.Session] = append(least[o.Session], o)
		}
	}
	return faults
}
