package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"kith/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/loader"
)

type linkedInput struct {
	Caller
	EntityID   string `json:"entity_id" minLength:"1" maxLength:"256" doc:"entity key of what is asked about"`
	EntityKind string `json:"entity_kind" enum:"project,task,plan,goal,milestone,document,output,risk,decision,requirement" doc:"its kind"`
	FilterKind string `json:"filter_kind,omitempty" enum:"all,task,plan,goal,milestone,document,output,risk,decision,requirement" doc:"only what is of this kind; left out: all"`
	Cursor     string `json:"cursor,omitempty" maxLength:"256" doc:"next of the page before"`
}

// linkedOutput is S2-17.
type linkedOutput struct {
	LinkedEntities string         `json:"linked_entities" doc:"Markdown"`
	Summary        string         `json:"summary" example:"2 plans, 1 goal"`
	Counts         map[string]int `json:"counts" doc:"by kind, in the plural, and their total"`
	Message        string         `json:"message"`
	Next           *string        `json:"next" doc:"cursor of the next page; null: this is the last"`
}

func (s *Server) addLinked() {
	add(s, tool{"get_linked_entities", "What something of a project is linked with", reads, contract.Output[linkedOutput](), guide("get_linked_entities")},
		contract.Input[linkedInput](), s.linked)
}

func (s *Server) linked(ctx context.Context, in *linkedInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	kind, _ := graph.KindOf(in.EntityKind)
	r := loader.LinkedRequest{
		Scope: scope, Kind: kind, Key: in.EntityID, Mode: loader.Full, Filter: in.FilterKind, Cursor: in.Cursor,
	}
	a, err := both(func(format loader.Format) (loader.Answer, error) {
		r.Format = format
		return s.Contexts.Linked(ctx, r)
	})
	if err != nil {
		return answer{}, err
	}
	var found loader.LinkedContext
	if err := json.Unmarshal(a.object.(json.RawMessage), &found); err != nil { //nolint:forcetypeassert // both's own
		return answer{}, fmt.Errorf("linked: %w", err)
	}
	out := linkedOutput{LinkedEntities: a.text, Summary: found.Summary(), Counts: found.Counts, Next: found.Next}
	out.Message = fmt.Sprintf("This %s is linked with %s.", in.EntityKind, out.Summary)
	return answer{text: a.text, object: out}, nil
}
