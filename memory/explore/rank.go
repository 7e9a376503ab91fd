package explore

import (
	"cmp"
	"math"
	"slices"

	"kith/text/words"
)

// tuning holds the weight of each kind of evidence, relative to the words, whose best hit has 1. Each was measured with
// the others as here, and at half and twice its value (docs/recall.md).
type tuning struct {
	link      float64 // linked to the best hits
	named     float64 // linked to a node that the query names
	meaning   float64 // a cosine four deviations above the mean, from an embedder that agrees with the words
	speaker   float64 // the query names the speaker
	time      float64 // said at a time that the query names
	distrust  float64 // the agreement below which meaning does not count: random vectors have 0 ± 0.2
	trust     float64 // the agreement above distrust at which meaning counts in full
	seeds     int     // hits whose links count
	seedPower float64 // applied to the score of a seed: the best counts most
}

func defaultTuning() *tuning {
	return &tuning{link: 0.7, named: 0.4, meaning: 0.6, speaker: 0.3, time: 0.5, distrust: 0.75, trust: 1.25, seeds: 5, seedPower: 3}
}

// leastSeed is the score, relative to the best, above which a hit can be a seed.
const leastSeed = 0.01

// rrf is k of reciprocal rank fusion, which merges the rankings of several queries.
const rrf = 60

// evidence is all that counts for a hit of one ask.
type evidence struct {
	words, meaning float64 // meaning as it counts beside the words
	cosine         *float64
	links, named   float64  // sums; they count relative to the largest
	time           float64  // how sure it is that it was said at a time of the ask
	via            []string // names of the linking nodes
}

// ranking is the evidence of one ask for things of one sort, by key.
type ranking map[string]*evidence

func (r ranking) entry(key string) *evidence {
	e := r[key]
	if e == nil {
		e = &evidence{}
		r[key] = e
	}
	return e
}

// maxOf returns the largest value of some part of the evidence.
func (r ranking) maxOf(part func(*evidence) float64) float64 {
	top := 0.0
	for _, e := range r {
		top = max(top, part(e))
	}
	return top
}

// ratio returns part / whole, or 0 without a whole.
func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// baseScore returns how well the words and the meaning fit.
func baseScore(e *evidence) float64 { return e.words + e.meaning }

// normalize scales the scores of words so that the best is 1.
func (r ranking) normalize() {
	top := r.maxOf(func(e *evidence) float64 { return e.words })
	for _, e := range r {
		e.words = ratio(e.words, top)
	}
}

// parts are the parts of a score, each relative to the best.
type parts struct{ words, meaning, links, named, time float64 }

func (p parts) score(w *tuning) float64 {
	return p.words + p.meaning + w.link*p.links + w.named*p.named + w.time*p.time
}

// weigh returns the parts of the score of each hit.
func (r ranking) weigh() map[string]parts {
	best := r.maxOf(baseScore)
	links, named := r.maxOf(func(e *evidence) float64 { return e.links }), r.maxOf(func(e *evidence) float64 { return e.named })
	all := make(map[string]parts, len(r))
	for key, e := range r {
		all[key] = parts{ratio(e.words, best), ratio(e.meaning, best), ratio(e.links, links), ratio(e.named, named), e.time}
	}
	return all
}

// keysByScore returns the keys, those with the highest score first.
func keysByScore(scores map[string]float64) []string {
	type entry struct {
		score float64
		key   string
	}
	all := make([]entry, 0, len(scores))
	for key, score := range scores {
		all = append(all, entry{score, key})
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.key, b.key)
	})
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = all[i].key
	}
	return keys
}

// fused is one ranking of several asks: the keys, the best first, with the relevance of each from 0 to 1.
type fused struct {
	keys      []string
	relevance map[string]float64
	best      map[string]explained // of the ask with its best score
}

// explained is the evidence of an explanation.
type explained struct {
	parts
	*evidence
}

// fuse merges the rankings of asks. The scores of a single ask are kept, relative to the best. For several asks it adds
// the reciprocals of the ranks (RRF, k = 60, from 1).
func fuse(rankings []ranking, w *tuning) fused {
	size := 0
	for _, r := range rankings {
		size = max(size, len(r))
	}
	f := fused{relevance: make(map[string]float64, size), best: make(map[string]explained, size)}
	for _, r := range rankings {
		weighed := r.weigh()
		scores := make(map[string]float64, len(weighed))
		for key, p := range weighed {
			scores[key] = p.score(w)
		}
		keys := keysByScore(scores)
		for i, key := range keys {
			relevance := ratio(scores[key], scores[keys[0]])
			if len(rankings) > 1 {
				relevance = (rrf + 1) / float64(rrf+1+i) / float64(len(rankings))
			}
			f.relevance[key] += relevance
			if old, ok := f.best[key]; !ok || scores[key] > old.score(w) {
				f.best[key] = explained{weighed[key], r[key]}
			}
		}
	}
	f.keys = keysByScore(f.relevance)
	return f
}

// first returns the first n keys.
func (f *fused) first(n int) []string { return f.keys[:min(n, len(f.keys))] }

