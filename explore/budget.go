package explore

import (
	"encoding/json"
	"fmt"

	"kith/loader"
)

// shelf is a list of hits from which the last can be taken.
type shelf struct {
	size  func() int
	score func() float64 // of the last
	last  func() any
	drop  func()
}

func shelfOf[T any](list *[]T, score func(*T) float64) shelf {
	last := func() *T { return &(*list)[len(*list)-1] }
	return shelf{
		size:  func() int { return len(*list) },
		score: func() float64 { return score(last()) },
		last:  func() any { return *last() },
		drop:  func() { *list = (*list)[:len(*list)-1] },
	}
}

// shelves are all lists of the result. What has no score of its own goes first.
func (r *Result) shelves() []shelf {
	nodes := func(list *[]NodeHit) shelf {
		return shelfOf(list, func(h *NodeHit) float64 { return h.RelevanceScore })
	}
	return []shelf{
		shelfOf(&r.Semantic.Neighbours, func(*Neighbour) float64 { return 0 }),
		shelfOf(&r.Episodic.Macros, func(h *MacroHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Episodic.Storylines, func(h *StorylineHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Semantic.Relationships, func(h *RelationshipHit) float64 { return h.RelevanceScore }),
		nodes(&r.Semantic.Others), nodes(&r.Semantic.Entities), nodes(&r.Semantic.Concepts), nodes(&r.Semantic.People),
		shelfOf(&r.Episodic.Artifacts, func(h *ArtifactHit) float64 { return h.RelevanceScore }),
		shelfOf(&r.Episodic.Messages, func(h *MessageHit) float64 { return h.Score }),
		shelfOf(&r.Episodic.Sources, func(h *SourceHit) float64 { return h.RelevanceScore }),
	}
}

// within leaves the lowest-ranked hits out until the answer has at most so many tokens, and notes how many it left out.
func (r *Result) within(budget int, format Format) error {
	cost, err := r.tokens(format)
	if err != nil {
		return err
	}
	shelves := r.shelves()
	for cost > budget {
		worst := -1
		for i, s := range shelves {
			if s.size() > 0 && (worst < 0 || s.score() < shelves[worst].score()) {
				worst = i
			}
		}
		if worst < 0 {
			return nil
		}
		saved, err := tokensOf(shelves[worst].last())
		if err != nil {
			return err
		}
		shelves[worst].drop()
		r.Meta.Cut++
		if cost -= saved; cost <= budget || format == Text { // what was saved is only near
			if cost, err = r.tokens(format); err != nil {
				return err
			}
		}
	}
	return nil
}

// tokens is how many the whole answer has.
func (r *Result) tokens(format Format) (int, error) {
	if format == Text {
		return loader.Tokens(r.Text())
	}
	return tokensOf(r)
}

func tokensOf(v any) (int, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return loader.Tokens(string(raw))
}
