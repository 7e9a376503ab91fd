package chatlog

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// threads reads logs of message APIs. A request of a chat has all messages before it, so a line whose messages begin with those of
// an earlier line is the same conversation, and only its other messages are new. A conversation has no id: it is known by the
// messages of its first line. A later line with just these messages is the same one again, as it would have the same id.
type threads struct {
	*values
	now   time.Time
	ends  map[[16]byte]end  // by a hash of all messages of a conversation
	begun map[[16]byte]bool // by a hash of the messages of the first line
}

// end is where a conversation ends.
type end struct {
	id    string
	items int // of its last line
}

func newThreads(v *values, now time.Time) *threads {
	return &threads{v, now, map[[16]byte]end{}, map[[16]byte]bool{}}
}

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
	from, to, items, err := t.read(in, c)
	if err != nil {
		return nil, &Fault{place, err.Error()}
	}
	if err := c.settle(t.now); err != nil {
		return nil, err
	}
	if len(c.Messages) == 0 {
		return c, nil
	}
	delete(t.ends, from)
	t.ends[to] = end{c.ID, items}
	if !c.Continues {
		t.begun[to] = true
	}
	return c, nil
}

// read adds the messages that follow those of the earlier conversation. It returns where that ends, where this one does, and the
// number of its items. The id of a message is a hash of all messages up to it.
func (t *threads) read(in *call, c *Conversation) (from, to [16]byte, count int, err error) {
	items, others := in.items()
	at := in.at()
	if in.hasSystem() {
		c.NotTaken[SystemMessages]++
	}
	known := 0 // items of the earlier line
	for n, item := range items {
		if to, err = c.addItem(item, to, at); err != nil {
			return from, to, 0, fmt.Errorf("message %d: %w", n+1, err)
		}
		if earlier, ended := t.ends[to]; ended && from != to {
			from, known = to, earlier.items
			c.ID, c.Continues, c.Messages = earlier.id, true, nil
		}
		if c.Continues && n < known {
			c.NotTaken = map[Reason]int64{} // counted with the earlier line
		}
	}
	switch {
	case c.Continues && len(c.Messages) == 0, !c.Continues && t.begun[to]:
		c.Messages, c.NotTaken = nil, map[Reason]int64{Repeated: 1}
	case len(c.Messages) > 0 && !c.Continues:
		c.ID = c.Messages[len(c.Messages)-1].ID
	}
	if others > 0 {
		c.NotTaken[OtherAnswers] += others
	}
	return from, to, len(items), nil
}

// addItem adds the message of an item that follows others. It returns the hash of all of them.
func (c *Conversation) addItem(item *apiItem, before [16]byte, at json.RawMessage) ([16]byte, error) {
	role, text, err := item.read(c.NotTaken)
	if err != nil || role == "" {
		return before, err
	}
	next := digest(string(before[:]), role, text)
	if err := c.add(hex.EncodeToString(next[:]), role, text, at); err != nil || text == "" {
		return before, err
	}
	return next, nil
}
