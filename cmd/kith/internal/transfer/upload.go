package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
)

// upload sends a file to import and receives the report.
type upload struct {
	api      *client.Client
	path     string
	file     io.ReaderAt
	size     int64
	progress *terminal.Progress
	monitor  *storedMonitor // nil for a dry run, which shows the bytes sent
}

func (u *upload) send(ctx context.Context) (*Report, error) {
	t := client.Transfer{Path: u.path, Notify: u.progress.Line}
	if u.monitor != nil {
		t.Begin = u.monitor.follow
	} else {
		u.meterSent(&t)
	}
	answer, err := u.api.Upload(ctx, t, u.file, u.size)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	if err := json.Unmarshal(answer, report); err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	return report, nil
}

// meterSent shows how much of the file is sent, anew with each attempt.
func (u *upload) meterSent(t *client.Transfer) {
	var meter *terminal.Meter
	t.Begin = func(context.Context, func()) func() {
		meter = terminal.NewMeter(u.progress, "sent", u.size)
		return func() {}
	}
	t.Sent = func(part []byte) {
		meter.Add(int64(len(part)), int64(bytes.Count(part, []byte("\n"))), time.Now())
	}
}
