package traverse

import (
	"cmp"
	"context"
	"slices"

	"kith/graph"
)

// linksAt reads the relationships of nodes at the time of a walk.
func (s *Store) linksAt(ctx context.Context, scope graph.Scope, w Walk, keys, ends []string, each int) ([]graph.LinksAt, error) {
	return s.graph.LinksAround(ctx, scope, &graph.LinksQuery{
		At: *w.AsOf, Keys: keys, Ends: ends, Outgoing: w.Outgoing, Incoming: w.Incoming, Types: w.Types, Without: w.Without,
		Messages: w.Messages || slices.Contains(w.Types, graph.HasMessageType), Each: each,
	})
}

// aroundAt does the same as Around at a time.
func (s *Store) aroundAt(ctx context.Context, scope graph.Scope, w Walk, keys []string, kinds []graph.Kind, each int) ([]Around, error) {
	found, err := s.linksAt(ctx, scope, w, keys, nil, each)
	if err != nil {
		return nil, err
	}
	all := make([]Around, len(found))
	for i := range found {
		all[i] = Around{Key: found[i].Key, Looked: found[i].Looked, Cut: found[i].Looked >= each}
		for l := range found[i].Links {
			link := &found[i].Links[l]
			all[i].Links = append(all[i].Links, WalkLink{
				To: link.Node.EntityKey, Key: link.Key, Outgoing: link.Direction == "outgoing", Strength: link.Strength, Salience: link.NodeSalience,
				Wanted: len(kinds) == 0 || slices.ContainsFunc(kinds, func(k graph.Kind) bool { return k.Name == link.Node.Kind }),
			})
		}
	}
	return all, nil
}

// edgesAt does the same as Edges at a time.
func (s *Store) edgesAt(ctx context.Context, scope graph.Scope, w Walk, keys []string, each int) ([]Edges, error) {
	found, err := s.linksAt(ctx, scope, w, keys, nil, each)
	if err != nil {
		return nil, err
	}
	all := make([]Edges, len(found))
	for i := range found {
		all[i] = Edges{Key: found[i].Key, Looked: found[i].Looked, Cut: found[i].Looked >= each}
		for l := range found[i].Links {
			link := &found[i].Links[l]
			all[i].Ends, all[i].Strengths = append(all[i].Ends, link.Node.EntityKey), append(all[i].Strengths, link.Strength)
		}
	}
	return all, nil
}

// stepsAt does the same as Steps at a time.
func (s *Store) stepsAt(ctx context.Context, scope graph.Scope, w Walk, wishes []Wish) ([]*Step, error) {
	steps := make([]*Step, len(wishes))
	if len(wishes) == 0 {
		return steps, nil
	}
	var from, to []string
	for _, wish := range wishes {
		from, to = append(from, wish.From), append(to, wish.To)
	}
	w.Outgoing, w.Incoming = true, true
	found, err := s.linksAt(ctx, scope, w, graph.Distinct(from), graph.Distinct(slices.Clone(to)), pathLooked)
	if err != nil {
		return nil, err
	}
	nodes, err := s.graph.NodesAt(ctx, scope, to, w.AsOf)
	if err != nil {
		return nil, err
	}
	for i, wish := range wishes {
		link := wish.among(found)
		place := slices.IndexFunc(nodes, func(n graph.NodeView) bool { return n.EntityKey == wish.To })
		if link == nil || place < 0 {
			continue
		}
		steps[i] = &Step{Relationship: link.RelationshipView, Node: nodes[place]}
		steps[i].Relationship.Node = nil
	}
	return steps, nil
}

// among returns the most salient of the relationships that the wish allows; nil: there is none.
func (w *Wish) among(found []graph.LinksAt) *graph.LinkAt {
	var best *graph.LinkAt
	for i := range found {
		for l := range found[i].Links {
			link := &found[i].Links[l]
			if found[i].Key != w.From || link.Node.EntityKey != w.To || w.Key != "" && link.Key != w.Key ||
				w.Outgoing != nil && *w.Outgoing != (link.Direction == "outgoing") {
				continue
			}
			if best == nil || cmp.Or(cmp.Compare(best.Strength, link.Strength), cmp.Compare(link.Key, best.Key)) < 0 {
				best = link
			}
		}
	}
	return best
}
