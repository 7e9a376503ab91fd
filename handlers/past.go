package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/preference"
	"kith/statement"
)

// VersionPaging selects a page of versions.
type VersionPaging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// NodeHistoryInput asks for a page of the versions of a node.
type NodeHistoryInput struct {
	NodePath
	VersionPaging
}

// RelationshipHistoryInput asks for a page of the versions of a relationship.
type RelationshipHistoryInput struct {
	RelationshipPath
	VersionPaging
}

// VersionPageOutput is a page of versions, the newest first. Next is null after the last.
type VersionPageOutput struct {
	Body struct {
		Versions []graph.Version `json:"versions"`
		Next     *string         `json:"next"`
	}
}

func (a *API) nodeHistory(ctx context.Context, in *NodeHistoryInput) (*VersionPageOutput, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	page, err := a.Nodes.NodeVersions(ctx, scope, kind, in.Key, in.Cursor, in.Limit)
	return versionsOutput(page, err)
}

func (a *API) relationshipHistory(ctx context.Context, in *RelationshipHistoryInput) (*VersionPageOutput, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	page, err := a.Relationships.RelationshipVersions(ctx, scope, in.Key, in.Cursor, in.Limit)
	return versionsOutput(page, err)
}

// PreferenceHistoryInput asks for a page of the values that preferences of a user had.
type PreferenceHistoryInput struct {
	ID  string `path:"id" maxLength:"256" doc:"user id"`
	Key string `query:"key" maxLength:"128" doc:"of one preference; default: all"`
	VersionPaging
}

// PreferenceVersionsOutput is a page of versions of preferences, the newest first. Next is null after the last.
type PreferenceVersionsOutput struct {
	Body struct {
		Versions []preference.ValueVersion `json:"versions"`
		Next     *string              `json:"next"`
	}
}

func (a *API) preferenceHistory(ctx context.Context, in *PreferenceHistoryInput) (*PreferenceVersionsOutput, error) {
	scope, err := userScope(ctx, auth.Read, in.ID)
	if err != nil {
		return nil, err
	}
	f := &fault.List{}
	if f.Text(fault.At("key"), in.Key, 128); f.Len() > 0 {
		return nil, located("query", f.Err())
	}
	page, err := a.Preferences.PreferenceVersions(ctx, scope, in.Key, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	out := &PreferenceVersionsOutput{}
	out.Body.Versions, out.Body.Next = page.Versions, stringOrNil(page.Next)
	return out, nil
}

// StatementHistoryInput asks for a page of the versions of a statement.
type StatementHistoryInput struct {
	ID  string `path:"id" maxLength:"256" doc:"user id"`
	Key string `path:"key" maxLength:"300" doc:"key of the statement"`
	VersionPaging
}

// StatementVersionsOutput is a page of versions of a statement, the newest first. Next is null after the last.
type StatementVersionsOutput struct {
	Body struct {
		Versions []statement.StoredVersion `json:"versions"`
		Next     *string             `json:"next"`
	}
}

func (a *API) statementHistory(ctx context.Context, in *StatementHistoryInput) (*StatementVersionsOutput, error) {
	scope, err := userScope(ctx, auth.Read, in.ID)
	if err != nil {
		return nil, err
	}
	f := &fault.List{}
	if f.Text(fault.At("key"), in.Key, 300); f.Len() > 0 {
		return nil, located("path", f.Err())
	}
	page, err := a.Statements.Versions(ctx, scope, in.Key, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	out := &StatementVersionsOutput{}
	out.Body.Versions, out.Body.Next = page.Versions, stringOrNil(page.Next)
	return out, nil
}

func versionsOutput(page graph.VersionPage, err error) (*VersionPageOutput, error) {
	if err != nil {
		return nil, located("query", err)
	}
	out := &VersionPageOutput{}
	out.Body.Versions = page.Versions
	if page.Next != "" {
		out.Body.Next = &page.Next
	}
	return out, nil
}
