package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"kith/text/markup"
	"kith/text/tokens"
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

// shorten cuts each text, and all notes of a hit, to at most length characters, and drops values that are longer.
func (r *Result) shorten(length int) {
	cut := func(text *string) { *text = markup.Truncate(*text, length) }
	for _, list := range [][]NodeHit{r.Semantic.People, r.Semantic.Concepts, r.Semantic.Entities, r.Semantic.Others} {
		for i := range list {
			cut(&list[i].Description)
			if list[i].NotesSnippets = shortened(list[i].NotesSnippets, length); len(list[i].Value) > length {
				list[i].Value = nil
			}
		}
	}
	for i := range r.Semantic.Relationships {
		h := &r.Semantic.Relationships[i]
		cut(&h.Description)
		h.NotesSnippets = shortened(h.NotesSnippets, length)
	}
	for i := range r.Semantic.Neighbours {
		cut(&r.Semantic.Neighbours[i].Description)
	}
	for i := range r.Episodic.Artifacts {
		cut(&r.Episodic.Artifacts[i].Description)
	}
	for i := range r.Episodic.Messages {
		cut(&r.Episodic.Messages[i].Text)
	}
	for i := range r.Episodic.Sources {
		s := &r.Episodic.Sources[i]
		cut(&s.Summary)
		for m := range s.Messages {
			cut(&s.Messages[m].Text)
		}
	}
	for i := range r.Episodic.Storylines {
		t := &r.Episodic.Storylines[i]
		cut(&t.Description)
		for p := range t.PreviewSources {
			cut(&t.PreviewSources[p].Summary)
		}
	}
	for i := range r.Episodic.Macros {
		cut(&r.Episodic.Macros[i].Description)
		for t := range r.Episodic.Macros[i].Storylines {
			cut(&r.Episodic.Macros[i].Storylines[t].OneLiner)
		}
	}
}

// shortened returns the first notes that have at most length characters together, the last one cut.
func shortened(notes []string, length int) []string {
	for i, note := range notes {
		notes[i] = markup.Truncate(note, length)
		if length -= utf8.RuneCountInString(notes[i]); length <= 0 {
			return notes[:i+1]
		}
	}
	return notes
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
