package explore

import (
	"fmt"
	"strings"
	"time"
)

// headingLength is how many characters of the queries a text repeats.
const headingLength = 200

// Text is the result as Markdown for a prompt. It has what an agent reads, without keys.
func (r *Result) Text() string {
	var t strings.Builder
	fmt.Fprintf(&t, "# Found for: %s\n", cut(oneLine(strings.Join(r.Meta.QueryUsed, "; ")), headingLength))
	t.WriteString(section("People", r.Semantic.People, nodeLine))
	t.WriteString(section("Concepts", r.Semantic.Concepts, nodeLine))
	t.WriteString(section("Entities", r.Semantic.Entities, nodeLine))
	t.WriteString(section("Projects and systems", r.Semantic.Others, func(h *NodeHit) string {
		return fmt.Sprintf("%s (%s)", nodeLine(h), h.NodeType)
	}))
	t.WriteString(section("Relationships", r.Semantic.Relationships, relationshipLine))
	t.WriteString(section("Sources", r.Episodic.Sources, sourceLine))
	t.WriteString(section("Messages", r.Episodic.Messages, messageLine))
	t.WriteString(section("Storylines", r.Episodic.Storylines, storylineLine))
	t.WriteString(section("Macros", r.Episodic.Macros, macroLine))
	t.WriteString(section("Documents", r.Episodic.Artifacts, func(h *ArtifactHit) string { return describe(h.Name, h.Description) }))
	t.WriteString(section("Neighbours", r.Semantic.Neighbours, func(h *Neighbour) string { return describe(h.Name, h.Description) }))
	if r.empty() && r.Meta.Cut == 0 {
		t.WriteString("\nNothing was found.\n")
	}
	if r.Meta.Cut > 0 {
		fmt.Fprintf(&t, "\n_Left out, with the lowest rank: %d._\n", r.Meta.Cut)
	}
	if r.Meta.Semantic != MeaningOn {
		fmt.Fprintf(&t, "\n_Search by meaning: %s._\n", r.Meta.Semantic)
	}
	return t.String()
}

func (r *Result) empty() bool {
	for _, s := range r.shelves() {
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

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// describe is a name with what is said of it.
func describe(name, description string) string {
	if description = oneLine(description); description != "" {
		return "**" + oneLine(name) + "**: " + description
	}
	return "**" + oneLine(name) + "**"
}

func nodeLine(h *NodeHit) string {
	line := describe(h.Name, h.Description)
	for _, note := range h.NotesSnippets {
		line += "; note: " + oneLine(note)
	}
	return line
}

func relationshipLine(h *RelationshipHit) string {
	kind := h.RelationshipKind
	if h.RelationshipType != "" {
		kind = h.RelationshipType
	}
	line := fmt.Sprintf("%s —%s→ %s", oneLine(h.FromName), oneLine(kind), oneLine(h.ToName))
	if description := oneLine(h.Description); description != "" {
		line += ": " + description
	}
	return line
}

func sourceLine(h *SourceHit) string {
	line := h.StartedAt.Format(time.DateOnly) + " " + h.ContentType
	if h.Name != "" {
		line += " **" + oneLine(h.Name) + "**"
	}
	if summary := oneLine(h.Summary); summary != "" {
		line += ": " + summary
	}
	for i := range h.Messages {
		line += "\n  - " + messageLine(&h.Messages[i])
	}
	return line
}

func messageLine(h *MessageHit) string {
	who := h.Role
	if h.Name != "" {
		who = oneLine(h.Name)
	}
	return fmt.Sprintf("%s, %s: %s", h.At.Format(time.DateOnly), who, oneLine(h.Text))
}

func storylineLine(h *StorylineHit) string {
	line := describe(h.Name, h.Description)
	for _, s := range h.PreviewSources {
		line += fmt.Sprintf("\n  - %s: %s", s.StartedAt.Format(time.DateOnly), oneLine(s.Summary))
	}
	return line
}

func macroLine(h *MacroHit) string {
	line := describe(h.Name, h.Description)
	for _, t := range h.Storylines {
		line += "\n  - " + describe(t.Name, t.OneLiner)
	}
	return line
}
