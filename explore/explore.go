// Package explore finds what a memory has about a question: by words, by meaning and by links, ranked together. It decides
// what is asked for and how it is ranked; statements and indexes are the part of graph, vectors in memory that of vector.
// It knows nothing of HTTP, and no database driver.
package explore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kith/graph"
)

// store is what a search asks of the memory.
type store interface {
	Search(ctx context.Context, scope graph.Scope, q graph.Search) (graph.Found, error)
	Details(ctx context.Context, scope graph.Scope, w graph.Wanted) (graph.Details, error)
}

// Explorer searches a memory. It is safe for concurrent use.
type Explorer struct {
	store store
	now   func() time.Time
}

// New makes an explorer of a store.
func New(s store, now func() time.Time) *Explorer {
	return &Explorer{store: s, now: now}
}

// defaultLimit is that of each list (the origin's).
const defaultLimit = 5

// spare is how many more than wanted are read: some may have gone since they were found, and salience and time may move
// others forward.
const spare = 10

// Explore answers a request, and says what it returned, for whoever counts recalls. Errors: InvalidError, ErrUnavailable.
func (e *Explorer) Explore(ctx context.Context, scope graph.Scope, r *Request) (*Result, graph.Recall, error) {
	if err := r.Validate(); err != nil {
		return nil, graph.Recall{}, err
	}
	p := e.plan(scope, r)
	found, err := e.store.Search(ctx, scope, p.search(p.asks))
	if err != nil {
		return nil, graph.Recall{}, err
	}
	rankings := p.rank(&found, p.asks)
	if second := p.second(&found, rankings); len(second) > 0 {
		again, err := e.store.Search(ctx, scope, p.search(second))
		if err != nil {
			return nil, graph.Recall{}, err
		}
		rankings = rankings.with(p.rank(&again, second))
		found.Relationships = append(found.Relationships, again.Relationships...)
		p.used = append(p.used, second...)
	}
	best := rankings.fuse()
	details, err := e.store.Details(ctx, scope, p.wanted(&found, &best))
	if err != nil {
		return nil, graph.Recall{}, err
	}
	a := &assembly{plan: p, found: &found, best: &best, details: &details}
	result := a.result()
	if r.MaxTokens > 0 {
		if err := result.within(r.MaxTokens, r.Format); err != nil {
			return nil, graph.Recall{}, err
		}
	}
	return result, a.recall(result), nil
}

// plan is a request with all its defaults.
type plan struct {
	*Request
	scope                            graph.Scope
	now                              time.Time
	asOf                             *time.Time
	granularity, limit               int
	deep                             bool
	asks                             []ask
	used                             []ask // asks, and those of a second look
	messages, sources, relationships bool
	nodes                            []graph.Kind
	shown                            bool // sources are in the answer; else they only rank what they are part of
	storylines, macros               int  // how many
	since, until                     *time.Time
}

// ask is one query or text match.
type ask struct {
	graph.Ask
	text      string
	all       []string // its words, with those that say nothing
	threshold float64
}

func (e *Explorer) plan(scope graph.Scope, r *Request) *plan {
	p := &plan{Request: r, scope: scope, now: e.now(), granularity: max(r.Granularity, 1), limit: r.Limit, deep: r.Mode == Deep || r.MultiQuery}
	if p.limit == 0 {
		p.limit = defaultLimit
	}
	p.asOf, p.since, p.until = optional(r.AsOf), optional(r.Since), optional(r.Until)
	if p.asOf != nil {
		p.now = *p.asOf
		if p.until == nil || p.until.After(*p.asOf) {
			p.until = p.asOf
		}
	}
	for _, q := range r.Queries {
		p.asks = append(p.asks, ask{Ask: graph.Ask{Words: telling(graph.Words(q.Query))}, text: q.Query, all: graph.Words(q.Query), threshold: q.Threshold})
	}
	for _, text := range r.TextMatches {
		words := graph.Words(text)
		p.asks = append(p.asks, ask{Ask: graph.Ask{Words: words, Match: true}, text: text, all: words})
	}
	p.used = slices.Clone(p.asks)
	p.choose()
	return p
}

func optional(t graph.Optional[time.Time]) *time.Time {
	if !present(t) {
		return nil
	}
	return &t.Value
}

// choose says which lists are wanted.
func (p *plan) choose() {
	for _, k := range graph.Kinds {
		asked := slices.Contains(p.Kinds, k.Name)
		switch k.Name {
		case "message":
			p.messages = asked
		case "source":
			p.sources = asked || len(p.Kinds) == 0
		case "storyline", "macro":
			if asked || len(p.Kinds) == 0 {
				p.nodes = append(p.nodes, k)
			}
		default:
			if asked || len(p.Kinds) == 0 {
				p.nodes = append(p.nodes, k)
			}
		}
	}
	p.relationships = or(p.SearchRelationships, len(p.Kinds) == 0)
	if len(p.Kinds) == 0 || slices.Contains(p.Kinds, "storyline") {
		p.storylines = []int{3, 5, 0}[p.granularity-1]
	}
	if len(p.Kinds) == 0 || slices.Contains(p.Kinds, "macro") {
		p.macros = []int{2, 2, 5}[p.granularity-1]
	}
	p.shown = p.sources && p.granularity == 1
}

