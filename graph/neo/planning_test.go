package neo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

func TestPlanningRunsAStatementOnceForAllCallers(t *testing.T) {
	t.Parallel()
	p := newPlanning()
	defer p.close()
	kept, other := cypher.Query{Name: "kept", KeepPlan: true}, cypher.Query{Name: "other"}
	var runs atomic.Int64
	planned := make(chan struct{})
	run := func(ctx context.Context) error {
		runs.Add(1)
		select {
		case <-planned:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := p.await(impatient, kept, run); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller that gave up: %v", err)
	}
	var callers sync.WaitGroup
	for range 32 {
		callers.Go(func() {
			if err := p.await(t.Context(), kept, run); err != nil {
				t.Error(err)
			}
		})
	}
	time.AfterFunc(10*time.Millisecond, func() { close(planned) })
	callers.Wait()
	again := func(what string, q cypher.Query, want int64) {
		t.Helper()
		if err := p.await(t.Context(), q, run); err != nil || runs.Load() != want {
			t.Errorf("%s: %d runs, %v", what, runs.Load(), err)
		}
	}
	again("planned", kept, 1)
	again("without a kept plan", other, 1)
	p.see(nil)
	p.see(&neo4j.Neo4jError{Code: "Neo.ClientError.Statement.SyntaxError"})
	again("after other errors", kept, 1)
	p.see(&neo4j.ConnectivityError{Inner: errors.New("reset")})
	again("after a broken connection", kept, 2)
	p.see(&neo4j.Neo4jError{Code: "Neo.TransientError.General.DatabaseUnavailable"})
	failing := func(context.Context) error { runs.Add(1); return errors.New("away") }
	for range 2 {
		if err := p.await(t.Context(), kept, failing); err != nil {
			t.Errorf("an error is the caller's own to see: %v", err)
		}
	}
	again("after failures", kept, 5)
}

// If the database is unavailable, nobody who waits for a plan tries by himself; the next caller does. Another error is shown to each
// caller by the own attempt.
func TestFailedPlanning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ failed, want error }{"unavailable": {ErrUnavailable, ErrUnavailable}, "another error": {ErrStatement, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlanning()
			defer p.close()
			var runs atomic.Int64
			fails := make(chan struct{})
			run := func(context.Context) error {
				runs.Add(1)
				<-fails
				return c.failed
			}
			var waiting sync.WaitGroup
			for range 32 {
				waiting.Go(func() {
					if err := p.await(t.Context(), cypher.Query{Name: "kept", KeepPlan: true}, run); !errors.Is(err, c.want) {
						t.Errorf("%v, want %v", err, c.want)
					}
				})
			}
			time.AfterFunc(50*time.Millisecond, func() { close(fails) })
			waiting.Wait()
			if n := runs.Load(); n > 4 { // who comes late runs it again
				t.Errorf("%d runs", n)
			}
			before := runs.Load()
			_ = p.await(t.Context(), cypher.Query{Name: "kept", KeepPlan: true}, run)
			if runs.Load() != before+1 {
				t.Error("the next caller does not try")
			}
		})
	}
}

// A run that hangs holds up those who wait for it, and after a while nobody else: who comes then has the statement run again.
func TestAHangingRunIsNotAwaitedByAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanning()
		defer p.close()
		var runs atomic.Int64
		run := func(ctx context.Context) error {
			if runs.Add(1) == 1 {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		await := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), planAgain/2)
			defer cancel()
			return p.await(ctx, cypher.Query{Name: "kept", KeepPlan: true}, run)
		}
		for range 2 {
			if err := await(); !errors.Is(err, context.DeadlineExceeded) || runs.Load() != 1 {
				t.Errorf("while it hangs: %v, %d runs", err, runs.Load())
			}
		}
		time.Sleep(time.Millisecond)
		if err := await(); err != nil || runs.Load() != 2 {
			t.Errorf("later: %v, %d runs", err, runs.Load())
		}
	})
}
