package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/feed"
)

const changesPath = "/v1/changes"

// changeFeed reads what was committed in a team.
type changeFeed interface {
	Changes(ctx context.Context, scope graph.Scope, after string, filter feed.Filter, limit int) (feed.ChangePage, error)
	Start(ctx context.Context, team, after string) (feed.Position, error)
	Read(ctx context.Context, scope graph.Scope, r feed.Range, filter feed.Filter, limit int) (feed.Batch, error)
	Watch(ctx context.Context, scope graph.Scope, from feed.Position, filter feed.Filter, send func(feed.Step) error) error
}

// isChangeStream reports whether a request asks for changes as a stream.
func isChangeStream(path string, h http.Header) bool {
	return path == changesPath && strings.Contains(h.Get("Accept"), eventsType)
}

// ListChangesInput asks for changes behind a cursor.
type ListChangesInput struct {
	UserID string   `query:"user_id" minLength:"1" maxLength:"256" doc:"the changes of this user's memory and of what the team shares; default: the user of the key, or else all of the team"`
	After  string   `query:"after" maxLength:"4096" doc:"next of the page before, or the cursor of a change; now: the end; default: the oldest changes that are kept"`
	Limit  int      `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Kinds  []string `query:"kinds" maxItems:"50" doc:"kinds of nodes, relationship, system, system_relationship, preference, statement; default: all"`

	LastEventID string `header:"Last-Event-ID" maxLength:"4096" doc:"of the last event that was read: a stream goes on behind it, whatever after is"`
}

func (a *API) listChanges(ctx context.Context, in *ListChangesInput) (*huma.StreamResponse, error) {
	scope, err := scopeFor(ctx, auth.Read, "", in.UserID)
	if err != nil {
		return nil, err
	}
	f, filter := &fault.List{}, feed.Filter{Kinds: in.Kinds}
	f.OptionalKey(fault.At("user_id"), in.UserID)
	if filter.Check(f, fault.At); f.Len() > 0 {
		return nil, located("query", f.Err())
	}
	if deadlines(ctx) != nil {
		return a.streamChanges(ctx, scope, filter, in)
	}
	page, err := a.Changes.Changes(ctx, scope, in.After, filter, in.Limit)
	if err != nil {
		return nil, located("query", err)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", jsonType)
		hc.SetHeader("Cache-Control", "no-store")
		hc.SetHeader("Vary", "Accept")
		_ = json.NewEncoder(hc.BodyWriter()).Encode(page) // a caller that has gone is nobody's error
	}}, nil
}

// streamChanges sends changes as server-sent events until the caller leaves, the key is revoked, or Kith stops.
func (a *API) streamChanges(ctx context.Context, scope graph.Scope, filter feed.Filter, in *ListChangesInput) (*huma.StreamResponse, error) {
	after := in.After
	if in.LastEventID != "" {
		after = in.LastEventID
	}
	first, cancel := context.WithTimeout(ctx, a.options.Deadline)
	defer cancel()
	from, err := a.Changes.Start(first, scope.TeamID, after)
	if err != nil {
		return nil, located("query", err)
	}
	leave, ok := a.options.ChangeStreams.Take(scope.TeamID, scope.UserID)
	if !ok {
		return nil, errStreams
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		ctx, end := a.untilStop(ctx)
		defer end()
		out := a.beginEvents(ctx, hc)
		err := a.Changes.Watch(ctx, scope, from, filter, func(s feed.Step) error { return sendStep(out, s) })
		if err != nil && ctx.Err() == nil { // the stream ends, and is asked for again
			a.options.Log.WarnContext(ctx, "changes broke off", "request_id", requestID(ctx), "error", err)
		}
	}}, nil
}

// sendStep writes an event for each change. Without changes it writes the cursor alone, which a reader keeps as the id of its last
// event.
func sendStep(out *events, s feed.Step) error {
	var text bytes.Buffer
	for i := range s.Changes {
		data, err := json.Marshal(&s.Changes[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "id: %s\nevent: change\ndata: %s\n\n", s.Changes[i].Cursor, data)
	}
	if len(s.Changes) == 0 {
		fmt.Fprintf(&text, ": \nid: %s\n\n", s.Cursor)
	}
	return out.send(text.Bytes())
}

// events is a stream of server-sent events that is being written.
type events struct{ *movingWriter }

// beginEvents sends the headers of a stream of events, which ends with ctx.
func (a *API) beginEvents(ctx context.Context, hc huma.Context) *events {
	hc.SetHeader("Content-Type", eventsType)
	hc.SetHeader("Cache-Control", "no-store")
	hc.SetHeader("X-Accel-Buffering", "no")
	hc.SetHeader("Connection", "close") // its deadline would stay for what is asked next
	return &events{&movingWriter{hc.BodyWriter(), deadlines(ctx), a.options.StreamPause, ctx}}
}

// send writes events in one piece.
func (e *events) send(text []byte) error {
	if _, err := io.Copy(e.movingWriter, bytes.NewReader(text)); err != nil {
		return err
	}
	return e.connection.Flush()
}

// changesResponse describes the answer, which is a page or a stream.
func changesResponse(api huma.API, o *huma.Operation) {
	o.Errors = append(o.Errors, http.StatusGone)
	o.Responses = map[string]*huma.Response{"200": {
		Description: "A page of changes. With Accept: text/event-stream an event change for each, as they are committed; without changes a comment with an id every 15 seconds",
		Content: map[string]*huma.MediaType{
			jsonType:   {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[feed.ChangePage](), true, "ChangePage")},
			eventsType: {Schema: &huma.Schema{Description: "Each event has an id (the cursor), an event (change) and data: the change as in the page"}},
		},
	}}
}
