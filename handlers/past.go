package handlers

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/preference"
	"kith/memory/statement"
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
		Next     *string                   `json:"next"`
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
		Next     *string                   `json:"next"`
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
