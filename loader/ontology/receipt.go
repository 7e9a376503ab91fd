package ontology

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kith/loader"
	"kith/memory/workspace"
	"kith/text/markup"
	"kith/text/tokens"
)

// textPart is a part of an ontology text.
type textPart struct {
	section string // in a receipt
	text    string
}

// The parts of an ontology text, as sections of a receipt.
const (
	workspacePart  = "workspace"
	linkedPart     = "linked_entities"
	highlightsPart = "highlights"
	snapshotPart   = "graph_snapshot"
	summaryPart    = "summary"
	noticePart     = ""
)

// byScore is the value by which the nodes of the snapshot are ranked.
const byScore = "score"

// explainOntology loads an ontology context, and accounts for its text. Nothing is taken from the cache.
func (l *Loader) explainOntology(ctx context.Context, r *Request) (loader.Answer, error) {
	c, err := l.ontology(ctx, *r)
	if err != nil {
		return loader.Answer{}, fmt.Errorf("ontology: %w", err)
	}
	receipt, err := c.account(r)
	if err != nil {
		return loader.Answer{}, err
	}
	if err := l.users.AddOrigins(ctx, r.Scope, receipt.Spans, receipt.LeftOut); err != nil {
		return loader.Answer{}, err
	}
	answer := loader.Answer{ContentType: "application/json"}
	if r.Format == loader.Text {
		answer.Head, err = json.Marshal(map[string]*loader.Receipt{"receipt": receipt})
		return answer, err
	}
	c.Receipt = receipt
	answer.Head, err = json.Marshal(c)
	return answer, err
}

// account renders the context, and accounts for its text.
func (c *Context) account(r *Request) (*loader.Receipt, error) {
	t := c.text(r)
	cut, at, err := t.fitBudget(r.MaxTokens)
	if err != nil {
		return nil, err
	}
	parts, err := t.parts(at(cut.gone))
	if err != nil {
		return nil, err
	}
	lines := &lineAccount{}
	for _, p := range parts {
		if p.section == snapshotPart {
			lines.addSnapshot(p.text, t.snapshot.without(at(cut.gone).nodes))
			continue
		}
		lines.add(p, func(heading string, n int) loader.Item { return c.item(p.section, heading, n) })
	}
	out := &loader.Receipt{Text: lines.text.String(), MaxTokens: r.MaxTokens, Spans: lines.spans, NotShown: []loader.NotShown{}}
	if out.Tokens, err = loader.CountSpans(out.Text, out.Spans); err != nil {
		return nil, err
	}
	out.LeftOut, err = cut.leftOut(func(i int) (string, loader.Item) { return t.cutLine(c, at(i), at(i+1)) })
	return out, err
}

// lineAccount is a text with spans that cover it.
type lineAccount struct {
	text  strings.Builder
	spans []loader.Span
}

// span adds a span; an empty line belongs to the one before.
func (a *lineAccount) span(part loader.Part, text string, item loader.Item) {
	from := a.text.Len()
	a.text.WriteString(text)
	if last := len(a.spans) - 1; last >= 0 && strings.Trim(text, "\n") == "" {
		a.spans[last].To = a.text.Len()
		return
	}
	a.spans = append(a.spans, loader.Span{From: from, To: a.text.Len(), Part: part, Item: item})
}

// add adds a part of a text, line by line. items says what the n-th item under a heading shows; the zero Item means a notice.
func (a *lineAccount) add(p textPart, items func(heading string, n int) loader.Item) {
	heading, n := "", 0
	for line := range strings.Lines(p.text) {
		switch {
		case strings.HasPrefix(line, "#"):
			heading, n = strings.Trim(line, "# \n"), 0
			a.span(loader.HeadingPart, line, loader.Item{Section: p.section})
		case strings.HasPrefix(line, "  ") && len(a.spans) > 0: // it goes on
			a.text.WriteString(line)
			a.spans[len(a.spans)-1].To = a.text.Len()
		case strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "- ... and "):
			if item := items(heading, n); item.Rule != "" {
				item.Section = p.section
				a.span(loader.LinePart, line, item)
			} else {
				a.span(loader.NoticePart, line, loader.Item{})
			}
			n++
		default:
			a.span(loader.NoticePart, line, loader.Item{})
		}
	}
}

