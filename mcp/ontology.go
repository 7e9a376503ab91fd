package mcp

import (
	"cmp"
	"context"

	"kith/access/auth"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
	"kith/loader/ontology"
)

// ontologyTokens is how long an answer is unless the caller says.
const ontologyTokens = 1500

type ontologyInput struct {
	Caller
	ContextType string `json:"context_type,omitempty" enum:"global,project,project_audit,project_forecast,ontology" doc:"default: by the other arguments"`
	ProjectID   string `json:"project_id,omitempty" maxLength:"256" doc:"entity key or name"`
	FocusKind   string `json:"focus_kind,omitempty" enum:"task,plan,goal,document,output,milestone,risk,decision,requirement" doc:"with focus_id: what the user is looking at"`
	FocusID     string `json:"focus_id,omitempty" maxLength:"256" doc:"entity key or name"`
	MaxTokens   int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 1,500"`
}

func (s *Server) addOntology() {
	add(s, tool{"get_ontology", "What there is in a workspace", reads, guide("get_ontology")},
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
	r := ontology.Request{
		Scope: scope, Format: loader.Text, MaxTokens: cmp.Or(in.MaxTokens, ontologyTokens), ContextType: in.ContextType,
		ProjectID: in.ProjectID, FocusKind: in.FocusKind, FocusID: in.FocusID,
	}
	where := []place{{fault.At("project_id"), &r.ProjectID, "project"}, {fault.At("focus_id"), &r.FocusID, in.FocusKind}}
	a, err := byName(ctx, s, scope, where, func() (loader.Answer, error) { return s.Ontologies.Ontology(ctx, r) })
	return answer{text: string(a.Body())}, err
}