// search is what the store is asked for.
func (p *plan) search(asks []ask) graph.Search {
	q := graph.Search{
		Messages: p.messages || p.sources, Sources: p.sources, Nodes: p.nodes, Relationships: p.relationships,
		Types: p.RelationshipFilters.RelationshipTypes, Since: p.since, Until: p.until, AsOf: p.asOf, Links: p.sources || len(p.nodes) > 0,
	}
	for _, a := range asks {
		q.Asks = append(q.Asks, a.Ask)
	}
	return q
}

// rankings are those of all asks, for each sort of hits.
type rankings struct{ messages, sources, nodes []ranking }

func (r rankings) with(more rankings) rankings {
	return rankings{append(r.messages, more.messages...), append(r.sources, more.sources...), append(r.nodes, more.nodes...)}
}

// best are the rankings of each sort, fused.
type best struct{ messages, sources, nodes fused }

func (r rankings) fuse() best { return best{fuse(r.messages), fuse(r.sources), fuse(r.nodes)} }

func (p *plan) rank(f *graph.Found, asks []ask) rankings {
	var r rankings
	for i, a := range asks {
		sources := rankSources(f, i, a.Words)
		r.messages = append(r.messages, rankMessages(f, i, a.all))
		r.sources = append(r.sources, sources)
		r.nodes = append(r.nodes, rankNodes(f, i, &a, sources))
	}
	return r
}

// secondNames is how many names of what was found a second look adds to a query.
const secondNames = 3

// second are the asks of a second look: each query with the names of the nodes that the first has found for it, but for
// those that it has.
func (p *plan) second(f *graph.Found, r rankings) []ask {
	if !p.deep {
		return nil
	}
	names := map[string]string{}
	for i := range f.Nodes {
		names[f.Nodes[i].Key] = f.Nodes[i].Name
	}
	for i := range f.Links {
		names[f.Links[i].Key] = f.Links[i].Name
	}
	var asks []ask
	for i, a := range p.asks {
		added := 0
		next := a
		next.text = a.text
		for _, key := range r.nodes[i].order() {
			words := graph.Words(names[key])
			if added == secondNames || a.Match || within(words, a.all) || len(words) == 0 {
				continue
			}
			added++
			next.text += " " + names[key]
		}
		if added > 0 {
			next.all = graph.Words(next.text)
			next.Words = telling(next.all)
			asks = append(asks, next)
		}
	}
	return asks
}

// wanted are the best hits, of which more is to be known.
func (p *plan) wanted(f *graph.Found, b *best) graph.Wanted {
	filters := &p.RelationshipFilters
	w := graph.Wanted{AsOf: p.asOf, Previews: previewSources, Relationships: graph.RelationshipFilter{
		Types: filters.RelationshipTypes, Without: filters.ExcludeRelationshipTypes,
		MinAttitude: pointer(filters.MinAttitude), MaxAttitude: pointer(filters.MaxAttitude),
		MinProximity: pointer(filters.MinProximity), MaxProximity: pointer(filters.MaxProximity),
	}}
	if p.messages {
		w.Messages = slices.Clone(b.messages.first(p.limit + spare))
	}
	if p.sources {
		w.Sources = b.sources.first(p.limit + spare)
	}
	if p.shown {
		for _, key := range w.Sources {
			w.Messages = append(w.Messages, snippets(f, key, b)...)
		}
	}
	w.Nodes = b.nodes.first(p.limit + spare)
	if p.relationships || p.Expand > 0 {
		w.Around = b.nodes.first(p.limit)
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Kind.Name == "storyline" || n.Kind.Name == "macro" {
			w.Stories = append(w.Stories, n.Key)
		}
	}
	if p.storylines+p.macros == 0 {
		w.Stories = nil
	}
	slices.Sort(w.Messages)
	w.Messages = slices.Compact(w.Messages)
	return w
}

func pointer(o graph.Optional[int64]) *int64 {
	if !present(o) {
		return nil
	}
	return &o.Value
}

// snippetsShown is how many messages a source comes with.
const snippetsShown = 3

// snippets are the best messages of a source.
func snippets(f *graph.Found, source string, b *best) []string {
	var keys []string
	for i := range f.Messages {
		if m := &f.Messages[i]; m.Source == source && !slices.Contains(keys, m.Key) {
			keys = append(keys, m.Key)
		}
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(b.messages.relevance[y], b.messages.relevance[x]) })
	return keys[:min(snippetsShown, len(keys))]
}
