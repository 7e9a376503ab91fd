package handlers

import (
	"context"

	"kith/auth"
	"kith/graph"
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
