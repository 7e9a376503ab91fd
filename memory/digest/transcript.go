package digest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/text/clip"
	"kith/text/markup"
)

const (
	maxText    = 96 << 10 // bytes of a source in a prompt: some 24,000 tokens
	pageLength = 500      // messages
)

// transcript is a source in the form for the model: an object about it, and one object for each message, each on its
// own line. No message can be mistaken for another one, whatever it contains.
type transcript struct {
	source  graph.Source
	lines   []string // the newest messages that fit
	size    int
	skipped int // messages that did not fit
	cut     bool
}

// readTranscript reads a source with its messages.
func (r *Reader) readTranscript(ctx context.Context, scope graph.Scope, key string) (*transcript, error) {
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
		if len(page) == 0 { // one with large parts is shorter than pageLength
			return t, nil
		}
		from = page[len(page)-1].Seq + 1
	}
}

// add adds a message, and drops the oldest ones if there is no room.
func (t *transcript) add(m *graph.Message) {
	text := clip.Bytes(m.Text, maxText/2)
	t.cut = t.cut || len(text) < len(m.Text)
	entry := jsonLine(struct {
		Role string    `json:"role"`
		Name string    `json:"name,omitempty"`
		At   time.Time `json:"at"`
		Text string    `json:"text"`
	}{m.Role, m.Name, m.At, text})
	t.lines, t.size = append(t.lines, entry), t.size+len(entry)
	for t.size > maxText && len(t.lines) > 1 {
		t.size -= len(t.lines[0])
		t.lines = t.lines[1:]
		t.skipped++
	}
}

func (t *transcript) text() string {
	about := jsonLine(struct {
		ContentType string    `json:"content_type"`
		ContextType *string   `json:"context_type,omitempty"`
		StartedAt   time.Time `json:"started_at"`
		Summary     string    `json:"summary,omitempty"`
		Keywords    []string  `json:"keywords,omitempty"`
	}{t.source.ContentType, t.source.ContextType, t.source.StartedAt, t.source.Summary, t.source.Keywords})
	return about + strings.Join(t.lines, "")
}

// warnings returns what is missing from the transcript.
func (t *transcript) warnings() []string {
	warnings := []string{}
	if t.skipped > 0 {
		warnings = append(warnings, fmt.Sprintf("the oldest %d messages were not read: a model is given %d bytes of a source", t.skipped, maxText))
	}
	if t.cut {
		warnings = append(warnings, fmt.Sprintf("of long messages the first %d bytes were read", maxText/2))
	}
	return warnings
}

// jsonLine returns a value as JSON on one line.
func jsonLine(v any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // texts and times can always be encoded
	return markup.Document(out.String())
}
