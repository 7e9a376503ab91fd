package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// importConversationsCmd loads a file of lines like
//
//	{"conversation":"c1","session":1,"time":"2026-03-18T09:00:00Z","speaker":"Ada","text":"…"}
//
// Every speaker becomes a user with a memory of her own: the sessions she took part in, and the people in them.
// Lines of a session stand together; an "id" (else the position in the session) is part of a message's entity key, so
// that loading a file again changes nothing. Other fields are ignored.
type importConversationsCmd struct {
	File       string `arg:"" type:"existingfile" help:"File of JSON lines: conversation, session, time, speaker, text, and optionally id."`
	URL        string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key        string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
	TimeLayout string `default:"2006-01-02T15:04:05Z07:00" help:"How time is written: a layout of Go's package time, such as '3:04 pm on 2 January, 2006' (default: RFC 3339)."`
	Speaker    string `help:"Load only this speaker's memory (default: everybody's)."`
}

// Run loads the file. Sessions without fault are loaded even if others have faults; those are told and make it fail.
func (c *importConversationsCmd) Run(ctx context.Context, std streams) error {
	file, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	defer func() { _ = file.Close() }()
	progress := newProgress(std.err)
	importer := newImporter(newAPIClient(c.URL, c.Key), c.Speaker, time.Now(), progress.fault)
	err = importer.load(ctx, newSessionReader(file, c.TimeLayout, progress.fault), progress)
	progress.end()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("import conversations: interrupted after %d sessions; what is stored stays. The same command loads the rest", importer.totals.sessions)
	}
	if err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if err := c.conclude(importer, std.out); err != nil {
		return fmt.Errorf("import conversations: %w", err)
	}
	if progress.faults > 0 {
		return fmt.Errorf("import conversations: faults: %d; sessions left out: %d", progress.faults, importer.totals.leftOut)
	}
	return nil
}

// conclude says what was loaded, and how to ask for the first user's context.
func (c *importConversationsCmd) conclude(i *importer, out io.Writer) error {
	t := i.totals
	if len(i.users) == 0 {
		if c.Speaker != "" && t.leftOut == 0 {
			return errors.New("no session has that speaker")
		}
		_, err := fmt.Fprintln(out, "nothing loaded")
		return err
	}
	_, err := fmt.Fprintf(out, "sessions: %d with %d messages, for %d users\nsources: %s\nmessages: %s\n\n%s\n",
		t.sessions, t.messages, len(i.users), t.sources, t.stored, visible(contextCurl(c.URL, c.Key, i.users[0].id)))
	return err
}

// load reads sessions and writes them, and at the end how the speakers know each other.
func (i *importer) load(ctx context.Context, sessions *sessionReader, progress *progress) error {
	for {
		session, err := sessions.read()
		if errors.Is(err, io.EOF) {
			return i.writeRelationships(ctx)
		}
		if err != nil {
			return err
		}
		if err := i.write(ctx, session); err != nil {
			return fmt.Errorf("session %s of %s (from line %d on): %w", session.name, session.conversation, session.line, err)
		}
		progress.step(i.totals)
	}
}

// importTotals are what an import did.
type importTotals struct {
	sessions, messages, leftOut int
	sources, stored             outcomeCounts
}

type outcomeCounts struct{ created, updated, unchanged int }

// String lists the counts.
func (c outcomeCounts) String() string {
	return fmt.Sprintf("%d created, %d updated, %d unchanged", c.created, c.updated, c.unchanged)
}

const toldEvery = 100 // sessions, where lines stay

// step tells how far an import of conversations is.
func (p *progress) step(t importTotals) {
	if text := fmt.Sprintf("%d sessions, %d messages", t.sessions, t.messages); p.terminal {
		p.show(text)
	} else if t.sessions > 0 && t.sessions%toldEvery == 0 {
		p.line(text)
	}
}
