package handlers

import (
	"context"
	"time"

	"kith/access/auth"
	"kith/internal/fault"
	"kith/memory/replay"
)

// ListServedInput asks for a page of the contexts that were served to a user.
type ListServedInput struct {
	UserID string    `query:"user_id" minLength:"1" maxLength:"256" doc:"to whom; default: the user of the key. Required where the key is not bound to one"`
	From   time.Time `query:"from" doc:"since then"`
	To     time.Time `query:"to" doc:"before then"`
	Limit  int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	After  string    `query:"after" maxLength:"4096" doc:"next of the page before"`
}

// ServedPage is a page of answers, the oldest first. Next is null after the last.
type ServedPage struct {
	Served []replay.Served `json:"served"`
	Next   *string         `json:"next"`
}

// ServedPageOutput is the answer with the page.
type ServedPageOutput struct{ Body ServedPage }

func (a *API) listServed(ctx context.Context, in *ListServedInput) (*ServedPageOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	f := &fault.List{}
	if scope.UserID == "" {
		f.Required(fault.At("user_id"))
	}
	f.OptionalKey(fault.At("user_id"), scope.UserID)
	if err := f.Err(); err != nil {
		return nil, located("query", err)
	}
	page, err := a.Served.Served(ctx, scope, replay.Query{From: in.From, To: in.To, Cursor: in.After, Limit: in.Limit})
	if err != nil {
		return nil, located("query", err)
	}
	return &ServedPageOutput{ServedPage{page.Served, stringOrNil(page.Next)}}, nil
}
