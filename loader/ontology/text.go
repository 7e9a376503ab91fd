package ontology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kith/graph"
	"kith/graph/trust"
	"kith/text/clip"
	"kith/text/markup"
)

// ontologyText is an ontology context as text. To keep a budget, the snapshot is cut first, then lines of highlights,
// then lines of links.
type ontologyText struct {
	head       string
	linked     *abbreviatedLinks // nil: none
	highlights []highlightText
	snapshot   *GraphSnapshot // nil: none
	tail       string
}

type highlightText struct {
	heading string
	lines   []string
	more    int64
}

// leftOut counts what is cut: nodes of the snapshot, lines of highlights, and lines of links.
type leftOut struct{ nodes, lines, links int }

func (c *Context) text(r *Request) *ontologyText {
	t := &ontologyText{}
	switch c.Type {
	case GlobalOntology:
		t.head = c.globalHead()
	case ProjectOntology:
		t.head, t.tail = c.projectHead(), c.projectTail()
		t.highlights = c.Metadata.Highlights.texts()
	case CombinedOntology:
		t.head = c.workspaceHead() + c.focusText()
		t.tail = "\n---\nThe " + c.Scope.Focus.Type + " " + c.focus.Node.Told().Line(markup.Inline(c.Scope.Focus.Name)) + " is in focus: act on it, and keep the project around it in mind.\n"
	case ElementOntology:
		t.head = c.elementText()
	case NoOntology:
		t.head = "No workspace is known here.\n"
	}
	if c.Metadata.Snapshot != nil && !r.WithoutJSON {
		t.snapshot = c.Metadata.Snapshot
	}
	if c.Linked == nil || c.Linked.Counts["total"] == 0 {
		return t
	}
	t.linked = c.Linked.abbreviated()
	return t
}

// render returns the text, with a note on what was cut.
func (t *ontologyText) render(out leftOut) (string, error) {
	parts, err := t.parts(out)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String(), err
}

// parts returns the parts of the text.
func (t *ontologyText) parts(out leftOut) ([]textPart, error) {
	parts := []textPart{{workspacePart, t.head}}
	if t.linked != nil {
		parts = append(parts, textPart{linkedPart, "\n" + t.linked.render(out.links)})
	}
	parts = append(parts, textPart{highlightsPart, t.renderHighlights(out.lines)})
	nodes := 0
	if t.snapshot != nil {
		nodes = len(t.snapshot.Nodes)
	}
	if t.snapshot != nil && out.nodes < nodes {
		block, err := t.snapshot.without(out.nodes).compact()
		if err != nil {
			return nil, err
		}
		parts = append(parts, textPart{snapshotPart, "\n### Graph Snapshot (Light)\n```json\n" + markup.JSON(block) + "\n```\n"})
	}
	parts = append(parts, textPart{summaryPart, t.tail})
	if note := out.note(nodes); note != "" {
		parts = append(parts, textPart{noticePart, "\n" + note + "\n"})
	}
	return parts, nil
}

// renderHighlights returns the highlights without some of their lines.
func (t *ontologyText) renderHighlights(gone int) string {
	var b strings.Builder
	keep := t.kept(gone)
	if len(t.highlights) > 0 {
		b.WriteString("\n### Project Context Highlights\n")
	}
	for i, h := range t.highlights {
		b.WriteString("#### " + h.heading + "\n")
		for _, line := range h.lines[:keep[i]] {
			b.WriteString("- " + line + "\n")
		}
		if more := h.more + int64(len(h.lines)-keep[i]); more > 0 {
			fmt.Fprintf(&b, "- ... and %d more\n", more)
		}
	}
	return b.String()
}

