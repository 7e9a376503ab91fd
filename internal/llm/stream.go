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
	endTimeout    = 50 * time.Millisecond // for the end of the response after the last event
)

// answerStream is an answer that is arriving. Close it after use.
type answerStream struct {
	cancel       context.CancelFunc // cancels the request
	silenceTimer *time.Timer        // cancels the request after a silence
	silence      time.Duration
	stream       *openai.ChatCompletionStream
	first        string
	model        string // named by the answer
	finishReason openai.FinishReason
}

// openStream sends a request, and waits for the first text of its answer.
func (g *Generator) openStream(ctx context.Context, request openai.ChatCompletionRequest) (*answerStream, error) {
	attempt, cancel := context.WithCancel(ctx)
	s := &answerStream{cancel: cancel, silenceTimer: time.AfterFunc(g.silence, cancel), silence: g.silence, model: g.model}
	if err := s.start(ctx, attempt, g.client, request); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// start sends the request, which ends with attempt. ctx is the caller's context.
func (s *answerStream) start(ctx, attempt context.Context, client *openai.Client, request openai.ChatCompletionRequest) (err error) {
	if s.stream, err = client.CreateChatCompletionStream(attempt, request); err != nil {
		return translate(ctx, err)
	}
	if kind, _, err := mime.ParseMediaType(s.stream.Header().Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return fmt.Errorf("the answer is not an event stream: %w", ErrGarbled)
	}
	if s.first, err = s.nextPiece(ctx); err == nil && s.first == "" {
		err = fmt.Errorf("the answer has no text: %w", ErrGarbled)
	}
	return err
}

// readAll returns the whole text, and calls delta with each piece.
func (s *answerStream) readAll(ctx context.Context, delta func(string)) (string, error) {
	var text strings.Builder
	piece, err := s.first, error(nil)
	for ; err == nil && piece != ""; piece, err = s.nextPiece(ctx) {
		if text.Len()+len(piece) > maxAnswerText {
			return "", fmt.Errorf("the answer has more than %d bytes: %w", maxAnswerText, ErrGarbled)
		}
		text.WriteString(piece)
		delta(piece)
	}
	return text.String(), err
}

// nextPiece returns the next piece of the text; empty after the last one.
func (s *answerStream) nextPiece(ctx context.Context) (string, error) {
	for {
		chunk, err := s.stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return "", s.checkFinished()
		case err != nil:
			return "", translate(ctx, err)
		}
		s.silenceTimer.Reset(s.silence)
		if chunk.Model != "" {
			s.model = chunk.Model
		}
		if len(chunk.Choices) == 0 { // usage figures, or an extension of the provider
			continue
		}
		choice := chunk.Choices[0]
		if choice.FinishReason != "" {
			s.finishReason = choice.FinishReason
		}
		if piece := choice.Delta.Content + choice.Delta.Refusal; piece != "" {
			return piece, nil
		}
	}
}

// checkFinished returns an error if an answer that has ended is not complete.
func (s *answerStream) checkFinished() error {
	switch s.finishReason {
	case openai.FinishReasonLength:
		return fmt.Errorf("the answer exceeds the model's limit: %w", ErrGarbled)
	case openai.FinishReasonContentFilter:
		return fmt.Errorf("the provider filtered the answer: %w", ErrRefused)
	case "":
		return fmt.Errorf("the answer broke off: %w", ErrUnavailable)
	}
	return nil
}

// close ends the request. A connection is reused only if its response was read to the end, which may arrive after the
// last event.
func (s *answerStream) close() {
	defer s.cancel()
	switch {
	case s.stream == nil:
	case s.finishReason == "":
		s.cancel()
		_ = s.stream.Close()
	default:
		s.silenceTimer.Reset(endTimeout)
		_ = s.stream.Close()
	}
	s.silenceTimer.Stop()
}
