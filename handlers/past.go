package handlers

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/auth"
	"kith/graph"
	"kith/loader"
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

// NodeChangesInput asks for what changed about a node.
type NodeChangesInput struct {
	NodePath
	Since     time.Time `query:"since" doc:"changes after that; default: all that is kept"`
	Until     time.Time `query:"until" doc:"and until then; default: now"`
	Limit     int       `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"the newest"`
	Format    string    `query:"format" enum:"json,text" default:"json"`
	MaxTokens int       `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text; the oldest lines go first, and the text says how many; only with format=text"`
}

func (a *API) nodeChanges(ctx context.Context, in *NodeChangesInput) (*huma.StreamResponse, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	list, err := a.Nodes.NodeChanges(ctx, scope, kind, in.Key, graph.ChangePeriod{Since: in.Since, Until: in.Until, Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	if in.Format == "json" {
		return sendJSON(list)
	}
	text, err := loader.ChangesText(&list, in.Since, in.MaxTokens)
	if err != nil {
		return nil, err
	}
	return sendBytes(http.StatusOK, loader.Answer{ContentType: markdownType}, []byte(text)), nil
}

// nodeChangesResponse describes the answer, which is sent as bytes.
func nodeChangesResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[graph.ChangeList](), true, "ChangeList")
	o.Responses = map[string]*huma.Response{"200": jsonOrText("What changed, the newest first", schema)}
}
