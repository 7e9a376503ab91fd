package llm

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// Message is one turn of what a language model is given.
type Message struct{ Role, Text string } // role: system, user, assistant

// Answer is what a language model said. ProviderID is the model that the provider names.
type Answer struct{ Text, ProviderID string }

// Availability says whether a language model can be asked.
type Availability string

// What an Availability may be. An OpenAI-compatible endpoint does not say that it is downloading its model.
const (
	Available   Availability = "available"
	Downloading Availability = "downloading"
	Unavailable Availability = "unavailable"
)

const defaultSilence = time.Minute

// Generator answers messages by a language model behind an OpenAI-compatible endpoint. It is safe for concurrent use. A nil
// one is a model that is not configured.
//
// Until the first text of an answer arrives a request is repeated for passing reasons, under the circuit of the endpoint;
// an answer that breaks off after that is not.
type Generator struct {
	*endpoint
	model   string
	silence time.Duration
}

// GeneratorOptions is what a Generator may be told.
type GeneratorOptions struct {
	Key     string        // sent as Bearer token; empty: none
	Silence time.Duration // how long the endpoint may send nothing of an answer; 0: a minute
	Log     *slog.Logger  // told when the circuit opens and closes; nil: nothing is
}

// NewGenerator makes one for the endpoint at address, which is what stands before /chat/completions, and the model of
// that name. Nothing is sent yet. Close it after use.
func NewGenerator(address, model string, o GeneratorOptions) (*Generator, error) {
	at, err := dial("KITH_LLM", address, o.Key, model, o.Log)
	if err != nil {
		return nil, err
	}
	g := &Generator{endpoint: at, model: model, silence: o.Silence}
	if g.silence <= 0 {
		g.silence = defaultSilence
	}
	return g, nil
}

// Availability says whether it is worth asking: a model is configured, and its endpoint is not left alone for its
// failures.
func (g *Generator) Availability() Availability {
	if g == nil || g.circuit.State() == gobreaker.StateOpen {
		return Unavailable
	}
	return Available
}

// Generate answers messages by a model of the endpoint; empty: the one that is configured. delta, unless nil, is called with each piece of the text as it arrives, in order and by this
// goroutine; an error may come after that. When ctx ends, the request to the endpoint does. Errors: ErrUnavailable, also
// when ctx is past its deadline, ErrRefused, ErrGarbled, context.Canceled; none holds anything of messages or answer.
func (g *Generator) Generate(ctx context.Context, model string, messages []Message, delta func(text string)) (Answer, error) {
	if g == nil {
		return Answer{}, fmt.Errorf("generate: no model is configured: %w", ErrUnavailable)
	}
	if delta == nil {
		delta = func(string) {}
	}
	answer, err := g.generate(ctx, cmp.Or(model, g.model), messages, delta)
	if err != nil {
		return Answer{}, fmt.Errorf("generate: %w", err)
	}
	return answer, nil
}

func (g *Generator) generate(ctx context.Context, model string, messages []Message, delta func(string)) (Answer, error) {
	if err := ended(ctx); err != nil {
		return Answer{}, err
	}
	request := openai.ChatCompletionRequest{Model: model, Messages: make([]openai.ChatCompletionMessage, len(messages))}
	for i, m := range messages {
		request.Messages[i] = openai.ChatCompletionMessage{Role: m.Role, Content: m.Text}
	}
	var h *hearing
	err := g.repeat(ctx, func(ctx context.Context) (err error) {
		h, err = g.hear(ctx, request)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	defer h.close()
	text, err := h.listen(ctx, delta)
	return Answer{Text: text, ProviderID: h.model}, err
}
