package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	client "kith/clients/go"
	"kith/cmd/kith/internal/sessions"
	"kith/cmd/kith/internal/terminal"
)

// importConversationsCmd imports a file of conversations, as package sessions describes it.
type importConversationsCmd struct {
	File       string `arg:"" type:"existingfile" help:"File of JSON lines: conversation, session, time, speaker, text, and optionally id."`
	URL        string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key        string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
	TimeLayout string `default:"2006-01-02T15:04:05Z07:00" help:"Layout of the field time, as in Go's package time, such as '3:04 pm on 2 January, 2006' (default: RFC 3339)."`
	Speaker    string `help:"Import only this speaker's memory (default: all speakers)."`
}

// Run imports the sessions without faults. It prints the faults of the others and fails if there are any.
func (c *importConversationsCmd) Run(ctx context.Context, std Streams) error {
	file, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	defer func() { _ = file.Close() }()
	progress := terminal.NewProgress(std.Err)
	totals, err := sessions.Import(ctx, client.New(c.URL, c.Key, nil), file, sessions.Options{TimeLayout: c.TimeLayout, Speaker: c.Speaker}, progress)
	progress.End()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("import conversations: interrupted after %d sessions, which stay stored. Run the same command again to import the rest",
			totals.Sessions)
	}
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if err := c.printSummary(totals, std.Out); err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if progress.Faults > 0 {
		return fmt.Errorf("import conversations: faults: %d; sessions skipped: %d", progress.Faults, totals.Skipped)
	}
	return nil
}

// printSummary prints the totals, and a command that gets the first user's context.
func (c *importConversationsCmd) printSummary(t sessions.Totals, out io.Writer) error {
	if len(t.Users) == 0 {
		if c.Speaker != "" && t.Skipped == 0 {
			return errors.New("no session with this speaker")
		}
		_, err := fmt.Fprintln(out, "nothing imported")
		return err
	}
	_, err := fmt.Fprintf(out, "sessions: %d with %d messages, for %d users\nsources: %s\nmessages: %s\n\n%s\n",
		t.Sessions, t.Messages, len(t.Users), t.Sources, t.Stored, terminal.Visible(contextCurl(c.URL, c.Key, t.Users[0])))
	return err
}
