package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kith/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/markup"
)

type conversationInput struct {
	Caller
	ConversationID string                    `json:"conversation_id,omitempty" maxLength:"256" doc:"its entity key: give the same one to add to a conversation. Left out: a new one is made"`
	ContentType    graph.Optional[string]    `json:"content_type,omitzero" doc:"conversation (default), email, slack-thread, meeting or text-note"`
	ContextType    graph.Optional[string]    `json:"context_type,omitzero" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
	Summary        graph.Optional[string]    `json:"summary,omitzero" doc:"what it was about, in one or two sentences with names: this is what is shown at the start of the next ones"`
	StartedAt      graph.Optional[time.Time] `json:"started_at,omitzero" doc:"default: now"`
	EndedAt        graph.Optional[time.Time] `json:"ended_at,omitzero" doc:"left out: it goes on"`
	Messages       []graph.MessageWrite      `json:"messages,omitempty" maxItems:"1000" doc:"in their order; added to those that are there"`
	Mentions       []string                  `json:"mentions,omitempty" maxItems:"100" doc:"entity keys of the persons, concepts and entities that it was about"`
}

func (s *Server) addConversation() {
	add(s, tool{"add_conversation", "Store a conversation", appends, contract.Output[graph.SourceResult](), guide("add_conversation")},
		contract.Input[conversationInput](), s.conversation)
}

func (s *Server) conversation(ctx context.Context, in *conversationInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	result, err := s.Store.WriteSource(ctx, scope, &graph.SourceWrite{
		EntityKey: in.ConversationID, ContentType: in.ContentType, ContextType: in.ContextType, Summary: in.Summary,
		StartedAt: in.StartedAt, EndedAt: in.EndedAt, Messages: in.Messages, Mentions: in.Mentions,
	})
	if err != nil {
		s.changed(ctx, scope, err, nil, scope.UserID)
		return answer{}, err
	}
	s.changed(ctx, scope, nil, result.Changed(), result.UserID)
	var t strings.Builder
	fmt.Fprintf(&t, "The conversation [%s] is %s, with %d messages of this call.\n", markup.Inline(result.EntityKey), result.Status, len(result.Messages))
	for _, w := range result.Warnings {
		t.WriteString("- " + markup.Item(w) + "\n")
	}
	return answer{text: t.String(), object: result}, nil
}
