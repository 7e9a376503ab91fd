package loader

import (
	"slices"
	"strconv"

	"kith/text/clip"
	"kith/text/tokens"
)

// PromptMessage is a message to or from a language model.
type PromptMessage struct {
	Role    string `json:"role" oneof:"system user assistant tool" doc:"system, user, assistant or tool"`
	Content string `json:"content"`
}

// HistoryUsage counts the messages of a conversation by what was kept of them.
type HistoryUsage struct {
	Whole     int `json:"whole" doc:"messages kept whole"`
	Shortened int `json:"shortened" doc:"older messages of which the beginning is kept"`
	LeftOut   int `json:"left_out" doc:"the oldest messages, omitted"`
}

// History is a conversation that keeps a budget.
type History struct {
	Messages []PromptMessage // the oldest first
	Tokens   int
	Usage    HistoryUsage
}

const (
	shortenedText = 160 // characters of an older message
	noteTokens    = 16  // of the note on omitted messages
	longToken     = 128 // bytes: no token of o200k is longer
)

// Compress keeps the newest messages whole within three quarters of the budget, then the beginnings of older ones
// within all of it. It adds a note on how many are omitted.
func Compress(all []PromptMessage, budget int) (*History, error) {
	h := &History{}
	for i := len(all) - 1; i >= 0; i-- {
		whole, cost, err := h.fit(all[i].Content, budget)
		if err != nil {
			return nil, err
		}
		content := all[i].Content
		if !whole {
			content = clip.Shorten(content, shortenedText)
			if cost, err = tokens.Count(content); err != nil {
				return nil, err
			}
		}
		reserve := noteTokens
		if i == 0 {
			reserve = 0
		}
		if h.Tokens+cost+reserve > budget {
			return h.leaveOut(i+1, budget)
		}
		h.Tokens += cost
		h.Messages = append(h.Messages, PromptMessage{all[i].Role, content})
		if content == all[i].Content {
			h.Usage.Whole++
		} else {
			h.Usage.Shortened++
		}
	}
	slices.Reverse(h.Messages)
	return h, nil
}

// fit reports whether a message is kept whole, and its cost then. A text that cannot fit is not counted.
func (h *History) fit(content string, budget int) (whole bool, cost int, err error) {
	limit := budget
	if h.Usage.Whole > 0 {
		limit = budget * 3 / 4
	}
	if h.Usage.Shortened > 0 || len(content) > (limit-h.Tokens)*longToken {
		return false, 0, nil
	}
	cost, err = tokens.Count(content)
	return h.Tokens+cost <= limit, cost, err
}

// leaveOut replaces the oldest messages by a note on how many they were.
func (h *History) leaveOut(n, budget int) (*History, error) {
	h.Usage.LeftOut = n
	note := "_Left out to keep the token budget: " + strconv.Itoa(n) + " earlier messages._"
	if n == 1 {
		note = "_Left out to keep the token budget: 1 earlier message._"
	}
	cost, err := tokens.Count(note)
	if err == nil && h.Tokens+cost <= budget {
		h.Tokens += cost
		h.Messages = append(h.Messages, PromptMessage{"system", note})
	}
	slices.Reverse(h.Messages)
	return h, err
}
