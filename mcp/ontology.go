package mcp

import (
	"context"

	"kith/auth"
	"kith/internal/contract"
	"kith/loader"
)

type ontologyInput struct {
	Caller
	ContextType string `json:"context_type,omitempty" enum:"global,project,project_audit,project_forecast,ontology" doc:"global: all projects; project (also for an audit or a forecast): one; ontology: what is in focus alone. Left out: what fits the rest"`
	ProjectID   string `json:"project_id,omitempty" maxLength:"256" doc:"entity key of the project"`
	FocusKind   string `json:"focus_kind,omitempty" enum:"task,plan,goal,document,output,milestone,risk,decision,requirement" doc:"with focus_id: what the user looks at"`
	FocusID     string `json:"focus_id,omitempty" maxLength:"256" doc:"its entity key; it must belong to the project"`
	MaxTokens   int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"of the text; nodes of the graph go first, and the text says what went"`
}

func (s *Server) addOntology() {
	add(s, tool{"get_ontology", "What there is in a workspace", reads, contract.Output[loader.OntologyContext](), guide("get_ontology")},
		contract.Input[ontologyInput](), s.ontology)
}

func (s *Server) ontology(ctx context.Context, in *ontologyInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	switch {
	case in.ContextType == "" && in.ProjectID != "":
		in.ContextType = "project"
	case in.ContextType == "" && in.FocusID != "":
		in.ContextType = "ontology"
	case in.ContextType == "":
		in.ContextType = "global"
	}
	r := loader.OntologyRequest{
		Scope: scope, ContextType: in.ContextType, ProjectID: in.ProjectID, FocusKind: in.FocusKind, FocusID: in.FocusID,
	}
	return both(func(format loader.Format) (loader.Answer, error) {
		r.Format, r.MaxTokens = format, 0
		if format == loader.Text {
			r.MaxTokens = in.MaxTokens
		}
		return s.Contexts.Ontology(ctx, r)
	})
}
