package explore

import (
	"cmp"
	"math"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/trust"
	"kith/internal/fault"
	"kith/text/words"
)

// defaultLimit is the default limit of each list.
const defaultLimit = 5

// Hits that are read beyond those wanted. Some may be deleted or archived, and salience and time reorder them.
const (
	spareHits = 10
	mostSpare = 200 // if too many of the first were left out
)

// plan is a request with all its defaults.
type plan struct {
	*Request
	tuning                           *tuning
	scope                            graph.Scope
	now                              time.Time
	granularity, limit, spare        int
	deep                             bool
	asks                             []ask
	used                             []ask // asks, and those of a second search
	messages, sources, relationships bool
	nodes                            []graph.Kind
	shown                            bool // sources are in the answer; otherwise they only rank storylines
	storylines, macros               int  // how many
	since, until                     *time.Time
	fields                           graph.Filter // of nodes
}

// ask is one query or text match.
type ask struct {
	Ask
	text      string
	about     string   // text without times that filter
	all       []string // all words, including question words
	threshold float64
}

func (e *Explorer) newPlan(scope graph.Scope, r *Request) *plan {
	p := &plan{
		Request: r, scope: scope, tuning: e.tuning, now: e.options.Now(), granularity: max(r.Granularity, 1), limit: r.Limit, spare: spareHits,
		deep: r.Mode == Deep || r.MultiQuery,
	}
	if p.limit == 0 {
		p.limit = defaultLimit
	}
	p.since, p.until = pointer(r.Since), pointer(r.Until)
	for _, q := range r.Queries {
		p.asks = append(p.asks, p.newAsk(q.Query, q.Threshold))
	}
	for _, text := range r.TextMatches {
		words := words.Of(text)
		p.asks = append(p.asks, ask{Ask: Ask{Words: words, Match: true}, text: text, all: words})
	}
	p.used = slices.Clone(p.asks)
	p.fields = new(graph.Faults).Filter(fault.At("filter"), r.Filter) // Validate has checked it
	p.chooseLists()
	return p
}

// newAsk returns the ask of a query.
func (p *plan) newAsk(query string, threshold float64) ask {
	a := ask{text: query, about: query, threshold: threshold}
	if p.Times != IgnoreTimes {
		a.timing, a.about = readTimes(query, valueOr(p.AskedAt, p.now))
	}
	a.all = words.Of(a.about)
	if a.isFilter() {
		a.Words = topicWords(a.all)
	} else {
		a.Words = contentWords(a.all)
	}
	if len(a.Words) > 0 {
		a.Names = nameWords(a.about)
	}
	return a
}

// hasTopic reports whether an ask is about something, and not only about a time.
func (a *ask) hasTopic() bool { return !a.isFilter() || len(a.Words) > 0 }

// chooseLists decides which lists the answer has.
func (p *plan) chooseLists() {
	for _, k := range graph.Kinds {
		asked := slices.Contains(p.Kinds, k.Name)
		switch k.Name {
		case "message":
			p.messages = asked
		case "source":
			p.sources = asked || len(p.Kinds) == 0
		default:
			if asked || len(p.Kinds) == 0 {
				p.nodes = append(p.nodes, k)
			}
		}
	}
	p.relationships = valueOr(p.SearchRelationships, len(p.Kinds) == 0)
	if len(p.Kinds) == 0 || slices.Contains(p.Kinds, "storyline") {
		p.storylines = []int{3, 5, 0}[p.granularity-1]
	}
	if len(p.Kinds) == 0 || slices.Contains(p.Kinds, "macro") {
		p.macros = []int{2, 2, 5}[p.granularity-1]
	}
	if p.Limit > 0 { // overrides the defaults
		p.storylines, p.macros = min(p.storylines, 1)*p.Limit, min(p.macros, 1)*p.Limit
	}
	p.shown = p.sources && p.granularity == 1
}

// leastTrust returns the trust below which hits are left out.
func (r *Request) leastTrust() float64 { return valueOr(r.MinTrust, trust.Least) }

// searchQuery returns the query for the store.
func (p *plan) searchQuery(asks []ask, m *meaning) Search {
	q := Search{
		Messages: p.messages || p.sources, Sources: p.sources, Nodes: p.searchedKinds(), Relationships: p.relationships,
		Types: p.RelationshipFilters.RelationshipTypes, ConversationID: p.ConversationID, Since: p.since, Until: p.until,
		Namespace: p.Namespace, Links: p.uses(byLinks) && (p.sources || len(p.nodes) > 0), Neighbours: p.uses(byNeighbours), Archived: p.IncludeArchived, Doubted: p.leastTrust() < trust.Least, Vectors: m.missingVectors(asks),
		Graded: p.RelationshipFilters.selectsMore(),
	}
	for _, a := range asks {
		if !p.uses(byWords) {
			a.Ask = Ask{timing: a.timing}
		}
		q.Asks = append(q.Asks, a.Ask)
	}
	return q
}

