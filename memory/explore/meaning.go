package explore

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/vector"
)

// Weights and bounds of the search by meaning (docs/recall.md).
const (
	agreeingHits   = 30   // best hits by words whose agreement with the meaning is measured
	meaningDepth   = 50   // most hits by meaning alone
	fullDeviations = 4.0  // deviations above the mean that count as 1
	residualWeight = 1e-5 // weight of meaning without other evidence: it adds hits, but does not reorder others
	farDeviations  = 10.0 // deviations below the mean that still add hits, after nearer ones
	saidLimit      = 20   // most messages by meaning alone that count for their sources
	embedTime      = 2 * time.Second
	loadTime       = 2 * time.Second
	loadPage       = 5_000 // vectors
	smallestSpread = 1e-6
)

// meaning is the vector search of one request.
type meaning struct {
	explorer *Explorer
	scopes   []string
	status   Meaning
}

// newMeaning returns the vector search of a request. It is off without an embedder, or if not wanted.
func (e *Explorer) newMeaning(scope graph.Scope, wanted bool) *meaning {
	if e.options.Embedder == nil || !wanted {
		return &meaning{explorer: e, status: MeaningOff}
	}
	return &meaning{explorer: e, status: MeaningOn, scopes: searchscope.Visible(scope.TeamID, scope.UserID)}
}

// embed returns the vectors of the queries among some asks. The vector is nil for a text match, and for a text that the
// embedder finds empty.
func (m *meaning) embed(ctx context.Context, asks []ask) ([][]float32, error) {
	units := make([][]float32, len(asks))
	var texts []string
	var places []int
	for i, a := range asks {
		if !a.Match && a.hasTopic() {
			texts, places = append(texts, a.about), append(places, i)
		}
	}
	if m.status == MeaningOff || m.status == MeaningUnavailable || len(texts) == 0 {
		return units, nil
	}
	ctx, cancel := context.WithTimeout(ctx, boundTime(ctx, embedTime))
	defer cancel()
	embedded, err := m.explorer.options.Embedder.Embed(ctx, texts)
	if err != nil {
		return units, err
	}
	for i, unit := range embedded {
		units[places[i]] = unit
	}
	return units, nil
}

// boundTime returns d, but at most a third of the time until the deadline of ctx: the rest of the search takes time
// too.
func boundTime(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(d, time.Until(deadline)/3)
	}
	return d
}

// missingVectors returns from where the vectors of each scope are to be read. Text matches need no vectors.
func (m *meaning) missingVectors(asks []ask) []VectorsAfter {
	var all []VectorsAfter
	if !slices.ContainsFunc(asks, func(a ask) bool { return !a.Match }) {
		return nil
	}
	for _, scope := range m.scopes {
		all = append(all, VectorsAfter{Scope: scope, After: m.explorer.options.Vectors.Since(scope)})
	}
	return all
}

// addVectors adds the vectors of a search to the index, and reads those that are still missing: all of them after a
// start. It reports whether there were any.
func (m *meaning) addVectors(ctx context.Context, f *Found) (more bool) {
	if m.status == MeaningOff || m.status == MeaningUnavailable {
		return false
	}
	if f.OtherModel {
		m.status = MeaningUnavailable
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, boundTime(ctx, loadTime))
	defer cancel()
	for _, v := range f.Vectors {
		more = more || v.More || len(v.Rows) > 0
		if err := m.loadVectors(ctx, v); err != nil {
			m.status = MeaningLoading
			switch {
			case errors.Is(err, vector.ErrDimensions): // the cached vectors are of an earlier model
				m.explorer.options.Vectors.Drop(v.Scope)
			case errors.Is(err, vector.ErrFull), errors.Is(err, graph.ErrModel):
				m.status = MeaningUnavailable
			}
			return more
		}
	}
	if f.Waiting {
		m.status = MeaningPartial
	}
	return more
}

// loadVectors adds vectors of a scope, and all that follow.
func (m *meaning) loadVectors(ctx context.Context, v FoundVectors) error {
	index := m.explorer.options.Vectors
	err := index.Add(v.Scope, v.After, v.Rows)
	if errors.Is(err, vector.ErrNotLoaded) { // dropped meanwhile
		v.More = true
	} else if err != nil {
		return err
	}
	for v.More {
		after := index.Since(v.Scope)
		rows, err := m.explorer.store.Vectors(ctx, v.Scope, after, loadPage)
		if err != nil {
			return err
		}
		if err := index.Add(v.Scope, after, rows); err != nil && !errors.Is(err, vector.ErrNotLoaded) {
			return err
		}
		v.More = len(rows) == loadPage
	}
	return nil
}

// nearest holds the vectors nearest to an ask, by sort; nil if meaning is not used.
type nearest struct{ messages, sources, nodes *vector.Result }

