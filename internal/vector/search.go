package vector

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Hit is a row found by a search, with the cosine of its vector and the query.
type Hit struct {
	Key    string
	Parent string
	Kind   uint8
	Cosine float64
}

// Result is the result of a search: the best hits first, equal cosines ordered by key. Count, Mean and Deviation
// describe the cosines of all rows searched, to show how far a hit stands out.
type Result struct {
	Hits            []Hit
	Count           int
	Mean, Deviation float64
}

// Search returns the k vectors of some scopes that are nearest to a vector of length 1, with exact cosines. keep
// filters the rows; nil keeps all. In scopes of more than 2,048 rows it may miss a few hits of a thousand, and Mean and
// Deviation are estimated from an even sample. It returns ErrNotLoaded for a scope that is not in memory, or
// ErrDimensions.
func (x *Index) Search(names []string, unit []float32, k int, keep func(kind uint8, at int64) bool) (Result, error) {
	var all scan
	err := x.visit(names, unit, func(s *scope, q *query) {
		for _, part := range s.scan(q, unit, k, keep) {
			all.join(part, k)
		}
	})
	if err != nil {
		return Result{}, err
	}
	return all.result(), nil
}

// Cosines returns the cosines of the vectors with given keys, as far as they exist.
func (x *Index) Cosines(names []string, unit []float32, keys []string) (map[string]float64, error) {
	found := map[string]float64{}
	err := x.visit(names, unit, func(s *scope, q *query) {
		for _, key := range keys {
			if place, ok := s.places[key]; ok {
				found[key] = s.cosine(q, int(place))
			}
		}
	})
	return found, err
}

// visit calls work with each of some scopes, under its read lock.
func (x *Index) visit(names []string, unit []float32, work func(*scope, *query)) error {
	for _, u := range unit {
		if f := float64(u); math.IsNaN(f) || math.IsInf(f, 0) {
			return ErrDimensions
		}
	}
	q := newQuery(unit)
	for _, name := range names {
		s := x.scope(name)
		if s == nil {
			return ErrNotLoaded
		}
		if err := s.read(&q, work); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) read(q *query, work func(*scope, *query)) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.rows) == 0 {
		return nil
	}
	if s.dimensions != q.length {
		return ErrDimensions
	}
	work(s, q)
	return nil
}

func (s *scope) cosine(q *query, place int) float64 {
	return q.cosine(s.numbers(place), s.rows[place].sum, s.rows[place].scale)
}

const (
	// sketchedRows is the number of rows up to which all are compared; beyond that sketches preselect rows.
	sketchedRows = 2048
	// sampledRows is the sample size for the mean and the deviation of larger scopes.
	sampledRows = 1024
	// parallelRows is the number of rows for one goroutine: for fewer rows other work of the machine comes first.
	parallelRows = 65_536
	// deviations is the allowed error of an estimate, in standard deviations. 1 of 44 estimates is too low by more, but
	// that loses only rows at the edge of the nearest ones.
	deviations = 2
)

// scan searches all rows, in parallel parts if there are many.
func (s *scope) scan(q *query, unit []float32, k int, keep func(kind uint8, at int64) bool) []*scan {
	var g guess
	if len(s.rows) > sketchedRows {
		g = s.rotation.guess(unit)
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), len(s.rows)/parallelRows))
	parts := make([]*scan, workers)
	var group sync.WaitGroup
	for w := range workers {
		parts[w] = &scan{}
		group.Go(func() {
			var places []int32
			for place := w * len(s.rows) / workers; place < (w+1)*len(s.rows)/workers; place++ {
				if r := &s.rows[place]; keep == nil || keep(r.kind, r.at) {
					places = append(places, int32(place)) //nolint:gosec // far more rows than fit into memory
				}
			}
			if len(places) > sketchedRows {
				s.sift(parts[w], q, &g, places, k)
			} else {
				s.compare(parts[w], q, places, k)
			}
		})
	}
	group.Wait()
	return parts
}

// compare computes the cosines of all given rows.
func (s *scope) compare(part *scan, q *query, places []int32, k int) {
	for _, place := range places {
		part.note(s.look(part, q, place, k))
	}
	part.count = len(places)
}

