package loader

import (
	"strings"
	"time"

	"kith/graph"
	"kith/markup"
)

// CurrentConversation is the one just opened, with the last messages of one that goes on (S1-14). It is not part of the context.
type CurrentConversation struct {
	ConversationID string          `json:"conversation_id"`
	Messages       []graph.Message `json:"messages" doc:"the last ones, the oldest first"`
	StartedAt      time.Time       `json:"started_at"`
}

// reserveStep is what the tokens of a conversation are rounded up to: contexts whose budgets are equal share what the cache keeps.
const reserveStep = 32

// text is the end of a rendered context: which conversation was opened, and its messages within a quarter of the budget.
// Reserved is how many tokens of the budget it takes.
func (c *CurrentConversation) text(maxTokens int) (text string, reserved int, err error) {
	lines := make([]PromptMessage, len(c.Messages))
	for i, m := range c.Messages {
		line := markup.Name(m.Role)
		if m.Name != "" {
			line += " (" + markup.Inline(m.Name) + ")"
		}
		lines[i] = PromptMessage{Role: m.Role, Content: line + ": " + markup.Inline(m.Text)}
	}
	if maxTokens != 0 && len(lines) > 0 {
		h, err := compress(lines, maxTokens/4)
		if err != nil {
			return "", 0, err
		}
		lines = h.messages
	}
	var out strings.Builder
	out.WriteString("\n## This conversation\n\n" + markup.Item(c.ConversationID) + ", since " + c.StartedAt.Format("2006-01-02 15:04") + "Z.\n\n")
	for _, line := range lines {
		out.WriteString("- " + line.Content + "\n")
	}
	if maxTokens == 0 {
		return out.String(), 0, nil
	}
	tokens, err := Tokens(out.String())
	if err != nil || tokens > maxTokens/2 {
		return "", 0, err
	}
	return out.String(), (tokens + reserveStep - 1) / reserveStep * reserveStep, nil
}
