package explore

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"kith/graph"
	"kith/vector"
)

// How far meaning is trusted, and what it finds (docs/recall.md).
const (
	agreeing       = 30   // of the best hits by words are asked whether the meaning agrees
	meaningDepth   = 50   // hits by meaning alone
	outstanding    = 4.0  // deviations above the mean that count as 1
	leftOver       = 1e-5 // what meaning counts where nothing else speaks for anything: it fills places, and moves nobody
	far            = 10.0 // deviations below the mean that still fill places, behind what is nearer
	saidLimit      = 20   // messages by meaning alone that speak for their sources
	embedTime      = 2 * time.Second
	loadTime       = 2 * time.Second
	loadPage       = 5_000 // vectors
	smallestSpread = 1e-6
)

// meaning is the part of a search that vectors take.
type meaning struct {
	explorer *Explorer
	scopes   []string
	status   Meaning
}

// understand is the meaning of one request; without an embedder, or unwanted, it takes no part.
func (e *Explorer) understand(scope graph.Scope, wanted bool) *meaning {
	if e.options.Embedder == nil || !wanted {
		return &meaning{explorer: e, status: MeaningOff}
	}
	return &meaning{explorer: e, status: MeaningOn, scopes: graph.SearchScopes(scope)}
}

// embed makes the vectors of the queries among some asks: nil for a text match, and for a text that says nothing to the
// embedder.
func (m *meaning) embed(ctx context.Context, asks []ask) ([][]float32, error) {
	units := make([][]float32, len(asks))
	var texts []string
	var places []int
	for i, a := range asks {
		if !a.Match {
			texts, places = append(texts, a.text), append(places, i)
		}
	}
	if m.status == MeaningOff || m.status == MeaningUnavailable || len(texts) == 0 {
		return units, nil
	}
	ctx, cancel := context.WithTimeout(ctx, most(ctx, embedTime))
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

// most is so much time, but no more than a third of what the caller has left: the rest of the search takes some too.
func most(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(d, time.Until(deadline)/3)
	}
	return d
}

// after says which vectors the process lacks that some asks need: text matches need none.
func (m *meaning) after(asks []ask) []graph.VectorsAfter {
	var all []graph.VectorsAfter
	if !slices.ContainsFunc(asks, func(a ask) bool { return !a.Match }) {
		return nil
	}
	for _, scope := range m.scopes {
		all = append(all, graph.VectorsAfter{Scope: scope, After: m.explorer.options.Vectors.Since(scope)})
	}
	return all
}

// take keeps the vectors that a search has brought, and reads those that are still missing: all of them after a start. It
// says whether there were any.
func (m *meaning) take(ctx context.Context, f *graph.Found) (more bool) {
	if m.status == MeaningOff || m.status == MeaningUnavailable {
		return false
	}
	if f.OtherModel {
		m.status = MeaningUnavailable
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, most(ctx, loadTime))
	defer cancel()
	for _, v := range f.Vectors {
		more = more || v.More || len(v.Rows) > 0
		if err := m.load(ctx, v); err != nil {
			m.status = MeaningLoading
			switch {
			case errors.Is(err, vector.ErrDimensions): // those kept are of a model before
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

// load adds vectors of a scope, and all that come after them.
func (m *meaning) load(ctx context.Context, v graph.FoundVectors) error {
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

// nearest are the vectors nearest to an ask, of each sort of things; nil where meaning takes no part.
type nearest struct{ messages, sources, nodes *vector.Result }

// scan finds the nearest to each ask, among the vectors that are in memory.
func (m *meaning) scan(units [][]float32, p *plan) ([]nearest, error) {
	all := make([]nearest, len(units))
	for i, unit := range units {
		if unit == nil {
			continue
		}
		near := func(kinds ...graph.Kind) (*vector.Result, error) {
			found, err := m.explorer.options.Vectors.Search(m.scopes, unit, meaningDepth, p.keeps(kinds...))
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

// rescan is scan after vectors have come, where meaning takes part.
func (m *meaning) rescan(units [][]float32, p *plan) []nearest {
	if m.takesPart() {
		near, err := m.scan(units, p)
		if err == nil {
			return near
		}
		m.fail(err)
	}
	return make([]nearest, len(units))
}

// takesPart says whether vectors can be compared, as far as is known.
func (m *meaning) takesPart() bool { return m.status == MeaningOn || m.status == MeaningPartial }

// fail notes why vectors cannot be compared.
func (m *meaning) fail(err error) {
	m.status = MeaningLoading
	if errors.Is(err, vector.ErrDimensions) {
		m.status = MeaningUnavailable
	}
}

// sense is what the vectors tell an ask of things of one sort: by key, by how many deviations the cosine is above the mean
// of all in the scope.
type sense struct {
	above   map[string]float64
	cosines map[string]float64
	near    map[string]bool // what may be found by meaning alone
}

// sense looks at the nearest vectors, and at those of given keys. Nil where meaning takes no part.
func (m *meaning) sense(near *vector.Result, unit []float32, keys []string) *sense {
	if near == nil || !m.takesPart() {
		return nil
	}
	cosines, err := m.explorer.options.Vectors.Cosines(m.scopes, unit, keys)
	if err != nil {
		m.fail(err)
		return nil
	}
	return newSense(*near, cosines)
}

func newSense(near vector.Result, cosines map[string]float64) *sense {
	s := &sense{above: map[string]float64{}, cosines: cosines, near: map[string]bool{}}
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

// gate is how far the meaning is trusted, from 0 to 1: as far as it agrees with the words, whose best hits then stand out
// by their cosine too. What is to be judged by few hits is trusted less, as chance is larger. Where the words have found
// nothing there is nothing to agree with, and nothing to lose.
func (s *sense) gate(r ranking, w *tuning) float64 {
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
	for _, key := range order(scores) {
		if above, ok := s.above[key]; ok && n < agreeing {
			sum, n = sum+above, n+1
		}
	}
	if n == 0 {
		return 0
	}
	agreement := sum / math.Sqrt(float64(n)*agreeing)
	share := min(1, max(0, (agreement-w.distrust)/w.trust))
	return share * share
}

// counts is what being above the mean counts beside the words, where meaning has a weight.
func counts(weight, above float64) float64 {
	return weight*max(0, above)/outstanding + leftOver*max(0, above+far)
}

// add lets the meaning speak for what the words have found, and for the nearest besides; below a threshold it does not
// find anything by itself. It says what meaning counts.
func (s *sense) add(r ranking, threshold float64, w *tuning) float64 {
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
			e = r.of(key)
		}
		cosine := rounded(s.cosines[key])
		e.cosine = &cosine
		e.meaning = max(e.meaning, counts(weight, above))
	}
	return weight
}

// forget drops the vectors of what was wanted and is not there any more.
func (m *meaning) forget(w *graph.Wanted, d *graph.Details) {
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

// toSources tells of sources what vectors tell of them and of their messages.
func (s *sense) toSources(said *sense, messages []graph.FoundMessage, i int) *sense {
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

// speak lets the nearest messages that the words have not found speak for their sources, and says which they are.
func (s *sense) speak(hits []vector.Hit, messages, sources ranking, weight, threshold float64) (told []vector.Hit) {
	for _, h := range hits {
		if e := messages[h.Key]; e != nil && e.words == 0 && h.Cosine >= threshold && len(told) < saidLimit && h.Parent != "" {
			told = append(told, h)
			source := sources.of(h.Parent)
			source.meaning = max(source.meaning, counts(weight, s.above[h.Key]))
		}
	}
	return told
}
