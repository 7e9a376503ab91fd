// Package digest uses a language model to read sources and texts about software systems. It summarizes a conversation,
// or proposes the persons, concepts and entities that a source mentions, and their relationships; of a text about a
// system it proposes the entities and relationships of that system. This package and package graph, which stores the
// answer, check what the model proposes. When a model fails, only the state of its source changes. The package knows
// nothing of HTTP.
package digest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/llm"
	"kith/memory/system"
	"kith/text/clip"
)

type store interface {
	Source(ctx context.Context, scope graph.Scope, key string) (graph.Source, error)
	Messages(ctx context.Context, scope graph.Scope, sourceKey string, from, limit int64) ([]graph.Message, error)
	Accept(ctx context.Context, scope graph.Scope, key string, p *graph.Proposal) (graph.MemoryResult, error)
	Summarize(ctx context.Context, scope graph.Scope, key, summary string) error
	Decline(ctx context.Context, scope graph.Scope, key, reason string) error
}

// systems has the knowledge of software systems.
type systems interface {
	SystemMemory(ctx context.Context, scope graph.Scope, system string) (system.Memory, error)
	MergeSystem(ctx context.Context, scope graph.Scope, system string, w *system.Write) (system.Result, error)
}

type generator interface {
	Generate(ctx context.Context, model string, messages []llm.Message, delta func(text string)) (llm.Answer, error)
}

const (
	defaultTimeout = time.Minute
	declineTimeout = 5 * time.Second // for storing a failure, also after the request has ended
	maxReading     = 16              // sources read concurrently
)

// Options configure a Reader.
type Options struct {
	Timeout time.Duration // for one source; default a minute
	Log     *slog.Logger  // default: discards
}

// Reader uses a language model to read sources, sixteen at a time; others wait. It is safe for concurrent use.
type Reader struct {
	store   store
	systems systems
	model   generator
	options Options
	slots   chan struct{}
}

// New returns a Reader.
func New(s store, known systems, model generator, o Options) *Reader {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Reader{store: s, systems: known, model: model, options: o, slots: make(chan struct{}, maxReading)}
}

// Extraction is the result of an extraction by a language model.
type Extraction struct {
	Status        string                     `json:"status" enum:"extracted,failed"`
	Error         *string                    `json:"error" doc:"why it failed; the source keeps it as its processing_error"`
	Provider      string                     `json:"provider_id,omitempty" doc:"the model that answered"`
	Nodes         []Proposed                 `json:"nodes" doc:"what the source is about, and is now said to mention; unchanged ones were there"`
	Relationships []graph.RelationshipResult `json:"relationships"`
	Warnings      []string                   `json:"warnings"`
}

// Proposed is a node that a language model proposed, with the result of storing it.
type Proposed struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	graph.NodeResult
}

// Extract asks the model for proposals from a user's source, and stores them. An answer that cannot be stored is sent
// back once, with its faults. A failing model, or proposals that the store refuses, are no error: the Extraction and
// the source report them. It returns the errors of the store.
func (r *Reader) Extract(ctx context.Context, scope graph.Scope, key string) (Extraction, error) {
	read, err := r.readTranscript(ctx, scope, key)
	if err != nil {
		return Extraction{}, err
	}
	if len(read.lines) == 0 && read.source.Summary == "" {
		return r.recordFailure(ctx, scope, key, errors.New("the source has no messages and no summary to read"))
	}
	proposal, provider, err := propose(ctx, r, extractPrompt, read.text(), validate)
	if err != nil {
		return r.recordFailure(ctx, scope, key, err)
	}
	result, err := r.store.Accept(ctx, scope, key, proposal)
	switch {
	case isRefused(err):
		return r.recordFailure(ctx, scope, key, err)
	case err != nil:
		return Extraction{}, err
	}
	e := Extraction{
		Status: graph.SourceExtracted, Provider: provider, Nodes: make([]Proposed, len(result.Nodes)),
		Relationships: result.Relationships, Warnings: append(read.warnings(), result.Warnings...),
	}
	for i, n := range result.Nodes {
		e.Nodes[i] = Proposed{proposal.Nodes[i].Kind, proposal.Nodes[i].Name, n}
	}
	return e, nil
}

// isRefused reports whether the store refuses what a model proposed.
func isRefused(err error) bool {
	return errors.Is(err, graph.ErrQuota) || errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrConflict)
}

// recordFailure stores with the source that the extraction failed, also when the caller has gone.
func (r *Reader) recordFailure(ctx context.Context, scope graph.Scope, key string, reason error) (Extraction, error) {
	r.options.Log.Warn("extraction failed", "source", key, "error", reason)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), declineTimeout)
	defer cancel()
	text := reason.Error()
	if err := r.store.Decline(ctx, scope, key, text); err != nil {
		return Extraction{}, err
	}
	return Extraction{
		Status: graph.SourceFailed, Error: &text, Nodes: []Proposed{}, Relationships: []graph.RelationshipResult{}, Warnings: []string{},
	}, nil
}

// propose asks the model for proposals, and once more if they cannot be stored. It also returns the model that answered.
func propose[T any](ctx context.Context, r *Reader, prompt, text string, check func(*T) error) (*T, string, error) {
	ctx, release, err := r.acquireSlot(ctx)
	if err != nil {
		return nil, "", err
	}
	defer release()
	messages := []llm.Message{{Role: "system", Text: prompt}, {Role: "user", Text: text}}
	for again := false; ; again = true {
		answer, err := r.model.Generate(ctx, "", messages, nil)
		if err != nil {
			return nil, "", err
		}
		proposal, err := parseProposal(answer.Text, check)
		if err == nil || again {
			return proposal, answer.ProviderID, err
		}
		messages = append(messages, llm.Message{Role: "assistant", Text: clip.Bytes(answer.Text, maxText)}, llm.Message{Role: "user", Text: repairPrompt(err)})
	}
}

// Summarize asks the model for a summary of a user's source, and stores it. A source that has a summary or no message
// does not change, and the returned summary is empty. It returns the errors of package llm and of the store.
func (r *Reader) Summarize(ctx context.Context, scope graph.Scope, key string) (summary string, warnings []string, err error) {
	read, err := r.readTranscript(ctx, scope, key)
	if err != nil || read.source.Summary != "" || len(read.lines) == 0 {
		return "", nil, err
	}
	if summary, err = r.askSummary(ctx, read.text()); err == nil {
		err = r.store.Summarize(ctx, scope, key, summary)
	}
	if err != nil {
		return "", nil, fmt.Errorf("summarize: %w", err)
	}
	return summary, read.warnings(), nil
}

func (r *Reader) askSummary(ctx context.Context, text string) (string, error) {
	ctx, release, err := r.acquireSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	answer, err := r.model.Generate(ctx, "", []llm.Message{{Role: "system", Text: summaryPrompt}, {Role: "user", Text: text}}, nil)
	return strings.TrimSpace(answer.Text), err
}

// acquireSlot waits for a slot and limits the time of the request to the model; release frees both.
func (r *Reader) acquireSlot(ctx context.Context) (bounded context.Context, release func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, r.options.Timeout)
	select {
	case r.slots <- struct{}{}:
		return bounded, func() { <-r.slots; cancel() }, nil
	case <-bounded.Done():
		cancel()
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("request cancelled: %w", err)
		}
		return nil, nil, fmt.Errorf("too many sources are waiting for the model: %w", llm.ErrUnavailable)
	}
}
