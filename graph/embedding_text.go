package graph

import (
	"maps"
	"strings"
)

// embeddingText is what a node's vector is made of; empty: it has none. What maintenance forms only repeats the names of
// others, and the person that Kith makes for a user only the user's id.
func embeddingText(n *stored) string {
	if n == nil || n.kind.group == storyGroup || n.generated() && n.text("description") == "" {
		return ""
	}
	body := strings.TrimSpace(n.text("text"))
	if n.kind == messageKind {
		if name := n.text("name"); name != "" && body != "" {
			return name + ": " + body
		}
		return body
	}
	name := n.text("name")
	if strings.HasPrefix(body, name) { // a requirement's is the first line of its text
		name = ""
	}
	var parts []string
	for _, part := range []string{name, n.text("description"), n.text("summary"), body, strings.Join(n.texts("keywords"), ", ")} {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n")
}

// embedLater lets a node that is written wait for the vector of its text, if that is new, or if it began at another time,
// which stands beside the vector. Without an embedder only what has a vector waits: the walk of the one to come finds
// the others. old is nil for a new node.
func (t *tx) embedLater(old, next *stored) {
	var before properties
	if old != nil {
		before = old.properties
	}
	if t.store.options.Embedder == nil && before["vector_seq"] == nil {
		return
	}
	if embeddingText(old) == embeddingText(next) && (old == nil || same(before["started_at"], next.properties["started_at"])) {
		return
	}
	due := t.store.now().UnixMilli()
	if due == before.integer("embed_due") { // whoever embeds the text of before must see that it is another one
		due++
	}
	next.properties["embed_due"] = due
	t.retold = true
}

// embedEntity is embedLater for the row that changes an entity of a system, of which no more is known than that its text
// is new: without an embedder it loses the vector that it may have.
func (t *tx) embedEntity(row map[string]any) {
	if t.store.options.Embedder == nil {
		maps.Copy(row["properties"].(map[string]any), map[string]any{"vector": nil, "vector_scope": nil, "vector_seq": nil}) //nolint:forcetypeassert // it is ours
		return
	}
	row["embed_due"] = t.store.now().UnixMilli()
	t.retold = true
}

// embedRestored is since when a node of a kind that comes back waits; nil: it does not.
func (t *tx) embedRestored(kind Kind) any {
	if t.store.options.Embedder == nil || kind.group == storyGroup {
		return nil
	}
	t.retold = true
	return t.store.now().UnixMilli()
}

// wake tells whoever embeds in this process that there is something to do.
func (s *Store) wake() {
	select {
	case s.texts <- struct{}{}:
	default: // it knows
	}
}
