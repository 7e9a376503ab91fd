package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"kith/internal/sleep"
)

const (
	askedEvery = 2 * time.Second
	lastAsked  = 2 * time.Second // what an interrupted import waits for the service at most
)

// storedWatch shows how much the service has stored of an import, while the file is sent and after it.
type storedWatch struct {
	api   *apiClient
	path  string
	every time.Duration
	unit  string // lines, or items where the file is one document
	meter *meter
}

func newStoredWatch(api *apiClient, id string, c *importFileCmd, p *progress, lines int) *storedWatch {
	w := &storedWatch{api: api, path: "/v1/imports/" + id, every: askedEvery, unit: "lines"}
	if c.User != "" {
		w.path += "?user_id=" + url.QueryEscape(c.User)
	}
	if c.Format == "graphiti" || c.Format == "mem0" {
		w.unit, lines = "items", 0
	}
	w.meter = newCounter(p, "stored "+w.unit+":", lines)
	return w
}

// follow shows it until the returned function is called. Alive is called whenever more is stored.
func (w *storedWatch) follow(ctx context.Context, alive func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sleep.For(ctx, w.every) {
			if n, err := w.stored(ctx); err == nil && n > w.meter.done {
				alive()
				w.show(n, time.Now())
			}
		}
	}()
	return func() { cancel(); <-done }
}

// show has the meter at n. Its rate begins with the first n, which an earlier attempt may have stored.
func (w *storedWatch) show(n int64, now time.Time) {
	if w.meter.done == 0 {
		w.meter.from, w.meter.begun = n, now
	}
	w.meter.add(n-w.meter.done, 0, now)
}

// stored is how much that is. A service that cannot report it fails.
func (w *storedWatch) stored(ctx context.Context) (int64, error) {
	report := &importReport{}
	if err := w.api.once(ctx, http.MethodGet, w.path, nil, report); err != nil {
		return 0, err
	}
	if w.unit == "lines" {
		return min(report.Lines, w.meter.total), nil // whatever it answers, the bar is at most full
	}
	return report.items(), nil
}

// interrupted is the error of an import that its caller ended; nil is the watch of a dry run.
func (w *storedWatch) interrupted(ctx context.Context) error {
	if w == nil {
		return errors.New("interrupted; a dry run stores nothing")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAsked)
	defer cancel()
	what := "what is stored stays"
	if n, err := w.stored(ctx); err == nil && n > 0 {
		what = fmt.Sprintf("at least %d %s are stored, and stay", n, w.unit)
	}
	return errors.New("interrupted; " + what + ". The same command goes on where it stopped")
}
