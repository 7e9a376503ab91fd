package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func TestTransferEndsSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said, calls, begun := []string{}, 0, time.Now()
		tr := Transfer{silence: time.Minute, pause: time.Second, Notify: func(text string) { said = append(said, text) }}
		err := tr.run(t.Context(), func(ctx context.Context, alive func()) error {
			for range 3 { // together longer than the silence allowed
				time.Sleep(59 * time.Second)
				alive()
			}
			if calls++; calls == 3 {
				return ctx.Err()
			}
			<-ctx.Done()
			return connectionError{ctx.Err()}
		})
		if err != nil || calls != 3 || len(said) != 2 || said[0] != errSilence.Error()+"; retrying" {
			t.Errorf("%v after %d calls: %q", err, calls, said)
		}
		if took := time.Since(begun); took != 9*59*time.Second+2*time.Minute+3*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestTransferGivesUp(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		connectionError{iotest.ErrTimeout}: tries, &Error{Problem: Problem{Status: 503}}: tries, &Error{Problem: Problem{Status: 503}, named: true}: tries,
		&Error{Problem: Problem{Status: 500}}: 1, io.ErrUnexpectedEOF: 1,
	} {
		tr := Transfer{silence: time.Minute, pause: time.Microsecond, Notify: func(string) {}}
		calls := 0
		got := tr.run(t.Context(), func(context.Context, func()) error { calls++; return err })
		if got != err || calls != want { //nolint:errorlint // the very same
			t.Errorf("%v: %v after %d calls, want %d", err, got, calls, want)
		}
	}
	calls := 0
	tr := Transfer{silence: time.Minute, pause: time.Microsecond} // Notify is optional
	if err := tr.run(t.Context(), func(context.Context, func()) error { calls++; return connectionError{io.EOF} }); !errors.Is(err, io.EOF) || calls != tries {
		t.Errorf("without Notify: %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	tr = Transfer{silence: time.Minute, pause: time.Hour, Notify: func(string) {}}
	_ = tr.run(ctx, func(context.Context, func()) error { calls++; cancel(); return connectionError{io.EOF} })
	if calls != 1 {
		t.Errorf("%d calls after the end", calls)
	}
}

// An upload is repeated from its beginning, and says what it sends.
func TestUploadIsRepeated(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("0123456789", 50_000)
	calls := 0
	api := newCaller(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			_, _ = io.CopyN(io.Discard, r.Body, 1000)
			panic(http.ErrAbortHandler)
		}
		body, err := io.ReadAll(r.Body)
		if string(body) != file || err != nil || r.ContentLength != int64(len(file)) {
			t.Errorf("%d bytes of %d: %v", len(body), r.ContentLength, err)
		}
		_, _ = io.WriteString(w, "done")
	})
	sent, said, open := 0, 0, 0
	answer, err := api.Upload(t.Context(), Transfer{
		Path: "/v1/import", Notify: func(string) { said++ }, pause: time.Millisecond,
		Begin: func(context.Context, func()) func() { open, sent = open+1, 0; return func() { open-- } },
		Sent:  func(p []byte) { sent += len(p) },
	}, strings.NewReader(file), int64(len(file)))
	if string(answer) != "done" || err != nil || calls != 2 || said != 1 || sent != len(file) || open != 0 {
		t.Errorf("%q, %v: %d calls, %d bytes, told %d times, %d attempts open", answer, err, calls, sent, said, open)
	}
}

// A download is repeated until its first byte has arrived.
func TestDownloadIsRepeated(t *testing.T) {
	t.Parallel()
	calls := 0
	api := newCaller(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	var got []byte
	err := api.Download(t.Context(), Transfer{Path: "/v1/export", Notify: func(string) {}, pause: time.Millisecond}, func(in io.Reader) (err error) {
		got, err = io.ReadAll(in)
		return err
	})
	if string(got) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) || calls != 2 {
		t.Errorf("%q, %v after %d calls", got, err, calls)
	}
}
