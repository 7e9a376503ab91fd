package ontology

import (
	"fmt"
	"strings"

	"kith/graph/trust"
	"kith/loader"
	"kith/memory/workspace"
	"kith/text/clip"
	"kith/text/markup"
	"kith/text/tokens"
)

// title returns the heading of a kind. Tasks linked with a task are headed as dependent tasks.
func (c *LinkedContext) title(kind string) string {
	if kind == "task" && c.Source.Kind == "task" {
		return "Dependent Tasks"
	}
	name := plural(kind)
	return strings.ToUpper(name[:1]) + name[1:]
}

// nameShown bounds a name in the abbreviated text, in characters, and relationsShown the relations between two nodes: no line takes the
// room of all others.
const (
	nameShown      = 120
	relationsShown = 3
)

// abbreviatedText returns the text for a prompt; empty without links. It keeps a budget of o200k tokens; 0: no budget.
func (c *LinkedContext) abbreviatedText(budget int) (string, error) {
	cut := c.abbreviated().cuts()
	if budget > 0 {
		if err := cut.fit(budget); err != nil {
			return "", err
		}
	}
	return cut.text()
}

// abbreviatedLinks is the abbreviated text as headings and lines, of which lines may go.
type abbreviatedLinks struct {
	source string // its kind
	kinds  []linkedLines
}

// linkedLines are the lines of a kind, and how many links of it there are.
type linkedLines struct {
	kind, title string
	total       int
	lines       []string
}

func (c *LinkedContext) abbreviated() *abbreviatedLinks {
	t := &abbreviatedLinks{source: c.Source.Kind}
	for _, kind := range workspace.LinkedKinds {
		list := c.Linked[plural(kind)]
		of := linkedLines{kind: kind, title: c.title(kind), total: c.Counts[plural(kind)], lines: make([]string, len(list))}
		for i := range list {
			of.lines[i] = list[i].line()
		}
		if of.total > 0 {
			t.kinds = append(t.kinds, of)
		}
	}
	return t
}

// most returns how many lines can be left out.
func (t *abbreviatedLinks) most() (n int) {
	for i := range t.kinds {
		n += len(t.kinds[i].lines)
	}
	return n
}

// cuts returns the lines that can be cut; none yet are.
func (t *abbreviatedLinks) cuts() cuts {
	return newCuts(t.most(), func(gone int) (string, error) { return t.render(gone), nil })
}

// render returns the text without its last lines: the last ones of the longest lists are removed first, of equal ones
// those of the later list. Kinds without lines are counted together at the end, which saves their headings.
func (t *abbreviatedLinks) render(gone int) string {
	if len(t.kinds) == 0 {
		return ""
	}
	keep := t.kept(gone)
	var b strings.Builder
	fmt.Fprintf(&b, "## Linked Entities\n\nThis %s has the following relationships:\n", t.source)
	var others []string
	for i := range t.kinds {
		if keep[i] > 0 {
			t.kinds[i].write(&b, keep[i])
		} else {
			others = append(others, moreOf(t.kinds[i].kind, t.kinds[i].total))
		}
	}
	if len(others) > 0 {
		b.WriteString("\n### Others\n\n- ... and " + strings.Join(others, ", ") + "\n")
	}
	b.WriteString("\n_Use `get_linked_entities` tool to see full details including descriptions._\n")
	return b.String()
}

// kept returns how many lines each kind keeps when so many go.
func (t *abbreviatedLinks) kept(gone int) []int {
	lengths := make([]int, len(t.kinds))
	for i := range t.kinds {
		lengths[i] = len(t.kinds[i].lines)
	}
	return keptOf(lengths, gone)
}

// write writes the first lines of a kind under its heading, and how many more there are.
func (l *linkedLines) write(b *strings.Builder, keep int) {
	fmt.Fprintf(b, "\n### %s (%d linked", l.title, l.total)
	if keep < l.total {
		fmt.Fprintf(b, ", showing first %d", keep)
	}
	b.WriteString(")\n\n")
	for _, line := range l.lines[:keep] {
		b.WriteString("- " + line + "\n")
	}
	if more := l.total - keep; more > 0 {
		b.WriteString("- ... and " + moreOf(l.kind, more) + "\n")
	}
}

// moreOf counts nodes of a kind: 1 more task, 2 more tasks.
func moreOf(kind string, more int) string {
	return loader.Counted(more, "more "+kind, "more "+plural(kind))
}

// line returns an entity as one line.
func (e *LinkedEntity) line() string {
	line := fmt.Sprintf("%s [%s]", markup.Name(clip.Shorten(e.Name, nameShown)), markup.Inline(e.ID))
	if e.State != nil {
		line += " (" + markup.Inline(*e.State) + ")"
	}
	line += " - " + markup.Inline(e.Relation)
	others := e.Others[:min(len(e.Others), relationsShown-1)]
	for _, other := range others {
		line += ", " + markup.Inline(other.Relation)
	}
	if more := len(e.Others) - len(others); more > 0 {
		line += fmt.Sprintf(" (+%d more)", more)
	}
	if e.ContextDocument {
		line += " (context document)"
	}
	return e.Line(line)
}

// fullText returns the text for a tool.
func (c *LinkedContext) fullText(budget int) (string, error) {
	head := fmt.Sprintf("## Linked Entities for: %s [%s]\n", c.Source.Line(markup.Inline(c.Source.Name)), markup.Inline(c.Source.ID))
	if c.Counts["total"] == 0 {
		return head + "\nNo linked entities found.\n", nil
	}
	var entries []string
	for _, kind := range workspace.LinkedKinds {
		list := c.Linked[plural(kind)]
		for i := range list {
			entry := ""
			if i == 0 {
				entry = fmt.Sprintf("\n### %s (%d total)\n", c.title(kind), c.Counts[plural(kind)])
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
	fitting, _, _, err := tokens.LeastLeftOut(budget, len(entries), text)
	return fitting, err
}

// entry returns an entity with all its fields.
func (e *LinkedEntity) entry() string {
	var b strings.Builder
	marker := ""
	if e.ContextDocument {
		marker = " (context document)"
	}
	fmt.Fprintf(&b, "\n#### %s [%s]%s\n\n", e.Line(markup.Item(e.Name)), markup.Inline(e.ID), marker)
	line := func(name, value string) {
		if value != "" {
			b.WriteString("- **" + name + ":** " + value + "\n")
		}
	}
	line("State", toldState(e.Told, e.Kind, textOrNone(e.State)))
	line("Type", told(e.Told, textOrNone(e.TypeKey)))
	if e.Kind == "milestone" {
		line("Due", dateOf(e.DueAt))
	}
	for _, r := range append([]LinkedRelation{{e.Relation, e.Direction, e.EdgeID}}, e.Others...) {
		line("Relationship", markup.Inline(fmt.Sprintf("%s (%s)", r.Relation, r.Direction)))
	}
	if strings.TrimSpace(e.Description) != "" {
		description := e.Description
		if e.Believed() < trust.Plain {
			description = e.Line(description)
		} else {
			description = markup.Indented(description)
		}
		b.WriteString("- **Description:** " + description + "\n")
	}
	return b.String()
}
