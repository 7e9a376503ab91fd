package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"kith/client"
	"kith/internal/terminal"
)

// importConversationsCmd imports a file with lines like
//
//	{"conversation":"c1","session":1,"time":"2026-03-18T09:00:00Z","speaker":"Ada","text":"…"}
//
// Every speaker becomes a user whose memory has the speaker's sessions and the people in them. The lines of a session must
// be adjacent. The "id" of a line, or its position in the session, is part of the message's entity key, so importing a
// file again changes nothing. Other fields are ignored.
type importConversationsCmd struct {
	File       string `arg:"" type:"existingfile" help:"File of JSON lines: conversation, session, time, speaker, text, and optionally id."`
	URL        string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key        string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
	TimeLayout string `default:"2006-01-02T15:04:05Z07:00" help:"Layout of the field time, as in Go's package time, such as '3:04 pm on 2 January, 2006' (default: RFC 3339)."`
	Speaker    string `help:"Import only this speaker's memory (default: all speakers)."`
}

// Run imports the sessions without faults. It prints the faults of the others and fails if there are any.
func (c *importConversationsCmd) Run(ctx context.Context, std streams) error {
	file, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	defer func() { _ = file.Close() }()
	progress := terminal.NewProgress(std.err)
	importer := newImporter(client.New(c.URL, c.Key, nil), c.Speaker, time.Now(), progress.Fault)
	err = importer.load(ctx, newSessionReader(file, c.TimeLayout, progress.Fault), progress)
	progress.End()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("import conversations: interrupted after %d sessions, which stay stored. Run the same command again to import the rest",
			importer.totals.sessions)
	}
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if err := c.printSummary(importer, std.out); err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if progress.Faults > 0 {
		return fmt.Errorf("import conversations: faults: %d; sessions skipped: %d", progress.Faults, importer.totals.skipped)
	}
	return nil
}

// printSummary prints the totals, and a command that gets the first user's context.
func (c *importConversationsCmd) printSummary(i *importer, out io.Writer) error {
	t := i.totals
	if len(i.users) == 0 {
		if c.Speaker != "" && t.skipped == 0 {
			return errors.New("no session with this speaker")
		}
		_, err := fmt.Fprintln(out, "nothing imported")
		return err
	}
	_, err := fmt.Fprintf(out, "sessions: %d with %d messages, for %d users\nsources: %s\nmessages: %s\n\n%s\n",
		t.sessions, t.messages, len(i.users), t.sources, t.stored, terminal.Visible(contextCurl(c.URL, c.Key, i.users[0].id)))
	return err
}

// load reads and writes all sessions, and then the relationships between the speakers.
func (i *importer) load(ctx context.Context, sessions *sessionReader, progress *terminal.Progress) error {
	for {
		session, err := sessions.read()
		if errors.Is(err, io.EOF) {
			return i.writeRelationships(ctx)
		}
		if err != nil {
			return err
		}
		if err := i.write(ctx, session); err != nil {
			return fmt.Errorf("session %s of %s (line %d): %w", session.name, session.conversation, session.line, err)
		}
		showTotals(progress, i.totals)
	}
}

// importTotals counts what an import of conversations stored.
type importTotals struct {
	sessions, messages, skipped int
	sources, stored             outcomeCounts
}

type outcomeCounts struct{ created, updated, unchanged int }

// String lists the counts.
func (c outcomeCounts) String() string {
	return fmt.Sprintf("%d created, %d updated, %d unchanged", c.created, c.updated, c.unchanged)
}

const sessionsPerLine = 100 // sessions per progress line if the output is not a terminal

// showTotals shows the progress of an import of conversations.
func showTotals(p *terminal.Progress, t importTotals) {
	if text := fmt.Sprintf("%d sessions, %d messages", t.sessions, t.messages); p.Terminal {
		p.Show(text)
	} else if t.sessions > 0 && t.sessions%sessionsPerLine == 0 {
		p.Line(text)
	}
}