// addSnapshot adds the snapshot, with a span for each of its nodes.
func (a *lineAccount) addSnapshot(text string, s *GraphSnapshot) {
	for i, row := range s.rows() {
		node := rowText(row)
		at := strings.Index(text, node)
		if at < 0 {
			break
		}
		end := at + len(node)
		if i == 0 {
			a.span(loader.HeadingPart, text[:at], loader.Item{Section: snapshotPart})
			text, end = text[at:], len(node)
		}
		item := s.item(i)
		item.Section = snapshotPart
		a.span(loader.LinePart, text[:end], item) // with the comma before it
		text = text[end:]
	}
	a.span(loader.LinePart, text, loader.Item{Section: snapshotPart, Rule: "the relationships between the nodes, and how many of each kind there are"})
}

// rowText returns a row of the snapshot as it stands in the text. Its values can be marshalled.
func rowText(row []any) string {
	raw, _ := json.Marshal(row) //nolint:errchkjson // texts, numbers and booleans
	return markup.JSON(string(raw))
}

// item returns what a node of the snapshot is. The one after it is the next that would go.
func (s *GraphSnapshot) item(i int) loader.Item {
	n := &s.Nodes[i]
	item := loader.Item{Kind: n.Kind, Key: n.ID, At: &n.LastUpdated}
	if i == 0 {
		item.Rule = "the project of the request"
		return item
	}
	value := float64(n.score)
	item.Value, item.By = &value, byScore
	item.Rule = fmt.Sprintf("%d steps from the project", n.hops)
	if n.hops <= 1 {
		item.Rule = "linked with the project itself"
	}
	order := s.byScore()
	place := slices.IndexFunc(order, func(other SnapshotNode) bool { return other.ID == n.ID })
	item.Rank, item.Of = len(order)-place, len(order)
	if place > 0 {
		below := float64(order[place-1].score)
		item.Beat = &loader.Beaten{Key: order[place-1].ID, Value: &below}
	}
	return item
}

// item returns what the n-th item under a heading of a part shows; the zero Item if it shows nothing of the memory.
func (c *Context) item(part, heading string, n int) loader.Item {
	switch part {
	case linkedPart:
		return c.Linked.item(heading, n)
	case highlightsPart:
		return c.Metadata.Highlights.item(heading, n)
	case summaryPart:
		switch heading {
		case "Entity Summary":
			return loader.Item{Rule: "how many nodes of each kind the project has"}
		case "Available Relationships":
			return c.edgeItem(n)
		}
		return loader.Item{}
	}
	switch {
	case heading == "Hints":
		return loader.Item{}
	case heading == "Recent Projects" && n < len(c.Entities.Projects):
		return projectItem(c.Entities.Projects, n)
	case c.Type == GlobalOntology:
		return loader.Item{Rule: "how many of each kind there are"}
	case heading == "Relationships":
		return c.edgeItem(n)
	case c.focus != nil && (heading == "Parent Project" || strings.HasPrefix(heading, "Project Workspace: ")), c.Type == ProjectOntology:
		if c.Entities.Project == nil {
			return loader.Item{Rule: "the node in focus belongs to no project"}
		}
		return loader.Item{Kind: "project", Key: c.Entities.Project.ID, Rule: "the project of the request", At: c.Entities.Project.UpdatedAt}
	case c.focus != nil:
		f := &c.focus.Node
		return loader.Item{Kind: f.Kind, Key: f.EntityKey, Rule: "the node in focus", At: &f.UpdatedAt}
	}
	return loader.Item{}
}

// after returns the item of a list after the n-th; nil for the last.
func after[T any](all []T, n int, key func(*T) string) *loader.Beaten {
	if n+1 == len(all) {
		return nil
	}
	return &loader.Beaten{Key: key(&all[n+1])}
}

