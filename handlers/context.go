package handlers

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/auth"
	"kith/graph"
	"kith/loader"
)

// ContextInput asks for a context.
type ContextInput struct {
	UserID      string    `query:"user_id" minLength:"1" doc:"whose context; default: the user of the key. Required where the key is not bound to one"`
	TeamID      string    `query:"team_id" minLength:"1" doc:"must be the key's team, if given"`
	TimeZone    string    `query:"time_zone" doc:"IANA name; default: the preference time_zone, else UTC" example:"Europe/Berlin"`
	Format      string    `query:"format" enum:"json,text" default:"json"`
	MaxTokens   int       `query:"max_tokens" minimum:"100" maximum:"100000" doc:"o200k tokens of the text, 100 to 100,000; lowest-ranked lines go first, and the text says what went; only with format=text"`
	Sections    []string  `query:"sections,explode" doc:"user, relationships, recent_context, temporal, repeated or with commas; default: all"`
	FocusKind   string    `query:"focus_kind" enum:"person,concept,entity" doc:"person, concept or entity; with focus_id, and never without"`
	FocusID     string    `query:"focus_id" minLength:"1" maxLength:"256" doc:"entity_key of what the user looks at; with focus_kind, and never without"`
	AsOf        time.Time `query:"as_of" doc:"the context of a day in the past: what was linked then, the week before it"`
	IfNoneMatch string    `header:"If-None-Match"`

	ConversationID string `query:"conversation_id" minLength:"1" maxLength:"256" doc:"the conversation that is open now: neither recent_context nor temporal has it"`
}

func (a *API) getContext(ctx context.Context, in *ContextInput) (*huma.StreamResponse, error) {
	scope, err := actFor(ctx, auth.Read, in.TeamID, in.UserID)
	if err != nil {
		return nil, err
	}
	answer, err := a.Contexts.Context(ctx, loader.Request{
		Scope: scope, TimeZone: in.TimeZone, Format: loader.Format(in.Format), MaxTokens: in.MaxTokens,
		Sections: apart(in.Sections), FocusKind: in.FocusKind, FocusID: in.FocusID, AsOf: optionalTime(in.AsOf),
		ConversationID: in.ConversationID,
	}, nil)
	return unless(in.IfNoneMatch, answer, err)
}

// apart are the words of a list that is given by repeating its parameter, with commas, or both.
func apart(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return strings.Split(strings.Join(list, ","), ",")
}

// unless sends an answer that is ready, unless the caller has it.
func unless(ifNoneMatch string, answer loader.Answer, err error) (*huma.StreamResponse, error) {
	if err != nil {
		return nil, located("query", err)
	}
	if matches(ifNoneMatch, answer.ETag) {
		return send(http.StatusNotModified, answer), nil
	}
	return send(http.StatusOK, answer, answer.Head, answer.Tail), nil
}

// send writes bytes that are ready, in one piece and with their length: net/http would send them in chunks.
func send(status int, answer loader.Answer, parts ...[]byte) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", answer.ContentType)
		ctx.SetHeader("Cache-Control", "private, no-cache")
		ctx.AppendHeader("Vary", "Authorization") // beside what compression and CORS vary by
		if answer.ETag != "" {
			ctx.SetHeader("ETag", answer.ETag)
		}
		if len(parts) == 0 {
			ctx.SetStatus(status)
			return
		}
		whole, _ := buffers.Get().(*[]byte)
		*whole = (*whole)[:0]
		for _, part := range parts {
			*whole = append(*whole, part...)
		}
		ctx.SetHeader("Content-Length", strconv.Itoa(len(*whole)))
		ctx.SetStatus(status)
		_, _ = ctx.BodyWriter().Write(*whole) // a caller that has gone is nobody's error
		buffers.Put(whole)
	}}
}

// buffers are reused for answers put together from parts.
var buffers = sync.Pool{New: func() any { return new([]byte) }} //nolint:gochecknoglobals // a pool

// actFor is the scope in which the caller acts: its team, and the user named or bound.
func actFor(ctx context.Context, needs, teamID, userID string) (graph.Scope, error) {
	p := principal(ctx)
	if teamID != "" && teamID != p.TeamID {
		return graph.Scope{}, errOtherTeam
	}
	return p.For(needs, userID)
}

// matches compares weakly, as If-None-Match does.
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == strings.TrimPrefix(etag, "W/") {
			return header != ""
		}
	}
	return false
}

// jsonOrText describes an answer that comes as JSON, or as Markdown for a prompt.
func jsonOrText(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{
		jsonType: {Schema: schema}, "text/markdown": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}
}

// contextResponse describes the answer, which is sent as bytes.
func contextResponse(api huma.API, o *huma.Operation) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[loader.AgentContext](), true, "AgentContext")
	o.Responses = map[string]*huma.Response{
		"200": jsonOrText("The context", schema),
		"304": {Description: "Nothing has changed since the ETag in If-None-Match"},
	}
}
