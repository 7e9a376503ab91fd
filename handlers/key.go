package handlers

import (
	"context"
	"fmt"
	"time"

	"kith/access/audit"
	"kith/access/auth"
)

// CreateKeyInput describes a new key.
type CreateKeyInput struct {
	Body struct {
		TeamID    string     `json:"team_id,omitempty" minLength:"1" maxLength:"256" doc:"default: the caller's; another team needs an admin key of team default"`
		UserID    *string    `json:"user_id,omitempty" minLength:"1" maxLength:"256" nullable:"true" doc:"binds the key to this user; left out or null: the key acts for every user of the team"`
		Scopes    []string   `json:"scopes" enum:"read,write,admin" minItems:"1" maxItems:"3" doc:"read, write, admin"`
		RateLimit *int64     `json:"rate_limit,omitempty" nullable:"true" minimum:"0" maximum:"1000000" doc:"units a minute, of which a look-up costs 1; 0: any number; default: KITH_RATE_LIMIT. Only an admin key of team default may give it"`
		ExpiresAt *time.Time `json:"expires_at,omitempty" nullable:"true"`
		Origin    *string    `json:"origin,omitempty" nullable:"true" enum:"user,assistant,tool,external,import" doc:"of what the key writes: a key of a program that stores mails has external; default: none"`
		Trust     *float64   `json:"trust,omitempty" nullable:"true" minimum:"0" maximum:"1" doc:"the most that what the key writes is believed; default: what its origin has"`
	}
}

// CreatedKeyOutput shows the secret, this once.
type CreatedKeyOutput struct {
	Body struct {
		Key   string `json:"key"`
		KeyID string `json:"key_id"`
	}
}

func (a *API) createKey(ctx context.Context, in *CreateKeyInput) (*CreatedKeyOutput, error) {
	team, err := adminOf(ctx, in.Body.TeamID)
	if err != nil {
		return nil, err
	}
	if in.Body.RateLimit != nil && principal(ctx).TeamID != auth.DefaultTeam {
		return nil, fmt.Errorf("only an admin key of team %s gives limits: %w", auth.DefaultTeam, auth.ErrForbidden)
	}
	spec := auth.Spec{TeamID: team, Scopes: in.Body.Scopes, RateLimit: in.Body.RateLimit, ExpiresAt: in.Body.ExpiresAt, UserID: in.Body.UserID, Origin: in.Body.Origin, Trust: in.Body.Trust}
	out := &CreatedKeyOutput{}
	out.Body.Key, out.Body.KeyID, err = a.Keys.Create(ctx, spec)
	audit.Note(ctx, nil, spec.TeamID, out.Body.KeyID)
	return out, located("body", err)
}

// adminOf is the team that an admin key may manage keys of: its own, or any for one of team default.
func adminOf(ctx context.Context, teamID string) (string, error) {
	p := principal(ctx)
	if !p.Allows(auth.Admin) || p.UserID != "" {
		return "", &auth.ScopeError{Scope: auth.Admin}
	}
	if teamID == "" {
		return p.TeamID, nil
	}
	if teamID != p.TeamID && p.TeamID != auth.DefaultTeam {
		return "", errOtherTeam
	}
	return teamID, nil
}

// ListKeysInput chooses a team.
type ListKeysInput struct {
	TeamID string `query:"team_id" minLength:"1" maxLength:"256" doc:"default: the caller's"`
}

// KeyInfo is a key without its secret.
type KeyInfo struct {
	KeyID     string     `json:"key_id"`
	TeamID    string     `json:"team_id"`
	UserID    *string    `json:"user_id"`
	Scopes    []string   `json:"scopes"`
	RateLimit *int64     `json:"rate_limit"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Origin    *string    `json:"origin,omitempty" enum:"user,assistant,tool,external,import" doc:"of what it writes"`
	Trust     *float64   `json:"trust,omitempty" doc:"the most that what it writes is believed"`
	LastUsed  *time.Time `json:"last_used_at" doc:"a minute late at most while the service runs"`
}

// InfoOf returns what is shown of a key.
func InfoOf(k auth.APIKey) KeyInfo {
	return KeyInfo{k.KeyID, k.TeamID, k.UserID, k.Scopes, k.RateLimit, k.CreatedAt, k.ExpiresAt, k.RevokedAt, k.Origin, k.Trust, k.LastUsed}
}

// KeyListOutput lists at most 1,000 keys, the newest first.
type KeyListOutput struct {
	Body struct {
		Keys []KeyInfo `json:"keys"`
	}
}

func (a *API) listKeys(ctx context.Context, in *ListKeysInput) (*KeyListOutput, error) {
	team, err := adminOf(ctx, in.TeamID)
	if err != nil {
		return nil, err
	}
	found, err := a.Keys.List(ctx, team)
	if err != nil {
		return nil, err
	}
	out := &KeyListOutput{}
	out.Body.Keys = make([]KeyInfo, len(found))
	for i, k := range found {
		out.Body.Keys[i] = InfoOf(k)
	}
	return out, nil
}

// RevokeKeyInput names a key.
type RevokeKeyInput struct {
	ID string `path:"id" maxLength:"64"`
}

func (a *API) revokeKey(ctx context.Context, in *RevokeKeyInput) (*struct{}, error) {
	team, err := adminOf(ctx, "")
	if err != nil {
		return nil, err
	}
	if team == auth.DefaultTeam {
		team = "" // any
	}
	return nil, a.Keys.Revoke(ctx, team, in.ID)
}
