package history

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// op returns an operation of key k that is invoked at one time and returns at another.
func op(invoked, returned int, kind Kind, value string, version int64, outcome Outcome) Operation {
	return Operation{Session: "s", Key: "k", Kind: kind, Value: value, Version: version, Outcome: outcome,
		Invoked: time.Duration(invoked), Returned: time.Duration(returned)}
}

// asked returns an operation that is bound to a version.
func asked(o Operation, version int64) Operation {
	o.Asked = version
	return o
}

func TestRegister(t *testing.T) {
	t.Parallel()
	created := op(0, 1, Create, "a", 1, Done)
	for name, c := range map[string]struct {
		history []Operation
		want    Verdict
	}{
		"write and read":     {[]Operation{created, op(2, 3, Write, "b", 2, Done), op(4, 5, Read, "b", 2, Done)}, Linearizable},
		"during a write":     {[]Operation{created, op(2, 9, Write, "b", 2, Done), op(3, 4, Read, "a", 1, Done), op(5, 6, Read, "b", 2, Done)}, Linearizable},
		"back during it":     {[]Operation{created, op(2, 9, Write, "b", 2, Done), op(3, 4, Read, "b", 2, Done), op(5, 6, Read, "a", 1, Done)}, NotLinearizable},
		"a stale read":       {[]Operation{created, op(2, 3, Write, "b", 2, Done), op(4, 5, Read, "a", 1, Done)}, NotLinearizable},
		"a stale cache":      {[]Operation{created, op(2, 3, Write, "b", 2, Done), op(4, 5, Cached, "a", 0, Done)}, NotLinearizable},
		"a lost write":       {[]Operation{created, op(2, 3, Write, "b", 2, Done), op(4, 5, Read, "", 0, Absent)}, NotLinearizable},
		"a lost update":      {[]Operation{created, asked(op(2, 5, Write, "b", 2, Done), 1), asked(op(3, 6, Write, "c", 2, Done), 1)}, NotLinearizable},
		"one of two":         {[]Operation{created, asked(op(2, 5, Write, "b", 2, Done), 1), asked(op(3, 6, Write, "c", 2, Conflict), 1)}, Linearizable},
		"a wrong conflict":   {[]Operation{created, asked(op(2, 3, Write, "b", 1, Conflict), 1), op(4, 5, Read, "a", 1, Done)}, NotLinearizable},
		"a conflict done":    {[]Operation{created, op(2, 3, Write, "b", 2, Done), asked(op(4, 5, Write, "c", 2, Conflict), 1), op(6, 7, Read, "c", 3, Done)}, NotLinearizable},
		"unknown, done":      {[]Operation{created, op(2, 3, Write, "b", 0, Unknown), op(4, 5, Read, "a", 1, Done), op(6, 7, Read, "b", 2, Done)}, Linearizable},
		"unknown, not done":  {[]Operation{created, op(2, 3, Write, "b", 0, Unknown), op(4, 5, Read, "a", 1, Done)}, Linearizable},
		"unknown, undone":    {[]Operation{created, op(2, 3, Write, "b", 0, Unknown), op(4, 5, Read, "b", 2, Done), op(6, 7, Read, "a", 1, Done)}, NotLinearizable},
		"unknown, twice":     {[]Operation{created, op(2, 3, Write, "b", 0, Unknown), op(4, 5, Read, "b", 3, Done)}, NotLinearizable},
		"unknown, before it": {[]Operation{created, op(2, 3, Read, "b", 2, Done), op(4, 5, Write, "b", 0, Unknown)}, NotLinearizable},
		"failed and read":    {[]Operation{created, op(2, 3, Write, "b", 0, Failed), op(4, 5, Read, "b", 2, Done)}, NotLinearizable},
		"failed":             {[]Operation{created, op(2, 3, Write, "b", 0, Failed), op(4, 5, Read, "a", 1, Done)}, Linearizable},
		"created twice":      {[]Operation{created, op(2, 3, Create, "b", 1, Done)}, NotLinearizable},
		"deleted":            {[]Operation{created, op(2, 3, Delete, "", 0, Done), op(4, 5, Read, "", 0, Absent), op(6, 7, Restore, "a", 2, Done)}, Linearizable},
		"deleted and read":   {[]Operation{created, op(2, 3, Delete, "", 0, Done), op(4, 5, Read, "a", 1, Done)}, NotLinearizable},
		"deleted twice":      {[]Operation{created, op(2, 3, Delete, "", 0, Done), op(4, 5, Delete, "", 0, Done)}, NotLinearizable},
		"restored as another": {[]Operation{created, op(2, 3, Write, "b", 2, Done), op(4, 5, Delete, "", 0, Done), op(6, 7, Restore, "a", 3, Done)},
			NotLinearizable},
	} {
		if got := Register(c.history, time.Minute); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A history of a register that works is linearizable, whatever the order of answers and which of them are lost; with one read that is
// older than what was read before, it is not.
func TestRegisterAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choice
		operations := []Operation{op(0, 5, Create, "0", 1, Done)}
		s, unknown := state{there: true, value: "0", version: 1}, 0
		for i := 1; i < 100; i++ {
			o := Operation{Key: "k", Kind: []Kind{Read, Write, Write, Delete, Restore}[random.IntN(5)], Asked: int64(random.IntN(2)) * (s.version - int64(random.IntN(2)))}
			if o.Kind == Write {
				o.Value = strconv.Itoa(i)
			}
			if o.Kind != Write && o.Kind != Delete {
				o.Asked = 0
			}
			at := time.Duration(10 * i)
			o.Invoked, o.Returned = at-time.Duration(random.IntN(30)), at+time.Duration(random.IntN(30))
			s, o.Outcome = s.after(o)
			if o.Outcome == Done && o.Kind != Delete || o.Outcome == Conflict && o.Kind != Restore {
				o.Version = s.version
			}
			if o.Outcome == Done && (o.Kind == Read || o.Kind == Restore) {
				o.Value = s.value
			}
			if random.IntN(4) == 0 && unknown < 8 {
				unknown++
				o.Outcome, o.Version = Unknown, 0
			}
			operations = append(operations, o)
		}
		if got := Register(operations, time.Minute); got != Linearizable {
			t.Fatalf("seed %d: %s", seed, got)
		}
		if got := Register(append(operations, op(5000, 5001, Read, "0", 1, Done)), time.Minute); got != NotLinearizable {
			t.Fatalf("seed %d, with a stale read: %s", seed, got)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	list := func(invoked, returned int, values ...string) Operation {
		return Operation{Kind: List, Outcome: Done, Values: values, Invoked: time.Duration(invoked), Returned: time.Duration(returned)}
	}
	added := op(0, 1, Add, "a", 0, Done)
	for name, c := range map[string]struct {
		history []Operation
		want    string // of the only fault; empty: none
	}{
		"added":               {[]Operation{added, list(2, 3, "a")}, ""},
		"being added":         {[]Operation{op(0, 9, Add, "a", 0, Done), list(2, 3), list(4, 5, "a"), list(6, 7, "a")}, ""},
		"lost":                {[]Operation{added, list(2, 3)}, "a was there"},
		"seen and lost":       {[]Operation{op(0, 1, Add, "a", 0, Unknown), list(2, 3, "a"), list(4, 5)}, "a was there"},
		"unknown, late":       {[]Operation{op(0, 1, Add, "a", 0, Unknown), list(2, 3), list(4, 5, "a")}, ""},
		"twice":               {[]Operation{added, list(2, 3, "a", "a")}, "a is there twice"},
		"unknown, twice":      {[]Operation{op(0, 1, Add, "a", 0, Unknown), list(2, 3, "a", "a")}, "a is there twice"},
		"failed":              {[]Operation{op(0, 1, Add, "a", 0, Failed), list(2, 3)}, ""},
		"failed and there":    {[]Operation{op(0, 1, Add, "a", 0, Failed), list(2, 3, "a")}, "a is there at"},
		"before it was added": {[]Operation{list(0, 1, "a"), op(2, 3, Add, "a", 0, Unknown)}, "a is there at"},
		"of nobody":           {[]Operation{list(0, 1, "b")}, "b is there at"},
	} {
		compare(t, name, Set(c.history), c.want)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	of := func(session string, o Operation) Operation {
		o.Session = session
		return o
	}
	one, two := op(0, 1, Create, "a", 1, Done), op(2, 3, Write, "b", 2, Done)
	for name, c := range map[string]struct {
		history []Operation
		want    string
	}{
		"its own write":            {[]Operation{one, two, op(4, 5, Cached, "b", 0, Done)}, ""},
		"not its own write":        {[]Operation{one, two, op(4, 5, Cached, "a", 0, Done)}, "session s: write b"},
		"during its write":         {[]Operation{one, op(2, 9, Write, "b", 2, Done), op(4, 5, Cached, "a", 0, Done)}, ""},
		"stale in another session": {[]Operation{one, two, of("t", op(4, 5, Cached, "a", 0, Done))}, ""},
		"back in time":             {[]Operation{one, two, of("t", op(4, 5, Cached, "b", 0, Done)), of("t", op(6, 7, Cached, "a", 0, Done))}, "session t: cached b"},
		"two at a time":            {[]Operation{one, two, of("t", op(4, 7, Cached, "b", 0, Done)), of("t", op(6, 8, Cached, "a", 0, Done))}, ""},
		"failed":                   {[]Operation{one, op(2, 3, Write, "c", 0, Failed), op(4, 5, Cached, "c", 0, Done)}, "c is read"},
		"unknown":                  {[]Operation{one, op(2, 3, Write, "c", 0, Unknown), op(4, 5, Cached, "c", 0, Done), op(6, 7, Cached, "a", 0, Done)}, ""},
		"unknown, and seen": {[]Operation{one, op(2, 3, Write, "c", 0, Unknown), op(4, 5, Cached, "c", 0, Done), of("", op(6, 7, Read, "c", 2, Done)),
			op(8, 9, Cached, "a", 0, Done)}, "session s: cached c"},
		"two of one version": {[]Operation{one, two, of("t", op(4, 5, Read, "c", 2, Done))}, "version 2 is b and c"},
	} {
		compare(t, name, Session(c.history), c.want)
	}
}

// compare compares the faults of a history with the only one that is wanted.
func compare(t *testing.T, name string, faults []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(faults) > 0:
		t.Errorf("%s: %q", name, faults)
	case want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)):
		t.Errorf("%s: %q, want %q", name, faults, want)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	log := NewLog()
	log.Add(op(0, 1, Add, "a", 0, Done))
	if taken := log.Take(); len(taken["k"]) != 1 || len(log.Take()) != 0 {
		t.Errorf("taken: %v", taken)
	}
}