// look computes the cosine of a row, and adds the row to the nearest ones if it is among them.
func (s *scope) look(part *scan, q *query, place int32, k int) float64 {
	c := s.cosine(q, int(place))
	if part.takes(c, k) {
		part.offer(s.rows[place].hit(c), k)
	}
	return c
}

// sift compares those of the given rows that may be among the nearest by their sketches, and a sample for the mean and
// the deviation. The errors of estimates are too correlated for these.
func (s *scope) sift(part *scan, q *query, g *guess, places []int32, k int) {
	estimates := make([]float32, len(places))
	variance := 0.0
	var best scan
	for i, place := range places {
		sketch := s.sketch(int(place))
		c := g.cosine(sketch)
		estimates[i] = float32(c)
		variance += g.variance(sketch, c)
		if best.takes(c, k) {
			best.offer(Hit{Cosine: c}, k)
		}
	}
	part.count = len(places)
	random := rand.New(rand.NewPCG(1, uint64(len(places)))) // a fixed seed: the same rows give the same sample
	for range sampledRows {
		part.note(s.cosine(q, int(places[random.IntN(len(places))])))
	}
	if k <= 0 {
		return
	}
	least := float32(best.hits[0].Cosine)
	for i, c := range estimates {
		if c >= least {
			s.look(part, q, places[i], k)
		}
	}
	margin := float32(deviations * math.Sqrt(variance/float64(len(places))))
	for i, c := range estimates {
		if c < least && c+margin > float32(part.hits[0].Cosine) {
			s.look(part, q, places[i], k)
		}
	}
}

func (r *row) hit(cosine float64) Hit {
	return Hit{Key: r.key, Parent: r.parent.Value(), Kind: r.kind, Cosine: cosine}
}

// scan holds the state of a search: the best hits, as a heap with the worst one on top.
type scan struct {
	hits         []Hit
	count        int
	noted        float64 // number of cosines in the sums
	sum, squares float64
}

func (a Hit) compare(b Hit) int { // best first
	if a.Cosine != b.Cosine {
		return cmp.Compare(b.Cosine, a.Cosine)
	}
	return cmp.Compare(a.Key, b.Key)
}

// note adds a cosine to the sums.
func (s *scan) note(cosine float64) {
	s.noted++
	s.sum += cosine
	s.squares += cosine * cosine
}

// takes reports whether a cosine may be among the best k.
func (s *scan) takes(cosine float64, k int) bool {
	return len(s.hits) < k || k > 0 && cosine >= s.hits[0].Cosine
}

func (s *scan) offer(h Hit, k int) {
	switch {
	case len(s.hits) < k:
		s.hits = append(s.hits, h)
		s.up(len(s.hits) - 1)
	case k > 0 && h.compare(s.hits[0]) < 0:
		s.hits[0] = h
		s.down()
	}
}

func (s *scan) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.hits[i].compare(s.hits[parent]) <= 0 {
			return
		}
		s.hits[i], s.hits[parent] = s.hits[parent], s.hits[i]
		i = parent
	}
}

func (s *scan) down() {
	for i := 0; ; {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(s.hits) && s.hits[child].compare(s.hits[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		s.hits[i], s.hits[worst] = s.hits[worst], s.hits[i]
		i = worst
	}
}

func (s *scan) join(other *scan, k int) {
	for _, h := range other.hits {
		s.offer(h, k)
	}
	if other.count > 0 { // scale the sample's sums to all rows
		share := float64(other.count) / other.noted
		s.noted += float64(other.count)
		s.sum += share * other.sum
		s.squares += share * other.squares
	}
	s.count += other.count
}

func (s *scan) result() Result {
	slices.SortFunc(s.hits, Hit.compare)
	r := Result{Hits: s.hits, Count: s.count}
	if s.count > 0 {
		r.Mean = s.sum / s.noted
		r.Deviation = math.Sqrt(max(0, s.squares/s.noted-r.Mean*r.Mean))
	}
	return r
}
