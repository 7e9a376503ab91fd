package traverse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"kith/text/markup"
)

// Text returns the rows as Markdown for a prompt.
func (r *Rows) Text() string {
	var t strings.Builder
	t.WriteString(map[Mode]string{Neighbors: "# Neighbors\n", PPR: "# Close to the seeds\n"}[r.Mode])
	for i := range r.Rows {
		row := &r.Rows[i]
		line, told := "", row.Node.Least(row.Node.Noted)
		if row.Hops > 1 && row.Relationship != nil {
			line += markup.Item(otherEnd(row)) + " "
		}
		if row.Relationship != nil {
			line += arrow(row.Relationship, row.Relationship.To == row.Node.EntityKey) + " "
			told = told.Least(row.Relationship.Told)
		}
		line += nodeLine(&row.Node)
		if row.Relationship != nil && row.Relationship.Description != "" {
			line += "; relationship: " + markup.Inline(row.Relationship.Description)
		}
		if row.Hops > 1 {
			line += fmt.Sprintf(" (%d steps away)", row.Hops)
		}
		t.WriteString("- " + told.Line(line) + "\n")
	}
	if r.NextCursor != "" {
		t.WriteString("\n_There are more: ask again with cursor " + r.NextCursor + "_\n")
	}
	return t.String() + messageLine(r.Message)
}

// otherEnd returns the key of the node before the reached one.
func otherEnd(r *Row) string {
	if r.Relationship.To == r.Node.EntityKey {
		return r.Relationship.From
	}
	return r.Relationship.To
}

// Text returns the paths as Markdown for a prompt.
func (p *Paths) Text() string {
	var t strings.Builder
	t.WriteString("# Paths\n")
	for i := range p.Paths {
		way := &p.Paths[i]
		line, told := markup.Item(nameOf(&way.Nodes[0])), way.Nodes[0].Told
		for j := range way.Relationships {
			next := &way.Nodes[j+1]
			line += " " + arrow(&way.Relationships[j], way.Relationships[j].To == next.EntityKey) + " " + markup.Inline(nameOf(next))
			told = told.Least(way.Relationships[j].Told).Least(next.Told)
		}
		t.WriteString("- " + told.Line(line) + "\n")
	}
	return t.String() + messageLine(p.Message)
}

// Text returns the table as Markdown for a prompt.
func (t *Table) Text() string {
	var b strings.Builder
	cells := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		cells[i] = markup.Cell(name)
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n|" + strings.Repeat(" --- |", len(cells)) + "\n")
	for _, row := range t.Rows {
		for i, raw := range row {
			cells[i] = markup.Cell(plain(raw))
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String() + messageLine(t.Message)
}

// timeWithin matches a time in a list or a map.
var timeWithin = regexp.MustCompile(`"(\d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)"`)

// plain returns a value for people: a text without quotes, a time as a date.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return markup.JSON(timeWithin.ReplaceAllString(string(raw), `"$1"`))
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.Format(time.DateOnly)
	}
	return text
}

func messageLine(message string) string {
	if message == "" {
		return ""
	}
	return "\n_" + markup.Inline(message) + "_\n"
}

// arrow returns a relationship as an arrow between two names.
func arrow(r *Relationship, forth bool) string {
	kind := r.Type
	if r.RelationshipType != "" {
		kind = r.RelationshipType
	}
	if forth {
		return "—" + markup.Inline(kind) + "→"
	}
	return "←" + markup.Inline(kind) + "—"
}

// nameOf returns the name of a node on a path: sources may have no name.
func nameOf(n *Node) string { return cmp.Or(n.Name, n.NodeType+" "+n.EntityKey) }

func nodeLine(n *Node) string {
	line := fmt.Sprintf("%s (%s, %s", markup.Name(cmp.Or(n.Name, n.NodeType)), markup.Inline(n.NodeType), markup.Inline(n.EntityKey))
	if n.UserID != "" {
		line += ", told by " + markup.Inline(n.UserID)
	}
	if !n.UpdatedAt.IsZero() {
		line += ", " + n.UpdatedAt.Format(time.DateOnly)
	}
	if line += ")"; n.Description != "" {
		line += ": " + markup.Inline(n.Description)
	}
	for _, note := range n.Notes {
		line += "; note: " + markup.Inline(note)
	}
	return line
}
