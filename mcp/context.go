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
	"kith/memory/replay"
)

type contextInput struct {
	Caller
	TimeZone  string   `json:"time_zone,omitempty" maxLength:"64" doc:"IANA name; default: the user's"`
	Sections  []string `json:"sections,omitempty" maxItems:"4" enum:"user,relationships,recent_context,temporal" doc:"default: all"`
	FocusKind string   `json:"focus_kind,omitempty" enum:"person,concept,entity" doc:"with focus_id"`
	FocusID   string   `json:"focus_id,omitempty" maxLength:"256" doc:"entity key or name"`
	MaxTokens int      `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 1300; 100000: all"`

	Explain bool `json:"explain,omitempty" doc:"say why"`

	ConversationID string `json:"conversation_id,omitempty" maxLength:"256" doc:"the open one"`

	AsOf graph.Optional[time.Time] `json:"as_of,omitzero" notnull:"true" doc:"in the past"`
}

// contextTokens is the default token budget of a context.
const contextTokens = 1300

const contextTool = "get_context"

func (s *Server) addContext() {
	add(s, tool{contextTool, "What to know about the user", reads, guide(contextTool)},
		contract.Input[contextInput](), s.context)
}

func (s *Server) context(ctx context.Context, in *contextInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	r := loader.Request{
		Scope: scope, Format: loader.Text, TimeZone: in.TimeZone, Sections: in.Sections, FocusKind: in.FocusKind, FocusID: in.FocusID,
		MaxTokens: cmp.Or(in.MaxTokens, contextTokens), ConversationID: in.ConversationID, Explain: in.Explain,
	}
	if in.AsOf.Given {
		r.AsOf = &in.AsOf.Value
	}
	where := []place{{fault.At("focus_id"), &r.FocusID, in.FocusKind}}
	a, err := byName(ctx, s, scope, where, func() (loader.Answer, error) { return s.Contexts.Context(ctx, r, nil) })
	if err != nil {
		return answer{}, err
	}
	if !in.Explain {
		if a.Replay == "" && !a.At.IsZero() {
			s.Answers.Sent(scope, a.At, replay.Context, a.Head, a.Tail)
		}
		return answer{text: string(a.Body()), at: a.At}, nil
	}
	var explained struct{ Receipt struct{ Text string } }
	if err := json.Unmarshal(a.Body(), &explained); err != nil {
		return answer{}, fmt.Errorf("receipt: %w", err)
	}
	return answer{text: explained.Receipt.Text, object: json.RawMessage(a.Body())}, nil
}
