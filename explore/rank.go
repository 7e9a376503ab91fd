package explore

import (
	"cmp"
	"math"
	"slices"

	"kith/graph"
)

// tuning is what each kind of evidence counts beside the words, whose best hit has 1. Each was measured, with the others
// as they are here and with half and twice of it (docs/recall.md).
type tuning struct {
	link      float64 // being linked to the best hits
	named     float64 // being linked to what the query names
	meaning   float64 // a cosine four deviations above the mean, from an embedder that agrees with the words
	speaker   float64 // being said by somebody whom the query names
	distrust  float64 // the agreement below which meaning counts nothing: vectors that mean nothing have 0 ± 0.2
	trust     float64 // so much above that, it counts in full
	seeds     int     // hits whose links count
	seedPower float64 // of a seed's score: the best counts most
}

func usualTuning() *tuning {
	return &tuning{link: 0.7, named: 0.4, meaning: 0.6, speaker: 0.3, distrust: 0.75, trust: 1.25, seeds: 5, seedPower: 3}
}

// leastSeed is the score, against the best, above which a hit may lend weight to others.
const leastSeed = 0.01

// rrf is k of reciprocal rank fusion, by which several queries become one ranking.
const rrf = 60

// evidence is what speaks for something in one ask.
type evidence struct {
	words, meaning float64 // meaning as it counts beside the words
	cosine         *float64
	links, named   float64  // as they add up; what they count is seen against the largest
	via            []string // names of what links it
}

// ranking is the evidence of one ask for things of one sort, by key.
type ranking map[string]*evidence

func (r ranking) of(key string) *evidence {
	e := r[key]
	if e == nil {
		e = &evidence{}
		r[key] = e
	}
	return e
}

// top is the largest value of some part of the evidence.
func (r ranking) top(part func(*evidence) float64) float64 {
	top := 0.0
	for _, e := range r {
		top = max(top, part(e))
	}
	return top
}

// share divides, where there is something to divide by.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// base is how well the words and the meaning fit.
func base(e *evidence) float64 { return e.words + e.meaning }

// level makes the best of the words 1.
func (r ranking) level() {
	top := r.top(func(e *evidence) float64 { return e.words })
	for _, e := range r {
		e.words = share(e.words, top)
	}
}

// parts are what the evidence for something counts, each against the best.
type parts struct{ words, meaning, links, named float64 }

func (p parts) score(w *tuning) float64 {
	return p.words + p.meaning + w.link*p.links + w.named*p.named
}

// weigh says what the evidence for each thing counts.
func (r ranking) weigh() map[string]parts {
	best := r.top(base)
	links, named := r.top(func(e *evidence) float64 { return e.links }), r.top(func(e *evidence) float64 { return e.named })
	all := make(map[string]parts, len(r))
	for key, e := range r {
		all[key] = parts{share(e.words, best), share(e.meaning, best), share(e.links, links), share(e.named, named)}
	}
	return all
}

// order lists keys, those of the highest number first.
func order(scores map[string]float64) []string {
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

// fused is the one ranking of several asks: the keys, the best first, with the relevance of each from 0 to 1.
type fused struct {
	keys      []string
	relevance map[string]float64
	best      map[string]told // of the ask in which it does best
}

// told is what an explanation tells.
type told struct {
	parts
	*evidence
}

// fuse puts the rankings of asks together. Of one ask the scores are kept, against the best; of several the reciprocals of
// the ranks are added (RRF, k = 60, from 1).
func fuse(rankings []ranking, w *tuning) fused {
	size := 0
	for _, r := range rankings {
		size = max(size, len(r))
	}
	f := fused{relevance: make(map[string]float64, size), best: make(map[string]told, size)}
	for _, r := range rankings {
		weighed := r.weigh()
		scores := make(map[string]float64, len(weighed))
		for key, p := range weighed {
			scores[key] = p.score(w)
		}
		keys := order(scores)
		for i, key := range keys {
			relevance := share(scores[key], scores[keys[0]])
			if len(rankings) > 1 {
				relevance = (rrf + 1) / float64(rrf+1+i) / float64(len(rankings))
			}
			f.relevance[key] += relevance
			if old, ok := f.best[key]; !ok || scores[key] > old.score(w) {
				f.best[key] = told{weighed[key], r[key]}
			}
		}
	}
	f.keys = order(f.relevance)
	return f
}

// first are the first n keys.
func (f *fused) first(n int) []string { return f.keys[:min(n, len(f.keys))] }

// rankMessages ranks the messages that the words of an ask have found.
func rankMessages(f *graph.Found, i int, a *ask, speaker float64) ranking {
	r, top := ranking{}, 0.0
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i {
			r.of(m.Key).words = m.Score
			top = max(top, m.Score)
		}
	}
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i && !a.Match && within(graph.Words(m.Name), a.all) {
			r.of(m.Key).words += speaker * top
		}
	}
	r.level()
	return r
}

