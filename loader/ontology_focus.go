package loader

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kith/graph"
	"kith/markup"
)

// Lengths of texts of what is in focus, in characters (S3-15).
const (
	focusText   = 400
	elementText = 200
	detailText  = 200
	outcomeText = 160
	propsShown  = 5
)

// workspaceHead is what is said of the project around a focus (S3-30).
func (c *OntologyContext) workspaceHead() string {
	p := c.Entities.Project
	var b strings.Builder
	line := func(name, value string) { b.WriteString("- " + name + ": " + value + "\n") }
	b.WriteString("## Project Workspace: " + markup.Inline(p.Name) + "\n")
	line("ID", markup.Inline(p.ID))
	line("State", orNA(p.StateKey))
	line("Type", orNA(p.TypeKey))
	line("Timeline", p.timeline())
	line("Created", dateOf(p.CreatedAt))
	if updated := dateOf(p.UpdatedAt); updated != dateOf(p.CreatedAt) {
		line("Updated", updated)
	}
	return b.String() + c.projectLines()
}

func facets(context, scale, stage *string) string {
	return fmt.Sprintf("context=%s, scale=%s, stage=%s", orNA(context), orNA(scale), orNA(stage))
}

// document names the context document.
func (c *OntologyContext) document() string {
	if c.Metadata.ContextDocumentID == "" {
		return "None"
	}
	return fmt.Sprintf("%s [%s]", markup.Inline(c.Metadata.ContextDocumentTitle), markup.Inline(c.Metadata.ContextDocumentID))
}

// focusText is what is said of the node in focus.
func (c *OntologyContext) focusText() string {
	n := &c.focus.Node
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Current Focus (%s)\n- Name: %s\n- ID: %s\n", n.Kind, markup.Inline(n.Name), markup.Inline(n.EntityKey))
	if state := ownOf(n).StateKey; state.Value != "" {
		b.WriteString("- State: " + markup.Inline(state.Value) + "\n")
	}
	b.WriteString(c.details())
	b.WriteString("- Description: " + cmp.Or(markup.Inline(shorten(n.Description, focusText)), "No description") + "\n")
	if props := propsOf(n); len(props) > 0 {
		b.WriteString("\n### Focus Metadata\n- " + strings.Join(props, "\n- ") + "\n")
	}
	if edges := c.Relationships.Edges; len(edges) > 0 {
		b.WriteString("\n### Relationships\n")
		for _, e := range edges[:min(8, len(edges))] {
			fmt.Fprintf(&b, "- %s → %s (%s · %s)\n", markup.Item(e.Relation), e.TargetKind, markup.Inline(e.TargetID), markup.Inline(e.TargetName))
		}
		if len(edges) > 8 {
			fmt.Fprintf(&b, "... and %d more\n", len(edges)-8)
		}
	}
	return b.String()
}

// elementText is what is said of a node alone (S3-32).
func (c *OntologyContext) elementText() string {
	f := c.focus
	n := &f.Node
	own := ownOf(n)
	var b strings.Builder
	fmt.Fprintf(&b, "### Element Information\n- Type: %s\n- ID: %s\n- Name: %s\n- Status: %s\n", n.Kind, markup.Inline(n.EntityKey), markup.Inline(n.Name), orNA(given(own.StateKey)))
	b.WriteString("\n### Element Details\n" + c.details())
	if text := markup.Inline(shorten(n.Description, elementText)); text != "" {
		b.WriteString("- Description: " + text + "\n")
	}
	if props := propsOf(n); len(props) > 0 {
		b.WriteString("- Props: " + strings.Join(props, ", ") + "\n")
	}
	b.WriteString("\n### Parent Project\n")
	if f.Project == nil {
		b.WriteString("- None: it belongs to no project\n")
	} else {
		fmt.Fprintf(&b, "- %s (%s)\n- Project State: %s\n", markup.Item(f.Project.Name), markup.Inline(f.Project.EntityKey), orNA(given(ownOf(f.Project).StateKey)))
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
		fmt.Fprintf(&b, "- %s %s %s (%s)\n", markup.Item(relation), direction, e.TargetKind, markup.Inline(e.TargetID))
	}
	b.WriteString("\n### Hints\n- traverse with mode neighbors walks on from here.\n- get a node by its kind and key for all that is known of it.\n")
	return b.String()
}

