package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"kith/graph"
)

// putValues sets preferences of a user, if the user has no more than $6 then; with $5 it deletes the others. Each replaced or deleted
// value is kept in the history, and each change of a value is noted for the feed. Its first column is whether they fit, the second
// the number of a change; null if there is none. All parts read what was stored before the statement.
const putValues = `WITH given AS (
	SELECT g.key, g.value FROM unnest($3::text[], $4::text[]) AS g(key, value)
	WHERE $5 OR cardinality($3::text[]) + (SELECT count(*) FROM kith_preference WHERE team_id = $1 AND user_id = $2 AND NOT key = ANY($3)) <= $6
), old AS (
	SELECT p.* FROM kith_preference p LEFT JOIN given ON given.key = p.key
	WHERE p.team_id = $1 AND p.user_id = $2 AND (given.value <> p.value OR $5 AND given.key IS NULL)
), gone AS (
	DELETE FROM kith_preference p USING old
	WHERE p.team_id = $1 AND p.user_id = $2 AND p.key = old.key AND NOT old.key = ANY($3) RETURNING p.key
), put AS (
	INSERT INTO kith_preference (team_id, user_id, key, value, created_at, updated_at, written)
	SELECT $1, $2, given.key, given.value, $7, $7, $8 FROM given
	WHERE NOT EXISTS (SELECT FROM kith_preference p WHERE p.team_id = $1 AND p.user_id = $2 AND p.key = given.key AND p.value = given.value)
	ON CONFLICT (team_id, user_id, key) DO UPDATE SET value = excluded.value, updated_at = greatest(excluded.updated_at, kith_preference.updated_at), written = excluded.written
	RETURNING key
), kept AS (
	INSERT INTO kith_preference_history (team_id, user_id, key, value, created_at, updated_at, written, until, deleted)
	SELECT team_id, user_id, key, value, created_at, updated_at, written, greatest($7, updated_at), NOT key = ANY($3) FROM old
), did AS (
	SELECT key, 'deleted' AS op FROM gone
	UNION ALL SELECT put.key, CASE WHEN old.key IS NULL THEN 'created' ELSE 'updated' END FROM put LEFT JOIN old ON old.key = put.key
), noted AS (
	INSERT INTO kith_preference_change (team_id, user_id, key, op, at) SELECT $1, $2, key, op, $7 FROM did RETURNING id
)
SELECT $5 OR EXISTS (SELECT FROM given), noted.id FROM (SELECT) AS one LEFT JOIN noted ON true`

// deleteValue deletes a preference of a user in the same way, and returns the number of the change.
const deleteValue = `WITH gone AS (
	DELETE FROM kith_preference WHERE team_id = $1 AND user_id = $2 AND key = $3 RETURNING *
), kept AS (
	INSERT INTO kith_preference_history (team_id, user_id, key, value, created_at, updated_at, written, until, deleted)
	SELECT team_id, user_id, key, value, created_at, updated_at, written, greatest($4, updated_at), true FROM gone
)
INSERT INTO kith_preference_change (team_id, user_id, key, op, at) SELECT team_id, user_id, key, 'deleted', $4 FROM gone RETURNING id`

// Bounds of the history.
const (
	mostFormer   = 200  // former values of a preference
	mostPurged   = 1000 // former values that Purge removes at a time
	purgeExpired = `DELETE FROM kith_preference_history WHERE ctid IN (
		SELECT ctid FROM kith_preference_history WHERE until < $1 ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)`
	purgeExcess = `DELETE FROM kith_preference_history WHERE ctid IN (
		SELECT ctid FROM (
			SELECT ctid, row_number() OVER (PARTITION BY key ORDER BY until DESC) AS number
			FROM kith_preference_history WHERE team_id = $1 AND user_id = $2 AND key = ANY($3)
		) AS numbered WHERE number > $4)`
)

// queuePurge adds a statement that drops the oldest former values of preferences that have too many.
func (s *Store) queuePurge(batch *pgx.Batch, scope graph.Scope, keys ...string) {
	batch.Queue(purgeExcess, scope.TeamID, scope.UserID, keys, mostFormer)
}

// Purge removes the former values of all teams that ended too long ago.
func (s *Store) Purge(ctx context.Context) error {
	for removed := int64(mostPurged); removed == mostPurged; {
		err := s.transaction(ctx, graph.Scope{}, "postgres_preference_purge", func(ctx context.Context, tx pgx.Tx) error {
			result, err := tx.Exec(ctx, purgeExpired, s.now().Add(-s.options.KeepHistory), mostPurged)
			removed = result.RowsAffected()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readPut reads the rows of putValues.
func readPut(rows pgx.Rows) (fits bool, ids []int64, err error) {
	var id *int64
	_, err = pgx.ForEachRow(rows, []any{&fits, &id}, func() error {
		if id != nil {
			ids = append(ids, *id)
		}
		return nil
	})
	return fits, ids, err
}

// write runs work in a transaction, and then gives the changes that it has noted to the feed.
func (s *Store) write(ctx context.Context, scope graph.Scope, name string, work func(context.Context, pgx.Tx) (ids []int64, err error)) error {
	var ids []int64 // of all attempts
	err := s.transaction(ctx, scope, name, func(ctx context.Context, tx pgx.Tx) error {
		noted, err := work(ctx, tx)
		ids = append(ids, noted...) // an attempt that was not committed has noted nothing
		return err
	})
	if err == nil && len(ids) > 0 && s.report != nil {
		_ = s.publish(context.WithoutCancel(ctx), scope.TeamID, `id = ANY($1)`, ids) // what fails is observed, and Flush repeats it
	}
	return err
}
