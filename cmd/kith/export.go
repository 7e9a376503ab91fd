package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"kith/client"
	"kith/internal/terminal"
)

// exportCmd writes the response of GET /v1/export, a team's whole memory, in the format that kith import reads.
type exportCmd struct {
	File string `arg:"" optional:"" default:"-" help:"The file to write. -: standard output."`
	URL  string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key  string `env:"KITH_KEY" required:"" help:"An API key with the scope read."`
	JSON bool   `name:"json" help:"Print the totals as JSON, on standard error."`
}

// Run writes the export. The file appears only when it is complete.
func (c *exportCmd) Run(ctx context.Context, std streams) error {
	progress := terminal.NewProgress(std.err)
	d := &download{api: client.New(c.URL, c.Key, nil), progress: progress}
	write := d.writeFile
	if c.File == "-" {
		write = func(ctx context.Context, _ string) error { return d.write(ctx, std.out) }
	}
	err := write(ctx, c.File)
	progress.End()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	end := d.received.end
	if c.JSON {
		return terminal.PrintJSON(std.err, map[string]int64{
			"nodes": end.Nodes, "relationships": end.Relationships, "preferences": end.Preferences, "chat_turns": end.ChatTurns,
			"lines": d.received.lines, "bytes": d.received.bytes,
		})
	}
	_, _ = fmt.Fprintf(std.err, "exported %d nodes, %d relationships, %d preferences, %d chat turns: %d lines, %s\n",
		end.Nodes, end.Relationships, end.Preferences, end.ChatTurns, d.received.lines, terminal.FormatBytes(d.received.bytes))
	return nil
}

// download receives an export.
type download struct {
	api      *client.Client
	progress *terminal.Progress
	received exportMonitor
}

// writeFile writes an export to a file that appears when it is complete.
func (d *download) writeFile(ctx context.Context, path string) error {
	return writePrivate(path, func(file io.Writer) error { return d.write(ctx, file) })
}

// write copies an export to out. It is retried until the first byte has arrived.
func (d *download) write(ctx context.Context, out io.Writer) error {
	return d.api.Download(ctx, client.Transfer{Path: "/v1/export", Notify: d.progress.Line}, func(in io.Reader) error {
		return d.copy(out, in)
	})
}

var errIncomplete = errors.New("the export is incomplete: its last line is missing")

func (d *download) copy(out io.Writer, in io.Reader) error {
	d.received = exportMonitor{meter: terminal.NewMeter(d.progress, "received", 0)}
	_, err := io.Copy(io.MultiWriter(out, &d.received), in)
	if err != nil {
		return fmt.Errorf("after %d lines: %w", d.received.lines, err)
	}
	if !d.received.parseEnd() {
		return errIncomplete
	}
	return nil
}
