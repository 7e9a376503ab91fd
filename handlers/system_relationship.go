package handlers

import (
	"context"

	"kith/access/auth"
	"kith/memory/system"
)

// FindSystemRelationshipsInput asks for relationships by any of from, to and type; by none for all.
type FindSystemRelationshipsInput struct {
	InSystem
	From   string `query:"from" doc:"name of an entity"`
	To     string `query:"to" doc:"name of an entity"`
	Type   string `query:"type"`
	Limit  int64  `query:"limit" minimum:"1" maximum:"10000" default:"1000"`
	Cursor int64  `query:"cursor" minimum:"0" doc:"next_cursor of the page before"`
}

// SystemRelationshipPageOutput is a page of relationships, in the order in which they were added.
type SystemRelationshipPageOutput struct {
	Body struct {
		Relationships []system.Link `json:"relationships"`
		NextCursor    *string       `json:"next_cursor" doc:"null at the end"`
	}
}

func (a *API) findSystemRelationships(ctx context.Context, in *FindSystemRelationshipsInput) (*SystemRelationshipPageOutput, error) {
	scope, err := in.scope(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	found, err := a.Systems.SystemRelationships(ctx, scope, in.System, system.RelationshipQuery{
		FromName: in.From, ToName: in.To, Type: in.Type, From: in.Cursor, Limit: in.Limit,
	})
	out := &SystemRelationshipPageOutput{}
	out.Body.Relationships = found
	out.Body.NextCursor = cursor(len(found), in.Limit, func() int64 { return found[len(found)-1].Seq })
	return out, located("query", err)
}

// DeleteSystemRelationshipInput names a relationship.
type DeleteSystemRelationshipInput struct {
	InSystem
	From string `query:"from" required:"true" minLength:"1" maxLength:"512" doc:"name of an entity"`
	To   string `query:"to" required:"true" minLength:"1" maxLength:"512" doc:"name of an entity"`
	Type string `query:"type" required:"true" minLength:"1" maxLength:"128"`
}

func (a *API) deleteSystemRelationship(ctx context.Context, in *DeleteSystemRelationshipInput) (*struct{}, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	return nil, a.Systems.DeleteSystemRelationship(ctx, scope, in.System, in.From, in.To, in.Type)
}