// within says whether all words of a name are among others.
func within(name, words []string) bool {
	for _, w := range name {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(name) > 0
}

// rankSources ranks the sources that the words of an ask have found: by what is said of them, and by the best of their
// messages.
func rankSources(f *graph.Found, i int) ranking {
	r, said := ranking{}, map[string]float64{}
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i {
			said[m.Source] = max(said[m.Source], m.Score)
		}
	}
	for h := range f.Sources {
		if s := &f.Sources[h]; s.Ask == i {
			r.of(s.Key).words = s.Score
		}
	}
	for key, score := range said {
		r.of(key).words += score
	}
	r.level()
	return r
}

// rankNodes ranks the nodes of other kinds that the words of an ask have found.
func rankNodes(f *graph.Found, i int, a *ask) ranking {
	r := ranking{}
	for h := range f.Nodes {
		n := &f.Nodes[h]
		switch {
		case n.Ask != i:
		case a.Match:
			r.of(n.Key).words = max(similarity(n.Name, a.text), similarity(n.CanonicalName, a.text))
		default:
			r.of(n.Key).words = n.Score
			r.of(n.Key).named = nameShare(n.Name, a.Words)
		}
	}
	if !a.Match {
		r.level()
	}
	return r
}

// seeds are the best sources of an ask, with the weight by which they speak for others.
func (r ranking) seeds(i int, w *tuning) []graph.Seed {
	best, scores := r.top(base), map[string]float64{}
	for key, e := range r {
		if s := share(base(e), best); s > leastSeed {
			scores[key] = s
		}
	}
	var seeds []graph.Seed
	for _, key := range order(scores) {
		if len(seeds) == w.seeds {
			break
		}
		seeds = append(seeds, graph.Seed{Ask: i, Key: key, Weight: math.Pow(scores[key], w.seedPower)})
	}
	return seeds
}

// spread lets what the seeds mention, and what the query names, speak for the sources that mention it too, and for itself: the
// less, the more sources do. A source that is named like it gets as much again.
func spread(f *graph.Found, seeds []graph.Seed, a *ask, sources, nodes ranking) {
	weights := map[string]float64{}
	for _, s := range seeds {
		weights[s.Key] = s.Weight
	}
	for i := range f.Links {
		l := &f.Links[i]
		if l.Newest { // so many mention it that it links nothing
			continue
		}
		active := 0.0
		for _, key := range l.Seeds {
			active += weights[key]
		}
		naming := nameShare(l.Name, a.Words)
		if active+naming == 0 {
			continue
		}
		damping := math.Sqrt(float64(max(l.Degree, 1)))
		nodes.of(l.Key).links += active / damping
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
				e := sources.of(other.Key)
				e.links += (active - own) * factor
				e.named += naming * factor
				e.via = append(e.via, l.Name)
			}
		}
	}
	for i := range f.Sources {
		if naming := 2 * nameShare(f.Sources[i].Name, a.Words); naming > 0 {
			sources.of(f.Sources[i].Key).named = max(sources.of(f.Sources[i].Key).named, naming)
		}
	}
}

// mention brings the sources that mention what a text matches: the better that matches, and of equal ones the newer, the more.
func (p *plan) mention(f *graph.Found, sources, nodes ranking) {
	for i := range f.Links {
		l := &f.Links[i]
		matched := nodes[l.Key]
		if matched == nil || matched.words == 0 {
			continue
		}
		for _, s := range l.Sources {
			e := sources.of(s.Key)
			e.named = max(e.named, matched.words*(1+p.recency(s.At))/2)
			e.via = append(e.via, l.Name)
		}
	}
}

// nameShare is how much of a query a name covers, where all of the name is in it; else 0.
func nameShare(name string, query []string) float64 {
	words := telling(graph.Words(name))
	if len(query) == 0 || !within(words, query) {
		return 0
	}
	return float64(len(words)) / float64(len(query))
}
