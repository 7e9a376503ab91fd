package handlers

import (
	"context"

	"kith/access/audit"
	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

// trustStore keeps what waits for a decision, and withdraws sources.
type trustStore interface {
	Reviews(ctx context.Context, scope graph.Scope, l graph.ReviewList) (graph.ReviewPage, error)
	Review(ctx context.Context, scope graph.Scope, key string) (graph.Review, error)
	Decide(ctx context.Context, scope graph.Scope, key string, d graph.ReviewDecision) (graph.Review, graph.MemoryResult, error)
	TrustRules(ctx context.Context, scope graph.Scope) ([]graph.TrustRule, error)
	DeleteTrustRule(ctx context.Context, scope graph.Scope, origin, author string) error
	MinTrust(ctx context.Context, teamID string) (float64, error)
	SetMinTrust(ctx context.Context, teamID string, least float64) error
	WithdrawalReport(ctx context.Context, scope graph.Scope, key string) (graph.Withdrawal, error)
	Withdraw(ctx context.Context, scope graph.Scope, key string) (graph.Withdrawal, error)
	UndoWithdrawal(ctx context.Context, scope graph.Scope, key string) (graph.Withdrawal, error)
	ExportReviews(ctx context.Context, teamID string, visit func(*graph.ReviewLine) error) error
	ExportTrustRules(ctx context.Context, teamID string, visit func(*graph.TrustRuleLine) error) error
	CheckReview(l *graph.ReviewLine, scope graph.Scope) []fault.FieldError
	CheckTrustRule(l *graph.TrustRuleLine, scope graph.Scope) []fault.FieldError
	RestoreReviews(ctx context.Context, scope graph.Scope, lines []graph.ReviewLine, dryRun bool) (created int64, refused map[int]fault.FieldError, err error)
	RestoreTrustRules(ctx context.Context, scope graph.Scope, lines []graph.TrustRuleLine, dryRun bool) (created int64, err error)
}

// ListReviewsInput asks for a page of reviews.
type ListReviewsInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"the writes for this user; default: the user of the key, or else all of the team"`
	State  string `query:"state" enum:"waiting,confirmed,refused" default:"waiting"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// ReviewPage is a page of reviews, the newest first. Next is null after the last.
type ReviewPage struct {
	Reviews []graph.Review `json:"reviews"`
	Next    *string        `json:"next"`
}

// ReviewPageOutput is the answer with the page.
type ReviewPageOutput struct{ Body ReviewPage }

func (a *API) listReviews(ctx context.Context, in *ListReviewsInput) (*ReviewPageOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	page, err := a.Trust.Reviews(ctx, scope, graph.ReviewList{State: in.State, Cursor: in.Cursor, Limit: in.Limit})
	if err != nil {
		return nil, located("query", err)
	}
	return &ReviewPageOutput{ReviewPage{page.Reviews, stringOrNil(page.Next)}}, nil
}

// ReviewInput names a review.
type ReviewInput struct {
	Key    string `path:"key" maxLength:"256"`
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"whose; default: the user of the key, or anybody's"`
}

// ReviewOutput is a review.
type ReviewOutput struct{ Body graph.Review }

func (a *API) getReview(ctx context.Context, in *ReviewInput) (*ReviewOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	review, err := a.Trust.Review(ctx, scope, in.Key)
	return &ReviewOutput{review}, err
}

// DecideReviewInput decides about a write that waits.
type DecideReviewInput struct {
	ReviewInput
	Body graph.ReviewDecision
}

// DecidedOutput is a decided review, and what was stored.
type DecidedOutput struct {
	Body struct {
		Review graph.Review       `json:"review"`
		Result graph.MemoryResult `json:"result" doc:"of a confirmed one: what became of each item, as in POST /v1/memory"`
	}
}

func (a *API) decideReview(ctx context.Context, in *DecideReviewInput) (*DecidedOutput, error) {
	p := principal(ctx)
	scope, err := p.For(auth.Admin, in.UserID)
	if err != nil {
		return nil, err
	}
	out := &DecidedOutput{}
	out.Body.Review, out.Body.Result, err = a.Trust.Decide(ctx, scope, in.Key, in.Body)
	audit.Note(ctx, nil, scope.TeamID, in.Key)
	return out, located("body", err)
}

// TrustRulesInput asks what was decided about further writes.
type TrustRulesInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"for this user; default: the user of the key, or all of the team"`
}

// TrustRulesOutput lists at most 1,000 rules.
type TrustRulesOutput struct {
	Body struct {
		Rules []graph.TrustRule `json:"rules"`
	}
}

func (a *API) listTrustRules(ctx context.Context, in *TrustRulesInput) (*TrustRulesOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	rules, err := a.Trust.TrustRules(ctx, scope)
	out := &TrustRulesOutput{}
	out.Body.Rules = append([]graph.TrustRule{}, rules...) // not null
	return out, err
}

// DeleteTrustRuleInput names a rule.
type DeleteTrustRuleInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"for whom; default: the user of the key, or what the team shares"`
	Origin string `query:"origin" enum:"user,assistant,tool,external,import" doc:"default: none, as keys that have a trust only"`
	Author string `query:"author" maxLength:"512"`
}

func (a *API) deleteTrustRule(ctx context.Context, in *DeleteTrustRuleInput) (*struct{}, error) {
	scope, err := principal(ctx).For(auth.Admin, in.UserID)
	if err != nil {
		return nil, err
	}
	return nil, located("query", a.Trust.DeleteTrustRule(ctx, scope, in.Origin, in.Author))
}

// TeamTrustInput names a team.
type TeamTrustInput struct {
	ID string `path:"id" maxLength:"256" doc:"team id"`
}

// TeamTrust is the trust below which writes wait.
type TeamTrust struct {
	MinTrust float64 `json:"min_trust" minimum:"0" maximum:"1" doc:"writes with less trust wait for a review; 0: none; default 0.2"`
}

// TeamTrustOutput is the answer with it.
type TeamTrustOutput struct{ Body TeamTrust }

func (a *API) teamTrust(ctx context.Context, in *TeamTrustInput) (*TeamTrustOutput, error) {
	if err := checkPathID(in.ID); err != nil {
		return nil, err
	}
	team, err := adminOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	least, err := a.Trust.MinTrust(ctx, team)
	return &TeamTrustOutput{TeamTrust{least}}, err
}

// SetTeamTrustInput sets it.
type SetTeamTrustInput struct {
	TeamTrustInput
	Body TeamTrust
}

func (a *API) setTeamTrust(ctx context.Context, in *SetTeamTrustInput) (*TeamTrustOutput, error) {
	if err := checkPathID(in.ID); err != nil {
		return nil, err
	}
	team, err := adminOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	audit.Note(ctx, nil, team)
	return &TeamTrustOutput{in.Body}, located("body", a.Trust.SetMinTrust(ctx, team, in.Body.MinTrust))
}

// WithdrawInput withdraws a source.
type WithdrawInput struct {
	Key  string `path:"key" maxLength:"256" doc:"entity_key of the source"`
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose source it is; default: the user of the API key, else shared by the team"`
		DryRun bool   `json:"dry_run,omitempty" doc:"only report what would go"`
		Undo   bool   `json:"undo,omitempty" doc:"restore the source and what went with it"`
	}
}

// WithdrawalOutput is the report of a withdrawal.
type WithdrawalOutput struct{ Body graph.Withdrawal }

func (a *API) withdrawSource(ctx context.Context, in *WithdrawInput) (*WithdrawalOutput, error) {
	if err := checkPathID(in.Key); err != nil {
		return nil, err
	}
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	out := &WithdrawalOutput{}
	switch {
	case in.Body.DryRun && in.Body.Undo:
		err = fault.Invalid(fault.At("undo"), fault.Contrary, "must not be set with dry_run")
	case in.Body.DryRun:
		out.Body, err = a.Trust.WithdrawalReport(ctx, scope, in.Key)
	case in.Body.Undo:
		out.Body, err = a.Trust.UndoWithdrawal(ctx, scope, in.Key)
	default:
		out.Body, err = a.Trust.Withdraw(ctx, scope, in.Key)
	}
	return out, located("body", err)
}
