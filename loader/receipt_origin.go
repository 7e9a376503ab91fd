package loader

import (
	"context"
	"slices"

	"kith/graph"
	"kith/graph/neo"
)

var findOrigins = neo.Load[originRow]("receipt_origins")

type originRow struct {
	EntityKey string
	Version   int64
	Sources   []string
	Started   []int64
}

// Origin is where a node comes from: the newest sources that mention it, of which the first Recent are of the last week.
type Origin struct {
	Version int64
	Sources []string
	Recent  int
}

// Origins reads the versions of nodes, and of some the sources, in one statement.
func (s *Store) Origins(ctx context.Context, scope graph.Scope, keys, mentioned []string, q SectionQuery) (map[string]Origin, error) {
	params := q.params(scope)
	rows, err := findOrigins.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_keys": keys, "mention_keys": mentioned, "until": params["until"], "now": params["now"],
	})
	if err != nil {
		return nil, err
	}
	origins, weekAgo := make(map[string]Origin, len(rows)), q.moment().Add(-graph.Week).UnixMilli()
	for _, row := range rows {
		recent := 0
		for recent < len(row.Started) && row.Started[recent] > weekAgo {
			recent++
		}
		origins[row.EntityKey] = Origin{row.Version, row.Sources, recent}
	}
	return origins, nil
}

// shownSources is the most sources of a node in a receipt that its line does not count.
const shownSources = 3

// AddOrigins adds to the items of a receipt the versions of their nodes, and the sources that mention them.
func (l *Loader) AddOrigins(ctx context.Context, scope graph.Scope, spans []Span, left []LeftOut) error {
	items := itemsOf(spans, left)
	origins, err := l.origins(ctx, scope, SectionQuery{Now: l.options.Now()}, items)
	if err == nil {
		addTo(items, origins)
	}
	return err
}

// itemsOf returns the items of a receipt that are nodes.
func itemsOf(spans []Span, left []LeftOut) []*Item {
	var items []*Item
	for i := range spans {
		items = append(items, &spans[i].Item)
	}
	for i := range left {
		items = append(items, &left[i].Item)
	}
	return slices.DeleteFunc(items, func(i *Item) bool { return !i.hasOrigin() })
}

// hasOrigin reports whether an item is a node, or a note of one.
func (i *Item) hasOrigin() bool {
	return i.Key != "" && i.Kind != "preference" && i.Kind != "statement"
}

// isMentioned reports whether an item shows what sources mention.
func (i *Item) isMentioned() bool { return i.Kind != "source" && i.Kind != "note" }

// origins reads the origins of items.
func (l *Loader) origins(ctx context.Context, scope graph.Scope, q SectionQuery, items []*Item) (map[string]Origin, error) {
	if len(items) == 0 {
		return nil, nil
	}
	keys, mentioned := make([]string, len(items)), []string{}
	for i, item := range items {
		if keys[i] = item.Key; item.isMentioned() {
			mentioned = append(mentioned, item.Key)
		}
	}
	return l.store.Origins(ctx, scope, graph.Distinct(keys), mentioned, q)
}

func addTo(items []*Item, origins map[string]Origin) {
	for _, item := range items {
		item.add(origins[item.Key])
	}
}

// add adds an origin. The line of a relationship counts the sources of the last week.
func (i *Item) add(o Origin) {
	i.Version = o.Version
	if !i.isMentioned() {
		return
	}
	counted := 0
	if i.Section == "relationships" {
		counted = o.Recent
	}
	for n, source := range o.Sources[:min(len(o.Sources), max(counted, shownSources))] {
		i.Provenance = append(i.Provenance, Provenance{Source: source, Holds: n < counted})
	}
}
