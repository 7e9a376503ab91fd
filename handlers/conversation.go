package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/digest"
	"kith/memory/replay"
)

// OpenConversationInput opens a conversation.
type OpenConversationInput struct {
	Body struct {
		UserID         string                 `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose conversation; default: the user of the key. Required where the key is not bound to one"`
		ConversationID string                 `json:"conversation_id,omitempty" maxLength:"256" doc:"generated (UUIDv7) by default; of one that exists the answer has the start and the last messages"`
		Messages       *int64                 `json:"messages,omitempty" minimum:"0" maximum:"200" doc:"at most so many of the last messages of a conversation that exists; default 20"`
		Format         string                 `json:"format,omitempty" enum:"json,text" doc:"json (default), or text: the context as Markdown, with conversation and messages at its end; the header Location has the conversation"`
		MaxTokens      int                    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"o200k tokens of the text, a quarter of them for messages at most; only with format=text or explain"`
		Explain        bool                   `json:"explain,omitempty" doc:"have the context say in receipt what each part of its text shows and why, and what was left out; with format=text nothing else"`
		ContextType    graph.Optional[string] `json:"context_type,omitzero" oneof:"work-session team-meeting phone-call personal-reflection planning brainstorming email-thread slack-discussion" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
		TimeZone       string                 `json:"time_zone,omitempty" doc:"IANA name"`
		Sections       []string               `json:"sections,omitempty" oneof:"user relationships recent_context temporal" maxItems:"8" doc:"user, relationships, recent_context, temporal; default: all"`
		FocusKind      string                 `json:"focus_kind,omitempty" oneof:"person concept entity" with:"focus_id" doc:"person, concept or entity: what the context also tells of; with focus_id"`
		FocusID        string                 `json:"focus_id,omitempty" max:"256" with:"focus_kind" doc:"entity_key; with focus_kind"`

		Focus graph.Optional[graph.ConversationFocus] `json:"focus,omitzero" doc:"what the user looks at in a workspace: the conversation remembers it"`
	}
}

// Opened is an opened conversation with its context.
type Opened struct {
	ConversationID string              `json:"conversation_id"`
	Context        loader.AgentContext `json:"context"`
}

// openConversation loads the context first: a conversation is not part of its own past.
func (a *API) openConversation(ctx context.Context, in *OpenConversationInput) (*huma.StreamResponse, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if !principal(ctx).Allows(auth.Read) {
		return nil, &auth.ScopeError{Scope: auth.Read}
	}
	now := a.options.Now().UTC().Truncate(time.Millisecond)
	write := &graph.SourceWrite{EntityKey: in.Body.ConversationID, ContextType: in.Body.ContextType, Focus: in.Body.Focus}
	request := loader.Request{
		Scope: scope, TimeZone: in.Body.TimeZone, Sections: in.Body.Sections, FocusKind: in.Body.FocusKind, FocusID: in.Body.FocusID,
		Format: loader.Format(in.Body.Format), MaxTokens: in.Body.MaxTokens, Explain: in.Body.Explain,
	}
	if err := errors.Join(write.Validate(scope, now), request.Validate()); err != nil {
		return nil, located("body", joinInvalid(err))
	}
	current, exists, err := a.currentConversation(ctx, scope, in, now)
	if err != nil {
		return nil, err
	}
	write.EntityKey = current.ConversationID
	if exists { // a new one is in no context, and contexts without an id share what the cache has
		request.ConversationID = current.ConversationID
	}
	answer, err := a.Contexts.Context(ctx, request, current)
	if err != nil {
		return nil, located("body", err)
	}
	result, err := a.Sources.WriteSource(ctx, scope, write)
	if err != nil {
		return nil, located("body", err)
	}
	return a.openedAnswer(scope, result.EntityKey, answer)
}

// usualMessages is how many messages of a conversation that goes on are returned by default.
const usualMessages = 20

// currentConversation is the conversation to open: a new one, or one of the user's own that exists, with its last messages.
func (a *API) currentConversation(ctx context.Context, scope graph.Scope, in *OpenConversationInput, now time.Time) (current *loader.CurrentConversation, exists bool, err error) {
	current = &loader.CurrentConversation{ConversationID: in.Body.ConversationID, Messages: []graph.Message{}, StartedAt: now}
	if current.ConversationID == "" {
		current.ConversationID = uuid.Must(uuid.NewV7()).String()
		return current, false, nil
	}
	source, err := a.Sources.Source(ctx, scope, current.ConversationID)
	if errors.Is(err, fault.ErrNotFound) {
		return current, false, nil
	}
	if err != nil || source.UserID == nil || *source.UserID != scope.UserID {
		return current, false, err // another user's is refused as any key that is taken
	}
	current.StartedAt = source.StartedAt
	limit := int64(usualMessages)
	if in.Body.Messages != nil {
		limit = *in.Body.Messages
	}
	if limit > 0 {
		current.Messages, err = a.Sources.LastMessages(ctx, scope, current.ConversationID, limit)
	}
	return current, true, err
}

// openedAnswer returns the answer to an opened conversation: an object with its context, or the context as text.
func (a *API) openedAnswer(scope graph.Scope, key string, answer loader.Answer) (*huma.StreamResponse, error) {
	quoted, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	answer.ETag = ""
	parts := [][]byte{answer.Head, answer.Tail}
	if answer.ContentType == jsonType {
		parts = [][]byte{[]byte(`{"conversation_id":`), quoted, []byte(`,"context":`), answer.Head, answer.Tail, []byte("}")}
	}
	if !answer.At.IsZero() {
		a.Answers.Sent(scope, answer.At, replay.Conversation, parts...)
	}
	sent := sendBytes(http.StatusCreated, answer, parts...)
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Location", "/v1/conversations/"+url.PathEscape(key))
		sent.Body(ctx)
	}}, nil
}

