package preference

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
)

var (
	preferencesAt = neo.Load[keyValue]("preference_at")
	listVersions  = neo.Load[formerRow]("preference_history")
)

// ValueVersion is a value that a preference had or has: from when until when, and who set it.
type ValueVersion struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value" contract:"any"`
	From    time.Time       `json:"from" doc:"when it was set"`
	Until   *time.Time      `json:"until" doc:"when it was replaced or deleted; null: it is stored now"`
	Deleted bool            `json:"deleted,omitempty" doc:"a delete ended it"`
	By      string          `json:"by,omitempty" doc:"id of the API key that set it; token: the caller had a token"`
	Through string          `json:"through,omitempty" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
}

// VersionPage is a page of versions, the newest first, and the cursor of the next one; empty after the last.
type VersionPage struct {
	Versions []ValueVersion
	Next     string
}

// NewValueVersion returns a version as it is stored, with its writer; it has not ended if until is zero.
func NewValueVersion(key, value string, from, until time.Time, deleted bool, writer string) ValueVersion {
	by := graph.WriterFrom(writer)
	v := ValueVersion{Key: key, Value: json.RawMessage(value), From: from.UTC(), Deleted: deleted, By: by.KeyID, Through: by.Through}
	if !until.IsZero() {
		ended := until.UTC()
		v.Until = &ended
	}
	return v
}

// Place is where a page of versions begins: before an end, in milliseconds, or at it and after a key.
type Place struct {
	Until int64
	Key   string
}

const versionCursor = "preference" + graph.KeySeparator

// PlaceOf reads a cursor; an empty one begins with the stored versions. It returns an InvalidError for one that is not valid.
func PlaceOf(cursor string) (Place, error) {
	after, err := cursors.Decode(cursor)
	if err != nil || after == "" {
		return Place{Until: math.MaxInt64}, err
	}
	place, ok := strings.CutPrefix(after, versionCursor)
	end, key, found := strings.Cut(place, graph.KeySeparator)
	until, err := strconv.ParseInt(end, 10, 64)
	if !ok || !found || err != nil {
		return Place{}, cursors.Invalid()
	}
	return Place{until, key}, nil
}

// PageOf returns a page of at most limit of the versions that were read, one more than that if there are more.
func PageOf(versions []ValueVersion, limit int) VersionPage {
	if len(versions) <= limit {
		return VersionPage{Versions: versions}
	}
	last, until := versions[limit-1], int64(graph.StoredNow)
	if last.Until != nil {
		until = last.Until.UnixMilli()
	}
	return VersionPage{versions[:limit], cursors.Encode(fmt.Sprintf("%s%d%s%s", versionCursor, until, graph.KeySeparator, last.Key))}
}

// formerKeys returns the range of the keys of former versions: of one preference of a user, or of all if key is empty.
func formerKeys(user, key string) (first, end string) {
	if key == "" {
		return user + graph.KeySeparator, user + afterSeparator
	}
	return user + graph.KeySeparator + key, user + graph.KeySeparator + key + "\x00"
}

// afterSeparator follows the separator of keys. It is the lowest character that ids and keys may have.
const afterSeparator = " "

// PreferencesAt returns the user's preferences as they were at a time, by key, as Preferences does.
func (s *Store) PreferencesAt(ctx context.Context, scope graph.Scope, at time.Time) ([]Preference, error) {
	first, end := formerKeys(scope.UserID, "")
	found, err := preferencesAt.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "first": first, "end": end, "at": at.UnixMilli(),
	})
	return preferencesOf(found), err
}

// formerRow is a row of preference_history.
type formerRow struct {
	Key, Value string
	From       time.Time
	Until      int64
	Deleted    bool
	Written    string
}

// PreferenceVersions returns a page of the values that a preference of the user had and has, or all of the user's if key is empty: the
// newest first. Error: InvalidError for an invalid cursor.
func (s *Store) PreferenceVersions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (VersionPage, error) {
	place, err := PlaceOf(cursor)
	if err != nil {
		return VersionPage{}, err
	}
	first, end := formerKeys(scope.UserID, key)
	rows, err := listVersions.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "key": graph.OrNil(key), "first": first, "end": end,
		"before": place.Until, "after_key": place.Key, "limit": limit + 1,
	})
	if err != nil {
		return VersionPage{}, err
	}
	versions := make([]ValueVersion, len(rows))
	for i, r := range rows {
		until := time.Time{}
		if r.Until != graph.StoredNow {
			until = time.UnixMilli(r.Until)
		}
		versions[i] = NewValueVersion(r.Key, r.Value, r.From, until, r.Deleted, r.Written)
	}
	return PageOf(versions, limit), nil
}
