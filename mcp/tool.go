package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/access/audit"
	"kith/access/auth"
	"kith/access/limit"
	"kith/graph"
	"kith/internal/contract"
	"kith/memory/ownkey"
	"kith/text/markup"
)

// Outcome is how a call ended, for metrics.
type Outcome string

// Done: the tool did what was asked. Refused: the call has faults, or is not allowed. Failed: Kith could not.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Caller says for whom a tool is called; part of every input.
type Caller struct {
	UserID string `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"default: the key's user"`
}

// callerDoc describes the user_id of inputs that other packages declare.
const callerDoc = "default: the key's user"

// tool describes what a model may call, and by effect what that does to the memory. About says when to call it and when not.
type tool struct {
	name, title string
	effect      effect
	about       string
}

// needs is the scope of a key that may call the tool.
func (t tool) needs() string {
	switch t.effect {
	case reads:
		return auth.Read
	case decides:
		return auth.Admin
	}
	return auth.Write
}

type effect int

// Tools that read, those that add and change, those that add again when they are called again, those that take away, and those that
// decide about the writes of others. None reaches further than the memory.
const (
	reads effect = iota
	writes
	appends
	deletes
	decides
)

func (t tool) annotations() *sdk.ToolAnnotations {
	destructive, open := t.effect == deletes, false // the protocol takes neither for granted
	a := &sdk.ToolAnnotations{ReadOnlyHint: t.effect == reads, IdempotentHint: t.effect != appends, OpenWorldHint: &open}
	if t.effect != reads {
		a.DestructiveHint = &destructive
	}
	return a
}

// answer is the result of a tool: text for a model, and what a program may want of it as an object, if anything. With Wrong it did nothing.
type answer struct {
	text   string
	object any
	wrong  bool
	at     time.Time // the moment of a context that can be asked for again; zero: of none
}

// asOfMeta is the name of that moment in the metadata of a result, which models do not see.
const asOfMeta = "kith/as_of"

// add makes a tool of a function. Its input is checked against the form before, and the call is bounded in time.
func add[I any](s *Server, t tool, input contract.Form, call func(ctx context.Context, in *I) (answer, error)) {
	definition := &sdk.Tool{
		Meta: s.options.appMeta(t.name), Name: t.name, Title: t.title, Description: t.about, Annotations: t.annotations(), InputSchema: input,
	}
	s.needs[t.name] = t.needs()
	s.sdk.AddTool(definition, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in I
		return holdLongValues(ctx, s.call(ctx, t.name, func(ctx context.Context) (answer, error) {
			if err := input.Read(input.Mend(r.Params.Arguments), &in); err != nil {
				return answer{}, err
			}
			caller := auth.PrincipalOf(ctx)
			scope := graph.Scope{TeamID: caller.TeamID, UserID: caller.UserID}
			return ownkey.Do(ctx, s.OwnKeys, scope, &in, func() (answer, error) { return call(ctx, &in) })
		})), nil
	})
}

// permitted leaves tools out of their list that the caller's key may not call.
func (s *Server) permitted(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		list, ok := result.(*sdk.ListToolsResult)
		if err != nil || !ok {
			return result, err
		}
		caller := auth.PrincipalOf(ctx)
		list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *sdk.Tool) bool { return !caller.Allows(s.needs[t.Name]) })
		list.CacheScope = "private"
		return list, nil
	}
}

// call runs a tool and makes a result of what becomes of it: errors too are for the model to read.
func (s *Server) call(ctx context.Context, tool string, run func(context.Context) (answer, error)) *sdk.CallToolResult {
	start, outcome := time.Now(), Done
	defer func() { s.options.Observe(tool, outcome, time.Since(start)) }()
	ctx, cancel := context.WithTimeout(ctx, s.timeOf(tool))
	defer cancel()
	ctx, trail := audit.WithTrail(graph.WithWriter(ctx, graph.Writer{KeyID: auth.PrincipalOf(ctx).WriterID(), Through: "mcp:" + tool, Limit: auth.PrincipalOf(ctx).Limit}))
	ctx, end := s.options.Trace(ctx, "tool "+tool)
	ctx, endOperation := s.options.Operations.Start(ctx, limit.OperationOf(tool))
	var given answer
	err := auth.PrincipalOf(ctx).MayChange(limit.OperationOf(tool))
	if err == nil || s.needs[tool] == auth.Read {
		given, err = recovered(ctx, run)
	}
	endOperation(err)
	end(err)
	s.writeAudit(ctx, tool, trail, err)
	var object json.RawMessage
	if err == nil && !given.wrong && given.object != nil {
		object, err = json.Marshal(given.object)
		object = json.RawMessage(markup.Document(string(graph.CutKeyMarks(object)))) // clients show it to models too
	}
	switch {
	case err != nil:
		var text string
		text, outcome = s.advice(ctx, tool, err)
		return &sdk.CallToolResult{IsError: true, Content: texts(text)}
	case given.wrong:
		outcome = Refused
		return &sdk.CallToolResult{IsError: true, Content: texts(given.text)}
	}
	result := &sdk.CallToolResult{Content: texts(given.text)}
	if !given.at.IsZero() {
		result.Meta = sdk.Meta{asOfMeta: given.at.Format(time.RFC3339Nano)}
	}
	if object != nil {
		result.StructuredContent = object
	}
	return result
}

// timeOf is how long a call may take.
func (s *Server) timeOf(tool string) time.Duration {
	if tool == mergeSystemTool && s.Reader != nil {
		return s.options.Deadline + s.options.Reading
	}
	return s.options.Deadline
}

// holdLongValues prepares a result for sending: over HTTP its text and object are held until then.
func holdLongValues(ctx context.Context, r *sdk.CallToolResult) *sdk.CallToolResult {
	h := heldOf(ctx)
	if h == nil {
		return r
	}
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			quoted, _ := json.Marshal(text.Text) //nolint:errchkjson // a text always can
			text.Text = h.hold(quoted)
		}
	}
	if object, ok := r.StructuredContent.(json.RawMessage); ok {
		r.StructuredContent = json.RawMessage(strconv.AppendQuote(nil, h.hold(object)))
	}
	return r
}

func texts(text string) []sdk.Content {
	return []sdk.Content{&sdk.TextContent{Text: string(graph.CutKeyMarks([]byte(text)))}}
}

// recovered makes an error of a panic: one call must not end the others.
func recovered(ctx context.Context, run func(context.Context) (answer, error)) (given answer, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack()) //nolint:err113 // for the log
		}
	}()
	return run(ctx)
}

// scope is in which a caller acts for a user.
func scope(ctx context.Context, needs string, c Caller) (graph.Scope, error) {
	return auth.PrincipalOf(ctx).For(needs, c.UserID)
}
