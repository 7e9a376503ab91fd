package handlers

import (
	"context"

	"kith/access/limit"
	"kith/graph"
)

// RateLimit is how many units a key may spend, and has left.
type RateLimit struct {
	Limit     int64 `json:"limit" doc:"units a minute"`
	Remaining int64 `json:"remaining" doc:"units left after this request"`
}

// Me describes the caller: its key or token, and what that may do.
type Me struct {
	KeyID     string            `json:"key_id" doc:"of a token: oidc: and its subject"`
	TeamID    string            `json:"team_id"`
	UserID    *string           `json:"user_id" doc:"the only user for whom it may act; null: any of the team"`
	Scopes    []string          `json:"scopes" doc:"of read, write and admin"`
	RateLimit *RateLimit        `json:"rate_limit" doc:"null: any number of requests"`
	Quota     graph.QuotaShares `json:"quota" doc:"how much the team may have, and has"`
}

// MeOutput describes the caller.
type MeOutput struct{ Body Me }

// quotaStore returns how much of its quota a team uses.
type quotaStore interface {
	QuotaOf(ctx context.Context, teamID string) (graph.QuotaShares, error)
}

// me needs no scope: a key may always ask what it is.
func (a *API) me(ctx context.Context, _ *struct{}) (*MeOutput, error) {
	p := principal(ctx)
	quota, err := a.Quotas.QuotaOf(ctx, p.TeamID)
	if err != nil {
		return nil, err
	}
	me := Me{KeyID: p.KeyID, TeamID: p.TeamID, UserID: stringOrNil(p.UserID), Scopes: append([]string{}, p.Scopes...), Quota: quota}
	if d, _ := ctx.Value(decisionKey).(limit.Decision); d.Limit > 0 {
		me.RateLimit = &RateLimit{Limit: d.Limit, Remaining: d.Remaining}
	}
	return &MeOutput{Body: me}, nil
}
