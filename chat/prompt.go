package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kith/graph"
	"kith/llm"
	"kith/loader"
	"kith/markup"
)

// PromptVersion names the way in which prompts are put together here; each turn keeps that of its own.
const PromptVersion = "2026-11-22"

// Assembled is what a model is told for a turn: the system prompt, the turns above it as far as the budget of tokens allows,
// the oldest first, and its own prompt. UserPrompt has all but the first of it in one text; there a backslash stands before what would
// begin a line of a text as that of a speaker, or as a heading, list or fence. Messages have the texts as they were written.
type Assembled struct {
	SystemPrompt string        `json:"system_prompt"`
	UserPrompt   string        `json:"user_prompt"`
	Messages     []RoleMessage `json:"messages"`
	Truncated    bool          `json:"truncated" doc:"the oldest turns were left out to keep the budget"`
	LeftOut      int           `json:"left_out" doc:"how many"`

	status  graph.ChatStatus
	attempt int64
	model   string // empty: the one that is configured
}

// RoleMessage is one part of it.
type RoleMessage struct {
	Role string `json:"role" enum:"system,user,assistant"`
	Text string `json:"text"`
}

const (
	system    = "system"
	user      = "user"
	assistant = "assistant"

	usualToken  = 6 // bytes; what most texts have less of for each o200k token
	messageCost = 4 // tokens that a message takes beside its text: its role, and where it ends

	longestShort = 4 << 10 // bytes: more than an entity can be told in
)

// Assemble puts together what a model is told for a turn, in at most so many o200k tokens (0: as many as generations are
// given) if the system prompt and the turn's own prompt leave room. graph.ErrNotFound.
func (s *Service) Assemble(ctx context.Context, scope graph.Scope, id string, maxTokens int) (*Assembled, error) {
	if maxTokens == 0 {
		maxTokens = s.options.PromptTokens
	}
	return s.assemble(ctx, scope, id, maxTokens)
}

// assemble asks the store twice: for the way to the root, and for the texts of the turns that come within the budget (again only
// where their tokens are longer than usual). What prompts refer to is told as all see it who see the tree.
func (s *Service) assemble(ctx context.Context, scope graph.Scope, id string, budget int) (*Assembled, error) {
	branch, err := s.store.ChatBranch(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	known, err := s.memory(ctx, branch.Scope, branch.Context)
	if err != nil {
		return nil, err
	}
	a := &Assembled{SystemPrompt: joined(markup.Lines(branch.SystemPrompt), known), status: branch.Status, attempt: branch.Attempt, model: branch.Model}
	p := &parts{left: budget, count: loader.Tokens}
	if most(branch)+len(a.SystemPrompt)+messageCost <= budget { // as short ones do, which need no vocabulary to be loaded
		p.count = func(text string) (int, error) { return len(text), nil }
	}
	if a.SystemPrompt != "" { // some models refuse an empty message
		a.Messages = []RoleMessage{{system, a.SystemPrompt}}
	}
	if p.left, err = p.rest(a.Messages...); err != nil {
		return nil, err
	}
	for full := false; !full && p.turns < len(branch.Turns); {
		ids, keys := branch.Part(p.turns, int64(p.left)*usualToken)
		said, entities, err := s.store.ReadChatTexts(ctx, branch.Scope, ids, keys)
		if err == nil && len(said) < len(ids) { // they are deleted at this moment
			err = fmt.Errorf("assemble: %w", graph.ErrNotFound)
		}
		if err == nil {
			full, err = p.take(said, entities)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(p.messages)
	a.UserPrompt = flat(p.messages)
	a.Messages = append(a.Messages, p.messages...)
	a.LeftOut = len(branch.Turns) - p.turns
	a.Truncated = a.LeftOut > 0
	return a, nil
}

// parts are what turns add to a prompt, the last one first.
type parts struct {
	messages []RoleMessage
	turns    int // that they come from
	left     int // of the budget of tokens
	count    func(text string) (tokens int, err error)
}

// most is more than the tokens that the turns of a branch can take: none is shorter than a byte.
func most(branch *graph.ChatBranch) (tokens int) {
	for _, step := range branch.Turns {
		tokens += int(step.Size) + len(step.Keys)*longestShort + 2*messageCost
	}
	return tokens
}

// take takes turns in while the budget lasts, the newest of which come first, and the first of all in any case. It says whether
// there is no room for more.
func (p *parts) take(turns []graph.ChatText, entities map[string]graph.ChatEntity) (full bool, err error) {
	for _, t := range turns {
		said := []RoleMessage{{user, markup.Lines(resolved(t.UserPrompt, entities))}}
		if t.AssistantText != nil && p.turns > 0 {
			said = []RoleMessage{{assistant, markup.Lines(*t.AssistantText)}, said[0]}
		}
		left, err := p.rest(said...)
		if err != nil || left < 0 && p.turns > 0 {
			return true, err
		}
		p.messages, p.left, p.turns = append(p.messages, said...), left, p.turns+1
	}
	return p.left < 0, nil
}

// rest is what messages leave of the budget; less than none is not counted on.
func (p *parts) rest(messages ...RoleMessage) (left int, err error) {
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

// flat is a conversation as one text (S5-6), in which no line of what was said begins as that of a speaker.
func flat(parts []RoleMessage) string {
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = map[string]string{user: "User: ", assistant: "Assistant: "}[part.Role] + markup.Block(part.Text)
	}
	return strings.Join(lines, "\n\n")
}

// resolved is a prompt with what it refers to in short instead of tokens (S5-7).
func resolved(prompt string, entities map[string]graph.ChatEntity) string {
	var out strings.Builder
	at := 0
	for _, token := range graph.ChatTokens(prompt) {
		out.WriteString(prompt[at:token.Begin])
		if e, ok := entities[token.EntityID]; ok && e.Type == token.EntityType {
			out.WriteString(short(e, token.DisplayLabel))
		} else {
			out.WriteString(token.DisplayLabel)
		}
		at = token.End
	}
	out.WriteString(prompt[at:])
	return out.String()
}

// short is an entity in one line.
func short(e graph.ChatEntity, label string) string {
	name, about := markup.Item(e.Name), e.Type
	if name == "" {
		name = markup.Item(label)
	}
	if summary := markup.Inline(e.Summary); summary != "" {
		about += ": " + summary
	}
	return name + " (" + about + ")"
}

// memory is what joins a system prompt of what is known; empty: nothing.
func (s *Service) memory(ctx context.Context, scope graph.Scope, c *graph.ChatContext) (string, error) {
	if c == nil {
		return "", nil
	}
	tokens := c.MaxTokens
	if tokens == 0 {
		tokens = 2000
	}
	var answer loader.Answer
	var err error
	if c.UserID != "" {
		answer, err = s.contexts.Context(ctx, loader.Request{Scope: scope, Format: loader.Text, MaxTokens: tokens}, nil)
	} else {
		answer, err = s.contexts.Ontology(ctx, loader.OntologyRequest{
			Scope: scope, ContextType: "project", ProjectID: c.ProjectID, FocusKind: c.FocusKind, FocusID: c.FocusID,
			Format: loader.Text, MaxTokens: tokens, WithoutJSON: true,
		})
	}
	if errors.Is(err, graph.ErrNotFound) { // it is gone since the tree was told of it
		return "", nil
	}
	return string(answer.Body()), err
}

func joined(prompt, known string) string {
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