func (o leftOut) note(nodes int) string {
	var gone []string
	switch {
	case o.nodes > 0 && o.nodes >= nodes:
		gone = append(gone, "the graph snapshot")
	case o.nodes == 1:
		gone = append(gone, "1 node of the graph snapshot")
	case o.nodes > 1:
		gone = append(gone, strconv.Itoa(o.nodes)+" nodes of the graph snapshot")
	}
	if o.lines == 1 {
		gone = append(gone, "1 highlight")
	} else if o.lines > 1 {
		gone = append(gone, strconv.Itoa(o.lines)+" highlights")
	}
	if len(gone) == 0 {
		return ""
	}
	return "_Left out to keep the token budget: " + strings.Join(gone, ", ") + "._"
}

// kept returns how many lines each list of highlights keeps when so many go.
func (t *ontologyText) kept(gone int) []int {
	lengths := make([]int, len(t.highlights))
	for i, h := range t.highlights {
		lengths[i] = len(h.lines)
	}
	return keptOf(lengths, gone)
}

// keptOf returns how many lines each list keeps if gone are cut: the last lines of the longest lists go first, of equal
// ones those of the later list.
func keptOf(lengths []int, gone int) []int {
	keep := slices.Clone(lengths)
	for ; gone > 0; gone-- {
		longest := 0
		for i := range keep {
			if keep[i] >= keep[longest] {
				longest = i
			}
		}
		if len(keep) == 0 || keep[longest] == 0 {
			break
		}
		keep[longest]--
	}
	return keep
}

// fitBudget returns what to cut of the text to keep a budget, in o200k tokens; 0: there is none. Links have at most their own share.
func (t *ontologyText) fitBudget(budget int) (cuts, func(gone int) leftOut, error) {
	nodes, lines, links, cut := 0, 0, 0, 0
	if t.snapshot != nil {
		nodes = len(t.snapshot.Nodes)
	}
	for _, h := range t.highlights {
		lines += len(h.lines)
	}
	if t.linked != nil && budget > 0 {
		links = t.linked.most()
		own := t.linked.cuts()
		if err := own.fit(abbreviatedTokens); err != nil {
			return own, nil, err
		}
		cut = own.gone
	}
	at := func(gone int) leftOut {
		return leftOut{min(gone, nodes), min(max(0, gone-nodes), lines), cut + max(0, gone-nodes-lines)}
	}
	c := newCuts(nodes+lines+links-cut, func(gone int) (string, error) { return t.render(at(gone)) })
	if budget == 0 {
		return c, at, nil
	}
	return c, at, c.fit(budget)
}

func (c *Context) globalHead() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Global Overview\n- Total Projects: %d\n- Available Entity Types: %s\n",
		*c.Metadata.TotalProjects, strings.Join(c.Metadata.AvailableEntityTypes, ", "))
	b.WriteString("\n### Recent Projects\n")
	if len(c.Entities.Projects) == 0 {
		b.WriteString("- None\n")
	}
	for i := range c.Entities.Projects[:min(5, len(c.Entities.Projects))] {
		p := &c.Entities.Projects[i]
		b.WriteString("- " + p.Line(fmt.Sprintf("%s (%s · %s) - %s", markup.Item(p.Name), orNA(p.StateKey), orNA(p.TypeKey), described150(p.Description))) + "\n")
		fmt.Fprintf(&b, "  next: %s | dates: %s | updated: %s\n", orNone(p.Told, p.NextStepShort), p.timeline(), dateOf(p.UpdatedAt))
	}
	b.WriteString("\n### Entity Distribution\n")
	for _, kind := range graph.WorkspaceKinds {
		if n := c.Metadata.EntityCount[plural(kind)]; n > 0 {
			fmt.Fprintf(&b, "- Total %s: %d\n", plural(kind), n)
		}
	}
	b.WriteString("\n### Hints\n- Find projects: explore with kinds [\"project\"], or list them.\n- Start one: remember a node of the kind project.\n")
	return b.String()
}

