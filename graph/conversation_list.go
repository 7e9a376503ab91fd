package graph

import (
	"context"
	"strings"
	"time"

	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var listConversations = neo.Load[[]sourceRow]("conversation_list")

// ConversationPage is a page of conversations with the cursor of the next page; empty after the last.
type ConversationPage struct {
	Conversations []Source
	Next          string
}

// conversationCursor begins the cursors of lists of conversations. The time and the key of the last conversation follow.
const conversationCursor = "conversation" + KeySeparator

// Conversations lists the conversations of the scope's user, the newest first. It returns an InvalidError for a bad request.
func (s *Store) Conversations(ctx context.Context, scope Scope, cursor string, limit int) (ConversationPage, error) {
	f := &Faults{}
	if scope.UserID == "" {
		f.Add(fault.At("user_id"), fault.Required, "is required: conversations belong to a user")
	}
	before, key, err := timePlace(conversationCursor, cursor)
	if err != nil {
		f.Add(fault.At("cursor"), fault.Malformed, "is not a valid cursor")
	}
	if err := f.Err(); err != nil {
		return ConversationPage{}, err
	}
	rows, err := listConversations.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "before": before, "before_key": key, "limit": limit + 1,
	})
	if err != nil {
		return ConversationPage{}, err
	}
	page := ConversationPage{Conversations: []Source{}}
	for i := range rows {
		if len(page.Conversations) == limit {
			last := page.Conversations[limit-1]
			page.Next = cursors.Encode(timeCursor(conversationCursor, last.StartedAt, last.EntityKey))
			break
		}
		page.Conversations = append(page.Conversations, rows[i].source())
	}
	return page, nil
}

// timeCursor returns the place after an item of a list by time and key, as a cursor encodes it.
func timeCursor(list string, at time.Time, key string) string {
	return list + at.UTC().Format(time.RFC3339Nano) + KeySeparator + key
}

// timePlace returns where a page of a list begins: before a time, or at it and before a key.
func timePlace(list, cursor string) (before time.Time, key string, err error) {
	after, err := cursors.Decode(cursor)
	if err != nil || after == "" {
		return fault.Latest, "", err
	}
	after, ok := strings.CutPrefix(after, list)
	moment, key, found := strings.Cut(after, KeySeparator)
	if !ok || !found || key == "" {
		return time.Time{}, "", cursors.Invalid()
	}
	before, err = time.Parse(time.RFC3339Nano, moment)
	return before, key, err
}
