package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/internal/sleep"
)

const (
	pollInterval    = 2 * time.Second
	lastPollTimeout = 2 * time.Second // timeout of the last poll of an interrupted import
)

// storedMonitor shows how much of an import the service has stored, while the file is sent and after it.
type storedMonitor struct {
	api   *client.Client
	path  string
	every time.Duration
	unit  string // what is counted, for people
	items bool   // counts items instead of lines, as the file is one document
	lines int64  // of the file
	meter *terminal.Meter
}

func newStoredMonitor(api *client.Client, id string, o *Options, p *terminal.Progress, lines int) *storedMonitor {
	w := &storedMonitor{api: api, path: "/v1/imports/" + id, every: pollInterval, unit: "lines"}
	if o.User != "" {
		w.path += "?user_id=" + url.QueryEscape(o.User)
	}
	if !o.converted && !slices.Contains([]string{"kith", "mcp-memory", "langgraph"}, o.Format) {
		w.unit, w.items, lines = "items", true, 0
	}
	if o.converted {
		w.unit = "items" // one is a line, but not of the user's file
	}
	w.lines = int64(lines)
	w.meter = terminal.NewCounter(p, "stored "+w.unit+":", lines)
	return w
}

// follow polls the service and shows the progress until the returned function is called. It calls alive on progress.
func (w *storedMonitor) follow(ctx context.Context, alive func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sleep.For(ctx, w.every) {
			if n, err := w.fetchStored(ctx); err == nil && n > w.meter.Done() {
				alive()
				w.meter.Set(n, time.Now())
			}
		}
	}()
	return func() { cancel(); <-done }
}

// fetchStored returns how many lines or items are stored. It fails if the service cannot report the import.
func (w *storedMonitor) fetchStored(ctx context.Context) (int64, error) {
	report := &Report{}
	if err := w.api.Call(ctx, http.MethodGet, w.path, nil, report); err != nil {
		return 0, err
	}
	if !w.items {
		return min(report.Lines, w.lines), nil // the bar must not exceed its width
	}
	return report.countItems(), nil
}

// interruptedError returns the error of an interrupted import. A nil monitor means a dry run.
func (w *storedMonitor) interruptedError(ctx context.Context) error {
	if w == nil {
		return errors.New("interrupted; a dry run stores nothing")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPollTimeout)
	defer cancel()
	what := "stored items stay stored"
	if n, err := w.fetchStored(ctx); err == nil && n > 0 {
		what = fmt.Sprintf("at least %d %s are stored", n, w.unit)
	}
	return errors.New("interrupted; " + what + ". Run the same command again to resume")
}
