package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"

	"kith/internal/sleep"
)

const (
	maxTries = 4
	maxPause = time.Minute // an endpoint that asks for a longer one is not waited for
)

var (
	errRedirect = errors.New("redirected")
	errOpen     = fmt.Errorf("embed: the endpoint failed too often, and is left alone for a while: %w", ErrUnavailable)
)

// repeat asks for the vectors of one batch until it has them, the endpoint says no, or there is no time left.
func (e *RemoteEmbedder) repeat(ctx context.Context, texts []string) ([][]float32, error) {
	pause := e.pause
	for try := 1; ; try++ {
		var after time.Duration
		vectors, err := e.circuit.Execute(func() (vectors [][]float32, err error) {
			vectors, after, err = e.ask(ctx, texts)
			return vectors, err
		})
		switch {
		case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
			return nil, errOpen
		case !errors.Is(err, ErrUnavailable): // also nil
			return vectors, err
		case try == maxTries || !await(ctx, max(after, pause/2+rand.N(pause/2+1))):
			if gone := ended(ctx); gone != nil {
				return nil, gone
			}
			return nil, err
		}
		pause *= 2
	}
}

// await sleeps, unless that is too long, or takes it past the deadline: then, and when ctx ends meanwhile, it is false.
func await(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); d > maxPause || ok && time.Until(deadline) <= d {
		return false
	}
	return sleep.For(ctx, d)
}

// ask is one request. after is the pause that the endpoint asks for.
func (e *RemoteEmbedder) ask(ctx context.Context, texts []string) (vectors [][]float32, after time.Duration, err error) {
	attempt, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	answer, err := e.client.CreateEmbeddings(attempt, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(e.model)})
	if err != nil {
		return nil, retryAfter(answer.Header()), translate(ctx, err)
	}
	vectors, err = e.take(answer.Data, len(texts))
	return vectors, 0, err
}

// translate turns what the client reports into this package's errors. Its text does not leave: it can hold the
// address, and what the endpoint says of the texts. What stays is the status.
func translate(ctx context.Context, err error) error {
	var (
		api     *openai.APIError
		request *openai.RequestError
		large   *http.MaxBytesError
		syntax  *json.SyntaxError
		form    *json.UnmarshalTypeError
	)
	gone := ended(ctx)
	switch {
	case gone != nil:
		return gone
	case errors.As(err, &api) && api.HTTPStatusCode != 0:
		return byStatus(api.HTTPStatusCode)
	case errors.As(err, &request):
		return byStatus(request.HTTPStatusCode)
	case errors.Is(err, errRedirect):
		return fmt.Errorf("embed: the endpoint is at another address: %w", ErrRefused)
	case errors.As(err, &large):
		return fmt.Errorf("embed: the answer is too long: %w", ErrAnswer)
	case errors.As(err, &syntax), errors.As(err, &form):
		return fmt.Errorf("embed: the answer is not one with embeddings: %w", ErrAnswer)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("embed: no answer in time: %w", ErrUnavailable)
	default: // also an answer that ends too early
		return fmt.Errorf("embed: no connection, or it broke: %w", ErrUnavailable)
	}
}

func byStatus(status int) error {
	class := ErrRefused
	if status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 {
		class = ErrUnavailable
	}
	return fmt.Errorf("embed: status %d: %w", status, class)
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return time.Until(at)
	}
	return 0
}

// bounded is a transport whose answers have an end: the client reads them whole, also those of errors.
type bounded struct{ next http.RoundTripper }

// RoundTrip is that of the next one.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}