func projectItem(all []ProjectRow, n int) loader.Item {
	p := &all[n]
	return loader.Item{
		Kind: "project", Key: p.ID, Rank: n + 1, Of: len(all), Rule: "one of the five projects that changed last", At: p.UpdatedAt,
		Beat: after(all, n, func(p *ProjectRow) string { return p.ID }),
	}
}

func (c *Context) edgeItem(n int) loader.Item {
	edges := c.Relationships.Edges
	if n >= len(edges) {
		return loader.Item{}
	}
	e := edges[n]
	return loader.Item{
		Kind: e.TargetKind, Key: e.TargetID, Related: e.Relation, Rank: n + 1, Of: len(edges), Rule: "one of the strongest relationships of the project or the focus",
		Beat: after(edges, n, func(e *Edge) string { return e.TargetID }),
	}
}

// item returns what the n-th line of the highlights under a heading shows.
func (h *Highlights) item(heading string, n int) loader.Item {
	for _, list := range h.lists() {
		if list.heading != heading || n >= len(list.of.Items) {
			continue
		}
		shown := &list.of.Items[n]
		return loader.Item{
			Kind: list.kind, Key: shown.ID, Rank: n + 1, Of: len(list.of.Items) + int(list.of.More), Rule: list.rule, At: cmp.Or(shown.UpdatedAt, &shown.CreatedAt),
			Beat: after(list.of.Items, n, func(h *Highlight) string { return h.ID }),
		}
	}
	return loader.Item{}
}

// item returns what the n-th line of the links under a heading shows.
func (c *LinkedContext) item(heading string, n int) loader.Item {
	title, _, _ := strings.Cut(heading, " (")
	for _, kind := range workspace.LinkedKinds {
		list := c.Linked[plural(kind)]
		if c.title(kind) != title || n >= len(list) {
			continue
		}
		return loader.Item{
			Kind: kind, Key: list[n].ID, Related: list[n].Relation, Rank: n + 1, Of: c.Counts[plural(kind)], Rule: "linked with the focus; active ones first, then the newest",
			Beat: after(list, n, func(e *LinkedEntity) string { return e.ID }),
		}
	}
	return loader.Item{}
}

// leftOut returns what was cut, in the order of cutting. line returns the text and the item of a cut.
func (c *cuts) leftOut(line func(cut int) (string, loader.Item)) (all []loader.LeftOut, err error) {
	all = make([]loader.LeftOut, c.gone)
	for i := range all {
		l := &all[i]
		l.Text, l.Item = line(i)
		if l.Tokens, err = tokens.Count(l.Text); err != nil {
			return nil, err
		}
		l.BackAt = c.backAt(i)
	}
	return all, c.err
}

// cutLine returns what is cut between two states of a text.
func (t *ontologyText) cutLine(c *Context, before, after leftOut) (text string, item loader.Item) {
	switch {
	case after.nodes > before.nodes:
		node := append(t.snapshot.byScore(), t.snapshot.Nodes[0])[before.nodes] // the project goes last, with the rest of the snapshot
		place := slices.IndexFunc(t.snapshot.Nodes, func(n SnapshotNode) bool { return n.ID == node.ID })
		text, item = rowText(t.snapshot.rows()[place]), t.snapshot.item(place)
		item.Section = snapshotPart
	case after.lines > before.lines:
		list, place := cutBetween(t.kept(before.lines), t.kept(after.lines))
		text, item = t.highlights[list].lines[place], c.item(highlightsPart, t.highlights[list].heading, place)
		item.Section = highlightsPart
	default:
		text, item = t.linked.cutLine(c.Linked, before.links)
	}
	return text, item
}

// cutLine returns the line that goes after so many others.
func (t *abbreviatedLinks) cutLine(c *LinkedContext, gone int) (string, loader.Item) {
	list, place := cutBetween(t.kept(gone), t.kept(gone+1))
	item := c.item(t.kinds[list].title, place)
	item.Section = linkedPart
	return t.kinds[list].lines[place], item
}

// cutBetween returns the list that keeps less, and the place of the line that goes.
func cutBetween(before, after []int) (list, place int) {
	for i := range before {
		if after[i] < before[i] {
			return i, after[i]
		}
	}
	return 0, 0
}
