package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"kith/cmd/kith/internal/terminal"
	"kith/exchange/chatlog"
)

// Conversations counts what was read of a file of conversations, and what was not taken of it.
type Conversations struct {
	Read     int64              `json:"read"`
	Taken    int64              `json:"taken"` // with messages
	Messages int64              `json:"messages"`
	Refused  int64              `json:"refused"` // conversations, or lines with a fault
	NotTaken []chatlog.NotTaken `json:"not_taken"`
	Changed  []chatlog.NotTaken `json:"changed"` // taken, but not as it is in the file

	refused []Note
	writer  *chatlog.Writer
}

// maxNotes is how many faults of a file are reported one by one, as in the service's report.
const maxNotes = 1000

// isConversations reports whether a format is one of conversations, which are converted before they are sent.
func isConversations(format string) bool {
	return slices.Contains(chatlog.Formats, chatlog.Format(format))
}

// convert writes the conversations of a file as lines of an import into a temporary file.
func convert(ctx context.Context, file io.ReaderAt, size int64, o *Options, progress *terminal.Progress) (lines *os.File, c *Conversations, err error) {
	if o.User == "" {
		return nil, nil, errors.New("--user is required: the user whose conversations these are")
	}
	in, err := chatlog.Open(file, size, chatlog.Format(o.Format), time.Now())
	if err != nil {
		return nil, nil, err
	}
	lines, err = os.CreateTemp("", "kith-import-")
	if err != nil {
		return nil, nil, err
	}
	c = &Conversations{}
	if err := c.write(ctx, in, lines, o, progress); err != nil {
		removeTemp(lines)
		return nil, nil, err
	}
	return lines, c, nil
}

func removeTemp(file *os.File) {
	_ = file.Close()
	_ = os.Remove(file.Name())
}

func (c *Conversations) write(ctx context.Context, in *chatlog.Reader, to io.Writer, o *Options, progress *terminal.Progress) error {
	out := bufio.NewWriter(to)
	var err error
	if c.writer, err = chatlog.NewWriter(out, chatlog.Format(o.Format), o.User, o.Owner); err != nil {
		return err
	}
	tally := chatlog.Tally{}
	tally.Add(in.NotTaken(), 0)
	for {
		if ctx.Err() != nil {
			return errors.New("interrupted; nothing was sent")
		}
		next, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := c.take(next, err, tally, o.Strict); err != nil {
			return err
		}
		progress.Update(fmt.Sprintf("read %d conversations", c.Read))
	}
	c.NotTaken, c.Changed = tally.List(false), tally.List(true)
	if err := c.writer.End(); err != nil {
		return err
	}
	return out.Flush()
}

// take writes a conversation, or records why it is refused.
func (c *Conversations) take(next *chatlog.Conversation, err error, tally chatlog.Tally, strict bool) error {
	var refused *chatlog.Fault
	switch {
	case errors.As(err, &refused) && strict:
		return fmt.Errorf("%w; nothing was sent", err)
	case errors.As(err, &refused):
		c.Refused++
		if len(c.refused) < maxNotes {
			c.refused = append(c.refused, Note{Location: refused.Place, Message: refused.Message})
		}
		return nil
	case err != nil:
		return fmt.Errorf("%w; nothing was sent", err)
	}
	c.Read++
	tally.Add(next.NotTaken, 1)
	if len(next.Messages) == 0 {
		return nil
	}
	c.Taken++
	c.Messages += int64(len(next.Messages))
	return c.writer.Write(next)
}

// addTo adds the counts to the service's report, whose lines are those of the temporary file.
func (c *Conversations) addTo(r *Report) {
	r.Refused = c.explain(r.Refused)
	for _, notes := range [][]Note{r.Refused, r.Warnings} {
		for n := range notes {
			if note := &notes[n]; note.Line > 0 {
				note.Location, note.Message, note.Line = c.writer.Place(note.Line), note.text(), 0
			}
		}
	}
	r.Refused = append(append([]Note{}, c.refused...), r.Refused...)
	r.Conversations = c
}

// heldElsewhere is said of a conversation whose key is not the user's.
const heldElsewhere = "is already stored for another user of the team, or was, and can be restored there: import it for that user, or erase it there first"

// explain says of a conversation that another user has what that means, once: not again for each of its messages.
func (c *Conversations) explain(refused []Note) []Note {
	held := map[int64]bool{}
	kept := refused[:0]
	for _, n := range refused { // in the order of their lines
		first := c.writer.First(n.Line)
		switch {
		case n.Line == 0 || first == 0:
		case held[first]:
			continue
		case n.Line == first && n.Location == "entity_key":
			n.Location, n.Message, held[first] = "", heldElsewhere, true
		}
		kept = append(kept, n)
	}
	return kept
}

// String lists the counts, and what was not taken.
func (c *Conversations) String() string {
	var out strings.Builder
	_, _ = fmt.Fprintf(&out, "conversations: %d read, %d taken with %d messages, %d refused\n", c.Read, c.Taken, c.Messages, c.Refused)
	for _, n := range c.NotTaken {
		_, _ = fmt.Fprintf(&out, "not taken:     %s: %d (conversations: %d)\n", n.Reason, n.Count, n.Conversations)
	}
	for _, n := range c.Changed {
		_, _ = fmt.Fprintf(&out, "changed:       %s: %d (conversations: %d)\n", n.Reason, n.Count, n.Conversations)
	}
	return out.String()
}
