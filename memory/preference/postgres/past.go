package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"kith/graph"
	"kith/internal/bounds"
	"kith/memory/preference"
)

// PreferencesAt returns the user's preferences as they were at a time, by key, as Preferences does: of each the value that was
// replaced or deleted first after the time, else the stored one; none if it was written later, because that of the time is not kept.
func (s *Store) PreferencesAt(ctx context.Context, scope graph.Scope, at time.Time) ([]preference.Preference, error) {
	const statement = `SELECT key, value FROM (
			SELECT DISTINCT ON (key) key, value, created_at, updated_at FROM (
				SELECT key, value, created_at, updated_at, 'infinity'::timestamptz AS until FROM kith_preference WHERE team_id = $1 AND user_id = $2
				UNION ALL
				SELECT key, value, created_at, updated_at, until FROM kith_preference_history WHERE team_id = $1 AND user_id = $2 AND until > $3
			) AS versions ORDER BY key, until
		) AS first WHERE created_at <= $3 AND updated_at <= $3 ORDER BY key LIMIT $4`
	return queryRows(ctx, s, "postgres_preference_at", statement, scanPreference, scope.TeamID, scope.UserID, at, bounds.Preferences)
}

// PreferenceVersions returns a page of the values that a preference of the user had and has, or all of the user's if key is empty: the
// newest first. Error: InvalidError for an invalid cursor.
func (s *Store) PreferenceVersions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (preference.VersionPage, error) {
	place, err := preference.PlaceOf(cursor)
	if err != nil {
		return preference.VersionPage{}, err
	}
	const statement = `SELECT key, value, updated_at, until, deleted, written FROM (
			SELECT key, value, updated_at, coalesce(written, '') AS written, NULL AS until, false AS deleted, $6::bigint AS place
			FROM kith_preference WHERE team_id = $1 AND user_id = $2
			UNION ALL
			SELECT key, value, updated_at, coalesce(written, ''), until, deleted, (extract(epoch FROM until) * 1000)::bigint
			FROM kith_preference_history WHERE team_id = $1 AND user_id = $2
		) AS versions
		WHERE ($3 = '' OR key = $3) AND (place < $4 OR place = $4 AND key > $5)
		ORDER BY place DESC, key LIMIT $7`
	versions, err := queryRows(ctx, s, "postgres_preference_history", statement, scanVersion,
		scope.TeamID, scope.UserID, key, place.Until, place.Key, int64(graph.StoredNow), limit+1)
	if err != nil {
		return preference.VersionPage{}, err
	}
	return preference.PageOf(versions, limit), nil
}

func scanVersion(row pgx.CollectableRow) (preference.ValueVersion, error) {
	var key, value, written string
	var from time.Time
	var until *time.Time
	var deleted bool
	if err := row.Scan(&key, &value, &from, &until, &deleted, &written); err != nil {
		return preference.ValueVersion{}, err
	}
	if until == nil {
		until = new(time.Time)
	}
	return preference.NewValueVersion(key, value, from, *until, deleted, written), nil
}
