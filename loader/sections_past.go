package loader

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kith/graph"
)

// What a section selects is stored as of now. The sections of a past moment are those of now by when things were made and linked;
// what they show is then replaced by what it was, and what was not there is dropped.

// OfPast replaces what sections show by what it was at the time of the query.
func (s *Store) OfPast(ctx context.Context, scope graph.Scope, q SectionQuery, found *Sections) error {
	at, owner := *q.AsOf, found.Owner
	if owner == nil && len(found.Relationships) > 0 {
		others := &Sections{}
		if err := s.ReadSection(ctx, scope, OwnerSection, q, others); err != nil {
			return err
		}
		owner = others.Owner
	}
	past, err := s.graph.PastOf(ctx, scope, &at, found.keys(), nil)
	if err != nil {
		return err
	}
	o := pastSections{past, at}
	if found.Owner != nil && !o.replace(found.Owner) {
		found.Owner = nil
	}
	found.CoreBeliefs = o.keep(found.CoreBeliefs, func(n *ContextNode) bool { return n.TTLPolicy == "keep_forever" })
	found.PrimaryGoals = o.keep(found.PrimaryGoals, func(n *ContextNode) bool { return n.IsGoal })
	o.sources(found)
	if owner == nil {
		found.Relationships = nil
	} else if err := s.relationshipsOf(ctx, scope, o, owner.EntityKey, found); err != nil {
		return err
	}
	if found.Focus != nil && !o.replace(&found.Focus.Node) {
		found.Focus = nil
	}
	if found.Focus != nil {
		return s.focusOf(ctx, scope, at, found.Focus)
	}
	return nil
}

// keys returns the keys of all that sections show.
func (s *Sections) keys() []string {
	keys := []string{}
	for _, list := range [][]ContextNode{s.CoreBeliefs, s.PrimaryGoals} {
		for i := range list {
			keys = append(keys, list[i].EntityKey)
		}
	}
	for i := range s.Relationships {
		keys = append(keys, s.Relationships[i].Node.EntityKey)
	}
	for i := range s.Sources {
		keys = append(keys, s.Sources[i].EntityKey)
		for _, e := range s.Sources[i].KeyEntities {
			keys = append(keys, e.EntityKey)
		}
	}
	if s.Owner != nil {
		keys = append(keys, s.Owner.EntityKey)
	}
	if s.LastConversation != nil {
		keys = append(keys, s.LastConversation.EntityKey)
	}
	if s.Focus != nil {
		keys = append(keys, s.Focus.Node.EntityKey)
	}
	return keys
}

// pastSections has the nodes of sections as they were at a time.
type pastSections struct {
	*graph.Past
	at time.Time
}

// replace replaces a node by what it was. It returns false if the node was not there. Notes have a lifetime of their own.
func (o pastSections) replace(n *ContextNode) bool {
	if was, changed := o.Changed(n.EntityKey); changed {
		n.Node, n.Told = was.View(o.at).Node, was.Told()
	}
	return o.There(n.EntityKey)
}

// keep returns nodes as they were, without those that were not there, or were archived or of another sort.
func (o pastSections) keep(nodes []ContextNode, is func(*ContextNode) bool) []ContextNode {
	kept := []ContextNode{}
	for _, n := range nodes {
		_, changed := o.Changed(n.EntityKey)
		if o.replace(&n) && (!changed || n.State != "archived" && is(&n)) {
			kept = append(kept, n)
		}
	}
	return kept
}

