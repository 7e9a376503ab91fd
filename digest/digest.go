// Package digest has a language model read sources: it sums a conversation up, or proposes the persons, concepts and
// entities that a source tells of, and how they relate; and texts about software systems. What the model answers is checked here and in package graph, which
// stores it; a model that fails changes nothing that is stored but the state of its source. It knows nothing of HTTP.
package digest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"kith/graph"
	"kith/llm"
)

type store interface {
	Source(ctx context.Context, scope graph.Scope, key string) (graph.Source, error)
	Messages(ctx context.Context, scope graph.Scope, sourceKey string, from, limit int64) ([]graph.Message, error)
	Accept(ctx context.Context, scope graph.Scope, key string, p *graph.Proposal) (graph.MemoryResult, error)
	Summarize(ctx context.Context, scope graph.Scope, key, summary string) error
	Decline(ctx context.Context, scope graph.Scope, key, reason string) error
	SystemMemory(ctx context.Context, scope graph.Scope, system string) (graph.SystemMemory, error)
	MergeSystem(ctx context.Context, scope graph.Scope, system string, w *graph.SystemWrite) (graph.SystemResult, error)
}

type generator interface {
	Generate(ctx context.Context, model string, messages []llm.Message, delta func(text string)) (llm.Answer, error)
}

const (
	defaultTimeout = time.Minute
	declineTime    = 5 * time.Second // for the note that the model failed, whatever became of the request
	maxReading     = 16              // sources read at a time
)

// Options are what a Reader may be given.
type Options struct {
	Timeout time.Duration // for what a model makes of one source; default a minute
	Log     *slog.Logger  // default: discards
}

// Reader has a language model read sources, sixteen at a time; others wait. It is safe for concurrent use.
type Reader struct {
	store   store
	model   generator
	options Options
	places  chan struct{}
}

// New makes a Reader.
func New(s store, model generator, o Options) *Reader {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Reader{store: s, model: model, options: o, places: make(chan struct{}, maxReading)}
}

// Extraction says what became of the proposals of a language model.
type Extraction struct {
	Status        string                     `json:"status" enum:"extracted,failed"`
	Error         *string                    `json:"error" doc:"why it failed; the source keeps it as its processing_error"`
	Provider      string                     `json:"provider_id,omitempty" doc:"the model that answered"`
	Nodes         []Proposed                 `json:"nodes" doc:"what the source is about, and is now said to mention; unchanged ones were there"`
	Relationships []graph.RelationshipResult `json:"relationships"`
	Warnings      []string                   `json:"warnings"`
	Users         []string                   `json:"-"` // whose memory was changed
}

// Changed are the keys of what was created.
func (e *Extraction) Changed() []string {
	nodes := make([]graph.NodeResult, len(e.Nodes))
	for i := range e.Nodes {
		nodes[i] = e.Nodes[i].NodeResult
	}
	return append(graph.ChangedNodes(nodes), graph.ChangedRelationships(e.Relationships)...)
}

// Proposed is a node that a language model proposed, and what became of it.
type Proposed struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	graph.NodeResult
}

// Extract has the model propose what a user's source tells of, and stores that. An answer that cannot be stored is sent
// back once, with what is wrong. A model that fails, or proposes what the store refuses, is no error: the Extraction and the
// source say so. Errors are those of the store.
func (r *Reader) Extract(ctx context.Context, scope graph.Scope, key string) (Extraction, error) {
	read, err := r.read(ctx, scope, key)
	if err != nil {
		return Extraction{}, err
	}
	if len(read.lines) == 0 && read.source.Summary == "" {
		return r.failed(ctx, scope, key, errors.New("the source has no messages and no summary to read"))
	}
	proposal, provider, err := propose(ctx, r, extractPrompt, read.text(), validate)
	if err != nil {
		return r.failed(ctx, scope, key, err)
	}
	result, err := r.store.Accept(ctx, scope, key, proposal)
	switch {
	case refused(err):
		return r.failed(ctx, scope, key, err)
	case err != nil:
		return Extraction{}, err
	}
	e := Extraction{
		Status: graph.SourceExtracted, Provider: provider, Nodes: make([]Proposed, len(result.Nodes)),
		Relationships: result.Relationships, Warnings: append(read.warnings(), result.Warnings...), Users: result.Users,
	}
	for i, n := range result.Nodes {
		e.Nodes[i] = Proposed{proposal.Nodes[i].Kind, proposal.Nodes[i].Name, n}
	}
	return e, nil
}

// refused says whether the store does not take what a model proposed.
func refused(err error) bool {
	return errors.Is(err, graph.ErrQuota) || errors.Is(err, graph.ErrInvalid) || errors.Is(err, graph.ErrConflict)
}

// failed notes with the source that the model made nothing of it, also where whoever asked has gone.
func (r *Reader) failed(ctx context.Context, scope graph.Scope, key string, reason error) (Extraction, error) {
	r.options.Log.Warn("extraction failed", "source", key, "error", reason)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), declineTime)
	defer cancel()
	text := reason.Error()
	if err := r.store.Decline(ctx, scope, key, text); err != nil {
		return Extraction{}, err
	}
	return Extraction{
		Status: graph.SourceFailed, Error: &text, Nodes: []Proposed{}, Relationships: []graph.RelationshipResult{}, Warnings: []string{},
		Users: []string{scope.UserID},
	}, nil
}

// propose asks for proposals, and once more where they cannot be stored. It also returns the model that answered.
func propose[T any](ctx context.Context, r *Reader, prompt, text string, check func(*T) error) (*T, string, error) {
	ctx, leave, err := r.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	messages := []llm.Message{{Role: "system", Text: prompt}, {Role: "user", Text: text}}
	for again := false; ; again = true {
		answer, err := r.model.Generate(ctx, "", messages, nil)
		if err != nil {
			return nil, "", err
		}
		proposal, err := parse(answer.Text, check)
		if err == nil || again {
			return proposal, answer.ProviderID, err
		}
		messages = append(messages, llm.Message{Role: "assistant", Text: beginning(answer.Text, maxText)}, llm.Message{Role: "user", Text: repairPrompt(err)})
	}
}

// Summarize has the model sum a user's source up, and stores that; a source that has a summary, or no message, is left as
// it is, and the summary empty. Errors: those of package llm, and of the store.
func (r *Reader) Summarize(ctx context.Context, scope graph.Scope, key string) (summary string, warnings []string, err error) {
	read, err := r.read(ctx, scope, key)
	if err != nil || read.source.Summary != "" || len(read.lines) == 0 {
		return "", nil, err
	}
	if summary, err = r.sumUp(ctx, read.text()); err == nil {
		err = r.store.Summarize(ctx, scope, key, summary)
	}
	if err != nil {
		return "", nil, fmt.Errorf("summarize: %w", err)
	}
	return summary, read.warnings(), nil
}

func (r *Reader) sumUp(ctx context.Context, text string) (string, error) {
	ctx, leave, err := r.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	answer, err := r.model.Generate(ctx, "", []llm.Message{{Role: "system", Text: summaryPrompt}, {Role: "user", Text: text}}, nil)
	return strings.TrimSpace(answer.Text), err
}

// enter waits for a place, and bounds the time of what the model is asked for; leave gives both back.
func (r *Reader) enter(ctx context.Context) (bounded context.Context, leave func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, r.options.Timeout)
	select {
	case r.places <- struct{}{}:
		return bounded, func() { <-r.places; cancel() }, nil
	case <-bounded.Done():
		cancel()
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("the request was given up: %w", err)
		}
		return nil, nil, fmt.Errorf("too many sources wait for the model: %w", llm.ErrUnavailable)
	}
}
