package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"

	"kith/internal/sleep"
)

const (
	maxAnswer  = 64 << 20 // bytes on the wire
	maxDrained = 4 << 10  // bytes read from an unused rest of an answer

	maxTries       = 4
	maxPause       = time.Minute      // a longer one that an endpoint asks for is an error
	maxFailures    = 5                // in a row; they open the circuit
	circuitTimeout = 10 * time.Second // until an open circuit allows a request
)

var (
	errRedirect    = errors.New("redirected")
	errCircuitOpen = fmt.Errorf("the endpoint failed too often, requests are paused: %w", ErrUnavailable)
)

// endpoint is an OpenAI-compatible server.
//
// A request with a temporary failure (429, 5xx, a broken connection, a timeout) is repeated with growing pauses, or
// after the time that the endpoint asks for, while ctx allows. Five failures in a row, of all callers together, open
// a circuit: for ten seconds requests fail at once with ErrUnavailable, then one request is tried.
type endpoint struct {
	client    *openai.Client
	transport *http.Transport
	circuit   *gobreaker.CircuitBreaker[struct{}]
	pause     time.Duration // before the second attempt
}

// newEndpoint returns an endpoint for an address. setting is the prefix of the settings that errors name. It sends
// nothing yet.
func newEndpoint(setting, address, key, model string, log *slog.Logger) (*endpoint, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New(setting + "_URL must be an http:// or https:// address with only host, port and path")
	}
	key = strings.TrimSpace(key)
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New(setting + "_KEY contains invalid characters")
	case model == "":
		return nil, errors.New(setting + "_MODEL is required")
	}
	e := &endpoint{circuit: newCircuit(setting, log, circuitTimeout), pause: 250 * time.Millisecond}
	e.transport = http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the program does not replace it
	e.transport.MaxIdleConnsPerHost = 8
	config := openai.DefaultConfig(key)
	config.BaseURL = at.String()
	config.HTTPClient = &http.Client{
		Transport: limitedTransport{e.transport},
		// Texts and the key go to the configured address only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
	e.client = openai.NewClientWithConfig(config)
	return e, nil
}

func newCircuit(setting string, log *slog.Logger, timeout time.Duration) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     timeout,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= maxFailures },
		// Any answer shows that the endpoint is up.
		IsSuccessful: func(err error) bool { return err == nil || !errors.Is(err, ErrUnavailable) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if log != nil {
				log.Warn("circuit of the endpoint changed", "setting", setting+"_URL", "circuit", to.String())
			}
		},
	})
}

// Close closes idle connections.
func (e *endpoint) Close() { e.transport.CloseIdleConnections() }

// retry calls ask until it succeeds, the endpoint refuses, or no time is left.
func (e *endpoint) retry(ctx context.Context, ask func(context.Context) error) error {
	pause := e.pause
	for try := 1; ; try++ {
		var after time.Duration // that the endpoint asks for
		_, err := e.circuit.Execute(func() (struct{}, error) {
			return struct{}{}, ask(context.WithValue(ctx, afterKey{}, &after))
		})
		switch {
		case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
			return errCircuitOpen
		case !errors.Is(err, ErrUnavailable): // also nil
			return err
		case try == maxTries || !waitWithin(ctx, max(after, pause/2+rand.N(pause/2+1))):
			if ctxErr := contextError(ctx); ctxErr != nil {
				return ctxErr
			}
			return err
		}
		pause *= 2
	}
}

// waitWithin sleeps. It returns false without sleeping if the pause is too long or ends after the deadline, and when
// ctx ends meanwhile.
func waitWithin(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); d > maxPause || ok && time.Until(deadline) <= d {
		return false
	}
	return sleep.For(ctx, d)
}

// translate converts the client's errors into this package's. It drops their text, which can contain the address and
// the endpoint's message about the texts, and keeps the status.
func translate(ctx context.Context, err error) error {
	var (
		api     *openai.APIError
		request *openai.RequestError
		large   *http.MaxBytesError
		syntax  *json.SyntaxError
		form    *json.UnmarshalTypeError
	)
	ctxErr := contextError(ctx)
	switch {
	case ctxErr != nil:
		return ctxErr
	case errors.As(err, &api) && api.HTTPStatusCode != 0:
		return statusError(api.HTTPStatusCode)
	case errors.As(err, &api):
		return fmt.Errorf("the endpoint reports a failure in its answer: %w", ErrUnavailable)
	case errors.As(err, &request):
		return statusError(request.HTTPStatusCode)
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return fmt.Errorf("the model does not answer messages: %w", ErrRefused)
	case errors.Is(err, errRedirect):
		return fmt.Errorf("the endpoint redirects to another address: %w", ErrRefused)
	case errors.As(err, &large):
		return fmt.Errorf("the answer is too long: %w", ErrGarbled)
	case errors.As(err, &syntax), errors.As(err, &form):
		return fmt.Errorf("the answer has an unexpected form: %w", ErrGarbled)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // of this request only
		return fmt.Errorf("no answer in time: %w", ErrUnavailable)
	default: // also an answer that ends too early
		return fmt.Errorf("connection failed or broke: %w", ErrUnavailable)
	}
}

// contextError translates the error of a context; nil while it is not done.
func contextError(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return context.Canceled
	default:
		return fmt.Errorf("no answer in time: %w", ErrUnavailable)
	}
}

func statusError(status int) error {
	class := ErrRefused
	if status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 {
		class = ErrUnavailable
	}
	return fmt.Errorf("status %d: %w", status, class)
}

// retryAfter returns the pause from the header Retry-After: seconds, or a date.
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

// afterKey is the context key under which a request stores the pause that the endpoint asks for. The client drops the
// headers of a refused stream.
type afterKey struct{}

// limitedTransport limits the size of answers, because the client reads them whole, also those of errors.
type limitedTransport struct{ next http.RoundTripper }

// RoundTrip calls the next transport and limits its answer.
func (b limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	if after, ok := r.Context().Value(afterKey{}).(*time.Duration); ok {
		*after = retryAfter(response.Header)
	}
	response.Body = drainedBody{http.MaxBytesReader(nil, response.Body, maxAnswer)}
	return response, nil
}

// drainedBody reads a short rest of the body when it is closed, so that the connection can be used again.
type drainedBody struct{ io.ReadCloser }

// Close reads the rest, at most maxRest bytes, and closes.
func (d drainedBody) Close() error {
	_, _ = io.CopyN(io.Discard, d.ReadCloser, maxDrained)
	return d.ReadCloser.Close()
}