// findNearest returns the vectors nearest to each ask, among those in memory.
func (m *meaning) findNearest(units [][]float32, p *plan, asks []ask) ([]nearest, error) {
	all := make([]nearest, len(units))
	for i, unit := range units {
		if unit == nil {
			continue
		}
		near := func(kinds ...graph.Kind) (*vector.Result, error) {
			found, err := m.explorer.options.Vectors.Search(m.scopes, unit, meaningDepth, p.vectorFilter(&asks[i].timing, kinds...))
			return &found, err
		}
		var err error
		if all[i].nodes, err = near(p.nodes...); err != nil {
			return nil, err
		}
		if !p.messages && !p.sources {
			continue
		}
		if all[i].messages, err = near(messageKind); err != nil {
			return nil, err
		}
		if all[i].sources, err = near(sourceKind); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// findNearestAgain is findNearest after vectors were added. Without usable vectors all results are nil.
func (m *meaning) findNearestAgain(units [][]float32, p *plan, asks []ask) []nearest {
	if m.isUsable() {
		near, err := m.findNearest(units, p, asks)
		if err == nil {
			return near
		}
		m.setFailure(err)
	}
	return make([]nearest, len(units))
}

// isUsable reports whether vectors can be compared, as far as known.
func (m *meaning) isUsable() bool { return m.status == MeaningOn || m.status == MeaningPartial }

// setFailure sets the status by the reason why vectors cannot be compared.
func (m *meaning) setFailure(err error) {
	m.status = MeaningLoading
	if errors.Is(err, vector.ErrDimensions) {
		m.status = MeaningUnavailable
	}
}

// vectorEvidence is the evidence of vectors for one ask and one sort of things. By key it has the number of deviations
// by which the cosine is above the mean of all in the scope.
type vectorEvidence struct {
	above   map[string]float64
	cosines map[string]float64
	near    map[string]bool // keys that may be hits by meaning alone
}

// vectorEvidence compares the ask with the nearest vectors and with those of given keys. It returns nil if meaning is
// not used.
func (m *meaning) vectorEvidence(near *vector.Result, unit []float32, keys []string) *vectorEvidence {
	if near == nil || !m.isUsable() {
		return nil
	}
	cosines, err := m.explorer.options.Vectors.Cosines(m.scopes, unit, keys)
	if err != nil {
		m.setFailure(err)
		return nil
	}
	return newVectorEvidence(*near, cosines)
}

func newVectorEvidence(near vector.Result, cosines map[string]float64) *vectorEvidence {
	s := &vectorEvidence{above: map[string]float64{}, cosines: cosines, near: map[string]bool{}}
	for _, h := range near.Hits {
		s.cosines[h.Key] = h.Cosine
		s.near[h.Key] = true
	}
	for key, c := range s.cosines {
		if near.Deviation > smallestSpread {
			s.above[key] = (c - near.Mean) / near.Deviation
		}
	}
	return s
}

// gate returns how far the meaning is trusted, from 0 to 1. It measures the agreement with the words: their best hits
// should have cosines above the mean. With few hits the trust is lower, as chance is larger. Without hits by words it
// is 1.
func (s *vectorEvidence) gate(r ranking, w *tuning) float64 {
	scores := map[string]float64{}
	for key, e := range r {
		if e.words > 0 {
			scores[key] = e.words
		}
	}
	if len(scores) == 0 {
		return 1
	}
	sum, n := 0.0, 0
	for _, key := range keysByScore(scores) {
		if above, ok := s.above[key]; ok && n < agreeingHits {
			sum, n = sum+above, n+1
		}
	}
	if n == 0 {
		return 0
	}
	agreement := sum / math.Sqrt(float64(n)*agreeingHits)
	share := min(1, max(0, (agreement-w.distrust)/w.trust))
	return share * share
}

// meaningScore returns the score of a number of deviations above the mean.
func meaningScore(weight, above float64) float64 {
	return weight*max(0, above)/fullDeviations + residualWeight*max(0, above+farDeviations)
}

// addTo adds the meaning to the hits by words, and adds the nearest others. Below the threshold it adds no hits. It
// returns the weight of meaning.
func (s *vectorEvidence) addTo(r ranking, threshold float64, w *tuning) float64 {
	if s == nil {
		return 0
	}
	weight := w.meaning * s.gate(r, w)
	for key, above := range s.above {
		e := r[key]
		if e == nil {
			if s.cosines[key] < threshold || !s.near[key] {
				continue
			}
			e = r.entry(key)
		}
		cosine := rounded(s.cosines[key])
		e.cosine = &cosine
		e.meaning = max(e.meaning, meaningScore(weight, above))
	}
	return weight
}

// dropGone drops the vectors of wanted things that do not exist any more.
func (m *meaning) dropGone(w *Wanted, d *Details) {
	if m.status == MeaningOff {
		return
	}
	there := map[string]bool{}
	for i := range d.Messages {
		there[d.Messages[i].EntityKey] = true
	}
	for i := range d.Sources {
		there[d.Sources[i].EntityKey] = true
	}
	for i := range d.Nodes {
		there[d.Nodes[i].EntityKey] = true
	}
	gone := slices.DeleteFunc(slices.Concat(w.Messages, w.Sources, w.Nodes), func(key string) bool { return there[key] })
	for _, scope := range m.scopes {
		if len(gone) > 0 {
			m.explorer.options.Vectors.Remove(scope, gone)
		}
	}
}

// addMessages gives each source the best of its own vector and those of its messages.
func (s *vectorEvidence) addMessages(said *vectorEvidence, messages []FoundMessage, i int) *vectorEvidence {
	if s == nil || said == nil {
		return nil
	}
	for h := range messages {
		m := &messages[h]
		above, ok := said.above[m.Key]
		if m.Ask != i || !ok {
			continue
		}
		if old, known := s.above[m.Source]; !known || above > old {
			s.above[m.Source], s.cosines[m.Source] = above, said.cosines[m.Key]
		}
		if said.near[m.Key] {
			s.near[m.Source] = true
		}
	}
	return s
}

// addToSources adds the nearest messages that the words have not found to the evidence of their sources, and returns
// these messages.
func (s *vectorEvidence) addToSources(hits []vector.Hit, messages, sources ranking, weight, threshold float64) (added []vector.Hit) {
	for _, h := range hits {
		if e := messages[h.Key]; e != nil && e.words == 0 && h.Cosine >= threshold && len(added) < saidLimit && h.Parent != "" {
			added = append(added, h)
			source := sources.entry(h.Parent)
			source.meaning = max(source.meaning, meaningScore(weight, s.above[h.Key]))
		}
	}
	return added
}
