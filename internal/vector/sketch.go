package vector

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// A sketch is a vector with one bit for each number. It allows most rows of a large scope to be skipped without reading
// them (RaBitQ; Gao and Long, SIGMOD 2024). The vector is rotated at random, which spreads its length evenly over all
// numbers. A bit is the sign of a number. A factor turns the product with the signs into an unbiased estimate of the
// cosine.

// rotation rotates vectors of one dimension, always in the same way: random signs, then a Walsh-Hadamard transform.
type rotation struct {
	size  int // the next power of two, in whole words
	signs []float32
}

func newRotation(dimensions int) *rotation {
	size := 64
	for size < dimensions {
		size *= 2
	}
	r := &rotation{size: size, signs: make([]float32, size)}
	random := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range r.signs {
		r.signs[i] = float32(1 - 2*random.IntN(2))
	}
	return r
}

// turn returns a rotated vector of the same length.
func (r *rotation) turn(vector []float32) []float32 {
	v := make([]float32, r.size)
	scale := float32(1 / math.Sqrt(float64(r.size)))
	for i, x := range vector {
		v[i] = x * r.signs[i] * scale
	}
	for half := 1; half < len(v); half *= 2 {
		for from := 0; from < len(v); from += 2 * half {
			low, high := v[from:from+half], v[from+half:from+2*half]
			for i := range low {
				low[i], high[i] = low[i]+high[i], low[i]-high[i]
			}
		}
	}
	return v
}

// bytes returns the memory of a rotation.
func (r *rotation) bytes() int64 { return 4 * int64(r.size) }

// words returns the size of a sketch in words: the signs, and the factor.
func (r *rotation) words() int { return r.size/64 + 1 }

// sketch writes the sketch of a vector.
func (r *rotation) sketch(to []uint64, vector []float32) {
	clear(to)
	length, absolute, factor := 0.0, 0.0, 0.0
	for i, x := range r.turn(vector) {
		length += float64(x) * float64(x)
		absolute += math.Abs(float64(x))
		if x > 0 {
			to[i/64] |= 1 << (i % 64)
		}
	}
	if absolute > 0 {
		factor = length / absolute
	}
	to[len(to)-1] = math.Float64bits(factor)
}

// guess is a query prepared for sketches: its numbers in four bits each, as planes of one bit.
type guess struct {
	planes    [][4]uint64
	step, low float64 // a number is low plus a multiple of step
	sum       float64 // of all numbers
}

const steps = 15

func (r *rotation) guess(unit []float32) guess {
	turned := r.turn(unit)
	low, high := turned[0], turned[0]
	for _, x := range turned {
		low, high = min(low, x), max(high, x)
	}
	g := guess{planes: make([][4]uint64, r.size/64), low: float64(low), step: float64(high-low) / steps}
	for i, x := range turned {
		n := uint64(0)
		if g.step > 0 {
			n = uint64(math.Round((float64(x) - g.low) / g.step))
		}
		g.sum += g.low + g.step*float64(n)
		for plane := range 4 {
			g.planes[i/64][plane] |= n >> plane & 1 << (i % 64)
		}
	}
	return g
}

// cosine estimates the cosine with the vector of a sketch.
func (g *guess) cosine(sketch []uint64) float64 {
	signs := sketch[:len(g.planes)]
	positive, counts := 0, 0
	for i := range g.planes {
		s, p := signs[i], &g.planes[i]
		positive += bits.OnesCount64(s)
		counts += bits.OnesCount64(s&p[0]) + 2*bits.OnesCount64(s&p[1]) + 4*bits.OnesCount64(s&p[2]) + 8*bits.OnesCount64(s&p[3])
	}
	ofPositive := g.low*float64(positive) + g.step*float64(counts)
	return (2*ofPositive - g.sum) * math.Float64frombits(sketch[len(g.planes)])
}

// variance returns the variance of an estimate's error, over all rotations.
func (g *guess) variance(sketch []uint64, cosine float64) float64 {
	factor := math.Float64frombits(sketch[len(g.planes)])
	size := float64(64 * len(g.planes))
	return max(0, factor*factor*size-1) / (size - 1) * max(0, 1-cosine*cosine)
}
