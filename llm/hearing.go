package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxAnswerText = 1 << 20               // bytes
	endWait       = 50 * time.Millisecond // for the end of the connection's answer, after that of the text
)

// hearing is an answer while it arrives. It is closed after use.
type hearing struct {
	giveUp   context.CancelFunc // ends the request
	alarm    *time.Timer        // gives up after a silence
	silence  time.Duration
	stream   *openai.ChatCompletionStream
	first    string
	model    string // that answers
	finished openai.FinishReason
}

// hear sends a request, and waits for the first text of its answer.
func (g *Generator) hear(ctx context.Context, request openai.ChatCompletionRequest) (*hearing, error) {
	attempt, cancel := context.WithCancel(ctx)
	h := &hearing{giveUp: cancel, alarm: time.AfterFunc(g.silence, cancel), silence: g.silence, model: g.model}
	if err := h.begin(ctx, attempt, g.client, request); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// begin sends the request, which ends with attempt, on behalf of a caller who waits for as long as ctx.
func (h *hearing) begin(ctx, attempt context.Context, client *openai.Client, request openai.ChatCompletionRequest) (err error) {
	if h.stream, err = client.CreateChatCompletionStream(attempt, request); err != nil {
		return translate(ctx, err)
	}
	if kind, _, err := mime.ParseMediaType(h.stream.Header().Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return fmt.Errorf("the answer is no stream of events: %w", ErrGarbled)
	}
	if h.first, err = h.next(ctx); err == nil && h.first == "" {
		err = fmt.Errorf("the answer has no text: %w", ErrGarbled)
	}
	return err
}

// listen is the whole text; delta is called with each piece.
func (h *hearing) listen(ctx context.Context, delta func(string)) (string, error) {
	var text strings.Builder
	piece, err := h.first, error(nil)
	for ; err == nil && piece != ""; piece, err = h.next(ctx) {
		if text.Len()+len(piece) > maxAnswerText {
			return "", fmt.Errorf("the answer has more than %d bytes: %w", maxAnswerText, ErrGarbled)
		}
		text.WriteString(piece)
		delta(piece)
	}
	return text.String(), err
}

// next is the next piece of the text; empty after the last one.
func (h *hearing) next(ctx context.Context) (string, error) {
	for {
		chunk, err := h.stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return "", h.end()
		case err != nil:
			return "", translate(ctx, err)
		}
		h.alarm.Reset(h.silence)
		if chunk.Model != "" {
			h.model = chunk.Model
		}
		if len(chunk.Choices) == 0 { // figures, or what a provider adds
			continue
		}
		choice := chunk.Choices[0]
		if choice.FinishReason != "" {
			h.finished = choice.FinishReason
		}
		if piece := choice.Delta.Content + choice.Delta.Refusal; piece != "" {
			return piece, nil
		}
	}
}

// end says whether an answer that has come to its end is whole.
func (h *hearing) end() error {
	switch h.finished {
	case openai.FinishReasonLength:
		return fmt.Errorf("the answer is longer than the model may make it: %w", ErrGarbled)
	case openai.FinishReasonContentFilter:
		return fmt.Errorf("the answer is held back by the provider: %w", ErrRefused)
	case "":
		return fmt.Errorf("the answer broke off: %w", ErrUnavailable)
	}
	return nil
}

// close ends the request. A connection is used again only if its answer was read to the end, which may arrive after the last event.
func (h *hearing) close() {
	defer h.giveUp()
	switch {
	case h.stream == nil:
	case h.finished == "":
		h.giveUp()
		_ = h.stream.Close()
	default:
		h.alarm.Reset(endWait)
		_ = h.stream.Close()
	}
	h.alarm.Stop()
}
