package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/words"
	"kith/neo"
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
	nodes, links := neo.List(row.Nodes), neo.List(row.Relationships)
	former, err := s.former(ctx, scope, q)
	if err != nil {
		return err
	}
	past, err := s.graph.PastOf(ctx, scope, q.AsOf, slices.Concat(former.Nodes, textsAt(nodes, 1), textsAt(links, 2), textsAt(links, 5)),
		slices.Concat(former.Relationships, textsAt(links, 1)))
	if err != nil {
		return err
	}
	row.Nodes = q.nodesOf(past, asks.nodes, nodes, former.Nodes)
	ends, err := s.endsOf(ctx, scope, q, past, former.Relationships)
	if err != nil {
		return err
	}
	row.Relationships = q.linksOf(past, asks.relationships, links, former.Relationships, ends)
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

// textsAt returns a value of each hit.
func textsAt(hits []any, place int) []string {
	all := make([]string, len(hits))
	for i := range hits {
		if l := neo.List(hits[i]); place < len(l) {
			all[i] = neo.Text(l[place])
		}
	}
	return all
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
func (q *Search) nodesOf(past *graph.Past, asks []indexAsk, found []any, former []string) []any {
	same := slices.DeleteFunc(slices.Clone(found), func(hit any) bool {
		key := neo.Text(neo.List(hit)[1])
		_, changed := past.Changed(key)
		return changed || !past.There(key)
	})
	for _, key := range distinct(slices.Concat(former, textsAt(found, 1))) {
		n, changed := past.Changed(key)
		if !changed || !slices.Contains(q.Nodes, n.Kind) || q.before(n.Properties) {
			continue
		}
		values := valuesOf(n.Properties, fieldNames(wordsOfNodes))
		for ask := range asks {
			if asks[ask].finds(values) {
				same = append(same, []any{int64(ask), key, n.Kind.Label, n.Properties["trust"], values})
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
func (q *Search) linksOf(past *graph.Past, asks []indexAsk, found []any, former []string, ends map[string]graph.NodeRef) []any {
	var all []any
	for _, hit := range found {
		l := slices.Clone(neo.List(hit))
		from, thereFrom := past.Ref(graph.NodeRef{EntityKey: neo.Text(l[2]), Name: neo.Text(l[3])})
		to, thereTo := past.Ref(graph.NodeRef{EntityKey: neo.Text(l[5]), Name: neo.Text(l[6])})
		if l[3], l[6], l[7] = from.Name, to.Name, leastOf(from, to); thereFrom && thereTo {
			ends[from.EntityKey], ends[to.EntityKey] = from, to
			if _, changed := past.ChangedLink(neo.Text(l[1])); !changed && past.LinkThere(neo.Text(l[1])) {
				all = append(all, l)
			}
		}
	}
	for _, key := range distinct(slices.Concat(former, textsAt(found, 1))) {
		r, changed := past.ChangedLink(key)
		from, thereFrom := ends[r.From]
		to, thereTo := ends[r.To]
		if !changed || !thereFrom || !thereTo || !r.ValidAt(*q.AsOf) || len(q.Types) > 0 && !slices.Contains(q.Types, r.Type) {
			continue
		}
		values := valuesOf(r.Properties, relationshipNames)
		for ask := range asks {
			if asks[ask].finds(values[:len(relationshipFields)]) {
				all = append(all, []any{int64(ask), key, r.From, from.Name, r.Type, r.To, to.Name, leastOf(from, to), values})
			}
		}
	}
	return all
}

// leastOf returns the trust and origin of the less believed of two ends, as statements return them.
func leastOf(from, to graph.NodeRef) []any {
	least := from.Told.Least(to.Told)
	return []any{least.Believed(), least.Origin}
}

// moment returns the time at which salience and states are computed.
func (q *Search) moment(now time.Time) time.Time {
	if q.AsOf != nil {
		return q.AsOf.UTC()
	}
	return now
}
