package handlers

import (
	"context"
	"fmt"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/erasure"
)

// eraseDeadline bounds an erasure, which may have millions of records to delete. It goes on when its caller leaves.
const eraseDeadline = time.Hour

// EraseInput names whom to erase.
type EraseInput struct {
	ID string `path:"id" maxLength:"256"`
}

// EraseUserOutput is the receipt.
type EraseUserOutput struct{ Body UserErasure }

// UserErasure says what was taken away of a user.
type UserErasure struct {
	UserID string `json:"user_id"`
	Receipt
}

// EraseTeamOutput is the receipt.
type EraseTeamOutput struct{ Body TeamErasure }

// TeamErasure says what was taken away of a team.
type TeamErasure struct {
	TeamID string `json:"team_id"`
	Receipt
}

// Receipt counts what was taken away.
type Receipt struct {
	erasure.Receipt
	CacheEntries int64 `json:"cache_entries" doc:"of this process and of Redis"`
}

func (a *API) eraseUser(ctx context.Context, in *EraseInput) (*EraseUserOutput, error) {
	if err := checkPathID(in.ID); err != nil {
		return nil, err
	}
	p := principal(ctx)
	if !mayErase(p, in.ID) {
		return nil, fmt.Errorf("erasing a user needs an admin key of the team, or a key with write that is bound to this user: %w", auth.ErrForbidden)
	}
	scope := graph.Scope{TeamID: p.TeamID, UserID: in.ID}
	receipt, err := a.erase(ctx, scope, erasing{
		memory: func(ctx context.Context, beside erasure.Beside) (erasure.Receipt, error) {
			return a.Erasure.EraseUser(ctx, scope, beside)
		},
		preferences: func(ctx context.Context) (int64, error) { return a.Preferences.ErasePreferences(ctx, scope) },
		cached:      func(ctx context.Context) (int64, error) { return a.Kept.Erase(ctx, scope.TeamID, scope.UserID) },
	})
	return &EraseUserOutput{UserErasure{in.ID, receipt}}, err
}

// mayErase says whether a caller may erase a user: itself, or anybody of its team.
func mayErase(p auth.Principal, userID string) bool {
	if p.UserID == "" {
		return p.Allows(auth.Admin)
	}
	return p.UserID == userID && p.Allows(auth.Write)
}

func (a *API) eraseTeam(ctx context.Context, in *EraseInput) (*EraseTeamOutput, error) {
	if err := checkPathID(in.ID); err != nil {
		return nil, err
	}
	team, err := adminOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if team == auth.DefaultTeam {
		return nil, fmt.Errorf("the keys of team %s administer the server: erase its users one by one: %w", team, fault.ErrConflict)
	}
	receipt, err := a.erase(ctx, graph.Scope{TeamID: team}, erasing{
		memory: func(ctx context.Context, beside erasure.Beside) (erasure.Receipt, error) {
			return a.Erasure.EraseTeam(ctx, team, beside)
		},
		preferences: func(ctx context.Context) (int64, error) { return a.Preferences.EraseTeamPreferences(ctx, team) },
		cached:      func(ctx context.Context) (int64, error) { return a.Kept.EraseTeam(ctx, team) },
	})
	return &EraseTeamOutput{TeamErasure{team, receipt}}, err
}

// checkPathID checks the id of a user or team in the path.
func checkPathID(id string) error {
	f := &fault.List{}
	f.Key(fault.At("path").Field("id"), id)
	return f.Err()
}

// erasing are the steps that differ between a user and a team.
type erasing struct {
	memory              func(ctx context.Context, beside erasure.Beside) (erasure.Receipt, error)
	preferences, cached func(context.Context) (int64, error)
}

// erase erases the memory with the preferences, and last the cached bytes, when nothing is left to make them from. Verified keys are
// forgotten also when a step failed: the keys may be gone.
func (a *API) erase(ctx context.Context, scope graph.Scope, e erasing) (r Receipt, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseDeadline)
	defer cancel()
	defer a.Explorer.Forget(scope)
	defer a.Keys.Forget()
	var cached int64
	erased, err := e.memory(ctx, erasure.Beside{Preferences: e.preferences, Last: func(ctx context.Context) (err error) {
		if cached, err = e.cached(ctx); err != nil {
			return fmt.Errorf("erase: all but what Redis keeps for five minutes is erased: %w: %w", graph.ErrUnavailable, err)
		}
		return nil
	}})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{erased, cached}, nil
}
