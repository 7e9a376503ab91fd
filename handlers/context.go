package handlers

import (
	"context"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/loader"
	"kith/memory/replay"
)

// ContextInput asks for a context.
type ContextInput struct {
	UserID      string    `query:"user_id" minLength:"1" doc:"whose context; default: the user of the key. Required where the key is not bound to one"`
	TeamID      string    `query:"team_id" minLength:"1" doc:"must be the key's team, if given"`
	TimeZone    string    `query:"time_zone" doc:"IANA name; default: the preference time_zone, else UTC" example:"Europe/Berlin"`
	Format      string    `query:"format" enum:"json,text" default:"json"`
	MaxTokens   int       `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text, 100 to 100,000; lowest-ranked lines go first, and the text says what went; only with format=text or explain"`
	Sections    []string  `query:"sections,explode" doc:"user, relationships, recent_context, temporal, repeated or with commas; default: all"`
	FocusKind   string    `query:"focus_kind" enum:"person,concept,entity" doc:"person, concept or entity; with focus_id, and never without"`
	FocusID     string    `query:"focus_id" minLength:"1" maxLength:"256" doc:"entity_key of what the user looks at; with focus_kind, and never without"`
	Explain     bool      `query:"explain" doc:"answer with an object that has, in receipt, the text with what each part of it shows and why, and what was left out; with format=text nothing else"`
	AsOf        time.Time `query:"as_of" doc:"the context of a moment in the past. With the moment of an answer of the last 30 days (its header Kith-As-Of) and the same parameters, the same bytes. Otherwise what was served in the 5 minutes before, or else meta.compacted: put together from what is stored now, with what was linked then and the week before it"`
	IfNoneMatch string    `header:"If-None-Match"`

	ConversationID string `query:"conversation_id" minLength:"1" maxLength:"256" doc:"the conversation that is open now: neither recent_context nor temporal has it"`
}

func (a *API) getContext(ctx context.Context, in *ContextInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, in.TeamID, in.UserID)
	if err != nil {
		return nil, err
	}
	r := loader.Request{
		Scope: scope, TimeZone: in.TimeZone, Format: loader.Format(in.Format), MaxTokens: in.MaxTokens,
		Sections: splitList(in.Sections), FocusKind: in.FocusKind, FocusID: in.FocusID, AsOf: timeOrNil(in.AsOf),
		ConversationID: in.ConversationID, Explain: in.Explain,
	}
	answer, err := a.Contexts.Context(ctx, r, nil)
	if err == nil && answer.Replay == "" && !answer.At.IsZero() {
		a.Answers.Sent(scope, answer.At, replay.Context, answer.Head, answer.Tail)
	}
	return sendUnlessMatched(in.IfNoneMatch, answer, err)
}

// WhyInput asks why a context shows a node, or does not.
type WhyInput struct {
	UserID    string `query:"user_id" minLength:"1" doc:"whose context; default: the user of the key. Required where the key is not bound to one"`
	TeamID    string `query:"team_id" minLength:"1" doc:"must be the key's team, if given"`
	Key       string `query:"key" required:"true" minLength:"1" maxLength:"256" doc:"entity_key of a person, concept, entity or source"`
	MaxTokens int    `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text; default: no budget"`
}

// WhyOutput is the answer.
type WhyOutput struct{ Body *loader.Why }

func (a *API) whyContext(ctx context.Context, in *WhyInput) (*WhyOutput, error) {
	scope, err := scopeFor(ctx, auth.Read, in.TeamID, in.UserID)
	if err != nil {
		return nil, err
	}
	why, err := a.Contexts.Why(ctx, loader.WhyRequest{Scope: scope, Key: in.Key, MaxTokens: in.MaxTokens})
	if err != nil {
		return nil, located("query", err)
	}
	return &WhyOutput{Body: why}, nil
}

// contextResponse describes the answer, which is sent as bytes.
func contextResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[loader.AgentContext](), true, "AgentContext")
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("The context", schema),
		"304": {Description: "Nothing has changed since the ETag in If-None-Match"},
	}
	o.Responses["200"].Headers = map[string]*huma.Param{asOfHeader: asOfParam(), replayHeader: {
		Description: "of a context of the past. recorded: the bytes that were served then; reconstructed: put together from what is stored now; equal, different: compared with the digest of the answer of that moment, if it was stored",
		Schema:      &huma.Schema{Type: huma.TypeString, Enum: []any{loader.Recorded, loader.Reconstructed, loader.Equal, loader.Different}},
	}}
}

// Headers of contexts.
const (
	asOfHeader   = "Kith-As-Of"
	replayHeader = "Kith-Replay"
)

// asOfParam describes the header with the moment of a context.
func asOfParam() *huma.Param {
	return &huma.Param{
		Description: "the moment of the answer: as_of with it gives the same bytes for 30 days; omitted if they cannot be kept",
		Schema:      &huma.Schema{Type: huma.TypeString, Format: "date-time"},
	}
}
