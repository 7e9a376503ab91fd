package mcp

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"kith/graph"
)

// How many looks a conversation should need, and how many conversations are counted, for how long after the last look.
const (
	usualLooks       = 5
	maxConversations = 10_000
	conversationLife = time.Hour
)

// lookups counts how often a conversation has looked further than its context. Over HTTP requests know nothing of each other:
// what they have in common is the conversation_id that the caller gives. The count is this process's own, and only a hint.
type lookups struct {
	counts *otter.Cache[[3]string, *atomic.Int64]
}

// Conversing says in which one a tool is called; part of the inputs of tools that look further.
type Conversing struct {
	ConversationID string `json:"conversation_id,omitempty" maxLength:"256" doc:"any id of this conversation, to count its look-ups"`
}

func newLookups() *lookups {
	return &lookups{otter.Must(&otter.Options[[3]string, *atomic.Int64]{
		MaximumSize: maxConversations, ExpiryCalculator: otter.ExpiryAccessing[[3]string, *atomic.Int64](conversationLife),
	})}
}

// hint counts a look-up and returns a hint for the caller once there were many.
func (l *lookups) hint(scope graph.Scope, c Conversing) string {
	if c.ConversationID == "" {
		return ""
	}
	count, _ := l.counts.SetIfAbsent([3]string{scope.TeamID, scope.UserID, c.ConversationID}, &atomic.Int64{})
	if n := count.Add(1); n > usualLooks {
		return fmt.Sprintf("\n_Look %d of this conversation; %d are usually enough. Answer from what you have, or ask the user._\n", n, usualLooks)
	}
	return ""
}
