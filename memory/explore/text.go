package explore

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"kith/graph/trust"
	"kith/text/markup"
)

// headingLength is the most characters of the queries in the heading of a text.
const headingLength = 200

// Text returns the result as Markdown for a prompt, with keys if the format is Keyed.
func (r *Result) Text() string {
	var t strings.Builder
	line := lineWriter{r.keyed}
	fmt.Fprintf(&t, "# Found for: %s\n", markup.Inline(markup.Truncate(markup.Plain(strings.Join(r.Meta.QueryUsed, "; ")), headingLength)))
	t.WriteString(section("People", r.Semantic.People, line.node))
	t.WriteString(section("Concepts", r.Semantic.Concepts, line.node))
	t.WriteString(section("Entities", r.Semantic.Entities, line.node))
	t.WriteString(section("Projects and systems", r.Semantic.Others, func(h *NodeHit) string {
		return line.node(h) + " (" + markup.Inline(h.NodeType) + ")"
	}))
	t.WriteString(section("Relationships", r.Semantic.Relationships, line.relationship))
	t.WriteString(section("Sources", r.Episodic.Sources, line.source))
	t.WriteString(section("Messages", r.Episodic.Messages, messageLine))
	t.WriteString(section("Storylines", r.Episodic.Storylines, line.storyline))
	t.WriteString(section("Macros", r.Episodic.Macros, line.macro))
	t.WriteString(section("Documents", r.Episodic.Artifacts, func(h *ArtifactHit) string { return h.Line(line.describe(h.Name, h.EntityKey, h.Description)) }))
	t.WriteString(section("Neighbours", r.Semantic.Neighbours, func(h *Neighbour) string { return h.Line(line.describe(h.Name, h.EntityKey, h.Description)) }))
	if r.isEmpty() && r.Meta.Cut == 0 {
		t.WriteString("\nNothing was found.\n")
	}
	if r.Meta.Cut > 0 {
		fmt.Fprintf(&t, "\n_Left out, with the lowest rank: %d._\n", r.Meta.Cut)
	}
	if r.Meta.Distrusted > 0 {
		fmt.Fprintf(&t, "\n_Left out for too little trust: %d._\n", r.Meta.Distrusted)
	}
	for i := range r.Meta.Times {
		t.WriteString(timeLine(&r.Meta.Times[i]))
	}
	if r.Meta.Semantic != MeaningOn {
		fmt.Fprintf(&t, "\n_Search by meaning: %s._\n", r.Meta.Semantic)
	}
	return t.String()
}

// timeLine returns a line with a time of a query, as it was understood.
func timeLine(u *UnderstoodTime) string {
	line := "\n_Time: " + markup.Inline(u.Text)
	if u.From != nil {
		line += ", from " + u.From.Format(time.RFC3339)
	}
	if u.Until != nil {
		line += ", until " + u.Until.Format(time.RFC3339)
	}
	if u.Use == TimeFilter {
		return line + "; only what was said then._\n"
	}
	return line + "; what was said then ranks higher._\n"
}

func (r *Result) isEmpty() bool {
	for _, s := range r.hitLists() {
		if s.size > 0 {
			return false
		}
	}
	return true
}

func section[T any](heading string, hits []T, line func(*T) string) string {
	if len(hits) == 0 {
		return ""
	}
	var t strings.Builder
	t.WriteString("\n## " + heading + "\n")
	for i := range hits {
		t.WriteString("- " + line(&hits[i]) + "\n")
	}
	return t.String()
}

// lineWriter writes hits as lines, with or without keys.
type lineWriter struct{ keyed bool }

// key returns the key of a hit in brackets, if keys are wanted.
func (l lineWriter) key(key string) string {
	if !l.keyed {
		return ""
	}
	return " [" + markup.Inline(key) + "]"
}

// describe returns a name with its description.
func (l lineWriter) describe(name, key, description string) string {
	line := markup.Name(name) + l.key(key)
	if description = markup.Inline(description); description != "" {
		line += ": " + description
	}
	return line
}

func (l lineWriter) node(h *NodeHit) string {
	line := l.describe(h.Name, h.EntityKey, h.Description)
	for _, note := range h.NotesSnippets {
		line += "; note: " + markup.Inline(note)
	}
	return h.Least(h.Noted).Line(line)
}

func (l lineWriter) relationship(h *RelationshipHit) string {
	kind := h.RelationshipKind
	if h.RelationshipType != "" {
		kind = h.RelationshipType
	}
	line := fmt.Sprintf("%s —%s→ %s", markup.Item(h.FromName)+l.key(h.FromEntityKey), markup.Inline(kind), markup.Inline(h.ToName)+l.key(h.ToEntityKey))
	if description := markup.Inline(h.Description); description != "" {
		line += ": " + description
	}
	return h.Least(h.Ends).Line(line)
}

func (l lineWriter) source(h *SourceHit) string {
	line := h.StartedAt.Format(time.DateOnly) + " " + markup.Inline(h.ContentType)
	if h.Name != "" {
		line += " " + h.Line(markup.Name(h.Name))
	}
	line += l.key(h.EntityKey)
	if h.UserID != "" {
		line += " told by " + markup.Inline(h.UserID)
	}
	if summary := markup.Inline(h.Summary); summary != "" {
		line += ": " + h.Line(summary)
	}
	for i := range h.Messages {
		line += "\n  - " + messageLine(&h.Messages[i])
	}
	return line
}

func messageLine(h *MessageHit) string {
	said := markup.Inline(h.Text)
	if by := cmp.Or(h.Name, h.Role); h.Name != "" || !trust.IsRole(h.Role) {
		return h.At.Format(time.DateOnly) + ", " + h.Line(markup.Inline(by)+": "+said)
	}
	return h.At.Format(time.DateOnly) + ", " + markup.Inline(h.Role) + ": " + h.Line(said)
}

func (l lineWriter) storyline(h *StorylineHit) string {
	line := h.Told.Line(l.describe(h.Name, h.StorylineID, h.Description))
	for _, s := range h.PreviewSources {
		line += fmt.Sprintf("\n  - %s: %s", s.StartedAt.Format(time.DateOnly), s.Line(markup.Inline(s.Summary)))
	}
	return line
}

func (l lineWriter) macro(h *MacroHit) string {
	line := h.Told.Line(l.describe(h.Name, h.MacroID, h.Description))
	for _, t := range h.Storylines {
		line += "\n  - " + t.Told.Line(l.describe(t.Name, t.StorylineID, t.OneLiner))
	}
	return line
}
