package chatlog

import (
	"encoding/hex"
	"fmt"
	"time"
)

// threads reads logs of message APIs. A request of a chat has all messages before it, so a line whose messages begin with those of
// an earlier line is the same conversation, and only its other messages are new. A conversation has no id: it is known by the
// messages of its first line.
type threads struct {
	*values
	now  time.Time
	ends map[[16]byte]string // hash of all messages of a conversation → its id
}

func newThreads(v *values, now time.Time) *threads { return &threads{v, now, map[[16]byte]string{}} }

func (t *threads) next() (*Conversation, error) {
	raw, place, err := t.values.next()
	if err != nil {
		return nil, err
	}
	c := &Conversation{Place: place, NotTaken: map[Reason]int64{}}
	in, err := decodeCall(raw)
	if err != nil {
		return nil, &Fault{place, describe(err)}
	}
	from, to, err := t.read(in, c)
	if err != nil {
		return nil, &Fault{place, err.Error()}
	}
	if err := c.settle(t.now); err != nil {
		return nil, err
	}
	if len(c.Messages) > 0 {
		delete(t.ends, from)
		t.ends[to] = c.ID
	}
	return c, nil
}

// read adds the messages that follow those of the earlier conversation. It returns where that ends, and where this one does. The
// id of a message is a hash of all messages up to it.
func (t *threads) read(in *call, c *Conversation) (from, to [16]byte, err error) {
	items, others := in.items()
	at := in.at()
	if in.hasSystem() {
		c.NotTaken[SystemMessages]++
	}
	for n, item := range items {
		role, text, err := item.read(c.NotTaken)
		if err == nil && role != "" {
			next := digest(string(to[:]), role, text)
			err = c.add(hex.EncodeToString(next[:]), role, text, at)
			if text != "" {
				to = next
			}
		}
		if err != nil {
			return from, to, fmt.Errorf("message %d: %w", n+1, err)
		}
		if id, ended := t.ends[to]; ended && from != to {
			from = to
			c.ID, c.Continues = id, true
			c.Messages, c.NotTaken = nil, map[Reason]int64{} // returned and counted before
		}
	}
	switch {
	case c.Continues && len(c.Messages) == 0:
		c.NotTaken = map[Reason]int64{Repeated: 1}
	case len(c.Messages) > 0 && !c.Continues:
		c.ID = c.Messages[len(c.Messages)-1].ID
	}
	if others > 0 {
		c.NotTaken[OtherAnswers] += others
	}
	return from, to, nil
}
