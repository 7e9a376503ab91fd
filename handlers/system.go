package handlers

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/graph"
	"kith/loader"
	"kith/memory/digest"
	"kith/memory/system"
)

// systems is the part of the store that holds software systems.
type systems interface {
	Systems(ctx context.Context, scope graph.Scope, after string, limit int64) ([]system.System, error)
	DeleteSystem(ctx context.Context, scope graph.Scope, system string) (system.Counts, error)
	SystemMemoryAt(ctx context.Context, scope graph.Scope, system string, at *time.Time) (system.Memory, error)
	ReplaceSystem(ctx context.Context, scope graph.Scope, system string, m *system.Memory, strict bool) (system.Result, error)
	MergeSystem(ctx context.Context, scope graph.Scope, system string, w *system.Write) (system.Result, error)
	SystemEntities(ctx context.Context, scope graph.Scope, system string, q system.EntityQuery) ([]system.Node, error)
	SystemEntity(ctx context.Context, scope graph.Scope, system, name string) (system.Node, error)
	ChangeSystemEntity(ctx context.Context, scope graph.Scope, system string, w *system.EntityWrite) (system.Node, error)
	RenameSystemEntity(ctx context.Context, scope graph.Scope, system, name, next string) (system.Node, error)
	DeleteSystemEntity(ctx context.Context, scope graph.Scope, system, name string) (system.Counts, error)
	SystemRelationships(ctx context.Context, scope graph.Scope, system string, q system.RelationshipQuery) ([]system.Link, error)
	DeleteSystemRelationship(ctx context.Context, scope graph.Scope, system, from, to, relationship string) error
}

// systemRoutes are the routes of systems. No cache holds anything of them: contexts show no systems.
func (a *API) systemRoutes(api huma.API) {
	const system = "/v1/systems/{system}"
	route(a, api, http.MethodGet, "/v1/systems", "list-systems", "The systems of the team", a.listSystems)
	route(a, api, http.MethodDelete, system, "delete-system", "Delete a system with all that is known of it", a.deleteSystem)
	route(a, api, http.MethodGet, system+"/memory", "get-system-memory", "What is known of a system, as its file", a.getSystemMemory, fileResponse)
	route(a, api, http.MethodPut, system+"/memory", "put-system-memory", "Make a file all that is known of a system", a.putSystemMemory, large)
	route(a, api, http.MethodPost, system+"/memory", "merge-system-memory", "Add and change entities and relationships in one transaction", a.mergeSystemMemory, large, asksModel)
	route(a, api, http.MethodGet, system+"/memory/text", "get-system-text", "What is known of a system, as a text for a prompt", a.getSystemText, textResponse)
	route(a, api, http.MethodGet, system+"/entities", "list-system-entities", "Entities in the order in which they were added", a.listSystemEntities)
	route(a, api, http.MethodGet, system+"/entities/{name}", "get-system-entity", "An entity by its exact name", a.getSystemEntity)
	route(a, api, http.MethodPatch, system+"/entities/{name}", "change-system-entity", "Change an entity", a.changeSystemEntity)
	route(a, api, http.MethodDelete, system+"/entities/{name}", "delete-system-entity", "Delete an entity with its relationships", a.deleteSystemEntity)
	route(a, api, http.MethodPost, system+"/entities/{name}/rename", "rename-system-entity", "Rename an entity; its relationships stay", a.renameSystemEntity)
	route(a, api, http.MethodGet, system+"/relationships", "find-system-relationships", "Relationships by any of from, to and type", a.findSystemRelationships)
	route(a, api, http.MethodDelete, system+"/relationships", "delete-system-relationship", "Delete a relationship by from, to and type", a.deleteSystemRelationship)
}

// InSystem names the system of a request.
type InSystem struct {
	System string `path:"system" doc:"name of the system; 1 to 256 characters, no blanks around them"`
}

// scope is the scope of a caller for the system. What is known of systems belongs to the team, whoever asks.
func (s InSystem) scope(ctx context.Context, needs string) (graph.Scope, error) {
	scope, err := principal(ctx).For(needs, "")
	if err != nil {
		return scope, err
	}
	return scope, located("path", system.Validate(s.System))
}

