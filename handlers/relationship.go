package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
	"kith/internal/fault"
)

// RelationshipPath names a relationship, and the user for whom it is looked at.
type RelationshipPath struct {
	Key    string `path:"key" maxLength:"256" doc:"as POST /v1/memory answered"`
	UserID string `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
}

func (p *RelationshipPath) resolve(ctx context.Context, needs string) (graph.Scope, error) {
	scope, err := scopeFor(ctx, needs, "", p.UserID)
	if err == nil && (!fault.ValidKey(p.Key) || scope.UserID != "" && !fault.ValidKey(scope.UserID)) {
		err = graph.ErrNotFound
	}
	return scope, err
}

// GetRelationshipInput asks for a relationship, current or past.
type GetRelationshipInput struct{ RelationshipPath }

// RelationshipOutput is a relationship.
type RelationshipOutput struct{ Body graph.RelationshipView }

func (a *API) getRelationship(ctx context.Context, in *GetRelationshipInput) (*RelationshipOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	view, err := a.Store.Relationship(ctx, scope, in.Key)
	return &RelationshipOutput{Body: view}, err
}

// EdgesInput links nodes of projects.
type EdgesInput struct{ Body graph.EdgesWrite }

// EdgesOutput says what became of each link.
type EdgesOutput struct{ Body graph.EdgesResult }

func (a *API) link(ctx context.Context, in *EdgesInput) (*EdgesOutput, error) {
	scope, err := scopeFor(ctx, auth.Write, "", in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := a.Store.Link(ctx, scope, &in.Body)
	if err != nil {
		a.changedIfUncertain(ctx, scope, err, scope.UserID, "")
		return nil, located("body", err)
	}
	a.changed(ctx, scope, result.Users...)
	for _, e := range result.Edges {
		if e.Created {
			noteChange(ctx, nil, e.ID)
		}
	}
	return &EdgesOutput{Body: result}, nil
}

// DeleteRelationshipInput deletes a relationship.
type DeleteRelationshipInput struct {
	RelationshipPath
	IfVersion int64 `query:"if_version" minimum:"1" doc:"only if this is the stored version"`
}

func (a *API) deleteRelationship(ctx context.Context, in *DeleteRelationshipInput) (*DeletionOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Store.DeleteRelationship(ctx, scope, in.Key, in.IfVersion)
	if err != nil {
		a.changedIfUncertain(ctx, scope, err, scope.UserID, "")
		return nil, located("query", err)
	}
	a.changed(ctx, scope, receipt.Users...)
	return &DeletionOutput{Body: receipt}, nil
}

// RestoreRelationshipInput undoes the delete of a relationship.
type RestoreRelationshipInput struct{ RelationshipPath }

func (a *API) restoreRelationship(ctx context.Context, in *RestoreRelationshipInput) (*RelationshipOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	view, err := a.Store.RestoreRelationship(ctx, scope, in.Key)
	a.changed(ctx, scope, scope.UserID, "")
	return &RelationshipOutput{Body: view}, err
}
