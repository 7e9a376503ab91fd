package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"

	"kith/loader"
)

// shelf is a list of hits, of which only the first may be kept.
type shelf struct {
	size  int
	score func(place int) float64
	keep  func(first int)
}

func shelfOf[T any](list *[]T, score func(*T) float64) shelf {
	all := *list
	return shelf{
		size:  len(all),
		score: func(place int) float64 { return score(&all[place]) },
		keep:  func(first int) { *list = all[:first] },
	}
}

// shelves are all lists of the result, and the messages of its sources. What has no score of its own goes first.
func (r *Result) shelves() []shelf {
	nodes := func(list *[]NodeHit) shelf {
		return shelfOf(list, func(h *NodeHit) float64 { return h.RelevanceScore })
	}
	shelves := []shelf{
		shelfOf(&r.Semantic.Neighbours, func(*Neighbour) float64 { return 0 }),
		shelfOf(&r.Episodic.Macros, func(h *MacroHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Episodic.Storylines, func(h *StorylineHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Semantic.Relationships, func(h *RelationshipHit) float64 { return h.RelevanceScore }),
		nodes(&r.Semantic.Others), nodes(&r.Semantic.Entities), nodes(&r.Semantic.Concepts), nodes(&r.Semantic.People),
		shelfOf(&r.Episodic.Artifacts, func(h *ArtifactHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Episodic.Messages, func(h *MessageHit) float64 { return h.Score }),
	}
	for i := range r.Episodic.Sources {
		s := &r.Episodic.Sources[i]
		shelves = append(shelves, shelfOf(&s.Messages, func(h *MessageHit) float64 { return min(h.Score, s.RelevanceScore) }))
	}
	return append(shelves, shelfOf(&r.Episodic.Sources, func(h *SourceHit) float64 { return h.RelevanceScore }))
}

// leaving is one step of making the result shorter: how many hits a shelf keeps.
type leaving struct {
	shelf, keep int
	score       float64
}

// leavings are all steps, the lowest-ranked hits first, until nothing is left.
func leavings(shelves []shelf) []leaving {
	var all []leaving
	for i, s := range shelves {
		for place := s.size - 1; place >= 0; place-- {
			all = append(all, leaving{i, place, s.score(place)})
		}
	}
	slices.SortStableFunc(all, func(a, b leaving) int { return cmp.Compare(a.score, b.score) })
	return all
}

// shorten cuts all texts to at most so many characters.
func (r *Result) shorten(length int) {
	for _, list := range [][]NodeHit{r.Semantic.People, r.Semantic.Concepts, r.Semantic.Entities, r.Semantic.Others} {
		for i := range list {
			list[i].Description = cut(list[i].Description, length)
		}
	}
	for i := range r.Episodic.Messages {
		r.Episodic.Messages[i].Text = cut(r.Episodic.Messages[i].Text, length)
	}
	for i := range r.Episodic.Sources {
		s := &r.Episodic.Sources[i]
		s.Summary = cut(s.Summary, length)
		for m := range s.Messages {
			s.Messages[m].Text = cut(s.Messages[m].Text, length)
		}
	}
}

// within leaves the lowest-ranked hits out until the answer has at most so many tokens, and notes how many it left out.
// No text takes more than about half of them: one that is too long for all would leave nothing. An answer that is too long without any hit does not repeat the queries.
func (r *Result) within(budget int, format Format) error {
	r.shorten(2 * budget) // a token has about four characters
	shelves := r.shelves()
	steps := leavings(shelves)
	var failed error
	fits := func(n int) bool {
		for _, s := range shelves {
			s.keep(s.size)
		}
		for _, l := range steps[:n] {
			shelves[l.shelf].keep(l.keep)
		}
		r.Meta.Cut = n
		cost, err := r.tokens(format)
		failed = errors.Join(failed, err)
		return cost <= budget
	}
	if n := sort.Search(len(steps), fits); !fits(n) { // also where it is the last that was tried: it sets what is left
		for ; len(r.Meta.QueryUsed) > 0 && !fits(n); r.Meta.QueryUsed = r.Meta.QueryUsed[:len(r.Meta.QueryUsed)-1] {
		}
	}
	return failed
}

// tokens is how many the whole answer has.
func (r *Result) tokens(format Format) (int, error) {
	if format == Text || format == Keyed {
		return loader.Tokens(r.Text())
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return loader.Tokens(string(raw))
}
