package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/text/markup"
)

// advices say what to do about an error instead of calling again as before. The first that fits counts; an empty text stands
// for the error's own, which names no values.
var advices = []struct { //nolint:gochecknoglobals // a constant table
	is     error
	detail string
	then   string
}{
	{fault.ErrInvalid, "the call has faults", "Correct what is named and call again."},
	{fault.ErrNotFound, "there is nothing of this key that you may see", "Find the key first: explore gives entity keys."},
	{fault.ErrConflict, "", "Look at what is stored before you write again."},
	{auth.ErrForbidden, "", "Calling again does not help: use the user_id that the key allows, or tell the user."},
	{auth.ErrUnauthorized, "nobody has been let in", "Tell the user that the API key is missing or wrong."},
	{graph.ErrBusy, "too many statements of the team run at once", "Wait some seconds and call again, once."},
	{graph.ErrTooLarge, "the call needs more memory than the database gives to one transaction (db.memory.transaction.max), and nothing was written", "Send or ask for less in one call."},
	{graph.ErrUnavailable, "the memory does not answer", "Go on without it, and say so if it matters; call again later. What was to be written may or may not be stored, and can be sent again."},
	{context.DeadlineExceeded, "the call took too long", "Ask for less: fewer queries, a smaller limit, fewer hops."},
	{context.Canceled, "the call was given up", "Call again if it is still wanted."},
}

// toolNames puts what agents can call where texts of other packages name calls over HTTP.
var toolNames = strings.NewReplacer( //nolint:gochecknoglobals // a constant table
	"GET /v1/schema", "the resource kith://schema", "POST /v1/memory", "remember", "POST /v1/explore", "explore", "POST /v1/traverse", "traverse",
)

// advice returns the text of an error for a model. What is not its fault is logged.
func (s *Server) advice(ctx context.Context, tool string, err error) (string, Outcome) {
	for _, a := range advices {
		if !errors.Is(err, a.is) {
			continue
		}
		detail := a.detail
		if detail == "" {
			detail = strings.TrimSuffix(err.Error(), ": "+a.is.Error())
		}
		outcome := Refused
		if a.is == graph.ErrUnavailable || a.is == context.DeadlineExceeded { //nolint:errorlint // the table's own
			outcome = Failed
			s.options.Log.ErrorContext(ctx, "tool failed", "tool", tool, "error", err)
		}
		if a.is == graph.ErrTooLarge { //nolint:errorlint // the table's own
			s.options.Log.WarnContext(ctx, "tool call too large for the database", "tool", tool, "error", err)
		}
		then := a.then
		var lacking *auth.ScopeError
		if errors.As(err, &lacking) {
			then = "Calling again does not help: tell the user that this needs an API key with the scope " + lacking.Scope + "."
		}
		return "Refused: " + markup.Inline(detail) + ".\n" + located(err) + then, outcome
	}
	s.options.Log.ErrorContext(ctx, "tool failed", "tool", tool, "error", err)
	return "Something went wrong here; the service's log says what. Go on without this tool.", Failed
}

// located returns the field errors of an error, one line each.
func located(err error) string {
	var t strings.Builder
	for _, f := range fault.Fields(err) {
		place := f.Path.String()
		if place == "" {
			place = "arguments"
		}
		fmt.Fprintf(&t, "- %s: %s\n", markup.Item(place), markup.Inline(toolNames.Replace(f.Message)))
	}
	return t.String()
}
