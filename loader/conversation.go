package loader

import (
	"strings"
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/text/markup"
	"kith/text/tokens"
)

// CurrentConversation is the conversation just opened, with the last messages if it continues. It is not part of the
// context.
type CurrentConversation struct {
	ConversationID string          `json:"conversation_id"`
	Messages       []graph.Message `json:"messages" doc:"the last ones, the oldest first"`
	StartedAt      time.Time       `json:"started_at"`
}

// reserveStep is the step to which the tokens of a conversation are rounded up, so that contexts with equal budgets
// share cache entries.
const reserveStep = 32

// text returns the end of a rendered context: the conversation opened, and its messages within a quarter of the budget.
// If this takes more than a third of the budget, the messages are omitted, and then all of it. reserved is the number
// of tokens that it takes from the budget.
func (c *CurrentConversation) text(maxTokens int) (text string, reserved int, err error) {
	lines := c.lines()
	if maxTokens == 0 {
		return c.render(lines), 0, nil
	}
	h, err := Compress(lines, maxTokens/4)
	if err != nil {
		return "", 0, err
	}
	for _, text := range []string{c.render(h.Messages), c.render(nil)} {
		cost, err := tokens.Count(text)
		if err != nil {
			return "", 0, err
		}
		if cost <= maxTokens/3 {
			return text, (cost + reserveStep - 1) / reserveStep * reserveStep, nil
		}
	}
	return "", 0, nil
}

// lines returns the messages as lines of text.
func (c *CurrentConversation) lines() []PromptMessage {
	lines := make([]PromptMessage, len(c.Messages))
	for i, m := range c.Messages {
		line := markup.Name(m.Role)
		if !trust.IsRole(m.Role) {
			line = m.Told().Line(line)
		}
		if m.Name != "" {
			line += " (" + m.Told().Line(markup.Inline(m.Name)) + ")"
		}
		lines[i] = PromptMessage{Role: m.Role, Content: line + ": " + m.Told().Line(markup.Inline(m.Text))}
	}
	return lines
}

func (c *CurrentConversation) render(lines []PromptMessage) string {
	var out strings.Builder
	out.WriteString("\n## This conversation\n\n" + markup.Item(c.ConversationID) + ", since " + c.StartedAt.Format("2006-01-02 15:04") + "Z.\n")
	for i, line := range lines {
		if i == 0 {
			out.WriteString("\n")
		}
		out.WriteString("- " + line.Content + "\n")
	}
	return out.String()
}
