package chatlog

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kith/exchange"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// add adds a message, or counts that it has no text.
func (c *Conversation) add(id, role, text string, at json.RawMessage) error {
	if strings.TrimSpace(text) == "" {
		c.NotTaken[NoText]++
		return nil
	}
	m := Message{ID: id, Role: role, Text: text}
	if len(at) > 0 && string(at) != "null" && string(at) != `""` {
		var ok bool
		if m.At, ok = exchange.ParseTime(at); !ok {
			return errors.New("its time must be RFC 3339, or seconds since 1970")
		}
	}
	c.Messages = append(c.Messages, m)
	return nil
}

// settle checks a conversation, cuts what is too long, and dates messages without a time.
func (c *Conversation) settle(now time.Time) error {
	if len(c.Messages) == 0 && !c.Continues {
		if c.NotTaken[Repeated] == 0 {
			c.NotTaken[NoMessages]++
		}
		return nil
	}
	if message := idFault(c.ID); message != "" {
		return &Fault{c.Place, "its id " + message}
	}
	c.Title = c.cut(strings.Join(strings.FieldsFunc(c.Title, isGap), " "), bounds.NameLength, CutTitle)
	c.Summary = c.cut(c.Summary, bounds.TextLength, CutTitle)
	ids := make(map[string]bool, len(c.Messages))
	for n := range c.Messages {
		m := &c.Messages[n]
		message := idFault(m.ID)
		switch {
		case message != "":
			message = "its id " + message
		case ids[m.ID]:
			message = "its id repeats that of another message"
		default:
			message = m.timeFault(now)
		}
		if message != "" {
			return &Fault{fmt.Sprintf("%s, message %d", c.Place, n+1), message}
		}
		ids[m.ID] = true
		m.Text = c.cut(m.Text, bounds.MessageLength, Cut)
		if !m.At.IsZero() && m.At.Unix() < 0 {
			c.NotTaken[Before1970]++
		}
	}
	c.dateMessages()
	return nil
}

// cut returns at most limit characters of a text, and counts one that is longer.
func (c *Conversation) cut(text string, limit int, reason Reason) string {
	text, isCut := clip.Runes(text, limit)
	if isCut {
		c.NotTaken[reason]++
	}
	return text
}

func isGap(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func idFault(id string) string {
	switch {
	case strings.TrimSpace(id) == "":
		return "is missing"
	case utf8.RuneCountInString(id) > bounds.KeyLength || strings.ContainsFunc(id, unicode.IsControl):
		return fmt.Sprintf("must have at most %d characters, and no control characters", bounds.KeyLength)
	}
	return ""
}

func (m *Message) timeFault(now time.Time) string {
	if m.At.IsZero() {
		return ""
	}
	var l fault.List
	l.Past(fault.At("time"), m.At, now)
	for _, f := range l.Fields() {
		return "its time " + f.Message
	}
	return ""
}

// dateMessages gives messages without a time that of the message before, or of the first one with a time. If there is none, the
// service dates them.
func (c *Conversation) dateMessages() {
	var last time.Time
	for _, m := range c.Messages {
		if last = m.At; !last.IsZero() {
			break
		}
	}
	reason := NoTime
	if last.IsZero() {
		reason = Undated
	}
	for n := range c.Messages {
		if m := &c.Messages[n]; m.At.IsZero() {
			c.NotTaken[reason]++
			m.At = last
		} else {
			last = m.At
		}
	}
}

// seen is a conversation that was returned.
type seen struct {
	place  string
	digest [16]byte
}

// compare refuses a conversation that has the id of another one. One with the same messages is only counted.
func (r *Reader) compare(c *Conversation) error {
	if len(c.Messages) == 0 || c.Continues {
		return nil
	}
	id := digest(c.ID)
	this := seen{c.Place, c.digest()}
	first, again := r.seen[id]
	switch {
	case !again && len(r.seen) == maxConversations:
		return errTooMany
	case !again:
		r.seen[id] = this
	case first.digest == this.digest:
		c.Messages, c.NotTaken = nil, map[Reason]int64{Repeated: 1}
	default:
		return &Fault{c.Place, "has the id of " + first.place + ", and other messages"}
	}
	return nil
}

// digest returns a hash of the messages.
func (c *Conversation) digest() [16]byte {
	parts := make([]string, 0, 4*len(c.Messages))
	for _, m := range c.Messages {
		parts = append(parts, m.ID, m.Role, m.Text, m.At.String())
	}
	return digest(parts...)
}

// digest returns a hash of texts.
func digest(parts ...string) [16]byte {
	hash := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(p), p)
	}
	return [16]byte(hash.Sum(nil))
}
