package handlers

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/loader"
	"kith/loader/ontology"
)

// OntologyInput asks for what an agent should know of a workspace.
type OntologyInput struct {
	UserID         string `query:"user_id" minLength:"1" doc:"for whom; left out: the user of the key, or the team itself"`
	ContextType    string `query:"context_type" maxLength:"64" doc:"project, project_audit or project_forecast: a project; ontology: what is in focus alone; global or general: all projects; project_create, calendar, daily_brief_update and brain_dump: nothing"`
	ConversationID string `query:"conversation_id" minLength:"1" maxLength:"256" doc:"where neither a project nor a focus is given, those that this conversation remembers are meant"`
	ProjectID      string `query:"project_id" minLength:"1" maxLength:"256" doc:"entity_key of the project"`
	FocusKind      string `query:"focus_kind" maxLength:"64" doc:"task, plan, goal, document, output, milestone, risk, decision, requirement, or project-wide"`
	FocusID        string `query:"focus_id" minLength:"1" maxLength:"256" doc:"entity_key of what the user looks at; it must belong to the project"`
	Format         string `query:"format" enum:"json,text" default:"json"`
	MaxTokens      int    `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text, 100 to 100,000; nodes of the graph snapshot go first, those with the lowest score before the others, and the text says what went; only with format=text or explain"`
	Snapshot       bool   `query:"snapshot" default:"true" doc:"false leaves the graph snapshot out of the text"`
	Explain        bool   `query:"explain" doc:"answer with an object that has, in receipt, the text with what each part of it shows and why, and what was left out; with format=text nothing else"`
	Linked         bool   `query:"linked" default:"true" doc:"false leaves out what is linked with the focus"`
	IfNoneMatch    string `header:"If-None-Match"`
}

func (a *API) getOntology(ctx context.Context, in *OntologyInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	r := ontology.Request{
		Scope: scope, ContextType: in.ContextType, ProjectID: in.ProjectID, FocusKind: in.FocusKind, FocusID: in.FocusID,
		Format: loader.Format(in.Format), MaxTokens: in.MaxTokens, WithoutJSON: !in.Snapshot, WithoutLinked: !in.Linked, Explain: in.Explain,
	}
	if in.ConversationID != "" && in.ProjectID == "" && in.FocusKind == "" && in.FocusID == "" {
		if err := a.applyRememberedFocus(ctx, scope, in.ConversationID, &r); err != nil {
			return nil, err
		}
	}
	answer, err := a.Ontologies.Ontology(ctx, r)
	return sendUnlessMatched(in.IfNoneMatch, answer, err)
}

// LinkedInput asks for what a node of a project is linked with.
type LinkedInput struct {
	NodePath
	Mode        string    `query:"mode" enum:"abbreviated,full" default:"abbreviated" doc:"abbreviated: some names of each kind, for a prompt; full: descriptions, page by page"`
	FilterKind  string    `query:"filter_kind" enum:"all,plan,goal,task,milestone,document,output,risk,decision,requirement" doc:"only this kind; default: all"`
	MaxPerKind  int       `query:"max_per_kind" minimum:"1" maximum:"100" doc:"3, or 50 in mode full, if left out"`
	Cursor      string    `query:"cursor" maxLength:"256" doc:"next of the page before, in mode full"`
	Available   bool      `query:"include_available" doc:"also what the project has of each kind, at most 100"`
	AsOf        time.Time `query:"as_of" doc:"what it was linked with then, also if that was changed or deleted since; 404 if it was not there"`
	Format      string    `query:"format" enum:"json,text" default:"json"`
	MaxTokens   int       `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text, 100 to 100,000; 500 in mode abbreviated if left out; the last lines go first; only with format=text"`
	IfNoneMatch string    `header:"If-None-Match"`
}

func (a *API) linked(ctx context.Context, in *LinkedInput) (*huma.StreamResponse, error) {
	scope, kind, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	answer, err := a.Ontologies.Linked(ctx, ontology.LinkedRequest{
		Scope: scope, Kind: kind, Key: in.Key, Mode: ontology.LinkedMode(in.Mode), Filter: in.FilterKind, Most: in.MaxPerKind, Cursor: in.Cursor,
		Available: in.Available, Format: loader.Format(in.Format), MaxTokens: in.MaxTokens, AsOf: timeOrNil(in.AsOf),
	})
	return sendUnlessMatched(in.IfNoneMatch, answer, err)
}

// linkedResponse describes the answer, which is sent as bytes.
func linkedResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[ontology.LinkedContext](), true, "LinkedContext")
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("What it is linked with", schema),
		"304": {Description: "Nothing has changed since the ETag in If-None-Match"},
	}
}

// ontologyResponse describes the answer, which is sent as bytes.
func ontologyResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[ontology.Context](), true, "OntologyContext")
	o.Errors = append(o.Errors, http.StatusNotFound)
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("The ontology context", schema),
		"304": {Description: "Nothing has changed since the ETag in If-None-Match"},
	}
}
