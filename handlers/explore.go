package handlers

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/memory/explore"
)

// ExploreInput asks what the memory has about something.
type ExploreInput struct {
	Body explore.Request
}

func (a *API) explore(ctx context.Context, in *ExploreInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, recall, err := a.Explorer.Explore(ctx, scope, &in.Body)
	if err != nil {
		return nil, located("body", err)
	}
	a.Recalls.Recalled(scope, recall)
	a.options.Operations.Report(ctx, recall.Size(), in.Body.Texts()...)
	return sendResult(result, in.Body.Format == explore.Text || in.Body.Format == explore.Keyed)
}

// exploreResponse describes the answer, which is sent as bytes.
func exploreResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[explore.Result](), true, "ExploreResult")
	o.Responses = map[string]*huma.Response{"200": jsonOrText("What was found", schema)}
}
