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

// Message is one message to a language model.
type Message struct{ Role, Text string } // role: system, user, assistant

// Answer is the answer of a language model. ProviderID is the model that the provider names.
type Answer struct{ Text, ProviderID string }

// Availability reports whether a language model can be asked.
type Availability string

// The values of Availability. An OpenAI-compatible endpoint does not report a download.
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

// GeneratorOptions configure a Generator.
type GeneratorOptions struct {
	Key     string        // sent as Bearer token; empty: none
	Silence time.Duration // how long the endpoint may send nothing of an answer; 0: a minute
	Log     *slog.Logger  // logs when the circuit opens and closes; nil: no logs
}

// NewGenerator returns a Generator for a model of the endpoint at address, the part before /chat/completions. It
// sends nothing yet. Close it after use.
func NewGenerator(address, model string, o GeneratorOptions) (*Generator, error) {
	at, err := newEndpoint("KITH_LLM", address, o.Key, model, o.Log)
	if err != nil {
		return nil, err
	}
	g := &Generator{endpoint: at, model: model, silence: o.Silence}
	if g.silence <= 0 {
		g.silence = defaultSilence
	}
	return g, nil
}

// Availability returns Available if a model is configured and its circuit is not open.
func (g *Generator) Availability() Availability {
	if g == nil || g.circuit.State() == gobreaker.StateOpen {
		return Unavailable
	}
	return Available
}

// Generate answers messages with a model of the endpoint; empty: the configured one. It calls delta, unless nil, with
// each piece of the text as it arrives, in order and in this goroutine; an error may follow. The request ends with
// ctx. Errors: ErrUnavailable, also when ctx is past its deadline, ErrRefused, ErrGarbled, context.Canceled. They
// contain nothing of messages or answer.
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
	if err := contextError(ctx); err != nil {
		return Answer{}, err
	}
	request := openai.ChatCompletionRequest{Model: model, Messages: make([]openai.ChatCompletionMessage, len(messages))}
	for i, m := range messages {
		request.Messages[i] = openai.ChatCompletionMessage{Role: m.Role, Content: m.Text}
	}
	var stream *answerStream
	err := g.retry(ctx, func(ctx context.Context) (err error) {
		stream, err = g.openStream(ctx, request)
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	defer stream.close()
	text, err := stream.readAll(ctx, delta)
	return Answer{Text: text, ProviderID: stream.model}, err
}