// ListSystemsInput asks for a page of systems.
type ListSystemsInput struct {
	Limit  int64  `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

// SystemPageOutput is a page of systems, by name.
type SystemPageOutput struct {
	Body struct {
		Systems    []system.System `json:"systems"`
		NextCursor *string         `json:"next_cursor" doc:"null at the end"`
	}
}

func (a *API) listSystems(ctx context.Context, in *ListSystemsInput) (*SystemPageOutput, error) {
	scope, err := principal(ctx).For(auth.Read, "")
	if err != nil {
		return nil, err
	}
	out := &SystemPageOutput{}
	if out.Body.Systems, err = a.Systems.Systems(ctx, scope, in.Cursor, in.Limit); err != nil {
		return nil, located("query", err)
	}
	if n := len(out.Body.Systems); n > 0 && int64(n) == in.Limit {
		out.Body.NextCursor = &out.Body.Systems[n-1].System
	}
	return out, nil
}

// SystemCountsOutput says how much was deleted.
type SystemCountsOutput struct{ Body system.Counts }

func (a *API) deleteSystem(ctx context.Context, in *InSystem) (*SystemCountsOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	deleted, err := a.Systems.DeleteSystem(ctx, scope, in.System)
	return &SystemCountsOutput{deleted}, err
}

// SystemAt asks for a system as it is, or was.
type SystemAt struct {
	InSystem
	AsOf time.Time `query:"as_of" doc:"the system as it was then, with what was changed or deleted since"`
}

func (a *API) getSystemMemory(ctx context.Context, in *SystemAt) (*huma.StreamResponse, error) {
	scope, err := in.scope(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	memory, err := a.Systems.SystemMemoryAt(ctx, scope, in.System, timeOrNil(in.AsOf))
	if err != nil {
		return nil, err
	}
	return sendBytes(http.StatusOK, loader.Answer{ContentType: jsonType}, memory.File()), nil
}

// PutSystemInput replaces a system by a file.
type PutSystemInput struct {
	InSystem
	Strict bool `query:"strict" doc:"relationships whose ends are missing are faults, and nothing is written; else they are left out with a warning"`
	Body   system.Memory
}

// SystemResultOutput says what became of each entity and relationship.
type SystemResultOutput struct{ Body system.Result }

func (a *API) putSystemMemory(ctx context.Context, in *PutSystemInput) (*SystemResultOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	result, err := a.Systems.ReplaceSystem(ctx, scope, in.System, &in.Body, in.Strict)
	return &SystemResultOutput{result}, located("body", err)
}

// MergeSystemInput adds to a system and changes it.
type MergeSystemInput struct {
	InSystem
	Strict bool `query:"strict" doc:"the same as strict in the body"`
	Body   digest.SystemWrite
}

// MergedSystemOutput says what became of each entity and relationship, and of the text out of which they were read.
type MergedSystemOutput struct{ Body digest.MergedSystem }

func (a *API) mergeSystemMemory(ctx context.Context, in *MergeSystemInput) (*MergedSystemOutput, error) {
	scope, err := in.scope(ctx, auth.Write)
	if err != nil {
		return nil, err
	}
	in.Body.Strict = in.Body.Strict || in.Strict
	if in.Body.Extract != "" {
		return a.extractSystem(ctx, scope, in)
	}
	result, err := withDeadline(ctx, a, func(ctx context.Context) (system.Result, error) {
		return a.Systems.MergeSystem(ctx, scope, in.System, &in.Body.Write)
	})
	return &MergedSystemOutput{digest.MergedSystem{Result: result}}, located("body", err)
}

// extractSystem has the language model read entities and relationships out of a text. It is given what is known, so the caller must be
// able to read that.
func (a *API) extractSystem(ctx context.Context, scope graph.Scope, in *MergeSystemInput) (*MergedSystemOutput, error) {
	if a.Digests == nil {
		return nil, errNoReader
	}
	if !principal(ctx).Allows(auth.Read) {
		return nil, &auth.ScopeError{Scope: auth.Read}
	}
	merged, err := a.Digests.ExtractSystem(ctx, scope, in.System, &in.Body)
	return &MergedSystemOutput{merged}, located("body", err)
}

// SystemTextInput asks for a text for a prompt.
type SystemTextInput struct {
	SystemAt
	Format    string   `query:"format" enum:"json,compact" default:"json" doc:"json: as the file; compact: a line an entity and a relationship"`
	MaxTokens int      `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens, 100 to 100,000; the entities with the fewest relationships go first, and the text says how many went"`
	Type      []string `query:"type,explode" doc:"only entities of one of these types"`
	Tag       []string `query:"tag,explode" doc:"only entities with one of these tags"`
	Name      []string `query:"name,explode" doc:"only these entities, and those one relationship away"`
}

func (a *API) getSystemText(ctx context.Context, in *SystemTextInput) (*huma.StreamResponse, error) {
	scope, err := in.scope(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	request := loader.SystemRequest{
		Format: loader.Format(in.Format), MaxTokens: in.MaxTokens, Types: in.Type, Tags: in.Tag, Names: in.Name,
	}
	if err := request.Validate(); err != nil {
		return nil, located("query", err)
	}
	memory, err := a.Systems.SystemMemoryAt(ctx, scope, in.System, timeOrNil(in.AsOf))
	if err != nil {
		return nil, err
	}
	text, err := loader.SystemText(in.System, memory, request)
	if err != nil {
		return nil, err
	}
	return sendBytes(http.StatusOK, loader.Answer{ContentType: textType}, text), nil
}

// fileResponse describes the file, which is sent as bytes.
func fileResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[system.Memory](), true, "SystemMemory")
	o.Responses = map[string]*huma.Response{
		"200": {Description: "The file; without anything in it for a system that was never written", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}},
	}
}

func textResponse(_ huma.API, o *huma.Operation) {
	o.Responses = map[string]*huma.Response{
		"200": {Description: "The text", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}},
	}
}

// cursor is the place behind the last of a full page, null at the end.
func cursor(found int, limit int64, last func() int64) *string {
	if found == 0 || int64(found) < limit {
		return nil
	}
	next := strconv.FormatInt(last()+1, 10)
	return &next
}
