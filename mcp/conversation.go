package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
)

type conversationInput struct {
	Caller
	ConversationID string                    `json:"conversation_id,omitempty" maxLength:"256" doc:"entity key of one to add to; default: a new one"`
	ContentType    graph.Optional[string]    `json:"content_type,omitzero" doc:"conversation (default), email, slack-thread, meeting or text-note"`
	ContextType    graph.Optional[string]    `json:"context_type,omitzero" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
	Summary        graph.Optional[string]    `json:"summary,omitzero" doc:"one or two sentences with names, for later conversations"`
	StartedAt      graph.Optional[time.Time] `json:"started_at,omitzero" doc:"default: now"`
	EndedAt        graph.Optional[time.Time] `json:"ended_at,omitzero" doc:"omit while it goes on"`
	Messages       []graph.MessageWrite      `json:"messages,omitempty" maxItems:"1000" doc:"in order; only new ones"`
	Mentions       []string                  `json:"mentions,omitempty" maxItems:"100" doc:"entity keys or names of what it was about"`
}

func (s *Server) addConversation() {
	add(s, tool{"add_conversation", "Store a conversation", appends, guide("add_conversation")},
		contract.Input[conversationInput]().DescribeWithin("messages", map[string]string{
			"parts": "", "text": "what was said", "entity_key": "default: a new one; each once",
		}), s.conversation)
}

func (s *Server) conversation(ctx context.Context, in *conversationInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if err := s.resolve(ctx, scope, places(fault.At("mentions"), in.Mentions), false); err != nil {
		return answer{}, err
	}
	result, err := s.Store.WriteSource(ctx, scope, &graph.SourceWrite{
		EntityKey: in.ConversationID, ContentType: in.ContentType, ContextType: in.ContextType, Summary: in.Summary,
		StartedAt: in.StartedAt, EndedAt: in.EndedAt, Messages: in.Messages, Mentions: in.Mentions,
	})
	if err != nil {
		return answer{}, fault.Relocate(err, func(p fault.Path) fault.Path {
			if p == fault.At("entity_key") {
				return fault.At("conversation_id")
			}
			return p
		})
	}
	var t strings.Builder
	fmt.Fprintf(&t, "The conversation [%s] is %s, with %d messages of this call.\n", markup.Inline(result.EntityKey), result.Status, len(result.Messages))
	for _, w := range result.Warnings {
		t.WriteString("- " + markup.Item(w) + "\n")
	}
	return answer{text: t.String(), object: result}, nil
}
