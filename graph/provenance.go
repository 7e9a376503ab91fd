package graph

import (
	"context"
	"strings"
	"time"
)

// Writer is who writes, and through what. What a transaction creates or changes keeps its writer until another one changes it.
type Writer struct {
	KeyID   string // of an API key; TokenWriter for a token
	Through string // an operation of the API, mcp: and a tool, or import: and a format
	Source  string // the source from which a language model derived what is written; empty: none
	Limit   Limit  // of what is believed
}

// Limit is how far an API key is believed. The zero Limit is none.
type Limit struct {
	Origin string            // of what is written without one; empty: none
	Trust  Optional[float64] // the most that is believed
}

// TokenWriter stands for the caller with a token: its subject would be a name of a person.
const TokenWriter = "token"

type writerKey struct{}

// WithWriter returns a context whose transactions write as a writer; as none with the zero Writer.
func WithWriter(ctx context.Context, w Writer) context.Context {
	return context.WithValue(ctx, writerKey{}, w)
}

// WriterOf returns the writer of a context; zero for none.
func WriterOf(ctx context.Context) Writer {
	w, _ := ctx.Value(writerKey{}).(Writer)
	return w
}

// Text returns the writer as it is stored: its parts with a space between. Only the source may have spaces.
func (w Writer) Text() string {
	if w.KeyID == "" && w.Through == "" && w.Source == "" {
		return ""
	}
	return strings.TrimRight(strings.Join([]string{w.KeyID, w.Through, w.Source}, " "), " ")
}

// WriterFrom reads a stored writer; a zero one if it is not known.
func WriterFrom(text string) Writer {
	parts := append(strings.SplitN(text, " ", 3), "", "")
	if parts[1] == "" {
		return Writer{}
	}
	return Writer{KeyID: parts[0], Through: parts[1], Source: parts[2]}
}

// LastWrite is the last write that created or changed a node or relationship.
type LastWrite struct {
	At      *time.Time `json:"at,omitempty"`
	By      string     `json:"by,omitempty" doc:"id of the API key; token: the caller had a token"`
	Through string     `json:"through" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
	Source  string     `json:"source,omitempty" doc:"entity_key of the source from which a language model derived it"`
}

// lastWrite returns the last write, if its writer is known. Of what a team shares it omits the source, which is private.
func (p Properties) lastWrite() *LastWrite {
	by := WriterFrom(p.Text("written"))
	if by == (Writer{}) {
		return nil
	}
	w := &LastWrite{At: p.Moment("updated_at"), By: by.KeyID, Through: by.Through}
	if p.Text("user_id") != "" {
		w.Source = by.Source
	}
	return w
}

// NotBefore makes the transaction's changes count from a time on if the clock is behind it, because versions of a record must follow
// each other.
func (t *Tx) NotBefore(at time.Time) { t.after = at }

// Now returns when the transaction's changes count from.
func (t *Tx) Now() time.Time {
	if now := t.store.Now(); now.After(t.after) {
		return now
	}
	return t.after
}

// Sign records the writer of the transaction in the rows that create a node or relationship, or change its content, and when the
// former version ends. They have a version or a time; others only touch a record: a recall, or a rank.
func (t *Tx) Sign(rows []map[string]any) {
	text, now := t.writer.Text(), t.Now()
	for _, row := range rows {
		p, _ := row["properties"].(map[string]any)
		if p["version"] == nil && p["updated_at"] == nil {
			continue
		}
		if text != "" {
			p["written"] = text
		}
		row["replaced_at"], row["thin_at"] = now.UnixMilli(), ThinAt(now)
		if version, _ := p["version"].(int64); version > keptVersions+1 {
			key, isNode := row["entity_key"].(string)
			if !isNode {
				key, _ = row["key"].(string)
			}
			t.trimmed = append(t.trimmed, key)
		}
	}
}

// keptVersions is the number of former versions of a node or relationship that are kept.
const keptVersions = 200

// keepAll is for how long all versions of a record are kept. Older ones are thinned out to the first and last of each day.
const keepAll = 30 * day

// ThinAt returns when the versions that end on the day of a time are thinned out, in milliseconds.
func ThinAt(end time.Time) int64 { return end.Truncate(day).Add(day + keepAll).UnixMilli() }
