package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
)

const (
	maxBatch = 32      // texts a request: what every server takes unless told otherwise
	maxText  = 8 << 10 // bytes: never more than the 8,192 tokens that hosted models take; a batch is at most 256 KiB

	defaultTimeout = 30 * time.Second
)

// RemoteEmbedder asks an OpenAI-compatible endpoint, in batches one after the other. Of a text the first 8 KiB count.
type RemoteEmbedder struct {
	*endpoint
	model      string
	dimensions atomic.Int64
	timeout    time.Duration
}

// RemoteOptions is what a RemoteEmbedder may be told.
type RemoteOptions struct {
	Key        string        // sent as Bearer token; empty: none
	Dimensions int           // that vectors must have; 0: those of the first answer
	Timeout    time.Duration // of one request; 0: 30 s
	Log        *slog.Logger  // told when the circuit opens and closes; nil: nothing is
}

// NewRemoteEmbedder makes one for the endpoint at address, which is what stands before /embeddings, and the model of
// that name. Nothing is sent yet. Close it after use.
func NewRemoteEmbedder(address, model string, o RemoteOptions) (*RemoteEmbedder, error) {
	if o.Dimensions < 0 {
		return nil, errors.New("the dimensions of embeddings are negative")
	}
	at, err := dial("KITH_EMBEDDINGS", address, o.Key, model, o.Log)
	if err != nil {
		return nil, err
	}
	e := &RemoteEmbedder{endpoint: at, model: model, timeout: o.Timeout}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	e.dimensions.Store(int64(o.Dimensions))
	return e, nil
}

// Model is the name that the endpoint knows the model by.
func (e *RemoteEmbedder) Model() string { return e.model }

// Dimensions is how many numbers a vector has; 0 before the first answer, unless it was given.
func (e *RemoteEmbedder) Dimensions() int { return int(e.dimensions.Load()) }

// Embed asks for the vectors of all texts but blank ones, which many endpoints do not take.
func (e *RemoteEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return vectors, nil
}

func (e *RemoteEmbedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	batch, places := make([]string, 0, maxBatch), make([]int, 0, maxBatch)
	send := func() error {
		var got [][]float32
		err := e.repeat(ctx, func(ctx context.Context) (err error) {
			got, err = e.ask(ctx, batch)
			return err
		})
		if err != nil {
			return err
		}
		for i, place := range places {
			vectors[place] = got[i]
		}
		batch, places = batch[:0], places[:0]
		return nil
	}
	for i, text := range texts {
		if text = firstBytes(text, maxText); strings.TrimSpace(text) == "" {
			continue
		}
		batch, places = append(batch, text), append(places, i)
		if len(batch) == maxBatch {
			if err := send(); err != nil {
				return nil, err
			}
		}
	}
	if len(batch) > 0 {
		if err := send(); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// firstBytes is the longest beginning of text that has at most n bytes and cuts no character.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// ask is one request.
func (e *RemoteEmbedder) ask(ctx context.Context, texts []string) ([][]float32, error) {
	attempt, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	answer, err := e.client.CreateEmbeddings(attempt, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(e.model)})
	if err != nil {
		return nil, translate(ctx, err)
	}
	return e.take(answer.Data, len(texts))
}

// take checks an answer, and is its vectors in the order of the texts.
func (e *RemoteEmbedder) take(answer []openai.Embedding, count int) ([][]float32, error) {
	if len(answer) != count {
		return nil, fmt.Errorf("%d vectors for %d texts: %w", len(answer), count, ErrGarbled)
	}
	vectors := make([][]float32, count)
	for _, one := range answer {
		switch {
		case one.Index < 0 || one.Index >= count || vectors[one.Index] != nil:
			return nil, fmt.Errorf("the vectors are not numbered as the texts: %w", ErrGarbled)
		case len(one.Embedding) != len(answer[0].Embedding):
			return nil, fmt.Errorf("vectors of %d and %d dimensions: %w", len(answer[0].Embedding), len(one.Embedding), ErrGarbled)
		case !unit(one.Embedding):
			return nil, fmt.Errorf("a vector is zero, or not all of its numbers are finite: %w", ErrGarbled)
		}
		vectors[one.Index] = one.Embedding
	}
	dimensions := int64(len(vectors[0]))
	if !e.dimensions.CompareAndSwap(0, dimensions) && e.dimensions.Load() != dimensions {
		return nil, fmt.Errorf("vectors of %d dimensions, not %d: %w", dimensions, e.dimensions.Load(), ErrGarbled)
	}
	return vectors, nil
}
