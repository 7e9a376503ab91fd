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
	maxAnswer = 64 << 20 // bytes on the wire
	maxRest   = 4 << 10  // bytes of an answer that nobody wants to read

	maxTries  = 4
	maxPause  = time.Minute      // an endpoint that asks for a longer one is not waited for
	tripAfter = 5                // failures in a row that open the circuit
	cooling   = 10 * time.Second // until an open circuit is tried again
)

var (
	errRedirect = errors.New("redirected")
	errOpen     = fmt.Errorf("the endpoint failed too often, and is left alone for a while: %w", ErrUnavailable)
)

// endpoint is an OpenAI-compatible server, whatever it is asked for.
//
// A request that fails for a passing reason (429, 5xx, a broken connection, no answer in time) is repeated with growing
// pauses, or after the time that the endpoint asks for, while ctx allows. Five failures in a row, of all callers
// together, open a circuit: for ten seconds requests fail at once with ErrUnavailable, then one of them tries.
type endpoint struct {
	client    *openai.Client
	transport *http.Transport
	circuit   *gobreaker.CircuitBreaker[struct{}]
	pause     time.Duration // before the first repetition
}

// dial makes one for an address. The settings that errors name begin with setting; nothing is sent yet.
func dial(setting, address, key, model string, log *slog.Logger) (*endpoint, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New(setting + "_URL is not an http:// or https:// address with nothing but host, port and path")
	}
	key = strings.TrimSpace(key)
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New(setting + "_KEY holds characters that no key has")
	case model == "":
		return nil, errors.New(setting + "_MODEL is not given")
	}
	e := &endpoint{circuit: newCircuit(setting, log, cooling), pause: 250 * time.Millisecond}
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
	return e, nil
}

func newCircuit(setting string, log *slog.Logger, timeout time.Duration) *gobreaker.CircuitBreaker[struct{}] {
	return gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     timeout,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= tripAfter },
		// An endpoint that answers something is there.
		IsSuccessful: func(err error) bool { return err == nil || !errors.Is(err, ErrUnavailable) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if log != nil {
				log.Warn("endpoint of "+setting+"_URL", "circuit", to.String())
			}
		},
	})
}

// Close closes the connections that nobody uses.
func (e *endpoint) Close() { e.transport.CloseIdleConnections() }

// repeat asks until that succeeds, the endpoint says no, or there is no time left.
func (e *endpoint) repeat(ctx context.Context, ask func(context.Context) error) error {
	pause := e.pause
	for try := 1; ; try++ {
		var after time.Duration // that the endpoint asks for
		_, err := e.circuit.Execute(func() (struct{}, error) {
			return struct{}{}, ask(context.WithValue(ctx, afterKey{}, &after))
		})
		switch {
		case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
			return errOpen
		case !errors.Is(err, ErrUnavailable): // also nil
			return err
		case try == maxTries || !await(ctx, max(after, pause/2+rand.N(pause/2+1))):
			if gone := ended(ctx); gone != nil {
				return gone
			}
			return err
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
	case errors.As(err, &api):
		return fmt.Errorf("the endpoint tells of a failure in its answer: %w", ErrUnavailable)
	case errors.As(err, &request):
		return byStatus(request.HTTPStatusCode)
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return fmt.Errorf("the model is none that answers messages: %w", ErrRefused)
	case errors.Is(err, errRedirect):
		return fmt.Errorf("the endpoint is at another address: %w", ErrRefused)
	case errors.As(err, &large):
		return fmt.Errorf("the answer is too long: %w", ErrGarbled)
	case errors.As(err, &syntax), errors.As(err, &form):
		return fmt.Errorf("the answer is not of the form it should have: %w", ErrGarbled)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // of the request alone
		return fmt.Errorf("no answer in time: %w", ErrUnavailable)
	default: // also an answer that ends too early
		return fmt.Errorf("no connection, or it broke: %w", ErrUnavailable)
	}
}

// ended translates the end of a context, nil while it goes on.
func ended(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return context.Canceled
	default:
		return fmt.Errorf("no answer in time: %w", ErrUnavailable)
	}
}

func byStatus(status int) error {
	class := ErrRefused
	if status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 {
		class = ErrUnavailable
	}
	return fmt.Errorf("status %d: %w", status, class)
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

// afterKey leads to where a request notes the pause that the endpoint asks for. The client drops the headers of a stream
// that is refused.
type afterKey struct{}

// bounded is a transport whose answers have an end: the client reads them whole, also those of errors.
type bounded struct{ next http.RoundTripper }

// RoundTrip is that of the next one.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	if after, ok := r.Context().Value(afterKey{}).(*time.Duration); ok {
		*after = retryAfter(response.Header)
	}
	response.Body = drained{http.MaxBytesReader(nil, response.Body, maxAnswer)}
	return response, nil
}

// drained is a body that is read to its end when it is closed, if that is near.
type drained struct{ io.ReadCloser }

// Close reads the rest, at most maxRest bytes, and closes.
func (d drained) Close() error {
	_, _ = io.CopyN(io.Discard, d.ReadCloser, maxRest)
	return d.ReadCloser.Close()
}
