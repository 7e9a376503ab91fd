package explore

import (
	"cmp"
	"math"
	"slices"

	"kith/graph"
)

// What each kind of evidence counts beside the words, whose best hit has 1. Measured in docs/recall.md.
const (
	linkWeight    = 0.5 // being linked to the best hits
	namedWeight   = 0.3 // being linked to what the query names
	bothWeight    = 0.3 // having words and links
	meaningWeight = 1.0 // a cosine four deviations above the mean of the scope's, from an embedder that agrees with the words
	speakerWeight = 0.3 // being said by the one speaker whom the query names
	rrf           = 60  // k of reciprocal rank fusion, by which several queries become one ranking
)

// evidence is what speaks for something in one ask.
type evidence struct {
	words, links, named, meaning float64
	cosine                       *float64
	via                          []string // names of what links it
}

// score puts it together.
func (e *evidence) score() float64 {
	return e.words + linkWeight*e.links + namedWeight*e.named + bothWeight*math.Sqrt(e.words*e.links) + e.meaning
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

// order lists the keys, the best first.
func (r ranking) order() []string {
	keys := make([]string, 0, len(r))
	scores := make(map[string]float64, len(r))
	for key, e := range r {
		keys, scores[key] = append(keys, key), e.score()
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	return keys
}

// scale divides one part of the evidence by its largest value.
func (r ranking) scale(part func(*evidence) *float64) {
	top := 0.0
	for _, e := range r {
		top = max(top, *part(e))
	}
	if top <= 0 {
		return
	}
	for _, e := range r {
		*part(e) /= top
	}
}

func words(e *evidence) *float64 { return &e.words }
func links(e *evidence) *float64 { return &e.links }
func named(e *evidence) *float64 { return &e.named }

// fused is the one ranking of several asks: the keys, the best first, with the relevance of each from 0 to 1.
type fused struct {
	keys      []string
	relevance map[string]float64
	best      map[string]*evidence // of the ask in which it does best
}

// fuse puts the rankings of asks together. Of one ask the scores are kept, against the best; of several the reciprocals of
// the ranks are added (RRF, k = 60, from 1).
func fuse(rankings []ranking) fused {
	f := fused{relevance: map[string]float64{}, best: map[string]*evidence{}}
	for _, r := range rankings {
		keys := r.order()
		if len(keys) == 0 {
			continue
		}
		top := max(r[keys[0]].score(), 1e-9)
		for i, key := range keys {
			share := r[key].score() / top
			if len(rankings) > 1 {
				share = (rrf + 1) / float64(rrf+1+i) / float64(len(rankings))
			}
			f.relevance[key] += share
			if old := f.best[key]; old == nil || r[key].score() > old.score() {
				f.best[key] = r[key]
			}
		}
	}
	for key := range f.relevance {
		f.keys = append(f.keys, key)
	}
	slices.SortFunc(f.keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.relevance[b], f.relevance[a]), cmp.Compare(a, b))
	})
	return f
}

// first are the first n keys.
func (f *fused) first(n int) []string { return f.keys[:min(n, len(f.keys))] }

// rankMessages ranks the messages that an ask has found.
func rankMessages(f *graph.Found, ask int, query []string) ranking {
	r := ranking{}
	speakers := map[string]bool{}
	top := 0.0
	for i := range f.Messages {
		if m := &f.Messages[i]; m.Ask == ask {
			r.of(m.Key).words = m.Score
			top = max(top, m.Score)
			if m.Name != "" && within(graph.Words(m.Name), query) {
				speakers[m.Name] = true
			}
		}
	}
	if len(speakers) == 1 {
		for i := range f.Messages {
			if m := &f.Messages[i]; m.Ask == ask && speakers[m.Name] {
				r.of(m.Key).words += speakerWeight * top
			}
		}
	}
	r.scale(words)
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

// rankSources ranks the sources that an ask has found: by what is said of them, and by the best of their messages.
func rankSources(f *graph.Found, ask int, query []string) ranking {
	r := ranking{}
	said := map[string]float64{}
	for i := range f.Messages {
		if m := &f.Messages[i]; m.Ask == ask {
			said[m.Source] = max(said[m.Source], m.Score)
		}
	}
	for i := range f.Sources {
		if s := &f.Sources[i]; s.Ask == ask {
			r.of(s.Key).words = s.Score
		}
	}
	for key, score := range said {
		r.of(key).words += score
	}
	r.scale(words)
	spread(r, f, query)
	return r
}

// spread lets what the best sources mention, and what the query names, speak for the other sources that mention it: the
// less, the more sources do.
func spread(r ranking, f *graph.Found, query []string) {
	mentions := map[string]int{} // of the first sources
	for i := range f.Links {
		for _, key := range f.Links[i].Seeds {
			mentions[key]++
		}
	}
	weight := func(key string) float64 {
		e := r[key]
		if e == nil || mentions[key] == 0 {
			return 0
		}
		return e.words * e.words / math.Sqrt(float64(mentions[key]))
	}
	gains := map[string][2]float64{}
	via := map[string][]string{}
	for i := range f.Links {
		l := &f.Links[i]
		active := 0.0
		for _, key := range l.Seeds {
			active += weight(key)
		}
		share := nameShare(l.Name, query)
		damping := math.Sqrt(float64(max(l.Degree, 1)))
		give := func(key string, own float64) {
			g := gains[key]
			g[0] += (active - own) / damping
			g[1] += share / damping
			gains[key] = g
			if active > own || share > 0 {
				via[key] = append(via[key], l.Name)
			}
		}
		seen := map[string]bool{}
		for _, key := range l.Seeds {
			seen[key] = true
			give(key, weight(key))
		}
		for _, s := range l.Sources {
			if !seen[s.Key] {
				give(s.Key, 0)
			}
		}
	}
	for key, g := range gains {
		e := r.of(key)
		e.links, e.named, e.via = g[0], g[1], via[key]
	}
	r.scale(links)
	r.scale(named)
}

// nameShare is how much of a query a name covers, where all of the name is in it; else 0.
func nameShare(name string, query []string) float64 {
	words := graph.Words(name)
	if len(query) == 0 || !within(words, query) {
		return 0
	}
	return float64(len(words)) / float64(len(query))
}

// rankNodes ranks the nodes of other kinds that an ask has found, or to which the best sources lead.
func rankNodes(f *graph.Found, i int, a *ask, sources ranking) ranking {
	r := ranking{}
	for h := range f.Nodes {
		n := &f.Nodes[h]
		if n.Ask != i {
			continue
		}
		e := r.of(n.Key)
		e.words, e.named = n.Score, nameShare(n.Name, a.Words)
		if a.Match {
			e.words, e.named = max(similarity(n.Name, a.text), similarity(n.CanonicalName, a.text)), 0
		}
	}
	if a.Match {
		return r
	}
	r.scale(words)
	for i := range f.Links {
		l := &f.Links[i]
		active := 0.0
		for _, key := range l.Seeds {
			if s := sources[key]; s != nil {
				active += s.words * s.words
			}
		}
		if active > 0 {
			r.of(l.Key).links = active / math.Sqrt(float64(max(l.Degree, 1)))
		}
	}
	r.scale(links)
	return r
}
