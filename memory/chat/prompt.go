package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/text/markup"
	"kith/text/tokens"
)

// PromptVersion names the current way of assembling prompts. Each turn keeps the version it was created with.
const PromptVersion = "2026-11-22"

// Assembled is the prompt of a turn: the system prompt, the turns above it within the token budget, the oldest first,
// and its own prompt. UserPrompt has everything but the system prompt in one text. There a backslash precedes what
// would begin a line of a text like that of a speaker, a heading, a list or a fence. Messages have the texts as they
// were written.
type Assembled struct {
	SystemPrompt string        `json:"system_prompt"`
	UserPrompt   string        `json:"user_prompt"`
	Messages     []RoleMessage `json:"messages"`
	Truncated    bool          `json:"truncated" doc:"the oldest turns were left out to keep the budget"`
	LeftOut      int           `json:"left_out" doc:"how many"`

	status  Status
	attempt int64
	model   string // empty: the configured one
}

// RoleMessage is one message of a prompt.
type RoleMessage struct {
	Role string `json:"role" enum:"system,user,assistant"`
	Text string `json:"text"`
}

const (
	system    = "system"
	user      = "user"
	assistant = "assistant"

	typicalTokenBytes = 6 // bytes of an o200k token; most texts have fewer
	messageCost       = 4 // tokens of a message besides its text: its role and its end

	maxEntityLine = 4 << 10 // bytes; no line of an entity is longer
)

// Assemble returns the prompt of a turn with at most maxTokens o200k tokens (0: as for generations). System prompt
// and own prompt are always kept, even above the limit. Error: fault.ErrNotFound.
func (s *Service) Assemble(ctx context.Context, scope graph.Scope, id string, maxTokens int) (*Assembled, error) {
	if maxTokens == 0 {
		maxTokens = s.options.PromptTokens
	}
	return s.assemble(ctx, scope, id, maxTokens)
}

