package explore

import (
	"slices"

	"kith/graph"
	"kith/graph/trust"
)

// stories returns the storylines and macros of the best sources and nodes, for the granularity.
func (a *assembly) stories(sources []SourceHit, nodes []node) ([]StorylineHit, []MacroHit) {
	relevance := map[string]float64{}
	for i := range sources {
		relevance[sources[i].EntityKey] = sources[i].RelevanceScore
	}
	for i := range nodes {
		relevance[nodes[i].EntityKey] = nodes[i].RelevanceScore
	}
	scores := map[string]float64{}
	storylines := []StorylineHit{}
	for i := range a.details.Storylines {
		t := &a.details.Storylines[i]
		score := a.best.nodes.relevance[t.EntityKey]
		if t.Anchor != nil {
			score = max(score, relevance[t.Anchor.EntityKey])
		}
		for _, key := range t.SourceKeys {
			score = max(score, relevance[key])
		}
		scores[t.EntityKey] = score
		if a.granularity < 3 && score > 0 {
			storylines = append(storylines, a.storylineHit(t, score))
		}
	}
	storylines = sortByScore(storylines, func(t *StorylineHit) float64 { return t.RelevanceScore }, func(t *StorylineHit) string { return t.StorylineID }, a.storylines)
	if a.granularity == 2 {
		sharePreviews(storylines)
	}
	return plainStorylines(storylines, a.granularity), a.macroHits(scores)
}

// plainStorylines reduces storylines to keys and names at granularity 1.
func plainStorylines(storylines []StorylineHit, granularity int) []StorylineHit {
	for i, t := range storylines {
		if granularity == 1 {
			storylines[i] = StorylineHit{StorylineID: t.StorylineID, Name: t.Name, Told: t.Told}
		}
	}
	return storylines
}

func (a *assembly) storylineHit(t *Storyline, score float64) StorylineHit {
	hit := StorylineHit{
		StorylineID: t.EntityKey, Name: t.Name, Description: t.Description, RelevanceScore: score, SourceCount: t.SourceCount,
		StartedAt: t.FirstAt, LastSourceAt: t.LastAt, Anchor: t.Anchor, Told: anchorTold(t.Anchor),
	}
	for _, s := range t.Sources {
		hit.PreviewSources = append(hit.PreviewSources, SourcePreview{s.EntityKey, s.Summary, s.StartedAt, trust.NewTold(s.Trust, s.Origin)})
	}
	for i := range a.details.Sources {
		s := &a.details.Sources[i]
		if !slices.Contains(t.SourceKeys, s.EntityKey) {
			continue
		}
		for _, n := range s.Mentions {
			switch n.Kind {
			case "person":
				hit.TopPeople = addRef(hit.TopPeople, n)
			case "concept":
				hit.TopConcepts = addRef(hit.TopConcepts, n)
			case "entity":
				hit.TopEntities = addRef(hit.TopEntities, n)
			}
		}
	}
	return hit
}

// topShown is the most people, concepts and entities named of a storyline.
const topShown = 5

func addRef(refs []graph.NodeRef, n graph.NodeRef) []graph.NodeRef {
	if len(refs) == topShown || slices.ContainsFunc(refs, func(r graph.NodeRef) bool { return r.EntityKey == n.EntityKey }) {
		return refs
	}
	return append(refs, n)
}

// sharePreviews divides the places for sources among storylines: two for each, then more for the first.
func sharePreviews(storylines []StorylineHit) {
	left := previewsShown - 2*len(storylines)
	for i := range storylines {
		n := 2 + min(max(left, 0), previewSources-2)
		left -= n - 2
		storylines[i].PreviewSources = storylines[i].PreviewSources[:min(n, len(storylines[i].PreviewSources))]
	}
}

func (a *assembly) macroHits(scores map[string]float64) []MacroHit {
	macros := []MacroHit{}
	for i := range a.details.Macros {
		m := &a.details.Macros[i]
		score := a.best.nodes.relevance[m.EntityKey]
		for _, t := range m.Storylines {
			score = max(score, scores[t.EntityKey])
		}
		if score == 0 {
			continue
		}
		hit := MacroHit{
			MacroID: m.EntityKey, Name: m.Name, Description: m.Description, RelevanceScore: score, StorylineCount: m.StorylineCount,
			TotalSourceCount: m.SourceCount, StartedAt: m.FirstAt, LastEventAt: m.LastAt, Anchor: m.Anchor, Told: anchorTold(m.Anchor),
		}
		for _, t := range m.Storylines {
			hit.Storylines = append(hit.Storylines, MacroStoryline{t.EntityKey, t.Name, t.Description, t.SourceCount, anchorTold(anchor(t.Anchors))})
		}
		macros = append(macros, hit)
	}
	macros = sortByScore(macros, func(m *MacroHit) float64 { return m.RelevanceScore }, func(m *MacroHit) string { return m.MacroID }, a.macros)
	for i, m := range macros {
		if a.granularity < 3 {
			macros[i] = MacroHit{MacroID: m.MacroID, Name: m.Name, Told: m.Told}
		}
	}
	return macros
}
