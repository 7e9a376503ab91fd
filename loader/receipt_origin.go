package loader

import (
	"context"
	"slices"

	"kith/graph"
	"kith/neo"
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

// Origins reads the origins of nodes, in one statement.
func (s *Store) Origins(ctx context.Context, scope graph.Scope, keys []string, q SectionQuery) (map[string]Origin, error) {
	params := q.params(scope)
	rows, err := findOrigins.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "entity_keys": keys, "until": params["until"],
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

// addOrigins adds to the items of a receipt the versions of their nodes, and the sources that mention them.
func (l *Loader) addOrigins(ctx context.Context, scope graph.Scope, q SectionQuery, spans []Span, left []LeftOut) error {
	var items []*Item
	for i := range spans {
		items = append(items, &spans[i].Item)
	}
	for i := range left {
		items = append(items, &left[i].Item)
	}
	items = slices.DeleteFunc(items, func(i *Item) bool { return i.Key == "" || i.Kind == "preference" || i.Kind == "statement" })
	keys := make([]string, len(items))
	for i, item := range items {
		keys[i] = item.Key
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) == 0 {
		return nil
	}
	origins, err := l.store.Origins(ctx, scope, keys, q)
	if err != nil {
		return err
	}
	for _, item := range items {
		item.add(origins[item.Key])
	}
	return nil
}

// add adds an origin. The line of a relationship counts the sources of the last week.
func (i *Item) add(o Origin) {
	i.Version = o.Version
	if i.Kind == "source" || i.Kind == "note" {
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
