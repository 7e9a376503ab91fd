package mcp

import (
	"cmp"
	"context"
	"encoding/json"

	"kith/auth"
	"kith/internal/contract"
	"kith/loader"
)

type contextInput struct {
	Caller
	TimeZone  string   `json:"time_zone,omitempty" maxLength:"64" doc:"IANA name of where the user is now; left out: the user's preference, else UTC" example:"Europe/Berlin"`
	Sections  []string `json:"sections,omitempty" maxItems:"4" enum:"user,relationships,recent_context,temporal" doc:"only these; left out: all"`
	FocusKind string   `json:"focus_kind,omitempty" enum:"person,concept,entity" doc:"with focus_id: what the user looks at"`
	FocusID   string   `json:"focus_id,omitempty" maxLength:"256" doc:"its entity key"`
	MaxTokens int      `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"of the text, default 1300; the lowest-ranked lines go first, and the text says what went. 100000: all"`

	ConversationID string `json:"conversation_id,omitempty" maxLength:"256" doc:"the conversation that is open now, if it is stored already: the context omits it"`
}

// contextTokens is the budget of a context that nobody has given one (S1-15).
const contextTokens = 1300

func (s *Server) addContext() {
	add(s, tool{"get_context", "What to know about the user", reads, contract.Output[loader.AgentContext](), guide("get_context")},
		contract.Input[contextInput](), s.context)
}

func (s *Server) context(ctx context.Context, in *contextInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	object, text, err := s.Contexts.Forms(ctx, loader.Request{
		Scope: scope, TimeZone: in.TimeZone, Sections: in.Sections, FocusKind: in.FocusKind, FocusID: in.FocusID,
		MaxTokens: cmp.Or(in.MaxTokens, contextTokens), ConversationID: in.ConversationID,
	})
	return answer{text: string(text.Body()), object: json.RawMessage(object.Body())}, err
}

// both is an answer in its two forms. Bytes are kept of each, so the second costs a load only where the first does.
func both(load func(loader.Format) (loader.Answer, error)) (answer, error) {
	text, err := load(loader.Text)
	if err != nil {
		return answer{}, err
	}
	object, err := load(loader.JSON)
	return answer{text: string(text.Body()), object: json.RawMessage(object.Body())}, err
}
