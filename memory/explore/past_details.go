package explore

import (
	"cmp"
	"context"
	"slices"

	"kith/graph"
	"kith/graph/neo"
)

// detailsAt replaces the details of a search by what they were at its time.
func (s *Store) detailsAt(ctx context.Context, scope graph.Scope, w *Wanted, d *Details) error {
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{
		At: *w.AsOf, Keys: append([]string{}, w.Around...), Outgoing: true, Incoming: true, Types: w.Relationships.Types,
		Without: slices.Concat(w.Relationships.Without, graph.PlainTypes), Each: linksWalked,
	})
	if err != nil {
		return err
	}
	keys := slices.Concat(w.Nodes, w.Around)
	for i := range around {
		around[i].Links = w.strongest(around[i].Links)
		for l := range around[i].Links {
			keys = append(keys, around[i].Links[l].Node.EntityKey)
		}
	}
	nodes, err := s.graph.StoredAt(ctx, scope, keys, *w.AsOf)
	if err != nil {
		return err
	}
	d.Nodes, d.Around = nil, nil
	for _, key := range w.Nodes {
		if n, ok := nodes[key]; ok && n.Kind != sourceKind && n.Kind != messageKind {
			d.Nodes = append(d.Nodes, n.View(*w.AsOf))
		}
	}
	for i := range around {
		d.Around = append(d.Around, surroundingsAt(&around[i], nodes))
	}
	past, err := s.graph.PastOf(ctx, scope, w.AsOf, d.keys(), nil)
	if err != nil {
		return err
	}
	d.sourcesOf(past, w)
	d.storiesOf(past)
	return nil
}

// strongest returns the most salient of the relationships that the filter selects.
func (w *Wanted) strongest(links []graph.LinkAt) []graph.LinkAt {
	links = slices.DeleteFunc(links, func(l graph.LinkAt) bool { return !w.Relationships.Lets(&l.RelationshipView) })
	slices.SortFunc(links, func(a, b graph.LinkAt) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Key, b.Key))
	})
	return links[:min(linksShown, len(links))]
}

func surroundingsAt(around *graph.LinksAt, nodes map[string]graph.StoredNode) Surroundings {
	n := nodes[around.Key]
	s := Surroundings{Node: graph.NodeRef{EntityKey: around.Key, Kind: n.Kind.Name, Name: n.Text("name"), Told: n.Told()}}
	for i := range around.Links {
		link := around.Links[i].RelationshipView
		other := nodes[link.Node.EntityKey]
		s.Links, s.Others = append(s.Links, link), append(s.Others, OtherEnd{other.Text("description"), other.Told()})
	}
	return s
}

// keys returns the keys of all sources, messages and storylines, and of what they name.
func (d *Details) keys() (keys []string) {
	add := func(refs []graph.NodeRef) {
		for _, ref := range refs {
			keys = append(keys, ref.EntityKey)
		}
	}
	for i := range d.Messages {
		keys = append(keys, d.Messages[i].EntityKey, d.Messages[i].Source)
	}
	for i := range d.Sources {
		keys = append(keys, d.Sources[i].EntityKey)
		add(d.Sources[i].Mentions)
	}
	for i := range d.Storylines {
		t := &d.Storylines[i]
		keys = append(append(keys, t.EntityKey), t.SourceKeys...)
		add(listOf(t.Anchor))
	}
	for i := range d.Macros {
		keys = append(keys, d.Macros[i].EntityKey)
		add(listOf(d.Macros[i].Anchor))
		for _, t := range d.Macros[i].Storylines {
			keys = append(keys, t.EntityKey)
			add(t.Anchors)
		}
	}
	return keys
}

func listOf(ref *graph.NodeRef) []graph.NodeRef {
	if ref == nil {
		return nil
	}
	return []graph.NodeRef{*ref}
}

// sourcesOf replaces sources and messages by what they were, and drops those that were not there.
func (d *Details) sourcesOf(past *graph.Past, w *Wanted) {
	d.Messages = slices.DeleteFunc(d.Messages, func(m SaidMessage) bool { return !past.There(m.EntityKey) || !past.There(m.Source) })
	for i := range d.Messages {
		m := &d.Messages[i]
		if was, changed := past.Changed(m.EntityKey); changed {
			m.Name, m.Role, m.Text = was.Text("name"), was.Text("role"), was.Text("text")
		}
		if was, changed := past.Changed(m.Source); changed {
			m.SourceState = was.View(*w.AsOf).State
		}
	}
	d.Sources = slices.DeleteFunc(d.Sources, func(s SourceDetails) bool { return !past.There(s.EntityKey) })
	for i := range d.Sources {
		s := &d.Sources[i]
		s.Mentions = past.Refs(s.Mentions)
		if was, changed := past.Changed(s.EntityKey); changed {
			view := was.View(*w.AsOf)
			s.Told = was.Told()
			s.Name, s.Summary, s.Salience, s.State = view.Name, was.Text("summary"), view.Salience, view.State
			s.ContextType, s.EndedAt = neo.OptionalText(was.Properties["context_type"]), was.Moment("ended_at")
		}
	}
}

// storiesOf does the same as sourcesOf for storylines and macros.
func (d *Details) storiesOf(past *graph.Past) {
	d.Storylines = slices.DeleteFunc(d.Storylines, func(t Storyline) bool { return !past.There(t.EntityKey) })
	for i := range d.Storylines {
		t := &d.Storylines[i]
		t.Anchor = anchor(past.Refs(listOf(t.Anchor)))
		t.SourceKeys = slices.DeleteFunc(t.SourceKeys, func(key string) bool { return !past.There(key) })
		t.Sources = slices.DeleteFunc(t.Sources, func(s SourceLine) bool { return !past.There(s.EntityKey) })
		for l := range t.Sources {
			if was, changed := past.Changed(t.Sources[l].EntityKey); changed {
				t.Sources[l].Summary = was.Text("summary")
			}
		}
		if was, changed := past.Changed(t.EntityKey); changed {
			t.Name, t.Description, t.SourceCount = was.Text("name"), was.Text("description"), neo.Integer(was.Properties["source_count"])
		}
	}
	d.Macros = slices.DeleteFunc(d.Macros, func(m Macro) bool { return !past.There(m.EntityKey) })
	for i := range d.Macros {
		m := &d.Macros[i]
		m.Anchor = anchor(past.Refs(listOf(m.Anchor)))
		m.Storylines = slices.DeleteFunc(m.Storylines, func(t StorylineLine) bool { return !past.There(t.EntityKey) })
		for l := range m.Storylines {
			if was, changed := past.Changed(m.Storylines[l].EntityKey); changed {
				m.Storylines[l].Name, m.Storylines[l].Description = was.Text("name"), was.Text("description")
			}
			m.Storylines[l].Anchors = past.Refs(m.Storylines[l].Anchors)
		}
		if was, changed := past.Changed(m.EntityKey); changed {
			m.Name, m.Description = was.Text("name"), was.Text("description")
		}
	}
}
