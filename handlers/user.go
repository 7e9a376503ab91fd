package handlers

import (
	"context"

	"kith/internal/fault"
	"kith/memory/user"
)

// userStore lists the users of a team.
type userStore interface {
	Users(ctx context.Context, teamID, cursor string, limit int) (user.Page, error)
}

// ListUsersInput asks for a page of a team's users.
type ListUsersInput struct {
	TeamID string `query:"team_id" minLength:"1" maxLength:"256" doc:"default: the caller's; another team needs an admin key of team default"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// UserPage is a page of users. Next is null after the last.
type UserPage struct {
	Users []user.User `json:"users"`
	Next  *string     `json:"next"`
}

// UserPageOutput is the answer with the page.
type UserPageOutput struct{ Body UserPage }

func (a *API) listUsers(ctx context.Context, in *ListUsersInput) (*UserPageOutput, error) {
	team, err := adminOf(ctx, in.TeamID)
	if err != nil {
		return nil, err
	}
	if !fault.ValidKey(team) {
		return nil, fault.Invalid(fault.At("query").Field("team_id"), fault.Malformed, "must not be blank, nor contain control characters")
	}
	page, err := a.Users.Users(ctx, team, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	return &UserPageOutput{UserPage{page.Users, stringOrNil(page.Next)}}, nil
}
