package loader

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kith/graph/trust"
	"kith/memory/preference"
	"kith/memory/statement"
	"kith/text/clip"
	"kith/text/markup"
	"kith/text/tokens"
)

// momentGrowth is the most tokens by which the closing part can grow after the rest is rendered: from "just now" to "59
// minutes ago", from one month's name to another.
const momentGrowth = 8

// block is a heading with its lines, the highest-ranked first. weight is the value of its lines relative to those of other blocks.
// one and all name a line and lines in the note on what was cut. The lines of an extra block are cut first.
type block struct {
	section  string // in a receipt
	heading  string
	weight   int
	one, all string
	lines    []string
	extra    bool
	items    func(place int) Item // what a line shows, without section and rank
}

// notesHeading is the heading of the extra block.
const notesHeading = "Notes"

// textContext is a context as headings and lines. The title and the owner stay; lines can be cut.
type textContext struct {
	title  string
	owner  string
	blocks []block // the most important first
	notes  []string
	count  func(text string) (int, error) // tokens
}

// reserve returns the tokens of the budget that the closing part and the conversation take.
func (r *Request) reserve(closing string) (int, error) {
	n, err := tokens.Count(closing)
	if closing != "" {
		n += momentGrowth
	}
	return n + r.reserved, err
}

// textOf returns the context as headings and lines. The weight of a block is about the number of lines that it can have; standing
// statements weigh more, because questions seldom name the instruction that governs them, while facts are found by searches.
func textOf(r *Request, found *Sections, now time.Time, count func(text string) (int, error)) *textContext {
	t := &textContext{title: "# About the user", count: count}
	if found.Owner != nil {
		t.title = "# About " + found.Owner.Line(markup.Inline(found.Owner.Name))
		if t.owner = markup.Item(found.Owner.Description); t.owner != "" {
			t.owner = found.Owner.Line(t.owner)
		}
	}
	place, _ := cachedContext{Zone: zonePreference(found.Preferences)}.place(r.TimeZone)
	for _, part := range r.parts() {
		switch part {
		case userPart:
			t.add("preferences", "Preferences", 20, "preference", "preferences", PreferenceLines(found.Preferences), PreferenceItems(found.Preferences))
			t.add("standing", "Standing instructions and preferences (said by the user)", 200, "statement", "statements", statementLines(found.Statements, true, now.In(place)), statementItems(found.Statements, true))
			t.add("core_beliefs", "Core beliefs", 10, "belief", "beliefs", nodeLines(found.CoreBeliefs, "not yet core"), nodeItems(found.CoreBeliefs, "core and keep_forever", "active and keep_forever"))
			t.add("primary_goals", "Goals", 5, "goal", "goals", nodeLines(found.PrimaryGoals, "not used lately"), nodeItems(found.PrimaryGoals, "a goal used in the last 7 days", "an active goal"))
			t.add("facts", "Facts and plans (said by the user)", 60, "fact", "facts", statementLines(found.Statements, false, now.In(place)), statementItems(found.Statements, false))
		case relationshipsPart:
			t.add("relationships", "Relationships", 10, "relationship", "relationships", relationshipLines(found.Relationships), relationshipItems(found.Relationships))
		case recentPart:
			t.add("sources", "Conversations of the last week", 20, "conversation", "conversations", sourceLines(found.Sources, place), sourceItems(found.Sources))
		}
	}
	if found.Focus != nil {
		t.add("focus", "In focus: "+found.Focus.Node.Line(markup.Inline(found.Focus.Node.Name)), 11, "link of the focus", "links of the focus", focusLines(found.Focus), focusItems(r.FocusKind, found.Focus))
	}
	notes, noted := noteLines(found)
	t.add("notes", notesHeading, 20, "note", "notes", notes, noteItems(noted))
	return t
}

// textNotes returns the notes at the end of a text: warnings, what is not shown, and what could not be loaded.
func textNotes(r *Request, left []NotShown, nothing bool, degraded []Section) []string {
	var notes []string
	if nothing {
		notes = append(notes, "_Warning: "+NothingKnown+"._")
	}
	switch {
	case r.erased:
		notes = append(notes, "_Warning: "+erasedWarning+"._")
	case r.AsOf != nil:
		notes = append(notes, "_A context of the past; "+compactedNote+"._")
	}
	if line := notShownLine(left); line != "" {
		notes = append(notes, line)
	}
	for _, section := range degraded {
		notes = append(notes, fmt.Sprintf("_%s could not be loaded._", section))
	}
	return notes
}

func (t *textContext) add(section, heading string, weight int, one, all string, lines []string, items func(int) Item) {
	if len(lines) > 0 {
		t.blocks = append(t.blocks, block{section, heading, weight, one, all, lines, heading == notesHeading, items})
	}
}

// PreferenceLines returns preferences as lines of a text.
func PreferenceLines(preferences []preference.Preference) []string {
	lines := make([]string, len(preferences))
	for i, p := range preferences {
		lines[i] = markup.Item(p.Key) + ": " + markup.Inline(PlainValue(p.Value))
	}
	return lines
}

// PlainValue returns the text of a JSON string, and any other JSON value as it is.
func PlainValue(value json.RawMessage) string {
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return string(value)
	}
	return *text
}

