package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
	"kith/loader/ontology"
)

type linkedInput struct {
	Caller
	EntityID   string                    `json:"entity_id" minLength:"1" maxLength:"256" doc:"entity key or name"`
	EntityKind string                    `json:"entity_kind" enum:"project,task,plan,goal,milestone,document,output,risk,decision,requirement"`
	FilterKind string                    `json:"filter_kind,omitempty" doc:"only this kind; default: all"`
	AsOf       graph.Optional[time.Time] `json:"as_of,omitzero" doc:"at that time"`
	Cursor     string                    `json:"cursor,omitempty" maxLength:"256" doc:"next of the previous page"`
	MaxTokens  int                       `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 2,000"`
}

// linkedTokens is how long an answer is unless the caller says.
const linkedTokens = 2000

// linkedOutput is the answer of get_linked_entities.
type linkedOutput struct {
	LinkedEntities string         `json:"linked_entities" doc:"Markdown"`
	Summary        string         `json:"summary" example:"2 plans, 1 goal"`
	Counts         map[string]int `json:"counts" doc:"by kind, in the plural, and their total"`
	Message        string         `json:"message"`
	Next           *string        `json:"next" doc:"cursor of the next page; null: this is the last"`
}

func (s *Server) addLinked() {
	add(s, tool{"get_linked_entities", "What something of a project is linked with", reads, guide("get_linked_entities")},
		contract.Input[linkedInput](), s.linked)
}

func (s *Server) linked(ctx context.Context, in *linkedInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	kind, _ := graph.KindOf(in.EntityKind)
	ask := func(format loader.Format, tokens int) (loader.Answer, error) {
		return s.Ontologies.Linked(ctx, ontology.LinkedRequest{
			Scope: scope, Kind: kind, Key: in.EntityID, Mode: ontology.Full, Filter: in.FilterKind, Cursor: in.Cursor, Format: format, MaxTokens: tokens,
			AsOf: in.AsOf.Pointer(),
		})
	}
	where := []place{{fault.At("entity_id"), &in.EntityID, in.EntityKind}}
	text, err := byName(ctx, s, scope, where, func() (loader.Answer, error) { return ask(loader.Text, cmp.Or(in.MaxTokens, linkedTokens)) })
	if err != nil {
		return answer{}, err
	}
	object, err := ask(loader.JSON, 0)
	if err != nil {
		return answer{}, err
	}
	var found ontology.LinkedContext
	if err := json.Unmarshal(object.Body(), &found); err != nil {
		return answer{}, fmt.Errorf("linked: %w", err)
	}
	out := linkedOutput{LinkedEntities: string(text.Body()), Summary: found.Summary(), Counts: found.Counts, Next: found.Next}
	out.Message = fmt.Sprintf("This %s is linked with %s.", in.EntityKind, out.Summary)
	return answer{text: out.LinkedEntities, object: out}, nil
}
