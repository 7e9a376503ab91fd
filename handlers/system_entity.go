package handlers

import (
	"context"
	"encoding/json"

	"kith/access/auth"
	"kith/graph"
	"kith/memory/system"
)

// ListSystemEntitiesInput asks for a page of entities.
type ListSystemEntitiesInput struct {
	InSystem
	Type   string `query:"type"`
	Tag    string `query:"tag"`
	Limit  int64  `query:"limit" minimum:"1" maximum:"10000" default:"1000"`
	Cursor int64  `query:"cursor" minimum:"0" doc:"next_cursor of the page before"`
}

// SystemEntityPageOutput is a page of entities, in the order in which they were added.
type SystemEntityPageOutput struct {
	Body struct {
		Entities   []system.Node `json:"entities"`
		NextCursor *string       `json:"next_cursor" doc:"null at the end"`
	}
}

func (a *API) listSystemEntities(ctx context.Context, in *ListSystemEntitiesInput) (*SystemEntityPageOutput, error) {
	scope, err := in.scope(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	found, err := a.Systems.SystemEntities(ctx, scope, in.System, system.EntityQuery{
		Type: in.Type, Tag: in.Tag, From: in.Cursor, Limit: in.Limit,
	})
	out := &SystemEntityPageOutput{}
	out.Body.Entities = found
	out.Body.NextCursor = cursor(len(found), in.Limit, func() int64 { return found[len(found)-1].Seq })
	return out, located("query", err)
}

// InSystemEntity names an entity.
type InSystemEntity struct {
	InSystem
	Name string `path:"name" doc:"name of the entity"`
}

// SystemEntityOutput is an entity.
type SystemEntityOutput struct{ Body system.Node }

func (a *API) getSystemEntity(ctx context.Context, in *InSystemEntity) (*SystemEntityOutput, error) {
	scope, err := in.scope(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	found, err := a.Systems.SystemEntity(ctx, scope, in.System, in.Name)
	return &SystemEntityOutput{found}, err
}

// ChangeSystemEntityInput changes what is given of an entity.
type ChangeSystemEntityInput struct {
	InSystemEntity
	Body struct {
		Description      graph.Optional[string] `json:"description,omitzero" max:"16384" doc:"left out: kept; empty: cleared"`
		Type             graph.Optional[string] `json:"type,omitzero" max:"128" word:"true" notnull:"true"`
		Tags             []string               `json:"tags,omitempty" max:"100" doc:"added to those there are"`
		Properties       json.RawMessage        `json:"properties,omitempty" doc:"laid over those there are"`
		RemoveTags       []string               `json:"remove_tags,omitempty" max:"100" doc:"removed before tags are added"`
		RemoveProperties []string               `json:"remove_properties,omitempty" max:"100" doc:"names of properties, removed before properties are laid over"`
	}
}

func (a *API) changeSystemEntity(ctx context.Context, in *ChangeSystemEntityInput) (*SystemEntityOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	changed, err := a.Systems.ChangeSystemEntity(ctx, scope, in.System, &system.EntityWrite{
		Name: in.Name, Description: in.Body.Description, Type: in.Body.Type, Tags: in.Body.Tags, Properties: in.Body.Properties,
		RemoveTags: in.Body.RemoveTags, RemoveProperties: in.Body.RemoveProperties,
	})
	return &SystemEntityOutput{changed}, located("body", err)
}

// RenameSystemEntityInput gives an entity another name.
type RenameSystemEntityInput struct {
	InSystemEntity
	Body struct {
		Name string `json:"name" max:"512" word:"trimmed" doc:"the new name; 409 when another entity has it"`
	}
}

func (a *API) renameSystemEntity(ctx context.Context, in *RenameSystemEntityInput) (*SystemEntityOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	renamed, err := a.Systems.RenameSystemEntity(ctx, scope, in.System, in.Name, in.Body.Name)
	return &SystemEntityOutput{renamed}, located("body", err)
}

func (a *API) deleteSystemEntity(ctx context.Context, in *InSystemEntity) (*SystemCountsOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	deleted, err := a.Systems.DeleteSystemEntity(ctx, scope, in.System, in.Name)
	return &SystemCountsOutput{deleted}, err
}
