package handlers

import (
	"context"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

// relationshipStore reads and changes relationships.
type relationshipStore interface {
	Relationships(ctx context.Context, scope graph.Scope, l graph.RelationshipList) (graph.RelationshipPage, error)
	Relationship(ctx context.Context, scope graph.Scope, key string, asOf *time.Time) (graph.RelationshipView, error)
	RelationshipVersions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (graph.VersionPage, error)
	RelationshipMentions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (graph.MentionPage, error)
	Link(ctx context.Context, scope graph.Scope, w *graph.EdgesWrite) (graph.EdgesResult, error)
	DeleteRelationship(ctx context.Context, scope graph.Scope, key string, ifVersion int64) (graph.Deletion, error)
	RestoreRelationship(ctx context.Context, scope graph.Scope, key string) (graph.RelationshipView, error)
	RestoreRelationshipVersion(ctx context.Context, scope graph.Scope, key string, version int64) (graph.RelationshipView, error)
	AddRelationshipNotes(ctx context.Context, scope graph.Scope, key string, notes []graph.NoteWrite) ([]graph.Note, error)
	DeleteRelationshipNote(ctx context.Context, scope graph.Scope, key, id string) ([]graph.Note, error)
}

// RelationshipPath names a relationship, and the user for whom it is looked at.
type RelationshipPath struct {
	Key    string `path:"key" maxLength:"256" doc:"as POST /v1/memory answered"`
	UserID string `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
}

func (p *RelationshipPath) resolve(ctx context.Context, needs string) (graph.Scope, error) {
	scope, err := scopeFor(ctx, needs, "", p.UserID)
	if err == nil && (!fault.ValidKey(p.Key) || scope.UserID != "" && !fault.ValidKey(scope.UserID)) {
		err = fault.ErrNotFound
	}
	return scope, err
}

// GetRelationshipInput asks for a relationship, current or past.
type GetRelationshipInput struct {
	RelationshipPath
	AsOf time.Time `query:"as_of" doc:"as it was then, also if it was changed or deleted since; 404 if it was not there"`
}

// RelationshipOutput is a relationship.
type RelationshipOutput struct{ Body graph.RelationshipView }

func (a *API) getRelationship(ctx context.Context, in *GetRelationshipInput) (*RelationshipOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	view, err := a.Relationships.Relationship(ctx, scope, in.Key, timeOrNil(in.AsOf))
	return &RelationshipOutput{Body: view}, located("query", err)
}

// RelationshipMentionsInput asks for a page of the sources that mention both ends of a relationship.
type RelationshipMentionsInput struct {
	RelationshipPath
	MentionPaging
}

func (a *API) relationshipMentions(ctx context.Context, in *RelationshipMentionsInput) (*MentionPageOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	return mentionPage(a.Relationships.RelationshipMentions(ctx, scope, in.Key, in.Cursor, in.Limit))
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
	result, err := a.Relationships.Link(ctx, scope, &in.Body)
	if err != nil {
		return nil, located("body", err)
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
	receipt, err := a.Relationships.DeleteRelationship(ctx, scope, in.Key, in.IfVersion)
	if err != nil {
		return nil, located("query", err)
	}
	return &DeletionOutput{Body: receipt}, nil
}

// RestoreRelationshipInput undoes the delete of a relationship, or restores a version of it.
type RestoreRelationshipInput struct {
	RelationshipPath
	VersionChoice
}

func (a *API) restoreRelationship(ctx context.Context, in *RestoreRelationshipInput) (*RelationshipOutput, error) {
	scope, err := in.resolve(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	var view graph.RelationshipView
	if in.Version == 0 {
		view, err = a.Relationships.RestoreRelationship(ctx, scope, in.Key)
	} else {
		view, err = a.Relationships.RestoreRelationshipVersion(ctx, scope, in.Key, in.Version)
	}
	return &RelationshipOutput{Body: view}, err
}