// searchedKinds returns the kinds of nodes to search: those wanted, those that link sources, and those that add names
// to a second search.
func (p *plan) searchedKinds() []graph.Kind {
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

// wantsKind reports whether the lists of nodes have nodes of a kind. Storylines and macros have their own lists.
func (p *plan) wantsKind(k graph.Kind) bool {
	return slices.Contains(p.nodes, k) && k.Name != "storyline" && k.Name != "macro"
}

// wantedNodes returns the first n nodes of a ranking whose kind is wanted.
func (p *plan) wantedNodes(f *Found, keys []string, n int) []string {
	other := map[string]bool{}
	for i := range f.Nodes {
		other[f.Nodes[i].Key] = !p.wantsKind(f.Nodes[i].Kind)
	}
	for i := range f.Links {
		other[f.Links[i].Key] = !p.wantsKind(f.Links[i].Kind)
	}
	var wanted []string
	for _, key := range keys {
		if !other[key] && len(wanted) < n {
			wanted = append(wanted, key)
		}
	}
	return wanted
}

// The kinds of conversations.
var (
	messageKind, _ = graph.KindOf("message")
	sourceKind, _  = graph.KindOf("source")
)

// vectorFilter returns a filter of vectors by kind, and by the time of what was said.
func (p *plan) vectorFilter(asked *timing, kinds ...graph.Kind) func(kind uint8, at int64) bool {
	var wanted [math.MaxUint8 + 1]bool
	said := false
	for _, k := range kinds {
		wanted[KindNumber(k)] = true
		said = said || k == messageKind || k == sourceKind
	}
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if p.since != nil && said {
		since = p.since.UnixMilli()
	}
	if p.until != nil {
		until = p.until.UnixMilli()
	}
	return func(kind uint8, at int64) bool {
		return wanted[kind] && at >= since && at <= until && (!said || asked.lets(at))
	}
}

// nodesRead returns how many nodes are read: more if their fields decide.
func (p *plan) nodesRead() int {
	if p.fields != nil || len(p.Namespace) > 0 {
		return max(MaxLimit, p.limit+p.spare)
	}
	return p.limit + p.spare
}

// selects reports whether a node has the namespace and the fields that the request asks for.
func (p *plan) selects(n *graph.NodeView) bool {
	return p.fields.Matches(n) && (len(p.Namespace) == 0 || n.OwnFields != nil && graph.IsWithin(n.Namespace.Value, p.Namespace))
}

// wantedDetails returns the best hits, whose details are to be read.
func (p *plan) wantedDetails(f *Found, l *rankings, b *fusedRankings) Wanted {
	w := Wanted{
		Since: p.since, Until: p.until, Previews: previewSources, Relationships: p.filter(), Archived: p.IncludeArchived, LeastTrust: p.leastTrust(),
	}
	if p.messages {
		w.Messages = slices.Clone(b.messages.first(p.limit + p.spare))
	}
	if p.sources {
		w.Sources = b.sources.first(p.limit + p.spare)
		w.Seeds, w.Names = l.seeds, distinct(l.titles)
	}
	if p.shown {
		for _, key := range w.Sources {
			w.Messages = append(w.Messages, snippetKeys(l.said[key], b)...)
		}
	}
	w.Nodes = p.wantedNodes(f, b.nodes.keys, p.nodesRead())
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

// filter returns the filter of relationships for the store.
func (p *plan) filter() RelationshipFilter {
	f := &p.RelationshipFilters
	return RelationshipFilter{
		Types: f.RelationshipTypes, Without: f.ExcludeRelationshipTypes,
		MinAttitude: pointer(f.MinAttitude), MaxAttitude: pointer(f.MaxAttitude),
		MinProximity: pointer(f.MinProximity), MaxProximity: pointer(f.MaxProximity),
	}
}

// pointer returns nil for an omitted or null value.
func pointer[T any](o graph.Optional[T]) *T {
	if !isPresent(o) {
		return nil
	}
	return &o.Value
}

// snippetsShown is the most messages shown of a source.
const snippetsShown = 3

// snippetKeys returns the best messages among those found of a source.
func snippetKeys(found []string, b *fusedRankings) []string {
	keys := distinct(found)
	slices.SortStableFunc(keys, func(x, y string) int { return cmp.Compare(b.messages.relevance[y], b.messages.relevance[x]) })
	return keys[:min(snippetsShown, len(keys))]
}
