package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
)

// SourceInput writes a source.
type SourceInput struct{ Body graph.SourceWrite }

func (a *API) writeSource(ctx context.Context, in *SourceInput) (*SourceOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := a.Store.WriteSource(ctx, scope, &in.Body)
	return a.sourceOutput(ctx, scope, result, err)
}
