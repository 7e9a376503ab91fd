// Package preference stores users' preferences: settings with a key and a JSON value. Store keeps them in the graph, postgres.Store in
// PostgreSQL, under the same rules.
package preference

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// Preference is one setting of a user. Value is any JSON value of at most 4,096 bytes.
type Preference struct {
	Key   string          `json:"key" max:"128" word:"true" doc:"each key once"`
	Value json.RawMessage `json:"value" contract:"any" doc:"any JSON value but null, of at most 4,096 bytes"`
}

// OfUser is a setting with its user.
type OfUser struct {
	UserID string `json:"user_id"`
	Preference
}

// Storage stores users' preferences. Store implements it in the graph, postgres.Store in PostgreSQL.
type Storage interface {
	Preferences(ctx context.Context, scope graph.Scope) ([]Preference, error)
	PreferencesAt(ctx context.Context, scope graph.Scope, at time.Time) ([]Preference, error)
	PreferenceVersions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (VersionPage, error)
	ReplacePreferences(ctx context.Context, scope graph.Scope, preferences []Preference) error
	SetPreferences(ctx context.Context, scope graph.Scope, preferences []Preference) error
	SetPreference(ctx context.Context, scope graph.Scope, p Preference) error
	DeletePreference(ctx context.Context, scope graph.Scope, key string) error
	TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]OfUser, error)
	ErasePreferences(ctx context.Context, scope graph.Scope) (int64, error)
	EraseTeamPreferences(ctx context.Context, teamID string) (int64, error)
}

const maxSize = 4096 // of a value, in bytes

// TimeZone is the key whose value names the user's IANA time zone.
const TimeZone = "time_zone"

// Validate checks a whole set of preferences.
func Validate(preferences []Preference) error {
	f := &fault.List{}
	if !f.Items(fault.At("preferences"), len(preferences), bounds.Preferences) {
		return f.Err()
	}
	keys := map[string]int{}
	for i, p := range preferences {
		at := fault.At("preferences").Index(i)
		f.Word(at.Field("key"), p.Key, 128)
		if first, again := keys[p.Key]; again {
			f.Same(at.Field("key"), fault.At("preferences").Index(first).Field("key"))
		}
		keys[p.Key] = i
		if f.JSON(at.Field("value"), p.Value, maxSize, bounds.PropertiesDepth) && bytes.Equal(bytes.TrimSpace(p.Value), []byte("null")) {
			f.Add(at.Field("value"), fault.Malformed, "must be a JSON value other than null")
		}
	}
	return f.Err()
}

// Encode validates a user's preferences and returns them as every store keeps them: the value without blanks
// between its parts, otherwise byte for byte.
func Encode(scope graph.Scope, preferences []Preference) (keys, values []string, err error) {
	if err := scope.ValidateUser(); err != nil {
		return nil, nil, err
	}
	if err := Validate(preferences); err != nil {
		return nil, nil, err
	}
	keys, values = make([]string, len(preferences)), make([]string, len(preferences))
	for i, p := range preferences {
		var value bytes.Buffer
		_ = json.Compact(&value, p.Value) // it is valid JSON
		keys[i], values[i] = p.Key, value.String()
	}
	return keys, values, nil
}

// EncodeOne validates one preference and returns its value as every store keeps it. Errors are located in key and
// value.
func EncodeOne(scope graph.Scope, p Preference) (value string, err error) {
	_, values, err := Encode(scope, []Preference{p})
	if err != nil {
		return "", fault.Within(err, fault.At("preferences").Index(0))
	}
	return values[0], nil
}

var (
	writePreferences     = neo.Load[written]("preference_write")
	listPreferences      = neo.Load[[]keyValue]("context_preferences")
	deletePreference     = neo.Load[int64]("preference_delete")
	findPreferences      = neo.Load[page]("preference_page")
	erasePreferences     = neo.Load[int64]("preference_erase")
	eraseTeamPreferences = neo.Load[int64]("preference_erase_team")
)

// Store holds users' preferences in a memory's database. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the preferences in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// page has the rest of a user's preferences and those of later users.
type page struct{ SameUser, LaterUsers []row }

// row is a stored preference, in the order of preference_page.
type row struct{ UserID, Key, Value string }

// ReplacePreferences replaces all preferences of the user. Of concurrent replacements the last one stays, completely.
func (s *Store) ReplacePreferences(ctx context.Context, scope graph.Scope, preferences []Preference) error {
	keys, values, err := Encode(scope, preferences)
	if err != nil {
		return err
	}
	return s.write(ctx, scope, keys, values, true)
}

// SetPreferences sets some preferences of the user and leaves the others unchanged. Error: ErrTooMany.
func (s *Store) SetPreferences(ctx context.Context, scope graph.Scope, preferences []Preference) error {
	keys, values, err := Encode(scope, preferences)
	if err != nil {
		return err
	}
	return s.write(ctx, scope, keys, values, false)
}

// ErrTooMany is returned when the user already has the maximum number of preferences.
var ErrTooMany = fmt.Errorf("the user already has %d preferences, the maximum: delete one first: %w", bounds.Preferences, fault.ErrConflict)

