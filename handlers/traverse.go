package handlers

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/memory/traverse"
)

// TraverseInput says how to walk the graph.
type TraverseInput struct {
	Body traverse.Request
}

func (a *API) traverse(ctx context.Context, in *TraverseInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, recall, err := a.Traverser.Traverse(ctx, scope, &in.Body)
	if err != nil {
		return nil, located("body", err)
	}
	a.Recalls.Recalled(scope, recall)
	return sendResult(result, in.Body.Format == traverse.Text)
}

// traverseResponse describes the answer, which is sent as bytes.
func traverseResponse(api huma.API, o *huma.Operation) {
	schemas := api.OpenAPI().Components.Schemas
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("What was found, by mode: rows of neighbors and ppr, paths, or a table", &huma.Schema{OneOf: []*huma.Schema{
			schemas.Schema(reflect.TypeFor[traverse.Rows](), true, "TraverseRows"),
			schemas.Schema(reflect.TypeFor[traverse.Paths](), true, "TraversePaths"),
			schemas.Schema(reflect.TypeFor[traverse.Table](), true, "TraverseTable"),
		}}),
	}
	o.Errors = append(o.Errors, http.StatusNotFound, http.StatusTooManyRequests)
}

// SchemaInput asks what statements can ask for.
type SchemaInput struct {
	UserID    string `query:"user_id" minLength:"1" doc:"whose memory, with what the team shares; left out: the user of the key, or only what the team shares"`
	Format    string `query:"format" enum:"json,text" default:"json"`
	MaxTokens int    `query:"max_tokens" minimum:"1000" maximum:"100000" doc:"o200k tokens of the text, 1,000 to 100,000, default 4,000; the rarest kinds and types go first"`
}

func (a *API) schema(ctx context.Context, in *SchemaInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	schema, err := a.Traverser.Schema(ctx, scope, in.MaxTokens)
	if err != nil {
		return nil, located("query", err)
	}
	return sendResult(schema, in.Format == string(traverse.Text))
}

func schemaResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[traverse.Schema](), true, "TraverseSchema")
	o.Responses = map[string]*huma.Response{"200": jsonOrText("What there is", schema)}
}
