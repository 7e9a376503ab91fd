package explore

import (
	"cmp"
	"math"
	"slices"
	"time"

	"kith/graph/trust"
	"kith/text/words"
)

// Constants of BM25 (Robertson and Zaragoza, 2009), with Lucene's values.
const (
	saturation = 1.2  // k1: how soon further occurrences of a word add little
	lengthPart = 0.75 // b: how much the length of a text reduces the score of its words
	// similarScore is the score of a result found by similar words only.
	similarScore = 0.1
	// speakerWeight is the weight of a name among the words for messages of a speaker with that name.
	speakerWeight = 0.25
	countLimit    = 1_000 // of a memory, and of a word in it: higher counts are treated alike
)

// scorer scores the results of one ask in one index. It only uses the caller's data: counts of what the filter of the
// ask matches, and lengths of the texts found.
type scorer struct {
	indexAsk
	counter *words.Counter
	weights []float64 // of each term
}

// newScorer takes the count of the memory and of each term in it (nil: all terms count the same), and the words that
// are names of speakers.
func newScorer(q indexAsk, counts []float64, speakers []string) *scorer {
	stems := make([]string, len(q.terms))
	for i, t := range q.terms {
		stems[i] = t.stem
	}
	s := &scorer{q, words.NewCounter(stems), make([]float64, len(q.terms))}
	for i, t := range q.terms {
		s.weights[i] = 1
		if len(counts) == len(q.terms)+1 {
			s.weights[i] = rarity(counts[0], counts[i+1])
		}
		if slices.Contains(speakers, t.word) {
			s.weights[i] *= speakerWeight
		}
	}
	return s
}

// rarity returns the idf of BM25 of a word that having of all texts contain. A memory beyond the counted maximum is
// taken as four times that size.
func rarity(all, having float64) float64 {
	if all >= countLimit {
		all = 4 * countLimit
	}
	return math.Log(1 + (max(all, having)-having+0.5)/(having+0.5))
}

// scores returns the scores of hits from the values of their fields, in the order of the fields, and the shares of the
// words that the hits have, by their rarity.
func (s *scorer) scores(hits [][]any) (scores, cover []float64) {
	scores, cover = make([]float64, len(hits)), make([]float64, len(hits))
	has := make([]uint64, len(hits)) // terms, of at most 64
	lengths, counts := make([]float64, len(hits)), make([]float64, len(hits)*len(s.terms))
	of := func(h int) []float64 { return counts[h*len(s.terms):][:len(s.terms)] }
	for i, f := range s.fields {
		clear(counts)
		all := 0.0
		for h := range hits {
			lengths[h] = s.counter.Count(hits[h][i], of(h))
			all += lengths[h]
		}
		for h := range hits {
			scores[h] += f.boost * s.score(of(h), lengths[h], all/float64(len(hits)))
			for t, often := range of(h) {
				if often > 0 && f.name != "near" {
					has[h] |= 1 << t
				}
			}
		}
	}
	for h := range scores {
		scores[h], cover[h] = max(scores[h], similarScore), s.cover(has[h])
	}
	return scores, cover
}

// cover returns the share of the terms, by their weight, that a hit has.
func (s *scorer) cover(has uint64) float64 {
	sum, all := 0.0, 0.0
	for t, weight := range s.weights {
		all += weight
		sum += weight * float64(has>>t&1)
	}
	return ratio(sum, all)
}

// score returns the score of a field with how often it has each term and its number of words, of which all values have an
// average.
func (s *scorer) score(counts []float64, length, average float64) float64 {
	sum := 0.0
	for i, often := range counts {
		if often > 0 {
			sum += s.weights[i] * often * (saturation + 1) / (often + saturation*(1-lengthPart+lengthPart*length/average))
		}
	}
	return sum
}

// match is a text of an index that matches an ask.
type match interface {
	hit() Hit
	values() []any // of the searched fields
}

// scoredMatch is a match with its score.
type scoredMatch[T match] struct {
	Hit
	match T
}

// weighed returns the hit with the score that a trust leaves of it.
func (s *scoredMatch[T]) weighed(told trust.Told) Hit {
	hit := s.Hit
	hit.Score *= trust.Weight(told.Believed())
	return hit
}

// scored scores the hits of an index, and returns the best of each ask first.
func scored[T match](asks []indexAsk, hits []T, counts [][]float64, speakers [][]string) (all []scoredMatch[T]) {
	for ask, q := range asks {
		var own []scoredMatch[T]
		var values [][]any
		for _, r := range hits {
			if h := r.hit(); h.Ask == ask {
				own, values = append(own, scoredMatch[T]{h, r}), append(values, r.values())
			}
		}
		var names []string
		if ask < len(speakers) {
			names = speakers[ask]
		}
		var known []float64
		if ask < len(counts) {
			known = counts[ask]
		}
		scores, cover := newScorer(q, known, names).scores(values)
		for i := range own {
			own[i].Score, own[i].Cover = scores[i], cover[i]
		}
		slices.SortFunc(own, func(a, b scoredMatch[T]) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
		})
		all = append(all, own...)
	}
	return all
}

// decayPerDay is the rate at which recency falls.
const decayPerDay = 0.02

// recency returns 1 for now; it falls by 2 % a day.
func (p *plan) recency(at time.Time) float64 {
	return math.Exp(-decayPerDay * max(0, p.now.Sub(at).Hours()/24))
}

// sharpness is the power that turns the weights of recency and salience into their part of a score. With the default
// weights (0.7 of them for recency and salience) the part is 0.12. It is 1 when relevance has no weight. A linear sum
// would rank recent hits above better ones (docs/recall.md).
const sharpness = 6

// weigh returns the score of a hit: its relevance, reduced by what it lacks in recency and salience. When relevance has
// no weight, all hits count as equally relevant.
func (p *plan) weigh(relevance, recency, salience float64) float64 {
	w := p.weights()
	rest := w.time + w.salience
	if rest == 0 {
		return relevance
	}
	part := math.Pow(rest/(rest+w.relevance), sharpness)
	if w.relevance == 0 {
		relevance = 1
	}
	return relevance * (1 - part + part*(w.time*recency+w.salience*salience)/rest)
}

// score returns the score of a hit of a ranking, with an explanation if the request wants one. The relevance of what the search found
// by its words has been weighed by its trust before.
func (a *assembly) score(f *fused, key string, told trust.Told, at time.Time, salience float64) Scored {
	p := a.plan
	relevance, recency, weight := f.relevance[key], p.recency(at), trust.Weight(told.Believed())
	if !a.weighed[key] {
		relevance *= weight
	}
	s := Scored{RelevanceScore: rounded(p.weigh(relevance, recency, salience)), Told: told}
	if p.ReturnExplanations {
		e := &Explanation{Recency: rounded(recency), Salience: rounded(salience), Rank: slices.Index(f.keys, key) + 1}
		if b, ok := f.best[key]; ok {
			e.Words, e.Meaning, e.Cosine, e.Links, e.Named = rounded(b.parts.words), rounded(b.parts.meaning), b.cosine, rounded(b.parts.links), rounded(b.parts.named)
			e.Time, e.Via = rounded(b.parts.time), distinct(b.via)
		}
		if weight < 1 {
			e.Trust = rounded(weight)
		}
		s.Explanation = e
	}
	return s
}

func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
