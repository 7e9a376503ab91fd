package hook

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	client "kith/clients/go"
	"kith/exchange/transcript"
	"kith/graph"
	"kith/memory/explore"
	"kith/text/clip"
)

// Budgets of what an agent gets, in o200k tokens.
const (
	contextTokens = 1000
	searchTokens  = 300
)

// Memory is the memory of a user in a running Kith.
type Memory struct {
	API  *client.Client
	User string // empty: the user to whom the key is bound
}

// Context returns what an agent should know when a session starts; nothing if it knows it already, or nothing is stored.
func (m *Memory) Context(ctx context.Context, in *Input) (string, error) {
	if in.Source == "resume" || in.Source == "fork" { // the conversation so far has it
		return "", nil
	}
	query := url.Values{"format": {"text"}, "max_tokens": {strconv.Itoa(contextTokens)}}
	if m.User != "" {
		query.Set("user_id", m.User)
	}
	var text []byte
	err := m.API.Call(ctx, http.MethodGet, "/v1/context?"+query.Encode(), nil, &text)
	if err != nil || strings.Contains(string(text), nothingKnown) {
		return "", err
	}
	return string(text), nil
}

// nothingKnown is in the context of a user of whom nothing is stored.
const nothingKnown = "nothing is stored for this user_id"

// Search returns what the memory has about a prompt, if it is likely to be what the prompt asks for. Began is when the session
// began, if that is known: what was said in it is then not searched, as the agent knows it. Secrets in the prompt are not sent.
func (m *Memory) Search(ctx context.Context, in *Input, began time.Time) (string, error) {
	asked := *in
	asked.Prompt = strings.TrimSpace(transcript.WithoutSecrets(in.Prompt, ""))
	if !isQuestion(&asked) {
		return "", nil
	}
	words, _ := clip.Runes(asked.Prompt, 2000)
	request := explore.Request{UserID: m.User, Queries: []explore.Query{{Query: words}}, ConversationID: in.Conversation()}
	if !began.IsZero() && time.Since(began) < 24*time.Hour { // a session that is resumed later lacks what was stored meanwhile
		request.Until = graph.Some(began)
	}
	var found explore.Result
	err := m.API.Call(ctx, http.MethodPost, "/v1/explore", request, &found)
	if err != nil || !found.Meta.Enough || !isWorth(&found, in.Conversation()) {
		return "", err
	}
	request.Format, request.MaxTokens = explore.Text, searchTokens
	var text []byte
	err = m.API.Call(ctx, http.MethodPost, "/v1/explore", request, &text)
	return string(text), err
}

// isWorth reports whether anything was found besides the session itself.
func isWorth(found *explore.Result, own string) bool {
	s, e := &found.Semantic, &found.Episodic
	others := len(s.People) + len(s.Concepts) + len(s.Entities) + len(s.Others) + len(s.Relationships) + len(e.Artifacts)
	return others > 0 || slices.ContainsFunc(e.Sources, func(h explore.SourceHit) bool { return h.EntityKey != own })
}

// isQuestion reports whether a prompt may ask for something that is in the memory. Commands, short answers, and prompts by
// programs and subagents do not.
func isQuestion(in *Input) bool {
	text := strings.TrimSpace(in.Prompt)
	switch {
	case in.AgentID != "", text == "", strings.ContainsRune("/!#", rune(text[0])):
		return false
	case in.Source != "" && in.Source != "user" && in.Source != "sdk":
		return false
	}
	return len(strings.Fields(text)) >= 3 || utf8.RuneCountInString(text) >= 12 && len(text) >= 36 // Chinese has no blanks
}
