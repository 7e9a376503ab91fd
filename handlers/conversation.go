package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"kith/auth"
	"kith/digest"
	"kith/graph"
	"kith/loader"
)

// OpenConversationInput opens a conversation.
type OpenConversationInput struct {
	Body struct {
		UserID         string                 `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose conversation; left out: the user of the key"`
		ConversationID string                 `json:"conversation_id,omitempty" maxLength:"256" doc:"generated (UUIDv7) when left out; opening one again is harmless"`
		ContextType    graph.Optional[string] `json:"context_type,omitzero" oneof:"work-session team-meeting phone-call personal-reflection planning brainstorming email-thread slack-discussion" doc:"work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion"`
		TimeZone       string                 `json:"time_zone,omitempty" doc:"IANA name"`
		Sections       []string               `json:"sections,omitempty" oneof:"user relationships recent_context temporal" maxItems:"8" doc:"user, relationships, recent_context, temporal; default: all"`
		FocusKind      string                 `json:"focus_kind,omitempty" oneof:"person concept entity" doc:"person, concept or entity: what the context also tells of; with focus_id"`
		FocusID        string                 `json:"focus_id,omitempty" max:"256" doc:"entity_key; with focus_kind"`

		Focus graph.Optional[graph.ConversationFocus] `json:"focus,omitzero" doc:"what the user looks at in a workspace: the conversation remembers it"`
	}
}

// Opened is an opened conversation with its context.
type Opened struct {
	ConversationID string              `json:"conversation_id"`
	Context        loader.AgentContext `json:"context"`
}

// openConversation loads the context first: the new conversation is not part of its own past.
func (a *API) openConversation(ctx context.Context, in *OpenConversationInput) (*huma.StreamResponse, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if !principal(ctx).Allows(auth.Read) {
		return nil, fmt.Errorf("the key lacks the scope %s: %w", auth.Read, auth.ErrForbidden)
	}
	id := in.Body.ConversationID
	if id == "" {
		id = uuid.Must(uuid.NewV7()).String()
	}
	now := a.options.Now().UTC().Truncate(time.Millisecond)
	write := &graph.SourceWrite{EntityKey: id, ContextType: in.Body.ContextType, Focus: in.Body.Focus}
	request := loader.Request{
		Scope: scope, TimeZone: in.Body.TimeZone, Sections: in.Body.Sections, FocusKind: in.Body.FocusKind, FocusID: in.Body.FocusID,
	}
	if err := errors.Join(write.Validate(scope, now), request.Validate()); err != nil {
		return nil, located("body", joined(err))
	}
	answer, err := a.Contexts.Context(ctx, request, &loader.CurrentConversation{
		ConversationID: id, Messages: []graph.Message{}, StartedAt: now,
	})
	if err != nil {
		return nil, located("body", err)
	}
	result, err := a.Store.WriteSource(ctx, scope, write)
	a.changed(ctx, scope, scope.UserID)
	if err != nil {
		return nil, located("body", err)
	}
	quoted, err := json.Marshal(result.EntityKey)
	if err != nil {
		return nil, err
	}
	answer.ETag = ""
	return send(http.StatusCreated, answer, []byte(`{"conversation_id":`), quoted, []byte(`,"context":`), answer.Head, answer.Tail, []byte("}")), nil
}

// joined makes one InvalidError of several.
func joined(err error) error {
	var all graph.InvalidError
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // errors.Join's own form
		for _, one := range several.Unwrap() {
			var invalid *graph.InvalidError
			if !errors.As(one, &invalid) {
				return err
			}
			all.Fields = append(all.Fields, invalid.Fields...)
		}
	}
	return &all
}

// changed says that something of users was written.
func (a *API) changed(ctx context.Context, scope graph.Scope, users ...string) {
	a.Changes.Changed(ctx, scope.TeamID, users...)
	noted(ctx, users)
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
	if out.Body.Source, err = a.Store.Source(ctx, scope, in.ID); err != nil {
		return nil, err
	}
	if out.Body.Messages, err = a.Store.Messages(ctx, scope, in.ID, in.From, in.Limit+1); err != nil {
		return nil, err
	}
	if got := out.Body.Messages; int64(len(got)) > in.Limit { // numbers may have gaps, where messages were deleted
		out.Body.Messages, out.Body.Next = got[:in.Limit], &got[in.Limit].Seq
	}
	return out, nil
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

// ReadSource is what became of a source, and what a language model made of it.
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
	result, err := a.Store.AppendMessages(ctx, scope, in.ID, in.Body.Messages)
	return a.sourceOutput(ctx, scope, result, err)
}

// sourceOutput tells the cache of a write to a source, and makes its answer. Where it failed, whose source it was may
// not be known, and part of what failed may be stored: the team's caches go.
func (a *API) sourceOutput(ctx context.Context, scope graph.Scope, result graph.SourceResult, err error) (*SourceOutput, error) {
	if err != nil {
		if !errors.Is(err, graph.ErrInvalid) && !errors.Is(err, graph.ErrNotFound) {
			a.changed(ctx, scope, "")
		}
		return nil, located("body", err)
	}
	a.changed(ctx, scope, result.UserID)
	noted(ctx, nil, result.Changed()...)
	return &SourceOutput{Repeated: replayed(result.Repeated), Body: ReadSource{SourceResult: result}}, nil
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
	result, err := a.storeSource(ctx, func(ctx context.Context) (graph.SourceResult, error) {
		return a.Store.EndConversation(ctx, scope, in.ID, &in.Body)
	})
	out, err := a.sourceOutput(ctx, scope, result, err)
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
		"201": {Description: "The conversation is open", Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}},
	}
}
