// Package vector finds nearest neighbors among vectors in memory, by scope. In a small scope it compares all vectors,
// in a large one those preselected by an estimate of known error. It knows nothing of the graph, Neo4j or HTTP: scopes
// and keys are strings, a kind is a number, and the caller adds the rows.
//
// Vectors stay in their stored form: 16 bits a number, half of a float32. Cosines have an error of about 1e-5, which is
// less than the difference between two models, or two runs of one model. Treat vectors closer to each other than that
// as ties.
package vector

import (
	"encoding/binary"
	"errors"
	"math"
)

var (
	// ErrDimensions reports that a vector has another length than the others, or was not written by Encode.
	ErrDimensions = errors.New("a vector has the wrong dimensions")
	// ErrFull reports that one scope alone exceeds the limit. Nothing of it is kept.
	ErrFull = errors.New("the vectors of one scope need more memory than there is for all")
	// ErrNotLoaded reports that the scope was never added, or has been dropped. Add its rows again.
	ErrNotLoaded = errors.New("the vectors of the scope are not in memory")
)

// An encoded vector is a scale, four bytes of a float32, then each number divided by the scale: two bytes, 0x8000 for
// 0. All values are little-endian.
const (
	head    = 4
	zero    = 0x8000
	largest = 0x7fff // largest magnitude of a number divided by the scale
)

// Encode returns the stored form of a vector. All its numbers must be finite.
func Encode(unit []float32) []byte {
	scale := peak(unit) / largest
	b := make([]byte, head+2*len(unit))
	binary.LittleEndian.PutUint32(b, math.Float32bits(scale))
	for i, x := range unit {
		binary.LittleEndian.PutUint16(b[head+2*i:], uint16(zero+int(math.Round(float64(x/scale)))))
	}
	return b
}

// Decode returns the vector in its stored form b, or ErrDimensions if Encode did not write it.
func Decode(b []byte) ([]float32, error) {
	dimensions, ok := dimensionsOf(b)
	if !ok {
		return nil, ErrDimensions
	}
	scale, unit := scaleOf(b), make([]float32, dimensions)
	for i := range unit {
		unit[i] = scale * float32(int(binary.LittleEndian.Uint16(b[head+2*i:]))-zero)
	}
	return unit, nil
}

// peak returns the largest magnitude of a vector's numbers. It returns 1 if all are next to nothing, which no unit
// vector has: float32 has too few digits there for a scale.
func peak(vector []float32) float32 {
	var top float32
	for _, x := range vector {
		top = max(top, x, -x)
	}
	if top < 1e-30 {
		return 1
	}
	return top
}

func dimensionsOf(b []byte) (int, bool) {
	if len(b) <= head || len(b)%2 != 0 {
		return 0, false
	}
	scale := float64(scaleOf(b))
	return (len(b) - head) / 2, scale > 0 && !math.IsInf(scale, 0)
}

func scaleOf(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// query is a vector prepared for comparisons: two non-negative numbers of 15 bits in each word. One multiplication of a
// word with two numbers of a row gives the sum of both products in its upper half. That is as fast as float32, with
// half the memory to read (BenchmarkKernel).
type query struct {
	words  []uint64
	sum    int64 // of the numbers
	scale  float64
	length int // numbers of the vector
}

const (
	middle = 0x4000 // stands for 0 in a query
	// stride is the number of values that the loop reads at once; rows and queries are padded with zero bytes.
	stride = 8
	pairs  = 0x0000ffff_0000ffff
)

// padded returns the bytes of a row's numbers.
func padded(dimensions int) int { return (dimensions + stride - 1) / stride * stride * 2 }

func newQuery(vector []float32) query {
	numbers := make([]uint64, padded(len(vector))/2)
	q := query{words: make([]uint64, len(numbers)/2), length: len(vector)}
	top := peak(vector)
	q.scale = float64(top) / (middle - 1)
	for i, x := range vector {
		numbers[i] = uint64(middle + int(math.Round(float64(x/top)*(middle-1))))
		q.sum += int64(numbers[i])
	}
	for i := 0; i < len(numbers); i += 4 { // in row order: the first and third of four are in the lower halves
		q.words[i/2] = numbers[i+2] | numbers[i]<<32
		q.words[i/2+1] = numbers[i+3] | numbers[i+1]<<32
	}
	return q
}

// cosine compares with a row: its numbers, their sum and their scale. Both vectors have length 1, so that the cosine is
// their product.
func (q *query) cosine(row []byte, sum int64, scale float32) float64 {
	product := int64(products(q.words, row)) - zero*q.sum - middle*sum + int64(q.length)*zero*middle
	return float64(product) * q.scale * float64(scale)
}

// products returns the sum of all products of the non-negative encoded numbers. The unused lower half of each
// multiplication never overflows into the upper one.
func products(words []uint64, row []byte) uint64 {
	var a, b uint64
	for i := 0; i+4 <= len(words); i += 4 {
		w, r := words[i:i+4:i+4], row[4*i:4*i+16:4*i+16]
		x, y := binary.LittleEndian.Uint64(r), binary.LittleEndian.Uint64(r[8:])
		a += (x & pairs) * w[0] >> 32
		b += (x >> 16 & pairs) * w[1] >> 32
		a += (y & pairs) * w[2] >> 32
		b += (y >> 16 & pairs) * w[3] >> 32
	}
	return a + b
}
