package workspace

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"kith/graph"
	"kith/text/clip"
)

// row returns what workspace_project returns of a project.
func (p *past) row() *workspaceRow {
	row := &workspaceRow{Project: pick(p.project.Properties, nil, projectFields), Counts: [][]namedCount{p.counted()}, Document: p.document()}
	var shown, recent []listedRow
	for _, n := range p.order {
		if len(n.links) > 0 && len(row.Linked) < linkedShown {
			row.Linked = append(row.Linked, directRow{n.Kind.Name, n.key, n.Text("name"), n.links, n.Properties["trust"], n.Text("origin")})
		}
		if !n.Listed {
			continue
		}
		if n.Kind.Name != "task" {
			of := workspaceShown[n.Kind.Name]
			shown = append(shown, listedRow{n.Kind.Name, n.Order, n.pick(slices.Concat(shownFields, of.fields)), n.texts(of.texts)})
			continue
		}
		task := listedRow{n.Kind.Name, n.Order, n.pick(taskFields), graph.Properties{}}
		if n.Order <= -p.at.Add(-graph.Week).UnixMilli() {
			row.RecentTotal++
			recent = append(recent, task)
		}
		again := task.copied()
		if item := again.listed(p.at).item; soon(&item, p.at) != nil {
			row.UpcomingTotal++
			row.Upcoming = append(row.Upcoming, task.copied())
		}
	}
	row.Shown, row.Recent = [][]listedRow{shown}, [][]listedRow{recent}
	return row
}

// copied returns a row of its own: reading one changes it.
func (r *listedRow) copied() listedRow {
	return listedRow{r.Kind, r.At, maps.Clone(r.Fields), r.Texts}
}

// textShown is how many characters of a text are shown.
const textShown = 1000

// texts returns the beginnings of some texts.
func (n *pastNode) texts(names []string) graph.Properties {
	texts := graph.Properties{}
	for _, name := range names {
		if text := strings.TrimLeftFunc(n.Text(name), unicode.IsSpace); text != "" {
			texts[name], _ = clip.Runes(text, textShown)
		}
	}
	return texts
}

// counted returns the counts of all kinds.
func (p *past) counted() []namedCount {
	counts := map[string]int64{}
	for _, n := range p.order {
		counts[n.Kind.Name+"_total"]++
		if len(n.links) > 0 {
			counts[n.Kind.Name+"_direct"]++
		}
		if n.Listed {
			counts[n.Kind.Name+"_listed"]++
		}
	}
	var all []namedCount
	for name, count := range counts {
		all = append(all, namedCount{name, count})
	}
	return all
}

// document returns the context document of the project.
func (p *past) document() []documentRow {
	for _, e := range p.edges {
		if n := p.nodes[e.To]; e.From == p.key && e.Type == graph.ContextDocumentType && n != nil && n.Kind.Name == "document" {
			return []documentRow{{n.key, n.Text("name"), n.Properties["trust"], n.Text("origin")}}
		}
	}
	return nil
}

// near returns the nodes that are linked with the project itself.
func (p *past) near() [][]nearRow {
	var near []nearRow
	ofList := map[string]int{}
	for _, n := range p.order {
		if len(n.links) > 0 && ofList[n.list] < pictureOfKind {
			ofList[n.list]++
			near = append(near, nearRow{n.Kind.Name, n.key, n.Text("name"), n.stateKey(), n.typeKey(), n.updated(), -n.Score, n.links, n.Properties["trust"], n.Text("origin")})
		}
	}
	return [][]nearRow{near}
}

// further returns the best nodes that are linked with those of a picture, of each kind for which there is room.
func (p *past) further(picture *picture) []furtherRow {
	in, linked := map[string]bool{}, map[string]bool{}
	for _, key := range picture.keys() {
		in[key] = true
	}
	for _, e := range p.edges {
		linked[e.To] = linked[e.To] || in[e.From]
		linked[e.From] = linked[e.From] || in[e.To]
	}
	var further []furtherRow
	open, ofKind := picture.open(), map[string]int{}
	for _, n := range p.order {
		if !linked[n.key] || in[n.key] || !slices.Contains(open, n.Kind.Label) || ofKind[n.Kind.Name] == pictureOfKind {
			continue
		}
		ofKind[n.Kind.Name]++
		further = append(further, furtherRow{
			Labels: graph.Labels{OfKind: n.Kind.Label}, Key: n.key, Name: n.Text("name"), State: n.stateKey(), Type: n.typeKey(), UpdatedAt: n.updated(), Rank: -n.Score, Links: n.links,
			Trust: n.Properties["trust"], Origin: n.Text("origin"),
		})
	}
	return further
}
