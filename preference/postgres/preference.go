package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/preference"
)

// Writers of one user's preferences take turns, and erasing a team waits for all writers. A writer holds a shared lock of
// the team and an exclusive lock of the user until its transaction ends. Two locks with the same hash wait for each
// other without need.
const (
	lockUser = `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 1)),
		pg_advisory_xact_lock(hashtextextended($1 || chr(31) || $2, 2))`
	lockTeam = `SELECT pg_advisory_xact_lock(hashtextextended($1, 1))`
)

// Preferences returns the user's preferences by key, in the order of UTF-8 bytes, which is the order of Unicode code
// points.
func (s *Store) Preferences(ctx context.Context, scope graph.Scope) ([]preference.Preference, error) {
	const statement = `SELECT key, value FROM kith_preference WHERE team_id = $1 AND user_id = $2 ORDER BY key LIMIT $3`
	return queryRows(ctx, s, "postgres_preference_list", statement, func(row pgx.CollectableRow) (p preference.Preference, err error) {
		var value string
		err = row.Scan(&p.Key, &value)
		p.Value = []byte(value)
		return p, err
	}, scope.TeamID, scope.UserID, bounds.Preferences)
}

// TeamPreferences returns at most limit preferences of a team's users, by user and key, after the given user and key.
// The first page is after "" and "". The order is that of Preferences.
func (s *Store) TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]preference.OfUser, error) {
	const statement = `SELECT user_id, key, value FROM kith_preference
		WHERE team_id = $1 AND (user_id, key) > ($2, $3)
		ORDER BY user_id, key LIMIT $4`
	return queryRows(ctx, s, "postgres_preference_page", statement, func(row pgx.CollectableRow) (p preference.OfUser, err error) {
		var value string
		err = row.Scan(&p.UserID, &p.Key, &value)
		p.Value = []byte(value)
		return p, err
	}, teamID, afterUser, afterKey, limit)
}

// ReplacePreferences replaces all preferences of the user. Of concurrent replacements the last one remains, as a
// whole.
func (s *Store) ReplacePreferences(ctx context.Context, scope graph.Scope, preferences []preference.Preference) error {
	keys, values, err := preference.Encode(scope, preferences)
	if err != nil {
		return err
	}
	return s.transaction(ctx, scope, "postgres_preference_replace", func(ctx context.Context, tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(lockUser, scope.TeamID, scope.UserID)
		batch.Queue(`DELETE FROM kith_preference WHERE team_id = $1 AND user_id = $2 AND NOT key = ANY($3)`, scope.TeamID, scope.UserID, keys)
		batch.Queue(`INSERT INTO kith_preference (team_id, user_id, key, value, created_at, updated_at)
			SELECT $1, $2, given.key, given.value, $5, $5 FROM unnest($3::text[], $4::text[]) AS given(key, value)
			ON CONFLICT (team_id, user_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
			scope.TeamID, scope.UserID, keys, values, s.now())
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || s.admit == nil {
			return err
		}
		return s.admit(ctx, scope.TeamID, scope.UserID) // the locks are held: an erasure waits for the commit
	})
}

// SetPreference sets one preference of the user and does not change the others. Error: preference.ErrTooMany.
func (s *Store) SetPreference(ctx context.Context, scope graph.Scope, p preference.Preference) error {
	value, err := preference.EncodeOne(scope, p)
	if err != nil {
		return err
	}
	return s.transaction(ctx, scope, "postgres_preference_set", func(ctx context.Context, tx pgx.Tx) error {
		var stored int64
		batch := &pgx.Batch{}
		batch.Queue(lockUser, scope.TeamID, scope.UserID)
		batch.Queue(`INSERT INTO kith_preference (team_id, user_id, key, value, created_at, updated_at)
			SELECT $1, $2, $3, $4, $5, $5
			WHERE (SELECT count(*) FROM kith_preference WHERE team_id = $1 AND user_id = $2 AND key <> $3) < $6
			ON CONFLICT (team_id, user_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
			scope.TeamID, scope.UserID, p.Key, value, s.now(), bounds.Preferences).Exec(func(set pgconn.CommandTag) error {
			stored = set.RowsAffected()
			return nil
		})
		switch err := tx.SendBatch(ctx, batch).Close(); {
		case err != nil:
			return err
		case stored == 0:
			return preference.ErrTooMany
		case s.admit == nil:
			return nil
		}
		return s.admit(ctx, scope.TeamID, scope.UserID) // the locks are held: an erasure waits for the commit
	})
}

// DeletePreference deletes one preference of the user. Error: fault.ErrNotFound.
func (s *Store) DeletePreference(ctx context.Context, scope graph.Scope, key string) error {
	if err := scope.ValidateUser(); err != nil {
		return err
	}
	const statement = `DELETE FROM kith_preference WHERE team_id = $1 AND user_id = $2 AND key = $3`
	deleted, err := s.deleteLocked(ctx, scope, "postgres_preference_delete", lockUser, []any{scope.TeamID, scope.UserID}, statement, scope.TeamID, scope.UserID, key)
	if err == nil && deleted == 0 {
		return fault.ErrNotFound
	}
	return err
}

// OthersText returns the number of characters in a team's preferences, with their keys and users, except those of one
// user; with a key, except that one preference of the user.
func (s *Store) OthersText(ctx context.Context, scope graph.Scope, key string) (int64, error) {
	const statement = `SELECT coalesce(sum(char_length(user_id) + char_length(key) + char_length(value)), 0)::bigint FROM kith_preference
		WHERE team_id = $1 AND NOT (user_id = $2 AND ($3 = '' OR key = $3))`
	found, err := queryRows(ctx, s, "postgres_preference_text", statement, pgx.RowTo[int64], scope.TeamID, scope.UserID, key)
	if err != nil {
		return 0, err
	}
	return found[0], nil
}

// ErasePreferences deletes all preferences of the user, and returns how many there were.
func (s *Store) ErasePreferences(ctx context.Context, scope graph.Scope) (int64, error) {
	if err := scope.ValidateUser(); err != nil {
		return 0, err
	}
	const statement = `DELETE FROM kith_preference WHERE team_id = $1 AND user_id = $2`
	return s.deleteLocked(ctx, scope, "postgres_preference_erase", lockUser, []any{scope.TeamID, scope.UserID}, statement, scope.TeamID, scope.UserID)
}

// EraseTeamPreferences deletes all preferences of a team's users, and returns how many there were.
func (s *Store) EraseTeamPreferences(ctx context.Context, teamID string) (int64, error) {
	const statement = `DELETE FROM kith_preference WHERE team_id = $1`
	return s.deleteLocked(ctx, graph.Scope{TeamID: teamID}, "postgres_preference_erase_team", lockTeam, []any{teamID}, statement, teamID)
}

// deleteLocked deletes rows under the lock of a user or a team, and returns their number.
func (s *Store) deleteLocked(ctx context.Context, scope graph.Scope, name, lock string, whose []any, statement string, args ...any) (erased int64, err error) {
	err = s.transaction(ctx, scope, name, func(ctx context.Context, tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(lock, whose...)
		batch.Queue(statement, args...).Exec(func(deleted pgconn.CommandTag) error {
			erased = deleted.RowsAffected()
			return nil
		})
		return tx.SendBatch(ctx, batch).Close()
	})
	return erased, err
}
