package loader

import (
	"fmt"
	"strings"

	"kith/graph"
	"kith/markup"
)

// title is a kind as a heading.
func title(kind string) string {
	name := plural(kind)
	return strings.ToUpper(name[:1]) + name[1:]
}

// abbreviatedText is for a prompt (S2-13): without links it is empty. Within a budget of o200k tokens the last lines of the longest
// sections go first.
func (c *LinkedContext) abbreviatedText(budget int) (string, error) {
	most := 0
	for _, list := range c.Linked {
		most = max(most, len(list))
	}
	text, _, _, err := leastLeftOut(budget, most, func(gone int) (string, error) { return c.abbreviated(most - gone), nil })
	return text, err
}

// abbreviated shows at most so many of each kind.
func (c *LinkedContext) abbreviated(most int) string {
	if c.Counts["total"] == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## Linked Entities\n\nThis %s has the following relationships:\n", c.Source.Kind)
	for _, kind := range graph.LinkedKinds {
		total, list := c.Counts[plural(kind)], c.Linked[plural(kind)]
		if total == 0 {
			continue
		}
		list = list[:min(most, len(list))]
		fmt.Fprintf(&b, "\n### %s (%d linked", title(kind), total)
		if len(list) < total {
			fmt.Fprintf(&b, ", showing first %d", len(list))
		}
		b.WriteString(")\n\n")
		for i := range list {
			b.WriteString("- " + list[i].line() + "\n")
		}
		if more := total - len(list); more == 1 {
			fmt.Fprintf(&b, "- ... and 1 more %s\n", kind)
		} else if more > 1 {
			fmt.Fprintf(&b, "- ... and %d more %s\n", more, plural(kind))
		}
	}
	b.WriteString("\n_Use `get_linked_entities` tool to see full details including descriptions._\n")
	return b.String()
}

// line is an entity in short.
func (e *LinkedEntity) line() string {
	line := fmt.Sprintf("%s [%s]", markup.Name(e.Name), markup.Inline(e.ID))
	if e.State != nil {
		line += " (" + markup.Inline(*e.State) + ")"
	}
	line += " - " + markup.Inline(e.Relation)
	for _, other := range e.Others {
		line += ", " + markup.Inline(other.Relation)
	}
	if e.ContextDocument {
		line += " (context document)"
	}
	return line
}

// fullText is for a tool (S2-14).
func (c *LinkedContext) fullText(budget int) (string, error) {
	head := fmt.Sprintf("## Linked Entities for: %s [%s]\n", markup.Inline(c.Source.Name), markup.Inline(c.Source.ID))
	if c.Counts["total"] == 0 {
		return head + "\nNo linked entities found.\n", nil
	}
	var entries []string
	for _, kind := range graph.LinkedKinds {
		list := c.Linked[plural(kind)]
		for i := range list {
			entry := ""
			if i == 0 {
				entry = fmt.Sprintf("\n### %s (%d total)\n", title(kind), c.Counts[plural(kind)])
			}
			entries = append(entries, entry+list[i].entry())
		}
	}
	text := func(gone int) (string, error) {
		text := head + strings.Join(entries[:len(entries)-gone], "")
		if gone > 0 {
			text += fmt.Sprintf("\n_Left out to keep the token budget: %d of these._\n", gone)
		}
		if c.Next != nil {
			text += "\n_There are more: ask again with cursor=" + *c.Next + "_\n"
		}
		return text, nil
	}
	if budget == 0 {
		return text(0)
	}
	fitting, _, _, err := leastLeftOut(budget, len(entries), text)
	return fitting, err
}

// entry is an entity in full.
func (e *LinkedEntity) entry() string {
	var b strings.Builder
	marker := ""
	if e.ContextDocument {
		marker = " (context document)"
	}
	fmt.Fprintf(&b, "\n#### %s [%s]%s\n\n", markup.Item(e.Name), markup.Inline(e.ID), marker)
	line := func(name string, value *string) {
		if value != nil && strings.TrimSpace(*value) != "" {
			b.WriteString("- **" + name + ":** " + markup.Inline(*value) + "\n")
		}
	}
	line("State", e.State)
	line("Type", e.TypeKey)
	if e.Kind == "milestone" && e.DueAt != nil {
		due := dateOf(e.DueAt)
		line("Due", &due)
	}
	for _, r := range append([]LinkedRelation{{e.Relation, e.Direction, e.EdgeID}}, e.Others...) {
		relation := fmt.Sprintf("%s (%s)", r.Relation, r.Direction)
		line("Relationship", &relation)
	}
	line("Description", &e.Description)
	return b.String()
}
