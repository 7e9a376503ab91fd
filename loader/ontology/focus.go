package ontology

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kith/graph"
	"kith/graph/trust"
	"kith/loader"
	"kith/text/clip"
	"kith/text/markup"
)

// Lengths of texts of the focus, in characters.
const (
	focusText   = 400
	elementText = 200
	detailText  = 200
	outcomeText = 160
	propsShown  = 5
)

// workspaceHead returns the text about the project of the focus.
func (c *Context) workspaceHead() string {
	p := c.Entities.Project
	var b strings.Builder
	line := func(name, value string) { b.WriteString("- " + name + ": " + value + "\n") }
	b.WriteString("## Project Workspace: " + p.Line(markup.Inline(p.Name)) + "\n")
	line("ID", markup.Inline(p.ID))
	line("State", p.state())
	line("Type", toldOrNA(p.Told, p.TypeKey))
	line("Timeline", p.timeline())
	line("Created", dateOf(p.CreatedAt))
	if updated := dateOf(p.UpdatedAt); updated != dateOf(p.CreatedAt) {
		line("Updated", updated)
	}
	return b.String() + c.projectLines()
}

func (p *ProjectRow) facets() string {
	text := fmt.Sprintf("context=%s, scale=%s, stage=%s", orNA(p.FacetContext), orNA(p.FacetScale), orNA(p.FacetStage))
	if textOrNone(p.FacetContext)+textOrNone(p.FacetScale)+textOrNone(p.FacetStage) == "" {
		return text
	}
	return p.Line(text)
}

// document returns the name of the context document.
func (c *Context) documentName() string {
	if c.Metadata.ContextDocumentID == "" {
		return "None"
	}
	return fmt.Sprintf("%s [%s]", c.document.Line(markup.Inline(c.Metadata.ContextDocumentTitle)), markup.Inline(c.Metadata.ContextDocumentID))
}

// focusText returns the text about the node in focus.
func (c *Context) focusText() string {
	n := &c.focus.Node
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Current Focus (%s)\n- Name: %s\n- ID: %s\n", n.Kind, n.Told().Line(markup.Inline(n.Name)), markup.Inline(n.EntityKey))
	if state := toldState(n.Told(), n.Kind, ownOf(n).StateKey.Value); state != "" {
		b.WriteString("- State: " + state + "\n")
	}
	b.WriteString(c.details())
	b.WriteString("- Description: " + cmp.Or(told(n.Told(), clip.Shorten(n.Description, focusText)), "No description") + "\n")
	if props := propsOf(n); len(props) > 0 {
		b.WriteString("\n### Focus Metadata\n- " + strings.Join(props, "\n- ") + "\n")
	}
	if edges := c.Relationships.Edges; len(edges) > 0 {
		b.WriteString("\n### Relationships\n")
		for _, e := range edges[:min(8, len(edges))] {
			b.WriteString("- " + e.Line(fmt.Sprintf("%s → %s (%s · %s)", markup.Item(e.Relation), e.TargetKind, markup.Inline(e.TargetID), markup.Inline(e.TargetName))) + "\n")
		}
		if len(edges) > 8 {
			fmt.Fprintf(&b, "... and %d more\n", len(edges)-8)
		}
	}
	return b.String()
}

// elementText returns the text about a single node.
func (c *Context) elementText() string {
	f := c.focus
	n := &f.Node
	own := ownOf(n)
	var b strings.Builder
	fmt.Fprintf(&b, "### Element Information\n- Type: %s\n- ID: %s\n- Name: %s\n- Status: %s\n",
		n.Kind, markup.Inline(n.EntityKey), n.Told().Line(markup.Inline(n.Name)), cmp.Or(toldState(n.Told(), n.Kind, own.StateKey.Value), "n/a"))
	b.WriteString("\n### Element Details\n" + c.details())
	if text := told(n.Told(), clip.Shorten(n.Description, elementText)); text != "" {
		b.WriteString("- Description: " + text + "\n")
	}
	if props := propsOf(n); len(props) > 0 {
		b.WriteString("- Props: " + strings.Join(props, ", ") + "\n")
	}
	b.WriteString("\n### Parent Project\n")
	if f.Project == nil {
		b.WriteString("- None: it belongs to no project\n")
	} else {
		fmt.Fprintf(&b, "- %s (%s)\n- Project State: %s\n", f.Project.Told().Line(markup.Item(f.Project.Name)), markup.Inline(f.Project.EntityKey), cmp.Or(toldState(f.Project.Told(), f.Project.Kind, ownOf(f.Project).StateKey.Value), "n/a"))
	}
	if len(c.Relationships.Edges) > 0 {
		b.WriteString("\n### Relationships\n")
	}
	for _, e := range c.Relationships.Edges {
		direction := "to"
		relation, inverse := strings.CutPrefix(e.Relation, "inverse_")
		if inverse {
			direction = "from"
		}
		b.WriteString("- " + e.Line(fmt.Sprintf("%s %s %s (%s)", markup.Item(relation), direction, e.TargetKind, markup.Inline(e.TargetID))) + "\n")
	}
	b.WriteString("\n### Hints\n- traverse with mode neighbors walks on from here.\n- get a node by its kind and key for all that is known of it.\n")
	return b.String()
}

