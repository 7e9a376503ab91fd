package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	client "kith/clients/go"
	"kith/cmd/kith/internal/privatefile"
	"kith/cmd/kith/internal/terminal"
	"kith/cmd/kith/internal/transfer"
)

// exportCmd writes the response of GET /v1/export, a team's whole memory, in the format that kith import reads.
type exportCmd struct {
	File string `arg:"" optional:"" default:"-" help:"The file to write. -: standard output."`
	URL  string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key  string `env:"KITH_KEY" required:"" help:"An API key with the scope read."`
	JSON bool   `name:"json" help:"Print the totals as JSON, on standard error."`
}

// Run writes the export. The file appears only when it is complete. It is an error, too, if it is not of one moment: a backup that is kept
// as the last good one is not.
func (c *exportCmd) Run(ctx context.Context, std Streams) error {
	progress := terminal.NewProgress(std.Err)
	got, err := c.write(ctx, std.Out, progress)
	progress.End()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if c.JSON {
		err = terminal.PrintJSON(std.Err, map[string]int64{
			"nodes": got.Nodes, "relationships": got.Relationships, "statements": got.Statements, "preferences": got.Preferences,
			"chat_turns": got.ChatTurns, "lines": got.Lines, "bytes": got.Bytes,
		})
		return errors.Join(err, tornError(got))
	}
	_, _ = fmt.Fprintf(std.Err, "exported %d nodes, %d relationships, %d statements, %d preferences, %d chat turns: %d lines, %s\n",
		got.Nodes, got.Relationships, got.Statements, got.Preferences, got.ChatTurns, got.Lines, terminal.FormatBytes(got.Bytes))
	return tornError(got)
}

// tornError returns an error if an export is not of one moment.
func tornError(got transfer.Exported) error {
	if !got.IsTorn() {
		return nil
	}
	return errors.New("export: it is complete, but not of one moment: too much was written meanwhile; export again when less is written")
}

func (c *exportCmd) write(ctx context.Context, out io.Writer, progress *terminal.Progress) (got transfer.Exported, err error) {
	api := client.New(c.URL, c.Key, nil)
	if c.File == "-" {
		return transfer.Export(ctx, api, out, progress)
	}
	err = privatefile.Write(c.File, func(file io.Writer) error {
		got, err = transfer.Export(ctx, api, file, progress)
		return err
	})
	return got, err
}
