package handlers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/preference"
)

// Preferences are all of a user's.
type Preferences struct {
	Preferences []preference.Preference `json:"preferences" maxItems:"200"`
}

// PreferencesInput asks for a user's preferences.
type PreferencesInput struct {
	ID   string    `path:"id" maxLength:"256" doc:"user id"`
	AsOf time.Time `query:"as_of" doc:"the preferences as they were then"`
}

// PreferencesOutput are a user's preferences, by key.
type PreferencesOutput struct{ Body Preferences }

func (a *API) getPreferences(ctx context.Context, in *PreferencesInput) (*PreferencesOutput, error) {
	scope, err := userScope(ctx, auth.Read, in.ID)
	if err != nil {
		return nil, err
	}
	if !in.AsOf.IsZero() {
		found, err := a.Preferences.PreferencesAt(ctx, scope, in.AsOf)
		if err != nil {
			return nil, err
		}
		return &PreferencesOutput{Body: Preferences{Preferences: found}}, nil
	}
	found, err := a.Preferences.Preferences(ctx, scope)
	if err != nil {
		return nil, err
	}
	return &PreferencesOutput{Body: Preferences{Preferences: found}}, nil
}

// userScope is the scope of a user named in the path.
func userScope(ctx context.Context, needs, userID string) (graph.Scope, error) {
	if err := checkPathID(userID); err != nil {
		return graph.Scope{}, err
	}
	return principal(ctx).For(needs, userID)
}

// PutPreferencesInput replaces a user's preferences.
type PutPreferencesInput struct {
	ID   string `path:"id" maxLength:"256" doc:"user id"`
	Body Preferences
}

func (a *API) putPreferences(ctx context.Context, in *PutPreferencesInput) (*PreferencesOutput, error) {
	scope, err := userScope(ctx, auth.Write, in.ID)
	if err != nil {
		return nil, err
	}
	keys, values, err := preference.Encode(scope, in.Body.Preferences)
	if err != nil {
		return nil, located("body", err)
	}
	err = a.Preferences.ReplacePreferences(ctx, scope, in.Body.Preferences)
	if err != nil {
		return nil, err
	}
	stored := make([]preference.Preference, len(keys)) // not read again: a read that fails would hide that they are stored
	for i, key := range keys {
		stored[i] = preference.Preference{Key: key, Value: json.RawMessage(values[i])}
	}
	slices.SortFunc(stored, func(a, b preference.Preference) int { return strings.Compare(a.Key, b.Key) })
	return &PreferencesOutput{Body: Preferences{Preferences: stored}}, nil
}

// PreferencePath names one preference of a user.
type PreferencePath struct {
	ID  string `path:"id" maxLength:"256" doc:"user id"`
	Key string `path:"key" maxLength:"128" doc:"such as time_zone"`
}

// PutPreferenceInput sets one preference.
type PutPreferenceInput struct {
	PreferencePath
	Body struct {
		Value json.RawMessage `json:"value" contract:"any" doc:"any JSON value but null, of at most 4,096 bytes"`
	}
}

// PreferenceOutput is one preference.
type PreferenceOutput struct{ Body preference.Preference }

func (a *API) putPreference(ctx context.Context, in *PutPreferenceInput) (*PreferenceOutput, error) {
	scope, err := userScope(ctx, auth.Write, in.ID)
	if err != nil {
		return nil, err
	}
	p := preference.Preference{Key: in.Key, Value: in.Body.Value}
	value, err := preference.EncodeOne(scope, p)
	if err != nil {
		return nil, locatedPreference(err)
	}
	err = a.Preferences.SetPreference(ctx, scope, p)
	if err != nil {
		return nil, err
	}
	return &PreferenceOutput{Body: preference.Preference{Key: in.Key, Value: json.RawMessage(value)}}, nil
}

// locatedPreference locates faults of a preference whose key is in the path.
func locatedPreference(err error) error {
	return fault.Relocate(err, func(p fault.Path) fault.Path {
		if p == fault.At("key") {
			return p.Under(fault.At("path"))
		}
		return p.Under(fault.At("body"))
	})
}

func (a *API) deletePreference(ctx context.Context, in *PreferencePath) (*struct{}, error) {
	scope, err := userScope(ctx, auth.Write, in.ID)
	if err != nil {
		return nil, err
	}
	err = a.Preferences.DeletePreference(ctx, scope, in.Key)
	return nil, err
}