// rankMessages ranks the messages found by the words of an ask.
func rankMessages(f *Found, i int, a *ask, speaker float64) ranking {
	r, top := ranking{}, 0.0
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i {
			r.entry(m.Key).words = m.Score
			r.entry(m.Key).time = a.timeOf(m.Timed)
			top = max(top, m.Score)
		}
	}
	named := map[string]bool{} // whether the ask names a speaker
	for h := range f.Messages {
		m := &f.Messages[h]
		if m.Ask != i || a.Match {
			continue
		}
		if _, known := named[m.Name]; !known {
			named[m.Name] = containsAll(words.Of(m.Name), a.all)
		}
		if named[m.Name] {
			r.entry(m.Key).words += speaker * top
		}
	}
	r.normalize()
	return r
}

// containsAll reports whether words contain all words of a name.
func containsAll(name, words []string) bool {
	for _, w := range name {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(name) > 0
}

// rankSources ranks the sources found by the words of an ask: by their own texts, and by the best of their messages.
func rankSources(f *Found, i int, a *ask) ranking {
	r, said := ranking{}, map[string]float64{}
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i {
			said[m.Source] = max(said[m.Source], m.Score)
		}
	}
	for h := range f.Sources {
		if s := &f.Sources[h]; s.Ask == i {
			r.entry(s.Key).words = s.Score
		}
	}
	for key, score := range said {
		r.entry(key).words += score
	}
	for _, t := range f.Timed {
		if t.Ask == i && (a.isFilter() || r[t.Key] != nil) {
			r.entry(t.Key).time = a.timeOf(true)
		}
	}
	r.normalize()
	return r
}

// rankNodes ranks the other nodes found by the words of an ask.
func rankNodes(f *Found, i int, a *ask) ranking {
	r := ranking{}
	for h := range f.Nodes {
		n := &f.Nodes[h]
		switch {
		case n.Ask != i:
		case a.Match:
			r.entry(n.Key).words = similarity(n.CanonicalName, a.text)
			for _, name := range append([]string{n.Name}, n.Aliases...) {
				r.entry(n.Key).words = max(r.entry(n.Key).words, similarity(name, a.text))
			}
		default:
			r.entry(n.Key).words = n.Score
			r.entry(n.Key).named = namesShare(n.Name, n.Aliases, a.Words)
		}
	}
	if !a.Match {
		r.normalize()
	}
	return r
}

// seeds returns the best sources of an ask, each with the weight that it gives to others.
func (r ranking) seeds(i int, w *tuning) []Seed {
	best, scores := r.maxOf(baseScore), map[string]float64{}
	for key, e := range r {
		if s := ratio(baseScore(e), best); s > leastSeed {
			scores[key] = s
		}
	}
	var seeds []Seed
	for _, key := range keysByScore(scores) {
		if len(seeds) == w.seeds {
			break
		}
		seeds = append(seeds, Seed{Ask: i, Key: key, Weight: math.Pow(scores[key], w.seedPower)})
	}
	return seeds
}

// spreadLinks adds evidence to the sources that mention the same nodes as the seeds, or nodes that the query names, and
// to these nodes. The more sources mention a node, the less it adds. A source with the name of the node gets twice as
// much.
func spreadLinks(f *Found, seeds []Seed, a *ask, sources, nodes ranking) {
	weights := map[string]float64{}
	for _, s := range seeds {
		weights[s.Key] = s.Weight
	}
	for i := range f.Links {
		l := &f.Links[i]
		if l.Newest { // too many sources mention it to count as a link
			continue
		}
		active := 0.0
		for _, key := range l.Seeds {
			active += weights[key]
		}
		naming := namesShare(l.Name, l.Aliases, a.Words)
		if active+naming == 0 {
			continue
		}
		damping := math.Sqrt(float64(max(l.Degree, 1)))
		nodes.entry(l.Key).links += active / damping
		for s := range l.Sources {
			other := &l.Sources[s]
			own := 0.0
			if slices.Contains(l.Seeds, other.Key) {
				own = weights[other.Key]
			}
			factor := 1 / damping
			if other.Named {
				factor *= 2
			}
			if active-own+naming > 0 {
				e := sources.entry(other.Key)
				e.links += (active - own) * factor
				e.named += naming * factor
				e.via = append(e.via, l.Name)
			}
		}
	}
	for i := range f.Sources {
		if naming := 2 * nameShare(f.Sources[i].Name, a.Words); naming > 0 {
			sources.entry(f.Sources[i].Key).named = max(sources.entry(f.Sources[i].Key).named, naming)
		}
	}
}

// addMentions adds the sources that mention a node that a text matches. A better match counts more, and of equal ones a
// newer source.
func (p *plan) addMentions(f *Found, sources, nodes ranking) {
	for i := range f.Links {
		l := &f.Links[i]
		matched := nodes[l.Key]
		if matched == nil || matched.words == 0 {
			continue
		}
		for _, s := range l.Sources {
			e := sources.entry(s.Key)
			e.named = max(e.named, matched.words*(1+p.recency(s.At))/2)
			e.via = append(e.via, l.Name)
		}
	}
}

// namesShare returns the largest nameShare of a name and its aliases.
func namesShare(name string, aliases, query []string) float64 {
	share := nameShare(name, query)
	for _, alias := range aliases {
		share = max(share, nameShare(alias, query))
	}
	return share
}

// nameShare returns the share of a query that a name covers if the query contains all of the name, otherwise 0.
func nameShare(name string, query []string) float64 {
	words := contentWords(words.Of(name))
	if len(query) == 0 || !containsAll(words, query) {
		return 0
	}
	return float64(len(words)) / float64(len(query))
}
