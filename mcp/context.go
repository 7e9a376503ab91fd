package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"kith/auth"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
)

type contextInput struct {
	Caller
	TimeZone  string   `json:"time_zone,omitempty" maxLength:"64" doc:"IANA name; default: the user's preference, else UTC"`
	Sections  []string `json:"sections,omitempty" maxItems:"4" enum:"user,relationships,recent_context,temporal" doc:"default: all"`
	FocusKind string   `json:"focus_kind,omitempty" enum:"person,concept,entity" doc:"with focus_id: what the user looks at"`
	FocusID   string   `json:"focus_id,omitempty" maxLength:"256" doc:"entity key or name"`
	MaxTokens int      `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 1300; 100000: all"`

	Explain bool `json:"explain,omitempty" doc:"say why each line is there"`

	ConversationID string `json:"conversation_id,omitempty" maxLength:"256" doc:"the open conversation: left out"`
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
	where := []place{{fault.At("focus_id"), &r.FocusID, in.FocusKind}}
	a, err := byName(ctx, s, scope, where, func() (loader.Answer, error) { return s.Contexts.Context(ctx, r, nil) })
	if err != nil || !in.Explain {
		return answer{text: string(a.Body())}, err
	}
	var explained struct{ Receipt struct{ Text string } }
	if err := json.Unmarshal(a.Body(), &explained); err != nil {
		return answer{}, fmt.Errorf("receipt: %w", err)
	}
	return answer{text: explained.Receipt.Text, object: json.RawMessage(a.Body())}, nil
}
