package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

const (
	maxBatch  = 32       // texts a request: what every server takes unless told otherwise
	maxText   = 8 << 10  // bytes: never more than the 8,192 tokens that hosted models take; a batch is at most 256 KiB
	maxAnswer = 64 << 20 // bytes

	defaultTimeout = 30 * time.Second
	tripAfter      = 5                // failures in a row that open the circuit
	cooling        = 10 * time.Second // until an open circuit is tried again
)

// RemoteEmbedder asks an OpenAI-compatible endpoint, in batches one after the other. Of a text the first 8 KiB count.
//
// A request that fails for a passing reason (429, 5xx, a broken connection, no answer in time) is repeated with growing
// pauses, or after the time that the endpoint asks for, while ctx allows. Five failures in a row, of all callers
// together, open a circuit: for ten seconds calls fail at once with ErrUnavailable, then one of them tries.
type RemoteEmbedder struct {
	client     *openai.Client
	transport  *http.Transport
	circuit    *gobreaker.CircuitBreaker[[][]float32]
	model      string
	dimensions atomic.Int64
	timeout    time.Duration
	pause      time.Duration // before the first repetition
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
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New("KITH_EMBEDDINGS_URL is not an http:// or https:// address with nothing but host, port and path")
	}
	key := strings.TrimSpace(o.Key)
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("KITH_EMBEDDINGS_KEY holds characters that no key has")
	case model == "":
		return nil, errors.New("KITH_EMBEDDINGS_MODEL is not given")
	case o.Dimensions < 0:
		return nil, errors.New("the dimensions of embeddings are negative")
	}
	e := &RemoteEmbedder{model: model, timeout: o.Timeout, pause: 250 * time.Millisecond}
	if e.timeout <= 0 {
		e.timeout = defaultTimeout
	}
	e.dimensions.Store(int64(o.Dimensions))
	e.transport = http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // nobody changes it
	e.transport.MaxIdleConnsPerHost = 8
	config := openai.DefaultConfig(key)
	config.BaseURL = at.String()
	config.HTTPClient = &http.Client{
		Transport: bounded{e.transport},
		// Texts and the key go where they were told to go.
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
	e.client = openai.NewClientWithConfig(config)
	e.circuit = newCircuit(o.Log, cooling)
	return e, nil
}

func newCircuit(log *slog.Logger, timeout time.Duration) *gobreaker.CircuitBreaker[[][]float32] {
	return gobreaker.NewCircuitBreaker[[][]float32](gobreaker.Settings{
		Timeout:     timeout,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		// An endpoint that answers something is there.
		IsSuccessful: func(err error) bool { return err == nil || !errors.Is(err, ErrUnavailable) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if log != nil {
				log.Warn("embedding endpoint", "circuit", to.String())
			}
		},
	})
}

// Model is the name that the endpoint knows the model by.
func (e *RemoteEmbedder) Model() string { return e.model }

// Dimensions is how many numbers a vector has; 0 before the first answer, unless it was given.
func (e *RemoteEmbedder) Dimensions() int { return int(e.dimensions.Load()) }

// Close closes the connections that nobody uses.
func (e *RemoteEmbedder) Close() { e.transport.CloseIdleConnections() }

// Embed asks for the vectors of all texts but blank ones, which many endpoints do not take.
func (e *RemoteEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	batch, places := make([]string, 0, maxBatch), make([]int, 0, maxBatch)
	send := func() error {
		got, err := e.repeat(ctx, batch)
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

// take checks an answer, and is its vectors in the order of the texts.
func (e *RemoteEmbedder) take(answer []openai.Embedding, count int) ([][]float32, error) {
	if len(answer) != count {
		return nil, fmt.Errorf("embed: %d vectors for %d texts: %w", len(answer), count, ErrAnswer)
	}
	vectors := make([][]float32, count)
	for _, one := range answer {
		switch {
		case one.Index < 0 || one.Index >= count || vectors[one.Index] != nil:
			return nil, fmt.Errorf("embed: the vectors are not numbered as the texts: %w", ErrAnswer)
		case len(one.Embedding) != len(answer[0].Embedding):
			return nil, fmt.Errorf("embed: vectors of %d and %d dimensions: %w", len(answer[0].Embedding), len(one.Embedding), ErrAnswer)
		case !unit(one.Embedding):
			return nil, fmt.Errorf("embed: a vector is zero, or not all of its numbers are finite: %w", ErrAnswer)
		}
		vectors[one.Index] = one.Embedding
	}
	dimensions := int64(len(vectors[0]))
	if !e.dimensions.CompareAndSwap(0, dimensions) && e.dimensions.Load() != dimensions {
		return nil, fmt.Errorf("embed: vectors of %d dimensions, not %d: %w", dimensions, e.dimensions.Load(), ErrAnswer)
	}
	return vectors, nil
}
