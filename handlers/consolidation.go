package handlers

import (
	"context"

	"kith/access/auth"
	"kith/graph"
	"kith/memory/consolidation"
)

// consolidations lists sources that have faded, and archives sources.
type consolidations interface {
	Candidates(ctx context.Context, scope graph.Scope, cursor string, limit int) (consolidation.Page, error)
	Consolidate(ctx context.Context, scope graph.Scope, c *consolidation.Consolidation) (consolidation.Result, error)
}

// CandidatesInput asks for sources that could be archived.
type CandidatesInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"whose; default: the user of the key. Required where the key is not bound to one"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"at most so many candidates; a page may have less, even none, while next is given"`
}

// CandidatesOutput is a page of candidates.
type CandidatesOutput struct{ Body consolidation.Page }

func (a *API) consolidationCandidates(ctx context.Context, in *CandidatesInput) (*CandidatesOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	page, err := a.Consolidations.Candidates(ctx, scope, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	return &CandidatesOutput{Body: page}, nil
}

// ConsolidateInput names sources to archive.
type ConsolidateInput struct{ Body consolidation.Consolidation }

// ConsolidateOutput says what became of each.
type ConsolidateOutput struct{ Body consolidation.Result }

func (a *API) consolidate(ctx context.Context, in *ConsolidateInput) (*ConsolidateOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := a.Consolidations.Consolidate(ctx, scope, &in.Body)
	if err != nil {
		return nil, located("body", err)
	}
	return &ConsolidateOutput{Body: result}, nil
}
