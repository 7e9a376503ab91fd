package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/exchange"
)

// Exported counts what an export contains.
type Exported struct {
	exchange.End
	Lines, Bytes int64
}

// Export writes a team's whole memory to out. It is retried until the first byte has arrived.
func Export(ctx context.Context, api *client.Client, out io.Writer, progress *terminal.Progress) (Exported, error) {
	var received exportMonitor
	err := api.Download(ctx, client.Transfer{Path: "/v1/export", Notify: progress.Line}, func(in io.Reader) error {
		received = exportMonitor{meter: terminal.NewMeter(progress, "received", 0)}
		if _, err := io.Copy(io.MultiWriter(out, &received), in); err != nil {
			return fmt.Errorf("after %d lines: %w", received.lines, err)
		}
		if !received.parseEnd() {
			return errIncomplete
		}
		return nil
	})
	return Exported{received.end, received.lines, received.bytes}, err
}

var errIncomplete = errors.New("the export is incomplete: its last line is missing")
