package digest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/markup"
)

const (
	maxText    = 96 << 10 // bytes of a source that a model is given: some 24,000 tokens
	pageLength = 500      // messages
)

// transcript is a source as a model is given it: an object about it, and one for each message, each on a line of its own.
// Whatever a message holds, it cannot pass for another one.
type transcript struct {
	source graph.Source
	lines  []string // the newest messages that there is room for
	size   int
	left   int // messages without room
	cut    bool
}

// read reads a source with its messages.
func (r *Reader) read(ctx context.Context, scope graph.Scope, key string) (*transcript, error) {
	source, err := r.store.Source(ctx, scope, key)
	if err != nil {
		return nil, err
	}
	t := &transcript{source: source}
	for from := int64(0); ; {
		page, err := r.store.Messages(ctx, scope, key, from, pageLength)
		if err != nil {
			return nil, err
		}
		for i := range page {
			t.add(&page[i])
		}
		if len(page) < pageLength {
			return t, nil
		}
		from = page[len(page)-1].Seq + 1
	}
}

// add adds a message; the oldest ones make room for it.
func (t *transcript) add(m *graph.Message) {
	text := beginning(m.Text, maxText/2)
	t.cut = t.cut || len(text) < len(m.Text)
	said := line(struct {
		Role string    `json:"role"`
		Name string    `json:"name,omitempty"`
		At   time.Time `json:"at"`
		Text string    `json:"text"`
	}{m.Role, m.Name, m.At, text})
	t.lines, t.size = append(t.lines, said), t.size+len(said)
	for t.size > maxText && len(t.lines) > 1 {
		t.size -= len(t.lines[0])
		t.lines = t.lines[1:]
		t.left++
	}
}

func (t *transcript) text() string {
	about := line(struct {
		ContentType string    `json:"content_type"`
		ContextType *string   `json:"context_type,omitempty"`
		StartedAt   time.Time `json:"started_at"`
		Summary     string    `json:"summary,omitempty"`
		Keywords    []string  `json:"keywords,omitempty"`
	}{t.source.ContentType, t.source.ContextType, t.source.StartedAt, t.source.Summary, t.source.Keywords})
	return about + strings.Join(t.lines, "")
}

// warnings say what the model was not given.
func (t *transcript) warnings() []string {
	warnings := []string{}
	if t.left > 0 {
		warnings = append(warnings, fmt.Sprintf("the oldest %d messages were not read: a model is given %d bytes of a source", t.left, maxText))
	}
	if t.cut {
		warnings = append(warnings, fmt.Sprintf("of long messages the first %d bytes were read", maxText/2))
	}
	return warnings
}

// line is a value as JSON on one line.
func line(v any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // texts and times always can be
	return markup.Document(out.String())
}

// beginning is at most n bytes of a text, and cuts no character.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