// propsOf returns the first of the caller's own properties of a node, by name.
func propsOf(n *graph.NodeView) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(n.Properties, &all) != nil {
		return nil
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var props []string
	for _, name := range names[:min(propsShown, len(names))] {
		props = append(props, n.Told().Line(markup.Item(name)+": "+markup.Inline(clip.Shorten(loader.PlainValue(all[name]), detailText))))
	}
	return props
}

// detailLines collects the lines of a node's details. Its texts are believed like the node.
type detailLines struct {
	strings.Builder
	trust.Told
}

// add adds a line, unless the value is empty.
func (d *detailLines) add(name, value string) {
	if value = markup.Inline(value); value != "" {
		d.WriteString("- " + name + ": " + value + "\n")
	}
}

// addText adds a line with a text, unless that is empty.
func (d *detailLines) addText(name, text string) {
	if text = told(d.Told, text); text != "" {
		d.WriteString("- " + name + ": " + text + "\n")
	}
}

func (d *detailLines) addCount(name string, value int64) { d.add(name, strconv.FormatInt(value, 10)) }

// details returns the lines of the fields of a node's kind, without empty ones.
func (c *Context) details() string {
	n := &c.focus.Node
	own := ownOf(n)
	d := &detailLines{Told: n.Told()}
	d.addText("Type", own.TypeKey.Value) // decisions have none
	switch n.Kind {
	case "task", "goal", "plan", "document", "output":
		c.addLinkedDetails(d, own)
	default:
		addOwnDetails(d, n.Kind, own)
	}
	d.add("Created", dateOf(&n.CreatedAt))
	d.add("Updated", dateOf(&n.UpdatedAt))
	return d.String()
}

// addLinkedDetails adds the details of kinds that are described by their links too.
func (c *Context) addLinkedDetails(d *detailLines, own *graph.OwnFields) {
	f := c.focus
	switch f.Node.Kind {
	case "task":
		if p := valueOrNil(own.Priority); p != nil {
			d.addCount("Priority", *p)
		}
		d.addText("Facet Scale", own.FacetScale.Value)
		d.add("Start", dateOf(valueOrNil(own.StartAt)))
		d.add("Due", dateOf(valueOrNil(own.DueAt)))
		d.add("Completed", dateOf(valueOrNil(own.CompletedAt)))
		d.add("Plans", c.list("plans", f.Links.Plans))
		d.add("Goals", c.list("goals", f.Links.Goals))
		d.add("Outputs", c.list("outputs", f.Links.Outputs))
		d.add("Dependencies", c.list("dependencies", f.Links.Dependencies))
		d.add("Dependents", c.list("dependents", f.Links.Dependents))
	case "goal":
		d.addText("Goal", clip.Shorten(own.Goal.Value, detailText))
		d.add("Target", dateOf(valueOrNil(own.TargetDate)))
		d.add("Completed", dateOf(valueOrNil(own.CompletedAt)))
		if percent := progress(f.Links); percent != nil {
			d.add("Progress", strconv.FormatInt(*percent, 10)+"%")
			d.add("Tasks", fmt.Sprintf("%d/%d", f.Links.Done, f.Links.Tasks))
		}
		d.add("Direct Edge", yes(f.Direct))
	case "plan":
		d.addText("Facet Context", own.FacetContext.Value)
		d.addText("Facet Scale", own.FacetScale.Value)
		d.addText("Facet Stage", own.FacetStage.Value)
		d.addCount("Tasks", f.Links.Tasks)
		d.addCount("Completed Tasks", f.Links.Done)
	case "document":
		d.add("Direct Edge", yes(f.Direct))
	case "output":
		d.addText("Facet Stage", own.FacetStage.Value)
		d.addText("Source Document", own.SourceDocumentID.Value)
		d.addText("Source Event", own.SourceEventID.Value)
		d.add("Linked Goals", c.list("goals", f.Links.Goals))
		d.add("Linked Tasks", c.list("tasks", f.Links.Tasks))
		d.add("Direct Edge", yes(f.Direct))
	}
}

// addOwnDetails adds the details of kinds that are described by their own fields alone.
func addOwnDetails(d *detailLines, kind string, own *graph.OwnFields) {
	switch kind {
	case "milestone":
		d.add("Due", dateOf(valueOrNil(own.DueAt)))
		d.add("Completed", dateOf(valueOrNil(own.CompletedAt)))
	case "risk":
		d.add("Impact", own.Impact.Value)
		if p := valueOrNil(own.Probability); p != nil {
			d.add("Probability", strconv.FormatFloat(*p, 'f', -1, 64))
		}
		d.add("Mitigated", dateOf(valueOrNil(own.MitigatedAt)))
		d.addText("Summary", clip.Shorten(own.Content.Value, detailText))
	case "decision":
		d.add("Decision", dateOf(valueOrNil(own.DecisionAt)))
		d.addText("Outcome", clip.Shorten(own.Outcome.Value, outcomeText))
		d.addText("Rationale", clip.Shorten(own.Rationale.Value, detailText))
	case "requirement":
		if p := valueOrNil(own.Priority); p != nil {
			d.addCount("Priority", *p)
		}
		d.addText("Requirement", clip.Shorten(own.Text.Value, detailText))
	}
}

// list returns the keys of the first linked nodes, and the number of others.
func (c *Context) list(what string, all int64) string {
	keys := c.focus.First[what]
	text := strings.Join(keys, ", ")
	if more := all - int64(len(keys)); more > 0 {
		text += fmt.Sprintf(" (+%d more)", more)
	}
	return text
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