// ConversationInput asks for a conversation.
type ConversationInput struct {
	ID     string `path:"id"`
	UserID string `query:"user_id" minLength:"1" doc:"whose; left out: the user of the key, or any of the team"`
	From   int64  `query:"from" minimum:"0" doc:"number of the first message"`
	Limit  int64  `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"at most so many messages"`
}

// ConversationPageOutput is a conversation with a page of its messages. Next is the number to go on from, null at the end.
type ConversationPageOutput struct {
	Body struct {
		graph.Source
		Messages []graph.Message `json:"messages"`
		Next     *int64          `json:"next"`
	}
}

func (a *API) getConversation(ctx context.Context, in *ConversationInput) (*ConversationPageOutput, error) {
	scope, err := principal(ctx).For(auth.Read, in.UserID)
	if err != nil {
		return nil, err
	}
	out := &ConversationPageOutput{}
	if out.Body.Source, err = a.Sources.Source(ctx, scope, in.ID); err != nil {
		return nil, err
	}
	if !out.Body.IsReadBy(scope) {
		out.Body.Messages = []graph.Message{}
		return out, nil
	}
	if out.Body.Messages, err = a.Sources.Messages(ctx, scope, in.ID, in.From, in.Limit+1); err != nil {
		return nil, err
	}
	if got := out.Body.Messages; int64(len(got)) > in.Limit { // numbers may have gaps, where messages were deleted
		out.Body.Messages, out.Body.Next = got[:in.Limit], &got[in.Limit].Seq
	} else if sizeOfParts(got) > graph.PageSize {
		next := got[len(got)-1].Seq + 1
		out.Body.Next = &next
	}
	return out, nil
}

func sizeOfParts(messages []graph.Message) (size int) {
	for i := range messages {
		size += len(messages[i].Parts)
	}
	return size
}

// PopMessagesInput deletes the last messages of a conversation.
type PopMessagesInput struct {
	ID   string `path:"id"`
	Body struct {
		UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256"`
		Count  int64  `json:"count,omitempty" minimum:"1" maximum:"100" doc:"at most so many; default 1"`
	}
}

// PoppedOutput has the messages that were deleted.
type PoppedOutput struct {
	Body struct {
		Messages []graph.Message `json:"messages" doc:"the oldest first; none: the conversation had none"`
	}
}

func (a *API) popMessages(ctx context.Context, in *PopMessagesInput) (*PoppedOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	out := &PoppedOutput{}
	out.Body.Messages, err = a.Sources.PopMessages(ctx, scope, in.ID, max(in.Body.Count, 1))
	return out, err
}

// AppendMessagesInput appends messages.
type AppendMessagesInput struct {
	ID   string `path:"id"`
	Body struct {
		UserID   string               `json:"user_id,omitempty" minLength:"1" maxLength:"256"`
		Messages []graph.MessageWrite `json:"messages" minItems:"1" maxItems:"10000"`
	}
}

// SourceOutput says what became of a source.
type SourceOutput struct {
	Repeated string `header:"Idempotency-Replayed" doc:"true: the answer of an earlier request with the same idempotency key"`
	Body     ReadSource
}

// ReadSource has the results of a stored source and of its extraction.
type ReadSource struct {
	graph.SourceResult
	Summary    string             `json:"summary,omitempty" doc:"that the language model made of a conversation that ended without one"`
	Extraction *digest.Extraction `json:"extraction,omitempty" doc:"where it was asked for"`
}

func (a *API) appendMessages(ctx context.Context, in *AppendMessagesInput) (*SourceOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := a.Sources.AppendMessages(ctx, scope, in.ID, in.Body.Messages)
	return sourceOutput(result, err)
}

// sourceOutput returns the answer to a write to a source.
func sourceOutput(result graph.SourceResult, err error) (*SourceOutput, error) {
	if err != nil {
		return nil, located("body", err)
	}
	return &SourceOutput{Repeated: replayedHeader(result.Repeated), Body: ReadSource{SourceResult: result}}, nil
}

// EndInput ends a conversation.
type EndInput struct {
	ID   string `path:"id"`
	Body graph.ConversationEnd
}

func (a *API) endConversation(ctx context.Context, in *EndInput) (*SourceOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	result, err := withDeadline(ctx, a, func(ctx context.Context) (graph.SourceResult, error) {
		return a.Sources.EndConversation(ctx, scope, in.ID, &in.Body)
	})
	out, err := sourceOutput(result, err)
	if err == nil && a.Digests != nil && !in.Body.Summary.Given {
		a.summarize(ctx, graph.Scope{TeamID: scope.TeamID, UserID: result.UserID}, out)
	}
	return out, err
}

// openedResponse describes the answer, which is sent as bytes.
func openedResponse(api huma.API, o *huma.Operation) {
	o.DefaultStatus = http.StatusCreated
	mayMiss(api, o) // what is in focus
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Opened](), true, "Opened")
	o.Responses = map[string]*huma.Response{
		"201": jsonOrText("The conversation is open", schema),
	}
	o.Responses["201"].Headers = map[string]*huma.Param{asOfHeader: asOfParam()}
}
