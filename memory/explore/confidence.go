package explore

// How likely an answer has what was asked. On four sets of questions with known answers, the share of those that have
// evidence among the first five hits grows with the part of the question's words, by their rarity, that the best hit has
// (docs/recall.md).
const (
	leastConfidence = 0.25 // of an answer whose hits have next to none of the words
	coverWorth      = 0.65 // added for all of the words
	enough          = 0.55 // confidence from which the first few hits are enough
)

// confidence returns how likely the answer to each ask is among its first hits: that of the worst ask. It goes by words
// and times; meaning adds nothing to it.
func (a *assembly) confidence() float64 {
	least := 1.0
	for i := range a.asks {
		least = min(least, a.found.confidence(i, &a.asks[i]))
	}
	return least
}

func (f *Found) confidence(i int, a *ask) float64 {
	found, most, timed := false, 0.0, 0.0
	add := func(h *Hit, score float64) {
		if h.Ask == i {
			found, most = true, max(most, h.Cover)
			timed = max(timed, score)
		}
	}
	for h := range f.Messages {
		add(&f.Messages[h].Hit, a.timeOf(f.Messages[h].Timed))
	}
	for h := range f.Sources {
		add(&f.Sources[h].Hit, 0)
	}
	for h := range f.Nodes {
		add(&f.Nodes[h].Hit, 0)
	}
	for h := range f.Relationships {
		add(&f.Relationships[h].Hit, 0)
	}
	switch {
	case !found:
		return 0
	case !a.hasTopic():
		return timed
	case a.Match:
		return 1
	}
	return leastConfidence + coverWorth*most
}

// weakest is the relevance, relative to the best, below which a node that only shares words with a query is left out.
const weakest = 0.12

// isWeak reports whether a node only shares words with the query that say little.
func (a *assembly) isWeak(key string) bool {
	best := a.best.nodes.best[key]
	return len(a.used) == 1 && best.evidence != nil && best.parts.links == 0 && best.parts.named == 0 && best.cosine == nil && a.best.nodes.relevance[key] < weakest
}
