package handlers

import (
	"context"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/duplicate"
)

// duplicateStore proposes nodes that may be one.
type duplicateStore interface {
	Proposals(ctx context.Context, scope graph.Scope, q duplicate.Query) (duplicate.Page, error)
	Refuse(ctx context.Context, scope graph.Scope, refuse, admit []duplicate.Pair) error
	ExportRefusals(ctx context.Context, teamID string, visit func(*duplicate.Line) error) error
	RestoreRefusals(ctx context.Context, scope graph.Scope, lines []duplicate.Line, plan *graph.RestorePlan) (created int64, bad []int, err error)
}

// ListDuplicatesInput asks for a page of pairs of nodes that may be one.
type ListDuplicatesInput struct {
	UserID         string  `query:"user_id" minLength:"1" maxLength:"256" doc:"also the pairs of this user; default: the user of the key, or only what the team shares"`
	Kind           string  `query:"kind" enum:"person,concept,entity" doc:"default: all"`
	State          string  `query:"state" enum:"proposed,refused" default:"proposed" doc:"refused: pairs that somebody has said are two"`
	MinProbability float64 `query:"min_probability" minimum:"0" maximum:"1" default:"0.5" doc:"of proposed pairs; less probable than 0.3 are not kept"`
	Limit          int     `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor         string  `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// DuplicatePage is a page of pairs: proposed ones by their probability, refused ones by their keys. Next is null after the last.
type DuplicatePage struct {
	Duplicates []duplicate.Proposal `json:"duplicates"`
	Next       *string              `json:"next"`
}

// DuplicatePageOutput is the answer with the page.
type DuplicatePageOutput struct{ Body DuplicatePage }

func (a *API) listDuplicates(ctx context.Context, in *ListDuplicatesInput) (*DuplicatePageOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	page, err := a.Duplicates.Proposals(ctx, scope, duplicate.Query{
		Kind: in.Kind, MinProbability: in.MinProbability, Refused: in.State == "refused", Cursor: in.Cursor, Limit: in.Limit,
	})
	if err != nil {
		return nil, located("query", err)
	}
	return &DuplicatePageOutput{DuplicatePage{page.Proposals, stringOrNil(page.Next)}}, nil
}

// ChangeDuplicatesInput says of pairs of nodes that they are two.
type ChangeDuplicatesInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"whose nodes may be named besides those that the team shares; default: the user of the key"`
	Body   DuplicateChange
}

// DuplicateChange refuses pairs, and takes refusals back. All or none are changed.
type DuplicateChange struct {
	Refuse []duplicate.Pair `json:"refuse,omitempty" maxItems:"20" doc:"pairs that are two: they are not proposed again, whatever their names become"`
	Admit  []duplicate.Pair `json:"admit,omitempty" maxItems:"20" doc:"pairs that may be proposed again"`
}

// check returns the faults of a change.
func (c *DuplicateChange) check() error {
	f := &fault.List{}
	for name, pairs := range map[string][]duplicate.Pair{"refuse": c.Refuse, "admit": c.Admit} {
		if !f.Items(fault.At(name), len(pairs), duplicate.MaxPairs) {
			continue
		}
		for i, p := range pairs {
			at := fault.At(name).Index(i)
			f.Word(at.Field("first"), p.First, 256)
			f.Word(at.Field("second"), p.Second, 256)
		}
	}
	return f.Err()
}

func (a *API) changeDuplicates(ctx context.Context, in *ChangeDuplicatesInput) (*struct{}, error) {
	scope, err := scopeFor(ctx, auth.Write, "", in.UserID)
	if err != nil {
		return nil, err
	}
	if err := in.Body.check(); err != nil {
		return nil, located("body", err)
	}
	if err := a.Duplicates.Refuse(ctx, scope, in.Body.Refuse, in.Body.Admit); err != nil {
		return nil, located("body", err)
	}
	return nil, nil
}
