package graph

import (
	"context"
	"errors"
	"fmt"

	"kith/graph/trust"
	"kith/text/injection"
)

// Listener is for what users say to remember, which another package finds and keeps.
type Listener struct {
	// Hear reads the text of a user's message, before the transaction that stores it. It ends with the context.
	Hear func(ctx context.Context, text string) (heard any, err error)
	// Keep is called in the transaction, with the new messages of a user and what was heard in them.
	Keep func(t *Tx, said Said) error
}

// reading is what was found in the texts of a write. Texts are read before the transaction: that takes time in proportion to them, while a
// transaction holds locks, and may be tried several times.
type reading struct {
	instructs map[string]bool // whether a text reads like an instruction to the agent
	heard     map[string]any  // what Listener.Hear returned
	unread    []toRead        // texts that the transaction asked for in vain
}

// toRead is a text to be read: for instructions, or for what its user says.
type toRead struct {
	text   string
	isSaid bool
}

// errUnread means that a transaction needs texts that were not read before it, such as stored ones.
var errUnread = errors.New("texts were not read before the transaction")

type readingKey struct{}

// readingOf returns what was read for the transaction of a context.
func readingOf(ctx context.Context) *reading {
	if r, ok := ctx.Value(readingKey{}).(*reading); ok {
		return r
	}
	return &reading{instructs: map[string]bool{}, heard: map[string]any{}}
}

// read reads texts for the transaction that gets the returned context. It stops with the context's error.
func (s *Store) read(ctx context.Context, texts []toRead) (context.Context, error) {
	r := readingOf(ctx)
	if err := s.readInto(ctx, r, texts); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, readingKey{}, r), nil
}

func (s *Store) readInto(ctx context.Context, r *reading, texts []toRead) error {
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read texts: %w", err)
		}
		if err := s.readOne(ctx, r, t); err != nil {
			return fmt.Errorf("read texts: %w", err)
		}
	}
	return nil
}

func (s *Store) readOne(ctx context.Context, r *reading, t toRead) error {
	if t.isSaid {
		if _, known := r.heard[t.text]; known || s.options.Said == nil {
			return nil
		}
		heard, err := s.options.Said.Hear(ctx, t.text)
		r.heard[t.text] = heard
		return err
	}
	if _, known := r.instructs[t.text]; known || t.text == "" {
		return nil
	}
	marks, err := injection.Marks(ctx, t.text)
	r.instructs[t.text] = len(marks) > 0
	return err
}

// isInstruction reports whether one of some texts reads like an instruction to the agent. If one was not read, the transaction is tried
// again after that.
func (t *Tx) isInstruction(p Properties, names ...string) bool {
	instructs := false
	for _, name := range names {
		text := p.Text(name)
		is, known := t.reading.instructs[text]
		if !known && text != "" {
			t.reading.unread = append(t.reading.unread, toRead{text: text})
		}
		instructs = instructs || is
	}
	return instructs
}

// hear returns what was heard in the text of a user's message. If it was not read, the transaction is tried again after that.
func (t *Tx) hear(text string) any {
	heard, known := t.reading.heard[text]
	if !known {
		t.reading.unread = append(t.reading.unread, toRead{text: text, isSaid: true})
	}
	return heard
}

// missed returns errUnread if the transaction needs texts that were not read.
func (t *Tx) missed() error {
	if len(t.reading.unread) > 0 {
		return errUnread
	}
	return nil
}

// textsOf returns the texts of new messages that the transaction will ask for, in a source of an origin. Of a user's own words nobody asks
// whether they instruct.
func (s *Store) textsOf(messages []MessageWrite, origin string, limit Limit) (texts []toRead) {
	for i := range messages {
		m := &messages[i]
		if limit.Believed() < 1 || trust.OfRole(m.Role, origin) != trust.User {
			texts = append(texts, toRead{text: m.spoken()})
		}
		if IsUserRole(m.Role) {
			texts = append(texts, toRead{text: m.spoken(), isSaid: true})
		}
	}
	return texts
}

// texts returns the texts of a write that its transaction will ask for.
func (w *batch) texts(s *Store, limit Limit) (texts []toRead) {
	origins := map[string]string{}
	for i := range w.Nodes {
		if n := &w.Nodes[i]; n.Kind == SourceKind.Name {
			origins[n.EntityKey] = n.writtenOrigin()
			texts = append(texts, toRead{text: n.Name.Value}, toRead{text: n.Description.Value})
			if n.OwnFields != nil {
				texts = append(texts, toRead{text: n.Summary.Value})
			}
		}
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		if n.Kind != MessageKind.Name {
			continue
		}
		origin, known := origins[n.SourceKey.Value]
		if w.restoring && !known { // its source is of any origin
			origin = trust.External
		} else if !known {
			origin = trust.User
		}
		for _, t := range s.textsOf([]MessageWrite{n.message()}, origin, limit) {
			if !t.isSaid || !w.searched {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// writtenOrigin returns the origin that a written source has if nothing is stored.
func (w *NodeWrite) writtenOrigin() string {
	switch {
	case w.OwnFields == nil:
		return trust.User
	case w.Origin.Value != "":
		return w.Origin.Value
	}
	return trust.OfSource(w.ContentType.Value, w.SourceType.Value)
}