// sources replaces the sources and what they mention.
func (o pastSections) sources(found *Sections) {
	found.Sources = slices.DeleteFunc(found.Sources, func(s RecentSource) bool { return !o.There(s.EntityKey) })
	for i := range found.Sources {
		s := &found.Sources[i]
		if was, changed := o.Changed(s.EntityKey); changed {
			s.Summary, s.EndedAt, s.Told = was.Text("summary"), was.Moment("ended_at"), was.Told()
		}
		entities := []KeyEntity{}
		for _, e := range s.KeyEntities {
			if ref, there := o.Ref(graph.NodeRef{EntityKey: e.EntityKey, Name: e.Name, Told: e.Told}); there {
				entities = append(entities, KeyEntity{e.EntityKey, ref.Name, e.Type, ref.Told})
			}
		}
		s.KeyEntities = entities
	}
	if last := found.LastConversation; last != nil && !o.There(last.EntityKey) {
		found.LastConversation = nil
	}
}

// linksRead is the maximum number of relationships of the owner or the focus that are read.
const linksRead = 10_000

// relationshipsOf replaces the nodes and relationships of the owner, and drops those that were not there.
func (s *Store) relationshipsOf(ctx context.Context, scope graph.Scope, o pastSections, owner string, found *Sections) error {
	if len(found.Relationships) == 0 {
		return nil
	}
	q := &graph.LinksQuery{At: o.at, Keys: []string{owner}, Outgoing: true, Incoming: true, Each: linksRead}
	for i := range found.Relationships {
		q.Ends = append(q.Ends, found.Relationships[i].Node.EntityKey)
	}
	around, err := s.graph.LinksAround(ctx, scope, q)
	if err != nil {
		return err
	}
	kept := []OwnerRelationship{}
	for _, r := range found.Relationships {
		if link := strongestTo(around, r.Node.EntityKey, r.RelationshipType); link != nil && o.replace(&r.Node) && r.Node.State != "archived" {
			r.Description, r.Salience, r.Relationship = link.Description, link.Salience, link.Told()
			kept = append(kept, r)
		}
	}
	found.Relationships = kept
	return nil
}

// strongestTo returns the strongest relationship of a type to a node; nil: there was none.
func strongestTo(around []graph.LinksAt, key, kind string) *graph.LinkAt {
	var best *graph.LinkAt
	for i := range around {
		for l := range around[i].Links {
			link := &around[i].Links[l]
			if link.Node.EntityKey == key && link.Type == kind && (best == nil || link.Strength > best.Strength) {
				best = link
			}
		}
	}
	return best
}

// focusLinks is the number of relationships of the node in focus that are shown.
const focusLinks = 10

// focusOf replaces the relationships of the node in focus by those of a time.
func (s *Store) focusOf(ctx context.Context, scope graph.Scope, at time.Time, focus *Focus) error {
	around, err := s.graph.LinksAround(ctx, scope, &graph.LinksQuery{
		At: at, Keys: []string{focus.Node.EntityKey}, Outgoing: true, Incoming: true, Without: graph.PlainTypes, Each: linksRead,
	})
	if err != nil {
		return err
	}
	var links []graph.LinkAt
	for i := range around {
		links = append(links, around[i].Links...)
	}
	known := []graph.Kind{graph.PersonKind, graph.ConceptKind, graph.EntityKind}
	kindOf := func(l *graph.LinkAt) graph.Kind { kind, _ := graph.KindOf(l.Node.Kind); return kind }
	links = slices.DeleteFunc(links, func(l graph.LinkAt) bool { return !slices.Contains(known, kindOf(&l)) })
	slices.SortFunc(links, func(a, b graph.LinkAt) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(b.NodeSalience, a.NodeSalience),
			cmp.Compare(b.Node.EntityKey, a.Node.EntityKey), cmp.Compare(b.Key, a.Key))
	})
	focus.Links = []FocusLink{}
	for i := range links[:min(focusLinks, len(links))] {
		l := &links[i]
		focus.Links = append(focus.Links, FocusLink{
			EntityKey: l.Node.EntityKey, Name: l.Node.Name, NodeType: kindOf(l).Label, RelationshipType: l.Type, Direction: l.Direction,
			Description: l.Description, Salience: l.Salience, Relationship: l.Told(), Told: l.Node.Told,
		})
	}
	return nil
}
