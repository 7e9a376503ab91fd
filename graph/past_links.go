package graph

import (
	"context"
	"time"

	"kith/graph/neo"
)

var findLinksAround = neo.Load[aroundAtRow]("links_around")

// aroundAtRow is a node with its relationships that were valid at a time.
type aroundAtRow struct {
	Key    string
	Looked int
	Links  []linkAtRow
}

// linkAtRow is a relationship in the order of links_around.
type linkAtRow struct {
	Outgoing    bool
	Type, Other string
	Properties  Properties
}

// LinksQuery selects relationships of some nodes at a time.
type LinksQuery struct {
	At                 time.Time
	Keys               []string
	Ends               []string // only those to these nodes; nil: any
	Outgoing, Incoming bool
	Types, Without     []string
	Each               int // read of one node
}

// LinksAt has the relationships of a node at a time.
type LinksAt struct {
	Key    string
	Looked int // relationships that the query asks for, at most three times as many as it reads; some may not have been there
	Links  []LinkAt
}

// LinkAt is a relationship at a time, with the current salience of it and of the other node then.
type LinkAt struct {
	RelationshipView
	Strength, NodeSalience float64
}

// LinksAround returns the relationships of nodes as they were at a time. It omits nodes that were not there, and those that the
// scope may not see.
func (s *Store) LinksAround(ctx context.Context, scope Scope, q *LinksQuery) ([]LinksAt, error) {
	rows, err := findLinksAround.Read(ctx, s.db, q.params(scope))
	if err != nil {
		return nil, err
	}
	var nodes, relationships []string
	for i := range rows {
		nodes = append(nodes, rows[i].Key)
		for _, l := range rows[i].Links {
			nodes = append(nodes, l.Other)
			if key := l.Properties.Text("key"); key != "" {
				relationships = append(relationships, key)
			}
		}
	}
	past, err := s.PastOf(ctx, scope, &q.At, nodes, relationships)
	if err != nil {
		return nil, err
	}
	var all []LinksAt
	for i := range rows {
		if past.nodes[rows[i].Key].Existed {
			all = append(all, LinksAt{rows[i].Key, rows[i].Looked, past.links(&rows[i])})
		}
	}
	return all, nil
}

func (q *LinksQuery) params(scope Scope) map[string]any {
	orNull := func(list []string) any {
		if len(list) == 0 {
			return nil
		}
		return list
	}
	return map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "keys": q.Keys, "ends": orNull(q.Ends), "as_of": q.At.UTC(),
		"types": orNull(q.Types), "without": append([]string{}, q.Without...), "outgoing": q.Outgoing, "incoming": q.Incoming, "each": q.Each,
	}
}

// links returns the relationships of a node that were there, to nodes that were there.
func (p *Past) links(row *aroundAtRow) []LinkAt {
	var links []LinkAt
	for _, l := range row.Links {
		other := p.nodes[l.Other]
		properties, existed := p.Relationship(l.Properties.Text("key"), l.Properties)
		if !other.Existed || !existed {
			continue
		}
		alive := properties.vitality()
		links = append(links, LinkAt{NewLinkView(row.Key, l.Outgoing, l.Type, other.ref(), properties, p.at), alive.current(p.at), other.salienceAt(p.at)})
	}
	return links
}
