package handlers

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"kith/auth"
	"kith/loader"
)

// OntologyInput asks for what an agent should know of a workspace.
type OntologyInput struct {
	UserID      string `query:"user_id" doc:"for whom; left out: the user of the key, or the team itself"`
	ContextType string `query:"context_type" doc:"project, project_audit or project_forecast: a project; ontology: what is in focus alone; global or general: all projects; project_create, calendar, daily_brief_update and brain_dump: nothing"`
	ProjectID   string `query:"project_id" doc:"entity_key of the project"`
	FocusKind   string `query:"focus_kind" doc:"task, plan, goal, document, output, milestone, risk, decision, requirement, or project-wide"`
	FocusID     string `query:"focus_id" doc:"entity_key of what the user looks at; it must belong to the project"`
	Format      string `query:"format" enum:"json,text" default:"json"`
	MaxTokens   int    `query:"max_tokens" doc:"o200k tokens of the text, 100 to 100,000; nodes of the graph snapshot go first, those with the lowest score before the others, and the text says what went"`
	Snapshot    bool   `query:"snapshot" default:"true" doc:"false leaves the graph snapshot out of the text"`
	IfNoneMatch string `header:"If-None-Match"`
}

func (a *API) getOntology(ctx context.Context, in *OntologyInput) (*huma.StreamResponse, error) {
	scope, err := actFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	answer, err := a.Contexts.Ontology(ctx, loader.OntologyRequest{
		Scope: scope, ContextType: in.ContextType, ProjectID: in.ProjectID, FocusKind: in.FocusKind, FocusID: in.FocusID,
		Format: loader.Format(in.Format), MaxTokens: in.MaxTokens, WithoutJSON: !in.Snapshot,
	})
	if err != nil {
		return nil, located("query", err)
	}
	if matches(in.IfNoneMatch, answer.ETag) {
		return send(http.StatusNotModified, answer), nil
	}
	return send(http.StatusOK, answer, answer.Head), nil
}

// ontologyResponse describes the answer, which is sent as bytes.
func ontologyResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[loader.OntologyContext](), true, "OntologyContext")
	o.Errors = append(o.Errors, http.StatusNotFound)
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("The ontology context", schema),
		"304": {Description: "Nothing has changed since the ETag in If-None-Match"},
	}
}
