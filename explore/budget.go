package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"kith/internal/tokens"
	"kith/markup"
)

// hitList is one list of hits in a result. It can be cut to its first hits.
type hitList struct {
	size  int
	score func(place int) float64
	keep  func(first int)
}

func newHitList[T any](list *[]T, score func(*T) float64) hitList {
	all := *list
	return hitList{
		size:  len(all),
		score: func(place int) float64 { return score(&all[place]) },
		keep:  func(first int) { *list = all[:first] },
	}
}

// hitLists returns all lists of the result, and the messages of its sources. Hits without a score are cut first.
func (r *Result) hitLists() []hitList {
	nodes := func(list *[]NodeHit) hitList {
		return newHitList(list, func(h *NodeHit) float64 { return h.RelevanceScore })
	}
	hitLists := []hitList{
		newHitList(&r.Semantic.Neighbours, func(*Neighbour) float64 { return 0 }),
		newHitList(&r.Episodic.Macros, func(h *MacroHit) float64 { return h.RelevanceScore }),
		newHitList(&r.Episodic.Storylines, func(h *StorylineHit) float64 { return h.RelevanceScore }),
		newHitList(&r.Semantic.Relationships, func(h *RelationshipHit) float64 { return h.RelevanceScore }),
		nodes(&r.Semantic.Others), nodes(&r.Semantic.Entities), nodes(&r.Semantic.Concepts), nodes(&r.Semantic.People),
		newHitList(&r.Episodic.Artifacts, func(h *ArtifactHit) float64 { return h.RelevanceScore }),
		newHitList(&r.Episodic.Messages, func(h *MessageHit) float64 { return h.Score }),
	}
	for i := range r.Episodic.Sources {
		s := &r.Episodic.Sources[i]
		hitLists = append(hitLists, newHitList(&s.Messages, func(h *MessageHit) float64 { return min(h.Score, s.RelevanceScore) }))
	}
	return append(hitLists, newHitList(&r.Episodic.Sources, func(h *SourceHit) float64 { return h.RelevanceScore }))
}

// drop is one step of shortening a result: the number of hits that a list keeps.
type drop struct {
	hitList, keep int
	score         float64
}

// dropOrder returns all steps, the lowest-ranked hits first, until no hit is left.
func dropOrder(hitLists []hitList) []drop {
	var all []drop
	for i, s := range hitLists {
		for place := s.size - 1; place >= 0; place-- {
			all = append(all, drop{i, place, s.score(place)})
		}
	}
	slices.SortStableFunc(all, func(a, b drop) int { return cmp.Compare(a.score, b.score) })
	return all
}

// shorten cuts each text to at most length characters.
func (r *Result) shorten(length int) {
	for _, list := range [][]NodeHit{r.Semantic.People, r.Semantic.Concepts, r.Semantic.Entities, r.Semantic.Others} {
		for i := range list {
			list[i].Description = markup.Truncate(list[i].Description, length)
		}
	}
	for i := range r.Episodic.Messages {
		r.Episodic.Messages[i].Text = markup.Truncate(r.Episodic.Messages[i].Text, length)
	}
	for i := range r.Episodic.Sources {
		s := &r.Episodic.Sources[i]
		s.Summary = markup.Truncate(s.Summary, length)
		for m := range s.Messages {
			s.Messages[m].Text = markup.Truncate(s.Messages[m].Text, length)
		}
	}
}

// fitBudget removes the lowest-ranked hits until the answer has at most budget tokens, and sets Meta.Cut. Each text is
// cut to about half of the budget, so that one long text cannot displace all hits. If the answer is too long without
// any hit, queries are removed too.
func (r *Result) fitBudget(budget int, format Format) error {
	r.shorten(2 * budget) // a token has about four characters
	hitLists := r.hitLists()
	steps := dropOrder(hitLists)
	var failed error
	fits := func(n int) bool {
		for _, s := range hitLists {
			s.keep(s.size)
		}
		for _, l := range steps[:n] {
			hitLists[l.hitList].keep(l.keep)
		}
		r.Meta.Cut = n
		cost, err := r.countTokens(format)
		failed = errors.Join(failed, err)
		return cost <= budget
	}
	if n := sort.Search(len(steps), fits); !fits(n) { // fits(n) also applies step n, as Search may have tried another one last
		for ; len(r.Meta.QueryUsed) > 0 && !fits(n); r.Meta.QueryUsed = r.Meta.QueryUsed[:len(r.Meta.QueryUsed)-1] {
		}
	}
	return failed
}

// countTokens returns the number of tokens of the whole answer.
func (r *Result) countTokens(format Format) (int, error) {
	if format == Text || format == Keyed {
		return tokens.Count(r.Text())
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return tokens.Count(string(raw))
}
