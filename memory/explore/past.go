package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/text/words"
)

// A search as of a time asks the indexes, which have the texts of now, and former texts. Its hits have the texts of the time, and
// those that do not match then are dropped.

// findFormer finds records by their former texts.
var findFormer = neo.Load[formerRow]("search_past")

// formerRow has the keys of records.
type formerRow struct{ Nodes, Relationships []string }

// formerLimit is the maximum number of records that are found by former texts.
const formerLimit = 2_000

// ofPast replaces the hits of a search by what they were at its time.
func (s *Store) ofPast(ctx context.Context, scope graph.Scope, q *Search, asks *searchAsks, row *searchRow) error {
	former, err := s.former(ctx, scope, q)
	if err != nil {
		return err
	}
	nodes, links := keysOf(former.Nodes, row.Nodes), keysOf(former.Relationships, row.Relationships)
	read := slices.Clone(nodes)
	for _, l := range row.Relationships {
		read = append(read, l.From, l.To)
	}
	past, err := s.graph.PastOf(ctx, scope, q.AsOf, read, links)
	if err != nil {
		return err
	}
	row.Nodes = q.nodesOf(past, asks.nodes, row.Nodes, nodes)
	ends, err := s.endsOf(ctx, scope, q, past, former.Relationships)
	if err != nil {
		return err
	}
	row.Relationships = q.linksOf(past, asks.relationships, row.Relationships, links, ends)
	return nil
}

// former finds records by the words of all asks.
func (s *Store) former(ctx context.Context, scope graph.Scope, q *Search) (formerRow, error) {
	var kinds, begins []string
	for _, k := range q.Nodes {
		kinds = append(kinds, k.Name)
	}
	if q.Relationships {
		kinds = append(kinds, graph.RelationshipRecord)
	}
	for _, a := range q.Asks {
		for _, t := range terms(a.Words, a.Match) {
			begins = append(begins, beginning(t.word))
		}
	}
	if len(kinds) == 0 || len(begins) == 0 {
		return formerRow{}, nil
	}
	return findFormer.ReadOne(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "at": q.AsOf.UnixMilli(), "kinds": kinds, "words": distinct(begins), "most": formerLimit,
	})
}

// beginning returns what all forms of a word have in common.
func beginning(word string) string {
	stem, n := words.Stem(word), 0
	for n < len(word) && n < len(stem) && word[n] == stem[n] {
		n++
	}
	return strings.ToValidUTF8(word[:n], "")
}

// keysOf returns some keys and those of hits, once each.
func keysOf[T match](keys []string, hits []T) []string {
	all := slices.Clone(keys)
	for _, r := range hits {
		all = append(all, r.hit().Key)
	}
	return distinct(all)
}

// finds reports whether some values of the searched fields match the ask: one of its words, or all of them in one field.
func (q *indexAsk) finds(values []any) bool {
	if len(q.terms) == 0 {
		return false
	}
	counter := newScorer(*q, nil, nil).counter
	return slices.ContainsFunc(values, func(value any) bool {
		has, counts := 0, make([]float64, len(q.terms))
		counter.Count(value, counts)
		for _, often := range counts {
			if often > 0 {
				has++
			}
		}
		return has == len(q.terms) || has > 0 && !q.match
	})
}

// valuesOf returns the values of some properties as statements return them.
func valuesOf(p graph.Properties, names []string) []any {
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = p[name]
		if texts := p.Texts(name); texts != nil {
			list := make([]any, len(texts))
			for j := range texts {
				list[j] = texts[j]
			}
			values[i] = list
		}
	}
	return values
}

// nodesOf returns the hits among nodes: those that the indexes found and that were the same, and those that match as they were.
func (q *Search) nodesOf(past *graph.Past, asks []indexAsk, found []nodeMatch, keys []string) []nodeMatch {
	same := slices.DeleteFunc(slices.Clone(found), func(r nodeMatch) bool {
		_, changed := past.Changed(r.Key)
		return changed || !past.There(r.Key)
	})
	for _, key := range keys {
		n, changed := past.Changed(key)
		if !changed || !slices.Contains(q.Nodes, n.Kind) || q.before(n.Properties) {
			continue
		}
		values := valuesOf(n.Properties, fieldNames(wordsOfNodes))
		for ask := range asks {
			if asks[ask].finds(values) {
				same = append(same, nodeMatch{Ask: ask, Key: key, Label: n.Kind.Label, Trust: n.Properties.Told().Trust, Values: values})
			}
		}
	}
	return same
}

// before reports whether something changed last before the search begins.
func (q *Search) before(p graph.Properties) bool {
	updated := p.Moment("updated_at")
	return q.Since != nil && updated != nil && updated.Before(*q.Since)
}

// endsOf returns the ends of relationships that were found by their former texts.
func (s *Store) endsOf(ctx context.Context, scope graph.Scope, q *Search, past *graph.Past, former []string) (map[string]graph.NodeRef, error) {
	var keys []string
	for _, key := range former {
		if r, ok := past.ChangedLink(key); ok {
			keys = append(keys, r.From, r.To)
		}
	}
	nodes, err := s.graph.NodesAt(ctx, scope, keys, q.AsOf)
	ends := map[string]graph.NodeRef{}
	for i := range nodes {
		ends[nodes[i].EntityKey] = graph.NodeRef{EntityKey: nodes[i].EntityKey, Name: nodes[i].Name, Told: nodes[i].Told()}
	}
	return ends, err
}

// linksOf does the same as nodesOf for relationships.
func (q *Search) linksOf(past *graph.Past, asks []indexAsk, found []relationshipMatch, keys []string, ends map[string]graph.NodeRef) []relationshipMatch {
	var all []relationshipMatch
	for _, r := range found {
		from, thereFrom := past.Ref(graph.NodeRef{EntityKey: r.From, Name: r.FromName})
		to, thereTo := past.Ref(graph.NodeRef{EntityKey: r.To, Name: r.ToName})
		if r.FromName, r.ToName, r.Ends = from.Name, to.Name, from.Told.Least(to.Told); thereFrom && thereTo {
			ends[from.EntityKey], ends[to.EntityKey] = from, to
			if _, changed := past.ChangedLink(r.Key); !changed && past.LinkThere(r.Key) {
				all = append(all, r)
			}
		}
	}
	for _, key := range keys {
		r, changed := past.ChangedLink(key)
		from, thereFrom := ends[r.From]
		to, thereTo := ends[r.To]
		if !changed || !thereFrom || !thereTo || !r.ValidAt(*q.AsOf) || len(q.Types) > 0 && !slices.Contains(q.Types, r.Type) {
			continue
		}
		values := valuesOf(r.Properties, relationshipNames)
		for ask := range asks {
			if asks[ask].finds(values[:len(relationshipFields)]) {
				all = append(all, relationshipMatch{ask, key, r.From, from.Name, r.Type, r.To, to.Name, from.Told.Least(to.Told), values})
			}
		}
	}
	return all
}

// moment returns the time at which salience and states are computed.
func (q *Search) moment(now time.Time) time.Time {
	if q.AsOf != nil {
		return q.AsOf.UTC()
	}
	return now
}
