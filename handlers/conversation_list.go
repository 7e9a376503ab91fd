package handlers

import (
	"context"

	"kith/access/auth"
	"kith/graph"
)

// ListConversationsInput asks for a page of a user's conversations.
type ListConversationsInput struct {
	UserID string `query:"user_id" minLength:"1" maxLength:"256" doc:"whose; default: the user of the key. Required where the key is not bound to one"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"4096" doc:"next of the page before"`
}

// ConversationListOutput is a page of conversations. Next is null after the last.
type ConversationListOutput struct {
	Body struct {
		Conversations []graph.Source `json:"conversations"`
		Next          *string        `json:"next"`
	}
}

func (a *API) listConversations(ctx context.Context, in *ListConversationsInput) (*ConversationListOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	page, err := a.Sources.Conversations(ctx, scope, in.Cursor, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	out := &ConversationListOutput{}
	out.Body.Conversations, out.Body.Next = page.Conversations, stringOrNil(page.Next)
	return out, nil
}
