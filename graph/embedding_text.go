package graph

import (
	"maps"
	"strings"
)

// embeddingText returns the text of a node's vector; empty: it has none. Nodes formed by maintenance only repeat the names of
// others. The person that Kith makes for a user only has the user id.
func embeddingText(n *stored) string {
	if n == nil || n.kind.group == storyGroup || n.generated() && n.Text("description") == "" {
		return ""
	}
	body := strings.TrimSpace(n.Text("text"))
	if n.kind == MessageKind {
		if name := n.Text("name"); name != "" && body != "" {
			return name + ": " + body
		}
		return body
	}
	name := n.Text("name")
	if strings.HasPrefix(body, name) { // a requirement's name is the first line of its text
		name = ""
	}
	var parts []string
	for _, part := range []string{name, strings.Join(n.Texts("aliases"), ", "), n.Text("description"), n.Text("summary"), body, strings.Join(n.Texts("keywords"), ", ")} {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// EmbeddingText returns the text of the vector of a node with some properties; empty: it has none.
func EmbeddingText(kind Kind, p Properties) string { return embeddingText(&stored{kind, p}) }

// embedLater queues a written node for a vector if its text is new, or if its start time, which is stored with the vector, has
// changed. Without an embedder only a node with a vector is queued: the walk of a later embedder finds the others. old is nil for
// a new node.
func (t *Tx) embedLater(old, next *stored) {
	var before Properties
	if old != nil {
		before = old.Properties
	}
	if t.store.options.Embedder == nil && before["vector_seq"] == nil {
		return
	}
	if embeddingText(old) == embeddingText(next) && (old == nil || Same(before["started_at"], next.Properties["started_at"])) {
		return
	}
	due := t.store.Now().UnixMilli()
	if due == before.integer("embed_due") { // a process that embeds the former text must notice the new one
		due++
	}
	next.Properties["embed_due"] = due
	t.retold = true
}

// EmbedNew queues a new node for a vector.
func (t *Tx) EmbedNew(kind Kind, p Properties) { t.embedLater(nil, &stored{kind, p}) }

// EmbedEntity does the same as embedLater for the row that changes an entity of a system. Only its new text is known: without an
// embedder the entity loses its vector, if it has one.
func (t *Tx) EmbedEntity(row map[string]any) {
	if t.store.options.Embedder == nil {
		maps.Copy(row["properties"].(map[string]any), map[string]any{"vector": nil, "vector_scope": nil, "vector_seq": nil}) // from the caller
		return
	}
	row["embed_due"] = t.store.Now().UnixMilli()
	t.retold = true
}

// embedRestored returns since when a restored node of a kind is queued; nil: it is not.
func (t *Tx) embedRestored(kind Kind) any {
	if t.store.options.Embedder == nil || kind.group == storyGroup {
		return nil
	}
	t.retold = true
	return t.store.Now().UnixMilli()
}

// Texts returns a channel that has a value when this process has written texts that wait for their vectors.
func (s *Store) Texts() <-chan struct{} { return s.texts }

// wake wakes the embedding in this process.
func (s *Store) wake() {
	select {
	case s.texts <- struct{}{}:
	default: // already awake
	}
}
