package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/memory/preference"
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
	return queryRows(ctx, s, "postgres_preference_list", statement, scanPreference, scope.TeamID, scope.UserID, bounds.Preferences)
}

func scanPreference(row pgx.CollectableRow) (p preference.Preference, err error) {
	var value string
	err = row.Scan(&p.Key, &value)
	p.Value = []byte(value)
	return p, err
}

// TeamPreferences returns at most limit preferences of a team's users, by user and key, after the given user and key.
// The first page is after "" and "". The order is as in Preferences.
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
	return s.put(ctx, scope, "postgres_preference_replace", keys, values, true)
}

// SetPreferences sets some preferences of the user and does not change the others. Error: preference.ErrTooMany.
func (s *Store) SetPreferences(ctx context.Context, scope graph.Scope, preferences []preference.Preference) error {
	keys, values, err := preference.Encode(scope, preferences)
	if err != nil {
		return err
	}
	return s.put(ctx, scope, "postgres_preference_set", keys, values, false)
}

// SetPreference sets one preference of the user and does not change the others. Error: preference.ErrTooMany.
func (s *Store) SetPreference(ctx context.Context, scope graph.Scope, p preference.Preference) error {
	value, err := preference.EncodeOne(scope, p)
	if err != nil {
		return err
	}
	return s.put(ctx, scope, "postgres_preference_set", []string{p.Key}, []string{value}, false)
}

// put sets preferences of the user; with whole it deletes the others.
func (s *Store) put(ctx context.Context, scope graph.Scope, name string, keys, values []string, whole bool) error {
	return s.write(ctx, scope, name, func(ctx context.Context, tx pgx.Tx) (ids []int64, err error) {
		var fits bool
		batch := &pgx.Batch{}
		batch.Queue(lockUser, scope.TeamID, scope.UserID)
		batch.Queue(putValues, scope.TeamID, scope.UserID, keys, values, whole, bounds.Preferences, s.now(), graph.WriterOf(ctx).Text()).Query(func(rows pgx.Rows) error {
			fits, ids, err = readPut(rows)
			return err
		})
		s.queuePurge(batch, scope, keys...)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return nil, err
		}
		if !fits {
			return nil, preference.ErrTooMany
		}
		if s.admit != nil {
			err = s.admit(ctx, scope.TeamID, scope.UserID) // the locks are held: an erasure waits for the commit
		}
		return ids, err
	})
}

// DeletePreference deletes one preference of the user. Error: fault.ErrNotFound.
func (s *Store) DeletePreference(ctx context.Context, scope graph.Scope, key string) error {
	if err := scope.ValidateUser(); err != nil {
		return err
	}
	if !fault.ValidKey(key) {
		return fault.ErrNotFound
	}
	deleted := 0
	err := s.write(ctx, scope, "postgres_preference_delete", func(ctx context.Context, tx pgx.Tx) (ids []int64, err error) {
		batch := &pgx.Batch{}
		batch.Queue(lockUser, scope.TeamID, scope.UserID)
		batch.Queue(deleteValue, scope.TeamID, scope.UserID, key, s.now()).Query(func(rows pgx.Rows) error {
			ids, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			deleted = len(ids)
			return err
		})
		s.queuePurge(batch, scope, key)
		return ids, tx.SendBatch(ctx, batch).Close()
	})
	if err == nil && deleted == 0 {
		return fault.ErrNotFound
	}
	return err
}

// ErasePreferences deletes all preferences of the user with their history, and returns how many there were.
func (s *Store) ErasePreferences(ctx context.Context, scope graph.Scope) (int64, error) {
	if err := scope.ValidateUser(); err != nil {
		return 0, err
	}
	return s.erase(ctx, scope, "postgres_preference_erase", lockUser, ` WHERE team_id = $1 AND user_id = $2`, scope.TeamID, scope.UserID)
}

// EraseTeamPreferences deletes all preferences of a team's users with their history, and returns how many there were.
func (s *Store) EraseTeamPreferences(ctx context.Context, teamID string) (int64, error) {
	return s.erase(ctx, graph.Scope{TeamID: teamID}, "postgres_preference_erase_team", lockTeam, ` WHERE team_id = $1`, teamID)
}

// erase deletes the rows of a user or a team under a lock, and returns the number of preferences.
func (s *Store) erase(ctx context.Context, scope graph.Scope, name, lock, where string, whose ...any) (erased int64, err error) {
	err = s.transaction(ctx, scope, name, func(ctx context.Context, tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(lock, whose...)
		batch.Queue(`DELETE FROM kith_preference_change`+where, whose...)
		batch.Queue(`DELETE FROM kith_preference_history`+where, whose...)
		batch.Queue(`DELETE FROM kith_preference`+where, whose...).Exec(func(deleted pgconn.CommandTag) error {
			erased = deleted.RowsAffected()
			return nil
		})
		return tx.SendBatch(ctx, batch).Close()
	})
	return erased, err
}
