package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/graph"
	"kith/internal/sleep"
	"kith/memory/preference"
)

// A write notes its changes in the transaction that makes them. After its commit, another transaction removes the notes, and commits
// only after the feed has them. So the feed gets each change after it was made, whatever fails between: a change whose notes could not
// be given to the feed, or removed after that, is given to it again by Flush. Then the feed may have it twice, but never without it.

// Report sets what gives changes to the feed of a team. Call it before the first write. Without it there is no feed.
func (s *Store) Report(report func(ctx context.Context, team string, changes []preference.Change) error) {
	s.report = report
}

const (
	flushEvery = time.Minute // also the age from which a write no longer gives its own changes to the feed
	mostTeams  = 1000        // of a flush
)

// Run calls Flush and Purge once a minute until ctx is done.
func (s *Store) Run(ctx context.Context) error {
	for sleep.For(ctx, flushEvery) {
		_, _ = s.Flush(ctx), s.Purge(ctx) // what fails is observed, and repeated
	}
	return nil
}

// Flush gives the feed the changes that the writes themselves could not give to it.
func (s *Store) Flush(ctx context.Context) error {
	if s.report == nil {
		return nil
	}
	late := s.now().Add(-flushEvery)
	const statement = `SELECT DISTINCT team_id FROM kith_preference_change WHERE at <= $1 ORDER BY team_id LIMIT $2`
	teams, err := queryRows(ctx, s, "postgres_preference_late", statement, pgx.RowTo[string], late, mostTeams)
	for _, team := range teams {
		err = errors.Join(err, s.publish(ctx, team, `team_id = $1 AND at <= $2`, team, late))
	}
	return err
}

// publish gives the feed of a team the changes whose notes meet a condition, and removes the notes. Notes that another call publishes
// at the moment are left to it.
func (s *Store) publish(ctx context.Context, team, condition string, args ...any) error {
	statement := `DELETE FROM kith_preference_change WHERE id IN (SELECT id FROM kith_preference_change WHERE ` + condition + `
		ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING user_id, key, op`
	return s.transaction(ctx, graph.Scope{}, "postgres_preference_publish", func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, statement, args...)
		if err != nil {
			return err
		}
		changes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[preference.Change])
		if err != nil || len(changes) == 0 {
			return err
		}
		return s.report(ctx, team, changes)
	})
}
