package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
)

// SourceInput writes a source.
type SourceInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"256" doc:"for a day, the same key and body get the same answer; another body a 409"`
	Body           graph.SourceWrite
}

func (a *API) writeSource(ctx context.Context, in *SourceInput) (*SourceOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if in.Body.IdempotencyKey, err = idempotencyKey(in.IdempotencyKey, in.Body.IdempotencyKey); err != nil {
		return nil, err
	}
	result, err := a.Store.WriteSource(ctx, scope, &in.Body)
	return a.sourceOutput(ctx, scope, result, err)
}