// assemble reads the store twice: the path to the root, and the texts of the turns within the budget. It reads again
// if their tokens are longer than usual. References are resolved in the scope of everybody who can see the tree.
func (s *Service) assemble(ctx context.Context, scope graph.Scope, id string, budget int) (*Assembled, error) {
	branch, err := s.store.ChatBranch(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	known, err := s.loadMemory(ctx, branch.Scope, branch.Context)
	if err != nil {
		return nil, err
	}
	a := &Assembled{SystemPrompt: joinPrompt(markup.Lines(branch.SystemPrompt), known), status: branch.Status, attempt: branch.Attempt, model: branch.Model}
	p := &turnCollector{left: budget, count: tokens.Count}
	if maxTokensOf(branch)+len(a.SystemPrompt)+messageCost <= budget { // a short prompt needs no token counts
		p.count = func(text string) (int, error) { return len(text), nil }
	}
	if a.SystemPrompt != "" { // some models refuse an empty message
		a.Messages = []RoleMessage{{system, a.SystemPrompt}}
	}
	if p.left, err = p.remaining(a.Messages...); err != nil {
		return nil, err
	}
	for full := false; !full && p.turns < len(branch.Turns); {
		ids, keys := branch.Part(p.turns, int64(p.left)*typicalTokenBytes)
		texts, entities, err := s.store.ReadChatTexts(ctx, branch.Scope, ids, keys)
		if err == nil && len(texts) < len(ids) { // some turns were deleted meanwhile
			err = fmt.Errorf("assemble: %w", fault.ErrNotFound)
		}
		if err == nil {
			full, err = p.addTurns(texts, entities)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(p.messages)
	a.UserPrompt = flattenMessages(p.messages)
	a.Messages = append(a.Messages, p.messages...)
	a.LeftOut = len(branch.Turns) - p.turns
	a.Truncated = a.LeftOut > 0
	return a, nil
}

// turnCollector collects the messages of turns, the last turn first.
type turnCollector struct {
	messages []RoleMessage
	turns    int // whose messages these are
	left     int // tokens left of the budget
	count    func(text string) (tokens int, err error)
}

// maxTokensOf returns an upper bound of the tokens of a branch's turns: no token is shorter than a byte.
func maxTokensOf(branch *Branch) (tokens int) {
	for _, step := range branch.Turns {
		tokens += int(step.Size) + len(step.Keys)*maxEntityLine + 2*messageCost
	}
	return tokens
}

// addTurns adds turns, the newest first, while the budget lasts; the newest turn is always added. It returns whether
// the budget is used up.
func (p *turnCollector) addTurns(turns []Text, entities map[string]Entity) (full bool, err error) {
	for _, t := range turns {
		messages := []RoleMessage{{user, markup.Lines(resolveTokens(t.UserPrompt, entities))}}
		if t.AssistantText != nil && p.turns > 0 {
			messages = []RoleMessage{{assistant, markup.Lines(*t.AssistantText)}, messages[0]}
		}
		left, err := p.remaining(messages...)
		if err != nil || left < 0 && p.turns > 0 {
			return true, err
		}
		p.messages, p.left, p.turns = append(p.messages, messages...), left, p.turns+1
	}
	return p.left < 0, nil
}

// remaining returns how much of the budget the messages leave. It stops counting below zero.
func (p *turnCollector) remaining(messages ...RoleMessage) (left int, err error) {
	left = p.left
	for _, m := range messages {
		if left < 0 {
			break
		}
		n, err := p.count(m.Text)
		if err != nil {
			return left, err
		}
		left -= n + messageCost
	}
	return left, nil
}

// flattenMessages returns a conversation as one text. No line of a message can begin like that of a speaker.
func flattenMessages(parts []RoleMessage) string {
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = map[string]string{user: "User: ", assistant: "Assistant: "}[part.Role] + markup.Block(part.Text)
	}
	return strings.Join(lines, "\n\n")
}

// resolveTokens returns a prompt with its reference tokens replaced by a short description of the entity, or by their
// label.
func resolveTokens(prompt string, entities map[string]Entity) string {
	var out strings.Builder
	at := 0
	for _, token := range Tokens(prompt) {
		out.WriteString(prompt[at:token.Begin])
		if e, ok := entities[token.EntityID]; ok && e.Type == token.EntityType {
			out.WriteString(entityLine(e, token.DisplayLabel))
		} else {
			out.WriteString(token.DisplayLabel)
		}
		at = token.End
	}
	out.WriteString(prompt[at:])
	return out.String()
}

// entityLine returns an entity's name, kind and summary in one line.
func entityLine(e Entity, label string) string {
	name, about := markup.Item(e.Name), e.Type
	if name == "" {
		name = markup.Item(label)
	}
	if summary := markup.Inline(e.Summary); summary != "" {
		about += ": " + summary
	}
	return e.Line(name + " (" + about + ")")
}

// loadMemory returns the text of a tree's context, which is appended to the system prompt; empty if there is none.
func (s *Service) loadMemory(ctx context.Context, scope graph.Scope, c *Context) (string, error) {
	if c == nil {
		return "", nil
	}
	tokens := c.MaxTokens
	if tokens == 0 {
		tokens = 2000
	}
	var text string
	var err error
	if c.UserID != "" {
		text, err = s.users.UserText(ctx, scope, tokens)
	} else {
		text, err = s.projects.ProjectText(ctx, scope, c.ProjectID, c.FocusKind, c.FocusID, tokens)
	}
	if errors.Is(err, fault.ErrNotFound) { // deleted since the tree was created
		return "", nil
	}
	return text, err
}

func joinPrompt(prompt, known string) string {
	if known = strings.TrimSpace(known); known == "" {
		return prompt
	}
	return strings.TrimSpace(prompt + "\n\n" + known)
}

func (a *Assembled) messages() []llm.Message {
	all := make([]llm.Message, len(a.Messages))
	for i, m := range a.Messages {
		all[i] = llm.Message(m)
	}
	return all
}