// propsOf are the first of the caller's own properties of a node, by name.
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
		value := string(all[name])
		var text string
		if value != "null" && json.Unmarshal(all[name], &text) == nil {
			value = text
		}
		props = append(props, markup.Item(name)+": "+markup.Inline(shorten(value, detailText)))
	}
	return props
}

// details are the lines of a kind, without those for which there is nothing to say (S3-31).
func (c *OntologyContext) details() string {
	f := c.focus
	n := &f.Node
	own := ownOf(n)
	var b strings.Builder
	line := func(name, value string) {
		if value = markup.Inline(value); value != "" {
			b.WriteString("- " + name + ": " + value + "\n")
		}
	}
	count := func(name string, value int64) { line(name, strconv.FormatInt(value, 10)) }
	line("Type", own.TypeKey.Value) // which a decision has not
	switch n.Kind {
	case "task":
		if p := given(own.Priority); p != nil {
			count("Priority", *p)
		}
		line("Facet Scale", own.FacetScale.Value)
		line("Start", dateOf(given(own.StartAt)))
		line("Due", dateOf(given(own.DueAt)))
		line("Completed", dateOf(given(own.CompletedAt)))
		line("Plans", c.list("plans", f.Links.Plans))
		line("Goals", c.list("goals", f.Links.Goals))
		line("Outputs", c.list("outputs", f.Links.Outputs))
		line("Dependencies", c.list("dependencies", f.Links.Dependencies))
		line("Dependents", c.list("dependents", f.Links.Dependents))
	case "goal":
		line("Goal", shorten(own.Goal.Value, detailText))
		line("Target", dateOf(given(own.TargetDate)))
		line("Completed", dateOf(given(own.CompletedAt)))
		if percent := progress(f.Links); percent != nil {
			line("Progress", strconv.FormatInt(*percent, 10)+"%")
			line("Tasks", fmt.Sprintf("%d/%d", f.Links.Done, f.Links.Tasks))
		}
		line("Direct Edge", yes(f.Direct))
	case "plan":
		line("Facet Context", own.FacetContext.Value)
		line("Facet Scale", own.FacetScale.Value)
		line("Facet Stage", own.FacetStage.Value)
		count("Tasks", f.Links.Tasks)
		count("Completed Tasks", f.Links.Done)
	case "milestone":
		line("Due", dateOf(given(own.DueAt)))
		line("Completed", dateOf(given(own.CompletedAt)))
	case "risk":
		line("Impact", own.Impact.Value)
		if p := given(own.Probability); p != nil {
			line("Probability", strconv.FormatFloat(*p, 'f', -1, 64))
		}
		line("Mitigated", dateOf(given(own.MitigatedAt)))
		line("Summary", shorten(own.Content.Value, detailText))
	case "decision":
		line("Decision", dateOf(given(own.DecisionAt)))
		line("Outcome", shorten(own.Outcome.Value, outcomeText))
		line("Rationale", shorten(own.Rationale.Value, detailText))
	case "requirement":
		if p := given(own.Priority); p != nil {
			count("Priority", *p)
		}
		line("Requirement", shorten(own.Text.Value, detailText))
	case "document":
		line("Direct Edge", yes(f.Direct))
	case "output":
		line("Facet Stage", own.FacetStage.Value)
		line("Source Document", own.SourceDocumentID.Value)
		line("Source Event", own.SourceEventID.Value)
		line("Linked Goals", c.list("goals", f.Links.Goals))
		line("Linked Tasks", c.list("tasks", f.Links.Tasks))
		line("Direct Edge", yes(f.Direct))
	}
	line("Created", dateOf(&n.CreatedAt))
	line("Updated", dateOf(&n.UpdatedAt))
	return b.String()
}

// list are the keys of the first of what the node in focus is linked with, and how many there are beside.
func (c *OntologyContext) list(what string, all int64) string {
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
