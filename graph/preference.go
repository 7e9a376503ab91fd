package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Preference is one setting of a user. Value is any JSON value of at most 4,096 bytes.
type Preference struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

const maxPreferenceSize = 4096

// TimeZonePreference is the key whose value names the user's IANA time zone.
const TimeZonePreference = "time_zone"

// ValidatePreferences checks a whole set of preferences.
func ValidatePreferences(preferences []Preference) error {
	f := &faults{}
	if len(preferences) > MaxPreferences {
		f.add("preferences", "must have at most %d items", MaxPreferences)
		return f.err()
	}
	keys := map[string]int{}
	for i, p := range preferences {
		at := index("preferences", i)
		f.word(at+".key", p.Key, 128)
		if first, again := keys[p.Key]; again {
			f.add(at+".key", "is the same as that of preferences[%d]", first)
		}
		keys[p.Key] = i
		switch {
		case len(p.Value) > maxPreferenceSize:
			f.add(at+".value", "must have at most %d bytes", maxPreferenceSize)
		case !utf8.Valid(p.Value):
			f.add(at+".value", "must be valid UTF-8")
		case !json.Valid(p.Value) || bytes.Equal(bytes.TrimSpace(p.Value), []byte("null")):
			f.add(at+".value", "must be a JSON value other than null")
		case depth(p.Value) > MaxPropertiesDeep:
			f.add(at+".value", "must be nested at most %d deep", MaxPropertiesDeep)
		}
	}
	return f.err()
}

// ReplacePreferences makes the given ones the whole of the user's preferences.
func (s *Store) ReplacePreferences(ctx context.Context, scope Scope, preferences []Preference) error {
	if err := ValidatePreferences(preferences); err != nil {
		return err
	}
	rows := make([]map[string]any, len(preferences))
	for i, p := range preferences {
		rows[i] = map[string]any{"key": p.Key, "value": compact(p.Value)}
	}
	return s.transaction(ctx, "preference_replace", func(t *tx) error {
		_, err := t.exec("preference_replace", map[string]any{
			"team_id": scope.TeamID, "user_id": scope.user(), "rows": rows, "now": s.now(),
		})
		return err
	})
}

// Preferences lists the user's preferences by key.
func (s *Store) Preferences(ctx context.Context, scope Scope) ([]Preference, error) {
	found := &Sections{}
	if err := s.ReadSection(ctx, scope, PreferencesSection, SectionQuery{}, found); err != nil {
		return nil, fmt.Errorf("preferences: %w", err)
	}
	return found.Preferences, nil
}