// statementLines returns the user's words with the day on which they were said, or that of a plan that is past: of standing instructions and
// preferences, or of facts and plans. They are quoted, because they are no instructions of the operator. Days are those of the zone of now.
func statementLines(statements []statement.Statement, standing bool, now time.Time) []string {
	var lines []string
	for i := range statements {
		s := &statements[i]
		if s.Stands() != standing {
			continue
		}
		line := markup.Said(s.Text) + " ("
		if until := s.Until(now.Location()); !until.IsZero() && !until.After(now) {
			line += "past since " + until.Add(-time.Second).Format(time.DateOnly) + ", said "
		}
		line += s.At.In(now.Location()).Format(time.DateOnly)
		if s.State == statement.Candidate {
			line += ", unconfirmed"
		}
		lines = append(lines, line+")")
	}
	return lines
}

// unconfirmed marks candidates among filled lines.
const unconfirmed = "new, unconfirmed"

// ending returns the end of a filled line: for candidates, or the reason otherwise.
func ending(state, otherwise string) string {
	if state == "candidate" {
		otherwise = unconfirmed
	}
	return " (" + otherwise + ")"
}

// nodeLines returns lines of nodes. otherwise is the reason why nodes other than candidates are filled.
func nodeLines(nodes []ContextNode, otherwise string) []string {
	lines := make([]string, len(nodes))
	for i, n := range nodes {
		lines[i] = n.Line(described(markup.Name(n.Name), n.Description))
		if n.Filled {
			lines[i] += ending(n.State, otherwise)
		}
	}
	return lines
}

func described(name, description string) string {
	if description = markup.Inline(description); description == "" {
		return name
	}
	return name + ": " + description
}

func relationshipLines(relationships []OwnerRelationship) []string {
	lines := make([]string, len(relationships))
	for i, r := range relationships {
		about := markup.Inline(r.NodeType)
		if r.RecentMentions > 0 {
			about += fmt.Sprintf(", %d× this week", r.RecentMentions)
		}
		if r.RelationshipType == "" {
			r.Description = r.Node.Description
		}
		lines[i] = r.Node.Least(r.Relationship).Line(described(markup.Name(r.Node.Name)+" ("+about+")", r.Description))
		if r.Filled {
			lines[i] += ending(r.Node.State, cmp.Or(markup.Inline(r.RelationshipType), "no relationship stated"))
		}
	}
	return lines
}

// noteLines returns the notes of the owner and of the nodes shown, each node's once, and which notes they are. Long ones are cut; a note that the
// description on the node's own line contains is omitted.
func noteLines(found *Sections) (lines []string, noted []notedNode) {
	added := map[string]bool{}
	add := func(n *ContextNode, description string) {
		for i := 0; i < len(n.Notes) && !added[n.EntityKey]; i++ {
			if content := n.Notes[i].Content; !strings.Contains(description, content) {
				lines = append(lines, n.Least(n.Notes[i].Told).Line(markup.Name(n.Name)+": "+markup.Inline(clip.Shorten(content, noteLength))))
				noted = append(noted, notedNode{n, i})
			}
		}
		added[n.EntityKey] = true
	}
	if found.Owner != nil {
		add(found.Owner, found.Owner.Description)
	}
	for _, nodes := range [][]ContextNode{found.CoreBeliefs, found.PrimaryGoals} {
		for i := range nodes {
			add(&nodes[i], nodes[i].Description)
		}
	}
	for i := range found.Relationships {
		r := &found.Relationships[i]
		description := ""
		if r.RelationshipType == "" { // see relationshipLines
			description = r.Node.Description
		}
		add(&r.Node, description)
	}
	if found.Focus != nil {
		add(&found.Focus.Node, "")
	}
	return lines, noted
}

// notedNode is a node with the number of one of its notes.
type notedNode struct {
	node *ContextNode
	note int
}

// noteLength is the most characters of a note in the text.
const noteLength = 300

// sourceLines returns conversations with the user's time at which they began.
func sourceLines(sources []RecentSource, place *time.Location) []string {
	lines := make([]string, len(sources))
	for i, s := range sources {
		line := s.StartedAt.In(place).Format("2006-01-02 15:04")
		if place == time.UTC {
			line += "Z"
		}
		if s.ContextType != nil {
			line += " " + markup.Inline(*s.ContextType)
		}
		if s.EndedAt == nil {
			line += ", open"
		}
		summary := markup.Inline(s.Summary)
		mentioned, least := s.mentioned()
		if summary != "" && mentioned != "" && least.Believed() >= trust.Plain {
			summary, mentioned = summary+" "+mentioned, ""
		}
		if summary != "" {
			line += ": " + s.Line(summary)
		}
		if mentioned != "" {
			line += " " + least.Line(mentioned)
		}
		lines[i] = line
	}
	return lines
}

// mentioned returns the names of what a conversation mentions in brackets, and how far the least believed one is believed.
func (s *RecentSource) mentioned() (text string, least trust.Told) {
	names := make([]string, len(s.KeyEntities))
	for i, entity := range s.KeyEntities {
		names[i] = markup.Inline(entity.Name)
		least = least.Least(entity.Told)
	}
	if len(names) > 0 {
		text = "[" + strings.Join(names, ", ") + "]"
	}
	return text, least
}

func focusLines(f *Focus) []string {
	lines := []string{f.Node.Line(described(markup.Name(f.Node.Name), f.Node.Description))}
	for _, l := range f.Links {
		lines = append(lines, l.Relationship.Least(l.Told).Line(described(fmt.Sprintf("%s %s %s (%s)",
			l.Direction, markup.Inline(l.RelationshipType), markup.Name(l.Name), markup.Inline(l.NodeType)), l.Description)))
	}
	return lines
}
