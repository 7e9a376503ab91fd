// Package explore finds what a memory has about a question: by words, by meaning and by links, ranked together. It decides
// what is asked for and how it is ranked; statements and indexes are the part of graph, vectors in memory that of vector.
// It knows nothing of HTTP, and no database driver.
package explore

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/llm"
	"kith/vector"
)

// store is what a search asks of the memory.
type store interface {
	Search(ctx context.Context, scope graph.Scope, q graph.Search) (graph.Found, error)
	Details(ctx context.Context, scope graph.Scope, w graph.Wanted) (graph.Details, error)
	Vectors(ctx context.Context, scope string, after int64, limit int) ([]vector.Row, error)
}

// Explorer searches a memory. It is safe for concurrent use.
type Explorer struct {
	store   store
	options Options
	tuning  *tuning
}

// Options are what an explorer may be given. An Embedder needs Vectors to be kept in.
type Options struct {
	Embedder llm.Embedder // nil: searches are by words and links
	Vectors  *vector.Index
	Log      *slog.Logger                      // default: discards
	Observe  func(semantic Meaning, mode Mode) // called after every answer
	Now      func() time.Time
}

// New makes an explorer of a store.
func New(s store, o Options) *Explorer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(Meaning, Mode) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Explorer{store: s, options: o, tuning: usualTuning()}
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
	p, m := e.plan(scope, r), e.understand(scope, r.uses(byMeaning))
	found, seen, err := e.search(ctx, p, m, p.asks)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	if second := p.second(found, seen); len(second) > 0 {
		again, more, err := e.search(ctx, p, m, second)
		if err != nil {
			return nil, graph.Recall{}, err
		}
		seen = seen.with(more)
		found.Relationships = append(found.Relationships, again.Relationships...)
		found.Messages, found.Nodes = append(found.Messages, again.Messages...), append(found.Nodes, again.Nodes...)
		found.Links = append(found.Links, again.Links...)
		p.used = append(p.used, second...)
	}
	wanted := p.wanted(found, seen)
	details, err := e.store.Details(ctx, scope, wanted)
	if err != nil {
		return nil, graph.Recall{}, err
	}
	m.forget(&wanted, &details)
	seen.complete(&details)
	best := seen.fuse(e.tuning)
	a := &assembly{plan: p, meaning: m.status, found: found, best: &best, details: &details}
	result := a.result()
	if r.MaxTokens > 0 {
		if err := result.within(r.MaxTokens, r.Format); err != nil {
			return nil, graph.Recall{}, err
		}
	}
	e.options.Observe(result.Meta.Semantic, result.Meta.Mode)
	return result, a.recall(result), nil
}

// Forget drops the vectors that the process keeps of a user who was erased, or those of everybody where a team was: which
// users it had, nobody knows any more. Whoever is still there has them read again.
func (e *Explorer) Forget(scope graph.Scope) {
	switch {
	case e.options.Vectors == nil:
	case scope.UserID == "":
		e.options.Vectors.Clear()
	default:
		for _, name := range graph.SearchScopes(scope) {
			e.options.Vectors.Drop(name)
		}
	}
}

// search asks for the words and, at the same time, for the vectors of some asks, and ranks what both have found.
func (e *Explorer) search(ctx context.Context, p *plan, m *meaning, asks []ask) (*graph.Found, *look, error) {
	var units [][]float32
	var near []nearest
	var found graph.Found
	var embedErr error
	q := p.search(asks, m)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if units, embedErr = m.embed(groupCtx, asks); embedErr == nil {
			near, _ = m.scan(units, p) // where that fails there are vectors missing, which the statement brings
		}
		return nil
	})
	group.Go(func() (err error) {
		found, err = e.store.Search(groupCtx, p.scope, q)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	more := m.take(ctx, &found)
	if embedErr != nil {
		m.status = MeaningUnavailable
		e.options.Log.WarnContext(ctx, "a search goes without meaning", "error", embedErr)
	}
	if more || near == nil {
		near = m.rescan(units, p)
	}
	return &found, p.look(&found, asks, units, near, m), nil
}

// plan is a request with all its defaults.
type plan struct {
	*Request
	tuning                           *tuning
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
	p := &plan{Request: r, scope: scope, tuning: e.tuning, now: e.options.Now(), granularity: max(r.Granularity, 1), limit: r.Limit, deep: r.Mode == Deep || r.MultiQuery}
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
		p.asks = append(p.asks, newAsk(q.Query, q.Threshold))
	}
	for _, text := range r.TextMatches {
		words := graph.Words(text)
		p.asks = append(p.asks, ask{Ask: graph.Ask{Words: words, Match: true}, text: text, all: words})
	}
	p.used = slices.Clone(p.asks)
	p.choose()
	return p
}

