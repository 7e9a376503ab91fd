package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"kith/access/audit"
	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/text/markup"
)

// preferences keeps the settings of users.
type preferences interface {
	SetPreference(ctx context.Context, scope graph.Scope, p preference.Preference) error
	DeletePreference(ctx context.Context, scope graph.Scope, key string) error
}

type preferenceInput struct {
	Caller
	Key    string          `json:"key" minLength:"1" maxLength:"128" doc:"such as language, conversation_style, time_zone (an IANA name)"`
	Value  json.RawMessage `json:"value,omitempty" doc:"any JSON"`
	Remove bool            `json:"remove,omitempty" doc:"instead of value"`
}

func (s *Server) addPreference() {
	add(s, tool{"set_preference", "Set a preference of the user", writes, guide("set_preference")}, contract.Input[preferenceInput](), s.preference)
}

func (s *Server) preference(ctx context.Context, in *preferenceInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if scope.UserID == "" {
		return answer{}, fault.Invalid(fault.At("user_id"), fault.Required, "is required: the key is not bound to a user")
	}
	switch { // a client that drops an argument removes nothing
	case !in.Remove && len(in.Value) == 0:
		return answer{}, fault.Invalid(fault.At("value"), fault.Required, "is required; to remove the preference, set remove to true")
	case in.Remove && len(in.Value) > 0:
		return answer{}, fault.Invalid(fault.At("remove"), fault.Contrary, "must not be true with a value")
	}
	if in.Remove {
		err = s.Preferences.DeletePreference(ctx, scope, in.Key)
	} else {
		err = s.Preferences.SetPreference(ctx, scope, preference.Preference{Key: in.Key, Value: in.Value})
	}
	switch {
	case in.Remove && errors.Is(err, fault.ErrNotFound):
		return answer{text: "The user has no preference of this key.\n"}, nil
	case err != nil:
		return answer{}, err
	}
	audit.Note(ctx, nil, in.Key)
	if in.Remove {
		return answer{text: "The preference " + markup.Inline(in.Key) + " is removed.\n"}, nil
	}
	return answer{text: "The preference " + markup.Inline(in.Key) + " is set.\n"}, nil
}