// projectHead returns the text about a project.
func (c *Context) projectHead() string {
	p := c.Entities.Project
	var b strings.Builder
	line := func(name, value string) { b.WriteString("- " + name + ": " + value + "\n") }
	b.WriteString("### Project Information\n")
	line("ID", markup.Inline(p.ID))
	line("Name", p.Line(markup.Inline(p.Name)))
	line("State", p.state())
	line("Type", toldOrNA(p.Told, p.TypeKey))
	line("Created", dateOf(p.CreatedAt))
	line("Updated", dateOf(p.UpdatedAt))
	line("Timeline", p.timeline())
	return b.String() + c.projectLines()
}

// projectLines returns the common end of both heads: facets and what follows.
func (c *Context) projectLines() string {
	p := c.Entities.Project
	var b strings.Builder
	line := func(name, value string) { b.WriteString("- " + name + ": " + value + "\n") }
	line("Facets", p.facets())
	line("Description", cmp.Or(told(p.Told, clip.Shorten(p.Description, 150)), "No description"))
	line("Next Step (Short)", orNone(p.Told, p.NextStepShort))
	line("Next Step (Long)", orNone(p.Told, clip.Shorten(p.NextStepLong, detailText)))
	line("Context Doc", c.documentName())
	return b.String()
}

// projectTail returns the text after the snapshot.
func (c *Context) projectTail() string {
	var b strings.Builder
	b.WriteString("\n### Entity Summary\n")
	for _, kind := range graph.WorkspaceKinds {
		if v, ok := c.Metadata.Snapshot.Coverage[plural(kind)]; ok {
			fmt.Fprintf(&b, "- %s: total=%d, direct=%d, unlinked=%d\n", plural(kind), v.Total, v.Direct, v.Unlinked)
		}
	}
	edges := c.Relationships.Edges
	fmt.Fprintf(&b, "\n### Available Relationships\n%d relationships loaded\n", len(edges))
	for _, e := range edges[:min(5, len(edges))] {
		b.WriteString("- " + e.Line(fmt.Sprintf("%s → %s (%s)", markup.Item(e.Relation), e.TargetKind, markup.Inline(e.TargetID))) + "\n")
	}
	if len(edges) > 5 {
		fmt.Fprintf(&b, "... and %d more\n", len(edges)-5)
	}
	b.WriteString("\n### Hints\n- List the nodes of a kind, or explore with its kind, for more of each.\n" +
		"- traverse with mode neighbors walks the graph; a node's relationships are under its key.\n" +
		"- get a node by its kind and key for all that is known of it.\n")
	return b.String()
}

func ownOf(n *graph.NodeView) *graph.OwnFields {
	if n.OwnFields == nil {
		return &graph.OwnFields{}
	}
	return n.OwnFields
}

func orNA(text *string) string {
	if text == nil || *text == "" {
		return "n/a"
	}
	return markup.Inline(*text)
}

// toldOrNA returns what told does, and n/a for none.
func toldOrNA(t trust.Told, text *string) string { return cmp.Or(told(t, textOrNone(text)), "n/a") }

func textOrNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// toldState returns a state_key as told does: the known ones of a kind are Kith's words, others are texts.
func toldState(t trust.Told, kind, state string) string {
	if graph.IsStateKey(kind, state) {
		return state
	}
	return told(t, state)
}

func (p *ProjectRow) state() string {
	return cmp.Or(toldState(p.Told, graph.ProjectKind.Name, textOrNone(p.StateKey)), "n/a")
}

// told returns a text for a place within a line, quoted if it has little trust; empty for none.
func told(t trust.Told, text string) string {
	if text = markup.Inline(text); text == "" {
		return ""
	}
	return t.Line(text)
}

func orNone(t trust.Told, text string) string { return cmp.Or(told(t, text), "None") }

func described150(text string) string {
	return cmp.Or(markup.Inline(clip.Shorten(text, 150)), "No description")
}

func (p *ProjectRow) timeline() string {
	return cmp.Or(dateOf(p.StartAt), "n/a") + " → " + cmp.Or(dateOf(p.EndAt), "n/a")
}
