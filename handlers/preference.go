package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
)

// Preferences are all of a user's.
type Preferences struct {
	Preferences []graph.Preference `json:"preferences" maxItems:"200"`
}

// PreferencesInput asks for a user's preferences.
type PreferencesInput struct {
	ID string `path:"id" maxLength:"256" doc:"user id"`
}

// PreferencesOutput are a user's preferences, by key.
type PreferencesOutput struct{ Body Preferences }

func (a *API) getPreferences(ctx context.Context, in *PreferencesInput) (*PreferencesOutput, error) {
	scope, err := userScope(ctx, auth.Read, in.ID)
	if err != nil {
		return nil, err
	}
	return a.preferencesOf(ctx, scope)
}

// userScope is the scope of a user named in the path.
func userScope(ctx context.Context, needs, userID string) (graph.Scope, error) {
	if !graph.ValidKey(userID) {
		return graph.Scope{}, &graph.InvalidError{Fields: []graph.FieldError{
			{Location: "path.id", Message: "must have 1 to 256 characters and no control characters"},
		}}
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
	if err := graph.ValidatePreferences(in.Body.Preferences); err != nil {
		return nil, located("body", err)
	}
	err = a.Preferences.ReplacePreferences(ctx, scope, in.Body.Preferences)
	a.changed(ctx, scope, scope.UserID)
	if err != nil {
		return nil, err
	}
	return a.preferencesOf(ctx, scope)
}

func (a *API) preferencesOf(ctx context.Context, scope graph.Scope) (*PreferencesOutput, error) {
	found, err := a.Preferences.Preferences(ctx, scope)
	if err != nil {
		return nil, err
	}
	return &PreferencesOutput{Body: Preferences{Preferences: found}}, nil
}
