package neo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
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
