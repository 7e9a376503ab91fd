package neo

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/internal/sleep"
)

const (
	// retryTime is how long a transaction is tried again after errors that pass.
	retryTime = 5 * time.Second
	// deadlockTime is how long it is tried again after a deadlock: the other one may hold its locks while the database plans a statement.
	deadlockTime = 15 * time.Second
	longestPause = time.Second
	rollbackTime = 5 * time.Second
)

// attempt runs work in one transaction and commits it. It reports whether the commit was sent.
func attempt(ctx context.Context, s neo4j.SessionWithContext, metadata map[string]any, work func(neo4j.ExplicitTransaction) error) (sent bool, err error) {
	tx, err := s.BeginTransaction(ctx, neo4j.WithTxMetadata(metadata))
	if err != nil {
		return false, err
	}
	if err := work(tx); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_ = tx.Close(ctx) // the database rolls back by itself if it cannot be reached
		return false, err
	}
	return true, tx.Commit(ctx)
}

// isUnclear reports whether a transaction may be committed although its commit failed with an error. It is not if the database answered
// that it refuses, as for a deadlock, a constraint or a lack of memory. It may be if nothing was answered, if the database itself failed, or
// if the leader of a cluster did not hear of the others.
func isUnclear(err error) bool {
	var db *neo4j.Neo4jError
	return !errors.As(err, &db) || strings.HasPrefix(db.Code, "Neo.DatabaseError.") || strings.HasPrefix(db.Code, "Neo.TransientError.Cluster.")
}

// retries says how often and how long a transaction is tried again.
type retries struct {
	began        time.Time
	count, races int
}

// next waits until a transaction that failed may be tried again, and reports false if it may not. sent is whether its commit was sent: if
// that was not answered, trying again could write twice.
func (r *retries) next(ctx context.Context, sent bool, err error) bool {
	if isRace := lostRace(err) || errors.Is(err, ErrRace); isRace {
		r.races++
		if r.races == 1 { // the other writer has committed
			return ctx.Err() == nil
		}
		return r.races < attempts && sleep.For(ctx, rand.N(retryPause<<r.races)) // not in step with the others
	}
	var db *neo4j.Neo4jError
	answered := errors.As(err, &db)
	limit := retryTime
	if answered && db.Code == deadlock {
		limit = deadlockTime
	}
	if !neo4j.IsRetryable(err) || sent && !answered || answered && isTooLarge(db) || time.Since(r.began) > limit {
		return false
	}
	pause := min(retryPause<<min(r.count, 10), longestPause)
	r.count++
	return sleep.For(ctx, pause/2+rand.N(pause))
}
