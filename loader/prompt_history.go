package loader

import (
	"slices"
	"strconv"

	"kith/text/tokens"
)

// HistoryUsage counts the messages of a conversation by what was kept of them.
type HistoryUsage struct {
	Whole     int `json:"whole" doc:"messages kept whole"`
	Shortened int `json:"shortened" doc:"older messages of which the beginning is kept"`
	LeftOut   int `json:"left_out" doc:"the oldest messages, omitted"`
}

// history is a conversation that keeps a budget.
type history struct {
	messages []PromptMessage // the oldest first
	tokens   int
	usage    HistoryUsage
}

const (
	shortenedText = 160 // characters of an older message
	noteTokens    = 16  // of the note on omitted messages
	longToken     = 128 // bytes: no token of o200k is longer
)

// compress keeps the newest messages whole within three quarters of the budget, then the beginnings of older ones
// within all of it. It adds a note on how many are omitted.
func compress(all []PromptMessage, budget int) (*history, error) {
	h := &history{}
	for i := len(all) - 1; i >= 0; i-- {
		whole, cost, err := h.fit(all[i].Content, budget)
		if err != nil {
			return nil, err
		}
		content := all[i].Content
		if !whole {
			content = shorten(content, shortenedText)
			if cost, err = tokens.Count(content); err != nil {
				return nil, err
			}
		}
		reserve := noteTokens
		if i == 0 {
			reserve = 0
		}
		if h.tokens+cost+reserve > budget {
			return h.leaveOut(i+1, budget)
		}
		h.tokens += cost
		h.messages = append(h.messages, PromptMessage{all[i].Role, content})
		if content == all[i].Content {
			h.usage.Whole++
		} else {
			h.usage.Shortened++
		}
	}
	slices.Reverse(h.messages)
	return h, nil
}

// fit reports whether a message is kept whole, and its cost then. A text that cannot fit is not counted.
func (h *history) fit(content string, budget int) (whole bool, cost int, err error) {
	limit := budget
	if h.usage.Whole > 0 {
		limit = budget * 3 / 4
	}
	if h.usage.Shortened > 0 || len(content) > (limit-h.tokens)*longToken {
		return false, 0, nil
	}
	cost, err = tokens.Count(content)
	return h.tokens+cost <= limit, cost, err
}

// leaveOut replaces the oldest messages by a note on how many they were.
func (h *history) leaveOut(n, budget int) (*history, error) {
	h.usage.LeftOut = n
	note := "_Left out to keep the token budget: " + strconv.Itoa(n) + " earlier messages._"
	if n == 1 {
		note = "_Left out to keep the token budget: 1 earlier message._"
	}
	cost, err := tokens.Count(note)
	if err == nil && h.tokens+cost <= budget {
		h.tokens += cost
		h.messages = append(h.messages, PromptMessage{"system", note})
	}
	slices.Reverse(h.messages)
	return h, err
}
