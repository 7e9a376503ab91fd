package loader

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/text/markup"
	"kith/text/tokens"
)

// changeShown bounds a value in a line about a change, and nodeShown a name, in characters.
const (
	changeShown = 300
	nodeShown   = 120
)

// ChangesText returns the changes of a node as text for a prompt: a line for each field that changed, the newest first. It keeps a budget
// of o200k tokens, 0 for none, by omitting the oldest, and says how many lines it omits.
func ChangesText(l *graph.ChangeList, since time.Time, budget int) (string, error) {
	var lines []string
	for i := range l.Changes {
		lines = append(lines, changeLines(&l.Changes[i])...)
	}
	render := func(n int) string { return changesText(l, since, lines[:n], len(lines)-n) }
	if budget == 0 {
		return render(len(lines)), nil
	}
	n, _, err := tokens.Fitting(budget, len(lines), render)
	return render(n), err
}

func changesText(l *graph.ChangeList, since time.Time, lines []string, gone int) string {
	var t strings.Builder
	fmt.Fprintf(&t, "# What changed about %s (%s)", l.Told.Line(markup.Inline(markup.Truncate(cmp.Or(l.Node.Name, l.Node.EntityKey), nodeShown))), l.Node.Kind)
	if !since.IsZero() {
		t.WriteString(" since " + since.UTC().Format(time.DateOnly))
	}
	t.WriteString("\n")
	for _, line := range lines {
		t.WriteString("- " + line + "\n")
	}
	switch {
	case gone > 0:
		fmt.Fprintf(&t, "\n_Left out to keep the token budget: the %d oldest._\n", gone)
	case l.More:
		t.WriteString("\n_There are older changes: ask with a higher limit, or until the last of these._\n")
	case len(lines) == 0:
		t.WriteString("Nothing that is kept.\n")
	}
	return t.String()
}

// changeLines returns a change as lines, without what begins a line.
func changeLines(c *graph.NodeChange) []string {
	about, end, told := "", origin(c), c.Told
	if r := c.Relationship; r != nil {
		lead := "to"
		if r.Direction == "incoming" {
			lead = "from"
		}
		told = told.Least(r.Node.Told)
		about = fmt.Sprintf("relationship %s %s (%s), ", lead, markup.Name(markup.Truncate(cmp.Or(r.Node.Name, r.Node.EntityKey), nodeShown)), markup.Inline(r.Type))
	}
	day := c.At.Format(time.DateOnly)
	if c.What != graph.UpdatedOp && c.What != graph.EndedOp {
		return []string{told.Line(about+event(c, day)) + end}
	}
	lines := make([]string, 0, len(c.Changes))
	for _, f := range c.Changes {
		switch {
		case about == "":
			lines = append(lines, told.Line(markup.Item(f.Field)+", "+day+": "+wasAndIs(f))+end)
		case f.Field == "valid_to" && c.What == graph.EndedOp:
			lines = append(lines, told.Line(about+day+": ended "+changeValue(f.Is))+end)
		default:
			lines = append(lines, told.Line(about+day+": "+markup.Inline(f.Field)+" "+wasAndIs(f))+end)
		}
	}
	return lines
}

// event returns what became of a whole record, on a day.
func event(c *graph.NodeChange, day string) string {
	text := day + ": " + string(c.What)
	if c.Relationship == nil {
		text = string(c.What) + ", " + day
	} else if c.What == graph.CreatedOp {
		text = day + ": new"
	}
	if c.Description != "" {
		text += ": " + markup.Quoted(markup.Truncate(c.Description, changeShown))
	}
	return text
}

func wasAndIs(f graph.FieldChange) string {
	was, is := changeValue(f.Was), changeValue(f.Is)
	switch {
	case was == "" && is != "":
		return "now " + is
	case was == "":
		return "now empty"
	case is == "":
		return "was " + was + ", now empty"
	}
	return "was " + was + ", now " + is
}

// changeValue returns a value as it stands in a line; empty for none.
func changeValue(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &text) != nil:
		return markup.Truncate(markup.JSON(string(raw)), changeShown)
	case text == "":
		return ""
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC().Format(time.DateOnly)
	}
	return markup.Quoted(markup.Truncate(text, changeShown))
}

// origin returns from what a change comes, in brackets; empty if that is not known.
func origin(c *graph.NodeChange) string {
	switch {
	case c.Source != nil && c.Source.StartedAt != nil && c.Source.ContentType != "":
		return fmt.Sprintf(" (from the %s of %s)", markup.Inline(strings.ReplaceAll(c.Source.ContentType, "-", " ")), c.Source.StartedAt.Format(time.DateOnly))
	case c.Through != "":
		return " (" + markup.Inline(c.Through) + ")"
	}
	return ""
}