// newAsk is that of a query.
func newAsk(query string, threshold float64) ask {
	words := graph.Words(query)
	return ask{Ask: graph.Ask{Words: telling(words), Names: nameWords(query)}, text: query, all: words, threshold: threshold}
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
	if p.Limit > 0 { // else the origin's
		p.storylines, p.macros = min(p.storylines, 1)*p.Limit, min(p.macros, 1)*p.Limit
	}
	p.shown = p.sources && p.granularity == 1
}

// search is what the store is asked for.
func (p *plan) search(asks []ask, m *meaning) graph.Search {
	q := graph.Search{
		Messages: p.messages || p.sources, Sources: p.sources, Nodes: p.searched(), Relationships: p.relationships,
		Types: p.RelationshipFilters.RelationshipTypes, Since: p.since, Until: p.until, AsOf: p.asOf, Links: p.uses(byLinks) && (p.sources || len(p.nodes) > 0), Neighbours: p.uses(byNeighbours), Vectors: m.after(asks),
	}
	for _, a := range asks {
		if !p.uses(byWords) {
			a.Ask = graph.Ask{}
		}
		q.Asks = append(q.Asks, a.Ask)
	}
	return q
}

// searched are the kinds of nodes that are searched: those wanted, and those that link sources and name what to look for in
// a second look.
func (p *plan) searched() []graph.Kind {
	if !p.deep && (!p.sources || !p.uses(byLinks)) {
		return p.nodes
	}
	kinds := slices.Clone(p.nodes)
	for _, name := range graph.FocusKinds {
		if k, _ := graph.KindOf(name); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// look is what was found for some asks: the rankings of each, and what is still to be followed from them.
type look struct {
	messages, sources, nodes []ranking
	seeds                    []graph.Seed // that the search has not followed
	texts                    []seedText
	titles                   []string // that may be names of sources
	sayings                  []saying
}

// seedText is the text of a seed whose names are to be looked up.
type seedText struct {
	graph.Seed
	text string
}

// best are the rankings of each sort, fused.
type best struct{ messages, sources, nodes fused }

func (l *look) fuse(w *tuning) best {
	return best{fuse(l.messages, w), fuse(l.sources, w), fuse(l.nodes, w)}
}

// with adds a second look, whose asks come after those of the first.
func (l *look) with(second *look) *look {
	first := len(l.sources)
	for i := range second.seeds {
		second.seeds[i].Ask += first
	}
	for i := range second.texts {
		second.texts[i].Ask += first
	}
	for i := range second.sayings {
		second.sayings[i].ask += first
	}
	return &look{
		append(l.messages, second.messages...), append(l.sources, second.sources...), append(l.nodes, second.nodes...),
		append(l.seeds, second.seeds...), append(l.texts, second.texts...), append(l.titles, second.titles...),
		append(l.sayings, second.sayings...),
	}
}

// look ranks what was found for some asks.
func (p *plan) look(f *graph.Found, asks []ask, units [][]float32, near []nearest, m *meaning) *look {
	l := &look{}
	texts := map[string]graph.SourceText{}
	named := false
	for _, t := range f.Texts {
		texts[t.Key] = t
		named = named || t.Name != ""
	}
	for i := range asks {
		a := &asks[i]
		messages, sources, nodes := rankMessages(f, i, a, p.tuning.speaker), rankSources(f, i), rankNodes(f, i, a)
		if p.messages || p.sources {
			said := m.sense(near[i].messages, units[i], keysOf(messages))
			told := m.sense(near[i].sources, units[i], keysOf(sources)).toSources(said, f.Messages, i)
			said.add(messages, a.threshold, p.tuning)
			weight := told.add(sources, a.threshold, p.tuning)
			l.sayings = append(l.sayings, said.sayings(i, messages, weight, a.threshold)...)
		}
		m.sense(near[i].nodes, units[i], keysOf(nodes)).add(nodes, a.threshold, p.tuning)
		if !a.Match && p.uses(byLinks) {
			seeds := sources.seeds(i, p.tuning)
			spread(f, seeds, a, sources, nodes)
			for _, s := range seeds {
				t, known := texts[s.Key]
				if !known {
					l.seeds = append(l.seeds, s)
				}
				if known && named && len(l.titles) < titleLimit { // else no source has a name
					l.texts = append(l.texts, seedText{s, t.Text})
					l.titles = append(l.titles, titles(t.Text)...)
				}
			}
		}
		l.messages, l.sources, l.nodes = append(l.messages, messages), append(l.sources, sources), append(l.nodes, nodes)
	}
	return l
}

// wantedNodes are the first n nodes of a ranking, without those that were searched only for what they link.
func (p *plan) wantedNodes(f *graph.Found, keys []string, n int) []string {
	other := map[string]bool{}
	for i := range f.Nodes {
		other[f.Nodes[i].Key] = !slices.Contains(p.nodes, f.Nodes[i].Kind)
	}
	for i := range f.Links {
		other[f.Links[i].Key] = !slices.Contains(p.nodes, f.Links[i].Kind)
	}
	var wanted []string
	for _, key := range keys {
		if !other[key] && len(wanted) < n {
			wanted = append(wanted, key)
		}
	}
	return wanted
}

// The kinds of what was said.
var (
	messageKind, _ = graph.KindOf("message")
	sourceKind, _  = graph.KindOf("source")
)

// keeps lets vectors of some kinds through, of what was said in time.
func (p *plan) keeps(kinds ...graph.Kind) func(kind uint8, at int64) bool {
	var wanted [math.MaxUint8 + 1]bool
	said := false
	for _, k := range kinds {
		wanted[graph.KindNumber(k)] = true
		said = said || k == messageKind || k == sourceKind
	}
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if p.since != nil && said {
		since = p.since.UnixMilli()
	}
	if p.until != nil {
		until = p.until.UnixMilli()
	}
	return func(kind uint8, at int64) bool { return wanted[kind] && at >= since && at <= until }
}

// complete adds what the details tell: the sources of messages, those to which seeds lead, and those whose name is in the
// text of one.
func (l *look) complete(d *graph.Details) {
	source := map[string]string{}
	for i := range d.Messages {
		source[d.Messages[i].EntityKey] = d.Messages[i].Source
	}
	for _, s := range l.sayings {
		if key := source[s.key]; key != "" {
			e := l.sources[s.ask].of(key)
			e.meaning = max(e.meaning, s.count)
		}
	}
	for _, linked := range d.Linked {
		e := l.sources[linked.Ask].of(linked.Key)
		e.links += linked.Gain
		e.via = append(e.via, linked.Via...)
	}
	names, byName := map[string]bool{}, map[string][]string{}
	for _, t := range d.Titled {
		name := graph.NameText(t.Name)
		names[name] = true
		byName[name] = append(byName[name], t.Key)
	}
	for _, t := range l.texts {
		seen := map[string]bool{}
		for _, name := range naming(t.text, names) {
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, key := range byName[name] {
				if key != t.Key {
					e := l.sources[t.Ask].of(key)
					e.links += 2 * t.Weight
					e.via = append(e.via, name)
				}
			}
		}
	}
}

// secondNames is how many names of what was found a second look adds to a query.
const secondNames = 3

// second are the asks of a second look: each query with the names of the nodes that the first has found for it, but for
// those that it has.
func (p *plan) second(f *graph.Found, l *look) []ask {
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
		for _, key := range fuse(l.nodes[i:i+1], p.tuning).keys {
			words := graph.Words(names[key])
			if added == secondNames || a.Match || within(words, a.all) || len(words) == 0 {
				continue
			}
			added++
			next.text += " " + names[key]
		}
		if added > 0 {
			asks = append(asks, newAsk(next.text, a.threshold))
		}
	}
	return asks
}

// wanted are the best hits, of which more is to be known.
func (p *plan) wanted(f *graph.Found, l *look) graph.Wanted {
	b := l.fuse(p.tuning)
	w := graph.Wanted{Since: p.since, Until: p.until, AsOf: p.asOf, Previews: previewSources, Relationships: p.filter()}
	if p.messages {
		w.Messages = slices.Clone(b.messages.first(p.limit + spare))
	}
	if p.sources {
		w.Sources = b.sources.first(p.limit + spare)
		w.Seeds, w.Names = l.seeds, distinct(l.titles)
		for _, s := range l.sayings {
			w.Said, w.Messages = append(w.Said, s.key), append(w.Messages, s.key)
		}
	}
	if p.shown {
		for _, key := range w.Sources {
			w.Messages = append(w.Messages, snippets(f, key, &b)...)
		}
	}
	w.Nodes = p.wantedNodes(f, b.nodes.keys, p.limit+spare)
	if p.relationships || p.Expand > 0 {
		w.Around = w.Nodes[:min(p.limit, len(w.Nodes))]
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Kind.Name == "storyline" || n.Kind.Name == "macro" {
			w.Stories = append(w.Stories, n.Key)
		}
	}
	if p.storylines+p.macros == 0 {
		w.Stories = nil
	}
	w.Messages = distinct(w.Messages)
	return w
}

func distinct(keys []string) []string {
	all := slices.Clone(keys)
	slices.Sort(all)
	return slices.Compact(all)
}

// filter is that of relationships as the store takes it.
func (p *plan) filter() graph.RelationshipFilter {
	f := &p.RelationshipFilters
	return graph.RelationshipFilter{
		Types: f.RelationshipTypes, Without: f.ExcludeRelationshipTypes,
		MinAttitude: pointer(f.MinAttitude), MaxAttitude: pointer(f.MaxAttitude),
		MinProximity: pointer(f.MinProximity), MaxProximity: pointer(f.MaxProximity),
	}
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
