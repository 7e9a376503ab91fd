package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"kith/text/clip"
)

const (
	maxBatch = 32      // texts a request, which every server accepts by default
	maxText  = 8 << 10 // bytes: at most the 8,192 tokens that hosted models accept; a batch is at most 256 KiB

	defaultTimeout = 30 * time.Second
)

// RemoteEmbedder asks an OpenAI-compatible endpoint, in batches one after the other. It embeds the first 8 KiB of a
// text.
type RemoteEmbedder struct {
	*endpoint
	model      string
	dimensions atomic.Int64
	timeout    time.Duration
}

// RemoteOptions configure a RemoteEmbedder.
type RemoteOptions struct {
	Key        string        // sent as Bearer token; empty: none
	Dimensions int           // expected dimensions; 0: those of the first answer
	Timeout    time.Duration // of one request; 0: 30 s
	Log        *slog.Logger  // logs when the circuit opens and closes; nil: no logs
}

// NewRemoteEmbedder returns an embedder for a model of the endpoint at address, the part before /embeddings. It sends
// nothing yet. Close it after use.
func NewRemoteEmbedder(address, model string, o RemoteOptions) (*RemoteEmbedder, error) {
	if o.Dimensions < 0 {
		return nil, errors.New("the dimensions of embeddings must not be negative")
	}
	at, err := newEndpoint("KITH_EMBEDDINGS", address, o.Key, model, o.Log)
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

// Model returns the endpoint's name of the model.
func (e *RemoteEmbedder) Model() string { return e.model }

// Dimensions returns how many numbers a vector has; 0 before the first answer if they were not set.
func (e *RemoteEmbedder) Dimensions() int { return int(e.dimensions.Load()) }

// Embed requests the vectors of all texts but blank ones, which many endpoints do not accept.
func (e *RemoteEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := e.embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return vectors, nil
}

func (e *RemoteEmbedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	batch, places := make([]string, 0, maxBatch), make([]int, 0, maxBatch)
	send := func() error {
		var got [][]float32
		err := e.retry(ctx, func(ctx context.Context) (err error) {
			got, err = e.requestVectors(ctx, batch)
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
		if text = clip.Bytes(text, maxText); strings.TrimSpace(text) == "" {
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

// requestVectors sends one request.
func (e *RemoteEmbedder) requestVectors(ctx context.Context, texts []string) ([][]float32, error) {
	attempt, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	answer, err := e.client.CreateEmbeddings(attempt, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(e.model)})
	if err != nil {
		return nil, translate(ctx, err)
	}
	return e.orderVectors(answer.Data, len(texts))
}

// orderVectors checks an answer, and returns its vectors in the order of the texts.
func (e *RemoteEmbedder) orderVectors(answer []openai.Embedding, count int) ([][]float32, error) {
	if len(answer) != count {
		return nil, fmt.Errorf("%d vectors for %d texts: %w", len(answer), count, ErrGarbled)
	}
	vectors := make([][]float32, count)
	for _, one := range answer {
		switch {
		case one.Index < 0 || one.Index >= count || vectors[one.Index] != nil:
			return nil, fmt.Errorf("the vectors' indexes do not match the texts: %w", ErrGarbled)
		case len(one.Embedding) != len(answer[0].Embedding):
			return nil, fmt.Errorf("vectors of %d and %d dimensions: %w", len(answer[0].Embedding), len(one.Embedding), ErrGarbled)
		case !normalize(one.Embedding):
			return nil, fmt.Errorf("a vector is zero or not finite: %w", ErrGarbled)
		}
		vectors[one.Index] = one.Embedding
	}
	dimensions := int64(len(vectors[0]))
	if !e.dimensions.CompareAndSwap(0, dimensions) && e.dimensions.Load() != dimensions {
		return nil, fmt.Errorf("vectors of %d dimensions, not %d: %w", dimensions, e.dimensions.Load(), ErrGarbled)
	}
	return vectors, nil
}
