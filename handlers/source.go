package handlers

import (
	"context"
	"fmt"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/chat"
)

// sourceStore reads and writes sources and conversations.
type sourceStore interface {
	WriteSource(ctx context.Context, scope graph.Scope, w *graph.SourceWrite) (graph.SourceResult, error)
	AppendMessages(ctx context.Context, scope graph.Scope, key string, messages []graph.MessageWrite) (graph.SourceResult, error)
	PopMessages(ctx context.Context, scope graph.Scope, key string, limit int64) ([]graph.Message, error)
	EndConversation(ctx context.Context, scope graph.Scope, key string, end *graph.ConversationEnd) (graph.SourceResult, error)
	Source(ctx context.Context, scope graph.Scope, key string) (graph.Source, error)
	Messages(ctx context.Context, scope graph.Scope, key string, from, limit int64) ([]graph.Message, error)
	LastMessages(ctx context.Context, scope graph.Scope, key string, limit int64) ([]graph.Message, error)
	Conversations(ctx context.Context, scope graph.Scope, cursor string, limit int) (graph.ConversationPage, error)
	SetFocus(ctx context.Context, scope graph.Scope, key string, focus *graph.ConversationFocus) (graph.SourceResult, error)
}

// SourceInput writes a source.
type SourceInput struct {
	Extract        bool   `query:"extract" doc:"have the language model propose the persons, concepts and entities that the source tells of, and how they relate; it may take a minute"`
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"256" doc:"for a day, the same key and body get the same answer; another body a 409"`
	Body           graph.SourceWrite
}

func (a *API) writeSource(ctx context.Context, in *SourceInput) (*SourceOutput, error) {
	scope, err := principal(ctx).For(auth.Write, in.Body.UserID)
	if err != nil {
		return nil, err
	}
	if in.Body.IdempotencyKey, err = chooseIdempotencyKey(in.IdempotencyKey, in.Body.IdempotencyKey); err != nil {
		return nil, err
	}
	if in.Extract && a.Digests == nil {
		return nil, errNoReader
	}
	if in.Extract && scope.UserID == "" {
		return nil, fault.Invalid(fault.At("query").Field("extract"), fault.Required, "needs a user_id: what is proposed belongs to a user")
	}
	result, err := withDeadline(ctx, a, func(ctx context.Context) (graph.SourceResult, error) {
		return a.Sources.WriteSource(ctx, scope, &in.Body)
	})
	out, err := sourceOutput(result, err)
	if err != nil || !in.Extract {
		return out, err
	}
	return out, a.extract(ctx, scope, out)
}

var errNoReader = fmt.Errorf("extract needs a language model, and none is configured: %w", chat.ErrNoModel)

// withDeadline writes within the time that requests without a language model have.
func withDeadline[T any](ctx context.Context, a *API, write func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.Deadline)
	defer cancel()
	return write(ctx)
}

// extract asks the language model for what a stored source mentions. An answer that is repeated has been read before,
// unless that failed.
func (a *API) extract(ctx context.Context, scope graph.Scope, out *SourceOutput) error {
	if out.Repeated != "" {
		source, err := a.Sources.Source(ctx, scope, out.Body.EntityKey)
		if err != nil || source.ProcessingStatus == graph.SourceExtracted {
			return err
		}
	}
	extraction, err := a.Digests.Extract(ctx, scope, out.Body.EntityKey)
	if err != nil {
		return err
	}
	out.Body.Extraction = &extraction
	return nil
}

// summarize has the language model sum a conversation up that has just ended. It is ended, whatever comes of that.
func (a *API) summarize(ctx context.Context, scope graph.Scope, out *SourceOutput) {
	summary, warnings, err := a.Digests.Summarize(ctx, scope, out.Body.EntityKey)
	if err != nil {
		a.options.Log.WarnContext(ctx, "no summary", "request_id", requestID(ctx), "error", err)
		warnings = []string{"summary: the conversation has none, as the language model made none that can be stored"}
	}
	out.Body.Summary, out.Body.Warnings = summary, append(out.Body.Warnings, warnings...)
}
