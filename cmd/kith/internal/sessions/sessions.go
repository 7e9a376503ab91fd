// Package sessions imports conversations from a file with lines like
//
//	{"conversation":"c1","session":1,"time":"2026-03-18T09:00:00Z","speaker":"Ada","text":"…"}
//
// Every speaker becomes a user whose memory has the speaker's sessions and the people in them. The lines of a session must
// be adjacent. The "id" of a line, or its position in the session, is part of the message's entity key, so importing a
// file again changes nothing. Other fields are ignored.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
)

// Options selects what is imported.
type Options struct {
	TimeLayout string // layout of the field time, as in package time
	Speaker    string // import only this speaker's memory. Empty: all speakers
}

// Totals counts what an import stored.
type Totals struct {
	Sessions int      // stored
	Messages int      // in these sessions
	Skipped  int      // sessions with a fault
	Users    []string // ids, in the order of their first session
	Sources  Counts
	Stored   Counts // messages in the memories of their speakers
}

// Import stores the sessions without faults, and then the relationships between the speakers. It reports faults to
// progress. With an error it returns what was stored before.
func Import(ctx context.Context, api *client.Client, in io.Reader, o Options, progress *terminal.Progress) (Totals, error) {
	i := newImporter(api, o.Speaker, time.Now(), progress.Fault)
	err := i.load(ctx, newReader(in, o.TimeLayout, progress.Fault), progress)
	for _, user := range i.users {
		i.totals.Users = append(i.totals.Users, user.id)
	}
	return i.totals, err
}

// load reads and writes all sessions, and then the relationships between the speakers.
func (i *importer) load(ctx context.Context, in *reader, progress *terminal.Progress) error {
	for {
		s, err := in.read()
		if errors.Is(err, io.EOF) {
			return i.writeRelationships(ctx)
		}
		if err != nil {
			return err
		}
		if err := i.write(ctx, s); err != nil {
			return fmt.Errorf("session %s of %s (line %d): %w", s.name, s.conversation, s.line, err)
		}
		showTotals(progress, i.totals)
	}
}

// Counts counts items by outcome.
type Counts struct{ Created, Updated, Unchanged int }

// String lists the counts.
func (c Counts) String() string {
	return fmt.Sprintf("%d created, %d updated, %d unchanged", c.Created, c.Updated, c.Unchanged)
}

const sessionsPerLine = 100 // sessions per progress line if the output is not a terminal

// showTotals shows the progress of an import of conversations.
func showTotals(p *terminal.Progress, t Totals) {
	if text := fmt.Sprintf("%d sessions, %d messages", t.Sessions, t.Messages); p.Terminal {
		p.Show(text)
	} else if t.Sessions > 0 && t.Sessions%sessionsPerLine == 0 {
		p.Line(text)
	}
}
