package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Transfer is a call with a large request or response. It has no deadline, but an attempt ends when no bytes move for five
// minutes. A broken connection and a 503 are retried, so the call must be idempotent. Its errors do not name the call.
type Transfer struct {
	Path   string                                               // begins with a slash and is escaped
	Notify func(message string)                                 // called before each retry. nil: not called
	Begin  func(ctx context.Context, alive func()) (end func()) // called around each attempt; alive counts as bytes that move. nil: not called
	Sent   func(part []byte)                                    // called with each part of a file that is sent. nil: not called

	silence, pause time.Duration // for tests; 0: maxSilence and firstTransferPause
}

const (
	maxSilence         = 5 * time.Minute // without bytes, after which the connection counts as broken
	firstTransferPause = time.Second     // before the second attempt; it doubles with each
)

var errSilence = errors.New("no data received for too long")

// connectionError is a failure of the connection. The same call may succeed later.
type connectionError struct{ error }

// Unwrap returns the underlying error.
func (e connectionError) Unwrap() error { return e.error }

// Upload posts a file of a known size and returns the response. Each attempt sends the whole file.
func (c *Client) Upload(ctx context.Context, t Transfer, file io.ReaderAt, size int64) (answer []byte, err error) {
	err = t.run(ctx, func(ctx context.Context, alive func()) (err error) {
		body := &sentFile{in: io.NewSectionReader(file, 0, size), alive: alive, sent: t.Sent}
		defer func() { _ = body.Close() }()
		answer, err = t.upload(ctx, c, body, size, alive)
		return err
	})
	return answer, err
}

func (t *Transfer) upload(ctx context.Context, c *Client, body io.Reader, size int64, alive func()) ([]byte, error) {
	request, err := c.newRequest(ctx, http.MethodPost, c.url+t.Path, body)
	if err != nil {
		return nil, err
	}
	if request.ContentLength = size; size == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Expect", "100-continue") // so that a wrong API key is refused before the file is sent
	response, err := c.open(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := readAnswer(response.Body)
	alive()
	if err != nil && !errors.Is(err, errTooLarge) {
		return nil, connectionError{fmt.Errorf("read response: %w", err)}
	}
	return answer, err
}

// Download gets lines of JSON and calls read with the response. It is not retried after read was called.
func (c *Client) Download(ctx context.Context, t Transfer, read func(io.Reader) error) error {
	return t.run(ctx, func(ctx context.Context, alive func()) error {
		request, err := c.newRequest(ctx, http.MethodGet, c.url+t.Path, http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Accept", ndjson)
		response, err := c.open(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		return read(aliveReader{response.Body, alive})
	})
}

// open sends a request without a deadline and returns its response if it is a success.
func (c *Client) open(request *http.Request) (*http.Response, error) {
	over := *c.http
	over.Timeout = 0
	response, err := exchange(&over, request)
	switch {
	case errors.Is(err, errRedirect):
		return nil, err
	case err != nil:
		return nil, connectionError{err}
	case response.StatusCode/100 != 2:
		defer func() { _ = response.Body.Close() }()
		return nil, errorOf(response)
	}
	return response, nil
}

// run calls attempt until it succeeds, fails permanently, or was tried too often. The attempt must call alive whenever it
// sent or received bytes.
func (t *Transfer) run(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	for try, pause := 1, cmp.Or(t.pause, firstTransferPause); ; try, pause = try+1, 2*pause {
		err := t.watch(ctx, attempt)
		wait, again := retryDelay(err, pause)
		if !again || try == tries || ctx.Err() != nil {
			return err
		}
		if t.Notify != nil {
			t.Notify(fmt.Sprintf("%v; retrying", err))
		}
		if !sleep(ctx, min(wait, maxPause)) {
			return err
		}
	}
}

// retryDelay reports whether an attempt is retried after err, and how long to wait before.
func retryDelay(err error, pause time.Duration) (wait time.Duration, again bool) {
	var broken connectionError
	var refused *Error
	switch {
	case errors.As(err, &broken):
		return pause, true
	case !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable:
		return 0, false
	case refused.named:
		return refused.RetryAfter, true
	}
	return pause, true
}

// watch runs an attempt and cancels it when no bytes move for too long.
func (t *Transfer) watch(ctx context.Context, attempt func(ctx context.Context, alive func()) error) error {
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := cmp.Or(t.silence, maxSilence)
	timer := time.AfterFunc(silence, func() { cancel(errSilence) })
	defer timer.Stop()
	alive := func() { timer.Reset(silence) }
	if t.Begin != nil {
		defer t.Begin(watched, alive)()
	}
	err := attempt(watched, alive)
	if err != nil && errors.Is(context.Cause(watched), errSilence) {
		return connectionError{errSilence}
	}
	return err
}

// aliveReader calls alive after each read that returns bytes.
type aliveReader struct {
	io.Reader
	alive func()
}

// Read reads from the underlying reader.
func (r aliveReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.alive()
	}
	return n, err
}

// sentFile is the request body of one attempt. The transport may still read it after the attempt. Close makes further
// reads fail, so that two attempts never call sent at the same time.
type sentFile struct {
	lock   sync.Mutex
	in     io.Reader
	alive  func()
	sent   func([]byte) // nil: not called
	closed bool
}

// Read reads the file.
func (s *sentFile) Read(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.closed {
		return 0, os.ErrClosed
	}
	n, err := s.in.Read(p)
	s.alive()
	if s.sent != nil {
		s.sent(p[:n])
	}
	return n, err
}

// Close makes further reads fail. The file stays open for another attempt.
func (s *sentFile) Close() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	return nil
}