// SetPreference sets one preference of the user and leaves the others unchanged. Error: ErrTooMany.
func (s *Store) SetPreference(ctx context.Context, scope graph.Scope, p Preference) error {
	value, err := EncodeOne(scope, p)
	if err != nil {
		return err
	}
	return s.write(ctx, scope, []string{p.Key}, []string{value}, false)
}

// written reports what a write of preferences did.
type written struct {
	Fits                      bool // false: nothing, as the user would have too many
	Created, Updated, Deleted []string
	Former                    int64 // characters of the versions that it replaced
}

// write sets preferences; with whole it deletes the others.
func (s *Store) write(ctx context.Context, scope graph.Scope, keys, values []string, whole bool) error {
	return s.graph.Transaction(ctx, writePreferences.Name, func(t *graph.Tx) error {
		t.Changes([]string{scope.UserID})
		now := s.graph.Now()
		rows := make([]map[string]any, len(keys))
		for i := range keys {
			rows[i] = map[string]any{"key": keys[i], "properties": map[string]any{"value": values[i], "updated_at": now, "written": nil}}
		}
		t.Sign(rows)
		did, err := writePreferences.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.UserID, "rows": rows, "whole": whole, "most": bounds.Preferences, "now": now,
			"replaced_at": now.UnixMilli(), "thin_at": graph.ThinAt(now),
		})
		if err != nil {
			return err
		}
		if !did.Fits {
			return ErrTooMany
		}
		t.Replaced(did.Former)
		Record(t, did.changes(scope.UserID))
		return nil
	})
}

// DeletePreference deletes one preference of the user. Error: ErrNotFound.
func (s *Store) DeletePreference(ctx context.Context, scope graph.Scope, key string) error {
	if err := scope.ValidateUser(); err != nil {
		return err
	}
	return s.graph.Transaction(ctx, "preference_delete", func(t *graph.Tx) error {
		t.Changes([]string{scope.UserID})
		now := s.graph.Now()
		deleted, err := deletePreference.ExecOne(t, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.UserID, "key": key, "replaced_at": now.UnixMilli(), "thin_at": graph.ThinAt(now),
		})
		if err == nil && deleted == 0 {
			return fault.ErrNotFound
		}
		if err == nil {
			Record(t, []Change{{scope.UserID, key, graph.DeletedOp}})
		}
		return err
	})
}

// keyValue is a preference; its value is JSON.
type keyValue struct{ Key, Value string }

// Preferences returns the user's preferences by key, in the order of Unicode code points, which is also that of UTF-8
// bytes.
func (s *Store) Preferences(ctx context.Context, scope graph.Scope) ([]Preference, error) {
	found, err := listPreferences.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User()})
	if err != nil {
		return nil, fmt.Errorf("preferences: %w", err)
	}
	return preferencesOf(found), nil
}

func preferencesOf(found []keyValue) []Preference {
	preferences := make([]Preference, len(found))
	for i, p := range found {
		preferences[i] = Preference{Key: p.Key, Value: json.RawMessage(p.Value)}
	}
	return preferences
}

// TeamPreferences returns at most limit preferences of a team's users, by user and key, after the given ones; the
// first page is after "" and "". The order is the same as in Preferences.
func (s *Store) TeamPreferences(ctx context.Context, teamID, afterUser, afterKey string, limit int) ([]OfUser, error) {
	found, err := findPreferences.ReadOne(ctx, s.db, map[string]any{
		"team_id": teamID, "after_user": afterUser, "after_key": afterKey, "limit": limit,
	})
	if err != nil {
		return nil, err
	}
	rows := slices.Concat(found.SameUser, found.LaterUsers)
	page := make([]OfUser, min(len(rows), limit))
	for i := range page {
		page[i] = OfUser{rows[i].UserID, Preference{Key: rows[i].Key, Value: []byte(rows[i].Value)}}
	}
	return page, nil
}

// ErasePreferences erases all preferences of the user with their history, and returns their number.
func (s *Store) ErasePreferences(ctx context.Context, scope graph.Scope) (int64, error) {
	if err := scope.ValidateUser(); err != nil {
		return 0, err
	}
	first, end := formerKeys(scope.UserID, "")
	return s.erasePreferences(ctx, erasePreferences, map[string]any{"team_id": scope.TeamID, "user_id": scope.UserID, "first": first, "end": end})
}

// EraseTeamPreferences erases all preferences of a team's users with their history, and returns their number.
func (s *Store) EraseTeamPreferences(ctx context.Context, teamID string) (int64, error) {
	return s.erasePreferences(ctx, eraseTeamPreferences, map[string]any{"team_id": teamID})
}

func (s *Store) erasePreferences(ctx context.Context, erase neo.Query[int64], params map[string]any) (erased int64, err error) {
	err = s.graph.Transaction(ctx, erase.Name, func(t *graph.Tx) (err error) {
		t.PassFence()
		user, _ := params["user_id"].(string)
		t.Changes([]string{user})
		erased, err = erase.ExecOne(t, params)
		return err
	})
	return erased, err
}
