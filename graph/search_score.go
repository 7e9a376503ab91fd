package graph

import (
	"cmp"
	"math"
	"slices"
)

// Constants of BM25 (Robertson and Zaragoza, 2009), as Lucene has them.
const (
	saturation = 1.2  // k1: how soon a word counts little more when it comes once more
	lengthPart = 0.75 // b: how much a long text takes from its words
	// similarScore is what something has that was found by none of the words themselves: by similar ones.
	similarScore = 0.1
	// speakerWeight is what a name counts among the words for messages where somebody of that name speaks: it says who,
	// not what.
	speakerWeight = 0.25
	countLimit    = 1_000 // of a memory, and of a word in it: what is more often is as common
)

// scorer scores what one ask has found in one index. All that it knows is the caller's own: the counts are of what the
// filter of the ask lets through, and the lengths are those of the texts found.
type scorer struct {
	indexAsk
	counter *termCounter
	weights []float64 // of each term
}

// newScorer takes the counts of the memory and of each term in it (none: all terms are worth the same), and which words are
// names of those who speak.
func newScorer(q indexAsk, counts []any, speakers []string) *scorer {
	s := &scorer{q, newTermCounter(q.terms), make([]float64, len(q.terms))}
	for i, t := range q.terms {
		s.weights[i] = 1
		if len(counts) == len(q.terms)+1 {
			s.weights[i] = rarity(number(counts[0]), number(counts[i+1]))
		}
		if slices.Contains(speakers, t.word) {
			s.weights[i] *= speakerWeight
		}
	}
	return s
}

// rarity is what a word is worth that so many of all have (the idf of BM25). A memory beyond what is counted is taken for
// four times that.
func rarity(all, having float64) float64 {
	if all >= countLimit {
		all = 4 * countLimit
	}
	return math.Log(1 + (max(all, having)-having+0.5)/(having+0.5))
}

// scores are those of hits by the values of their fields, in the order of the fields.
func (s *scorer) scores(hits [][]any) []float64 {
	scores := make([]float64, len(hits))
	for i, f := range s.fields {
		values, all := make([]counted, len(hits)), 0.0
		for h := range hits {
			values[h] = s.counter.count(hits[h][i])
			all += values[h].length
		}
		for h := range hits {
			scores[h] += f.boost * s.score(&values[h], all/float64(len(hits)))
		}
	}
	for h := range scores {
		scores[h] = max(scores[h], similarScore)
	}
	return scores
}

// score is that of a field whose values have so many words on average.
func (s *scorer) score(n *counted, average float64) float64 {
	sum := 0.0
	for i, often := range n.often {
		if often > 0 {
			sum += s.weights[i] * often * (saturation + 1) / (often + saturation*(1-lengthPart+lengthPart*n.length/average))
		}
	}
	return sum
}

// scored are the hits of an index: lists that begin with the number of the ask and the key, and end with the values of the
// fields. Their scores take the place of the values; the best of each ask come first.
func scored(asks []indexAsk, hits, counts []any, speakers [][]string, read func(l []any, score float64)) {
	type hit struct {
		list  []any
		score float64
	}
	for ask, q := range asks {
		var own []hit
		var values [][]any
		for _, item := range hits {
			if l := items(item); int(integer(l[0])) == ask {
				own, values = append(own, hit{list: l}), append(values, items(l[len(l)-1]))
			}
		}
		var names []string
		if ask < len(speakers) {
			names = speakers[ask]
		}
		var known []any
		if ask < len(counts) {
			known = items(counts[ask])
		}
		for i, score := range newScorer(q, known, names).scores(values) {
			own[i].score = score
		}
		slices.SortFunc(own, func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(text(a.list[1]), text(b.list[1])))
		})
		for _, h := range own {
			read(h.list, h.score)
		}
	}
}
