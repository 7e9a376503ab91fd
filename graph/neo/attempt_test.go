package neo

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/internal/fault"
)

// fakeDriver opens transactions that fail as planned.
type fakeDriver struct {
	neo4j.DriverWithContext
	begin, commit []error // of each attempt; the last one also of those after it
	attempts      int
}

func (d *fakeDriver) NewSession(context.Context, neo4j.SessionConfig) neo4j.SessionWithContext {
	return &fakeSession{driver: d}
}

type fakeSession struct {
	neo4j.SessionWithContext
	driver *fakeDriver
}

func (s *fakeSession) Close(context.Context) error { return nil }

func (s *fakeSession) LastBookmarks() neo4j.Bookmarks { return nil }

func (s *fakeSession) BeginTransaction(context.Context, ...func(*neo4j.TransactionConfig)) (neo4j.ExplicitTransaction, error) {
	s.driver.attempts++
	if err := s.driver.planned(s.driver.begin); err != nil {
		return nil, err
	}
	return &fakeTx{driver: s.driver}, nil
}

func (d *fakeDriver) planned(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[min(d.attempts, len(errs))-1]
}

type fakeTx struct {
	neo4j.ExplicitTransaction
	driver *fakeDriver
}

func (t *fakeTx) Close(context.Context) error { return nil }

func (t *fakeTx) Commit(context.Context) error { return t.driver.planned(t.driver.commit) }

func TestOutcomeOfACommit(t *testing.T) {
	t.Parallel()
	db := func(code, message string) error { return &neo4j.Neo4jError{Code: code, Msg: message} }
	lost := &neo4j.ConnectivityError{Inner: io.EOF}
	memory := "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
	locked := db(deadlock, secret)
	race := db("Neo.ClientError.Schema.ConstraintValidationFailed", secret)
	for name, c := range map[string]struct {
		begin, commit []error
		want          error // nil: it succeeds
		doubt         bool
		attempts      int // 0: until the time is over
		code          string
	}{
		"committed":                    {attempts: 1},
		"no answer":                    {commit: []error{lost}, want: ErrUnavailable, doubt: true, attempts: 1},
		"no answer in time":            {commit: []error{context.DeadlineExceeded}, want: ErrUnavailable, doubt: true, attempts: 1},
		"a caller who gave up":         {commit: []error{context.Canceled}, want: context.Canceled, doubt: true, attempts: 1},
		"an unknown fault":             {commit: []error{errors.New(secret)}, want: ErrUnavailable, doubt: true, attempts: 1},
		"the database failed":          {commit: []error{db("Neo.DatabaseError.Transaction.TransactionCommitFailed", secret)}, want: ErrUnavailable, doubt: true, attempts: 1, code: "TransactionCommitFailed"},
		"unknown to the others":        {commit: []error{db("Neo.TransientError.Cluster.ReplicationFailure", secret)}, want: ErrUnavailable, doubt: true, code: "ReplicationFailure"},
		"unknown, then committed":      {commit: []error{db("Neo.TransientError.Cluster.ReplicationFailure", secret), nil}, attempts: 2},
		"unknown, then a deadlock":     {commit: []error{db("Neo.TransientError.Cluster.ReplicationFailure", secret), locked}, want: ErrUnavailable, doubt: true, code: "DeadlockDetected"},
		"memory of a transaction":      {commit: []error{db(memory, "limit 128.0 MiB. db.memory.transaction.max threshold reached")}, want: ErrTooLarge, attempts: 1, code: memory},
		"memory, by its own code":      {commit: []error{db("Neo.TransientError.General.TransactionOutOfMemoryError", "")}, want: ErrTooLarge, attempts: 1, code: "TransactionOutOfMemoryError"},
		"memory of the heap":           {commit: []error{db("Neo.TransientError.General.OutOfMemoryError", "")}, want: ErrTooLarge, attempts: 1, code: "OutOfMemoryError"},
		"memory of all":                {commit: []error{db(memory, "dbms.memory.transaction.total.max threshold reached")}, want: ErrNoMemory, code: memory},
		"memory of all, for a moment":  {commit: []error{db(memory, "dbms.memory.transaction.total.max threshold reached"), nil}, attempts: 2},
		"a deadlock":                   {commit: []error{locked}, want: ErrUnavailable, code: "DeadlockDetected"},
		"a deadlock for a moment":      {commit: []error{locked, locked, nil}, attempts: 3},
		"a key that another has taken": {commit: []error{race}, want: fault.ErrConflict, attempts: attempts, code: "another writer"},
		"refused":                      {commit: []error{db("Neo.ClientError.Transaction.Terminated", secret)}, want: ErrUnavailable, attempts: 1, code: "Terminated"},
		"no connection":                {begin: []error{lost}, want: ErrUnavailable},
		"a broken connection":          {begin: []error{lost, nil}, attempts: 2},
		"wrong password":               {begin: []error{db("Neo.ClientError.Security.Unauthorized", secret)}, want: ErrUnavailable, attempts: 1, code: "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				driver := &fakeDriver{begin: c.begin, commit: c.commit}
				d := &DB{driver: driver, options: Options{IsKnown: func(error) bool { return false }}}
				began := time.Now()
				err := d.Write(t.Context(), "memory_write", func(*Tx) error { return nil })
				if (c.want == nil) != (err == nil) || !errors.Is(err, c.want) || errors.Is(err, ErrInDoubt) != c.doubt {
					t.Errorf("got %v, want %v, in doubt: %t", err, c.want, c.doubt)
				}
				if errors.Is(err, ErrTooLarge) && errors.Is(err, ErrUnavailable) {
					t.Errorf("%v asks to try again", err)
				}
				if c.attempts > 0 && driver.attempts != c.attempts || c.attempts == 0 && (driver.attempts < 4 || time.Since(began) < retryTime) {
					t.Errorf("%d attempts in %s, want %d", driver.attempts, time.Since(began), c.attempts)
				}
				if took := time.Since(began); took > deadlockTime+2*longestPause {
					t.Errorf("it took %s", took)
				}
				if err != nil && (!strings.Contains(err.Error(), c.code) || strings.Contains(err.Error(), secret)) {
					t.Errorf("%v, want the code %s and no message of the database", err, c.code)
				}
			})
		})
	}
}

// What fails before the commit is sent is never in doubt.
func TestWorkThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err, want error
		attempts  int
	}{
		"lost":     {&neo4j.ConnectivityError{Inner: io.EOF}, ErrUnavailable, 0},
		"memory":   {&neo4j.Neo4jError{Code: "Neo.TransientError.General.MemoryPoolOutOfMemoryError"}, ErrTooLarge, 1},
		"race":     {ErrRace, fault.ErrConflict, attempts},
		"conflict": {fault.ErrConflict, fault.ErrConflict, 1},
		"deadline": {context.DeadlineExceeded, ErrUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				driver := &fakeDriver{}
				d := &DB{driver: driver, options: Options{IsKnown: func(error) bool { return false }}}
				err := d.Write(t.Context(), "memory_write", func(*Tx) error { return c.err })
				if !errors.Is(err, c.want) || errors.Is(err, ErrInDoubt) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if c.attempts > 0 && driver.attempts != c.attempts {
					t.Errorf("%d attempts, want %d", driver.attempts, c.attempts)
				}
			})
		})
	}
}
