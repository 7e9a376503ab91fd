package chatlog

import (
	"cmp"
	"fmt"
	"io"
	"sort"
	"time"

	"kith/exchange"
	"kith/exchange/transcript"
)

// Writer writes conversations as lines of an import: a source and its messages. Their keys are made from the format, the user and
// the ids of the format (of a session: from its id), so that a later export of the same conversation adds only what is new.
type Writer struct {
	out    io.Writer
	format Format
	user   string
	lines  int64
	nodes  int64
	places []placed
	buf    []byte
}

// placed is where the lines of a conversation begin.
type placed struct {
	first int64
	place string
}

// sourceLine and messageLine have the fields of a node that an import of conversations sets.
type sourceLine struct {
	Kind        string     `json:"kind"`
	EntityKey   string     `json:"entity_key"`
	Name        string     `json:"name,omitempty"`
	ContentType string     `json:"content_type"`
	SourceType  string     `json:"source_type"`
	StartedAt   *time.Time `json:"started_at,omitempty"`
	EndedAt     *time.Time `json:"ended_at,omitempty"`
	Summary     string     `json:"summary,omitempty"`
	Properties  origin     `json:"properties"`
}

type origin struct {
	ImportedFrom Format `json:"imported_from"`
	ID           string `json:"id"`
}

type messageLine struct {
	Kind      string     `json:"kind"`
	EntityKey string     `json:"entity_key"`
	SourceKey string     `json:"source_key"`
	Role      string     `json:"role"`
	Text      string     `json:"text"`
	At        *time.Time `json:"at,omitempty"`
}

type personLine struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// NewWriter returns a writer of a user's conversations. An owner is the person who is the user; empty: none is written.
func NewWriter(out io.Writer, format Format, user, owner string) (*Writer, error) {
	w := &Writer{out: out, format: format, user: user}
	err := w.write(exchange.HeaderItem, exchange.Header{Version: exchange.Version})
	if err == nil && owner != "" {
		err = w.writeNode(personLine{"person", owner})
	}
	return w, err
}

// Write writes a conversation with messages.
func (w *Writer) Write(c *Conversation) error {
	w.places = append(w.places, placed{w.lines + 1, c.Place})
	source := w.sourceKey(c.ID)
	if err := w.writeNode(w.sourceLine(c, source)); err != nil {
		return err
	}
	for n := range c.Messages {
		m := &c.Messages[n]
		line := messageLine{
			Kind: "message", EntityKey: w.messageKey(c.ID, m.ID), SourceKey: source, Role: m.Role, Text: m.Text, At: known(m.At),
		}
		if err := w.writeNode(line); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) sourceLine(c *Conversation, key string) sourceLine {
	line := sourceLine{
		Kind: "source", EntityKey: key, Name: c.Title, ContentType: "conversation", SourceType: "text-import",
		Summary: cmp.Or(c.Summary, c.Title), Properties: origin{w.format, c.ID},
	}
	first, last := c.Messages[0].At, c.Messages[0].At
	for _, m := range c.Messages {
		if m.At.Before(first) {
			first = m.At
		}
		if m.At.After(last) {
			last = m.At
		}
	}
	if line.EndedAt = known(last); !c.Continues {
		line.StartedAt = known(first)
	}
	return line
}

// End writes the last line.
func (w *Writer) End() error { return w.write(exchange.EndItem, exchange.End{Nodes: w.nodes}) }

// Place returns where in the file a line comes from.
func (w *Writer) Place(line int64) string {
	after := sort.Search(len(w.places), func(n int) bool { return w.places[n].first > line })
	if after == 0 {
		return "the owner"
	}
	at := w.places[after-1]
	if line == at.first {
		return at.place
	}
	return fmt.Sprintf("%s, message %d", at.place, line-at.first)
}

// First returns the line with which the conversation of a line begins; 0 before the first conversation.
func (w *Writer) First(line int64) int64 {
	after := sort.Search(len(w.places), func(n int) bool { return w.places[n].first > line })
	if after == 0 {
		return 0
	}
	return w.places[after-1].first
}

// sourceKey returns the key of a conversation. A session has the key under which a hook of the agent stores it.
func (w *Writer) sourceKey(id string) string {
	if w.format == ClaudeCode {
		return transcript.ConversationKey(transcript.ClaudeCode, id)
	}
	return w.key("conversation", id)
}

func (w *Writer) messageKey(conversation, id string) string {
	if w.format == ClaudeCode {
		return w.sourceKey(conversation) + "/" + id
	}
	return w.key("message", conversation, id)
}

func (w *Writer) key(parts ...string) string {
	return exchange.EntityKey(append([]string{string(w.format), w.user}, parts...)...)
}

func known(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

func (w *Writer) writeNode(node any) error {
	w.nodes++
	return w.write(exchange.NodeItem, node)
}

func (w *Writer) write(kind exchange.ItemKind, value any) (err error) {
	w.lines++
	if w.buf, err = exchange.AppendLine(w.buf[:0], kind, value); err != nil {
		return err
	}
	_, err = w.out.Write(w.buf)
	return err
}
