package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"kith/access/auth"
	"kith/memory/chat"
)

const (
	eventsPath = "/v1/turns/:id/events" // as gin calls it
	eventsType = "text/event-stream"

	longestStream = 10 * time.Minute // then it is asked for again
)

// isStream reports whether a request is answered by a stream without a total deadline.
func isStream(c *gin.Context) bool {
	return exchanges[c.Request.URL.Path] || c.FullPath() == eventsPath || isChangeStream(c.FullPath(), c.Request.Header)
}

// TurnEventsInput asks for the events of a turn.
type TurnEventsInput struct {
	ChatPath
	LastEventID string `header:"Last-Event-ID" maxLength:"64" doc:"of the last event that was read: the stream goes on behind it"`
}

func (a *API) turnEvents(ctx context.Context, in *TurnEventsInput) (*huma.StreamResponse, error) {
	scope, err := in.resolve(ctx, auth.Read)
	if err != nil {
		return nil, err
	}
	first, cancel := context.WithTimeout(ctx, a.options.Deadline)
	defer cancel()
	turn, err := a.ChatStore.ChatTurn(first, scope, in.ID)
	if err != nil {
		return nil, err
	}
	if chat.IsLastEvent(turn, in.LastEventID) { // a 204 stops the reader from reconnecting
		return &huma.StreamResponse{Body: func(hc huma.Context) { hc.SetStatus(http.StatusNoContent) }}, nil
	}
	leave, ok := a.options.Streams.Take(scope.TeamID, scope.UserID)
	if !ok {
		return nil, errStreams
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		ctx, cancel := context.WithTimeout(ctx, longestStream)
		defer cancel()
		ctx, end := a.untilStop(ctx)
		defer end()
		out := a.beginEvents(ctx, hc)
		err := a.Chats.Watch(ctx, scope, in.ID, in.LastEventID, func(e chat.Event) error { return sendEvent(out, e) })
		if err != nil && ctx.Err() == nil { // the stream ends without its last event, and is asked for again
			a.options.Log.WarnContext(ctx, "events broke off", "request_id", requestID(ctx), "error", err)
		}
	}}, nil
}

// sendEvent writes an event in one piece, or a comment as a sign of life.
func sendEvent(out *events, e chat.Event) error {
	event := []byte(": \n\n")
	if e.Type != "" {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return err
		}
		event = fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	}
	return out.send(event)
}

// eventsResponse describes the answer, which is a stream.
func eventsResponse(_ huma.API, o *huma.Operation) {
	o.Responses = map[string]*huma.Response{
		"200": {
			Description: "Events: status (turn_id, status, attempt; at the end assistant_text or error), text (text: all of the answer so far), " +
				"delta (text: what comes next), deleted. The stream ends with the turn's answer, or is asked for again with Last-Event-ID",
			Content: map[string]*huma.MediaType{eventsType: {Schema: &huma.Schema{Description: "Each event has an id, an event (its type) and data, which is JSON"}}},
		},
		"204": {Description: "The event of Last-Event-ID was the last one"},
	}
}
