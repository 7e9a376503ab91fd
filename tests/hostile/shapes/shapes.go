// Package shapes is for tests: texts of any length that repeat a piece, and a check that the work of a reader grows no faster than its
// text.
package shapes

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
)

// Shape is a text of any length: a piece again and again, after a beginning and before an end.
type Shape struct{ Begin, Piece, End string }

// Text returns the shape as a text of about n bytes.
func (s Shape) Text(n int) string {
	return s.Begin + strings.Repeat(s.Piece, n/len(s.Piece)) + s.End
}

func (s Shape) String() string {
	return fmt.Sprintf("%q, then %q repeated, then %q", s.Begin, s.Piece, s.End)
}

// All returns shapes of signs: each sign before each end, and some of up to four signs that a seed draws.
func All(signs, ends []string, seed uint64, drawn int) iter.Seq[Shape] {
	return func(yield func(Shape) bool) {
		for _, sign := range signs {
			for _, end := range ends {
				if !yield(Shape{Piece: sign, End: end}) {
					return
				}
			}
		}
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // of tests
		some := func(most int) string {
			var b strings.Builder
			for range r.IntN(most + 1) {
				b.WriteString(signs[r.IntN(len(signs))])
			}
			return b.String()
		}
		for range drawn {
			s := Shape{Begin: some(2), Piece: signs[r.IntN(len(signs))] + some(3), End: some(1) + ends[r.IntN(len(ends))]}
			if !yield(s) {
				return
			}
		}
	}
}

// spare is the memory that a reader may allocate whatever the text is, in bytes.
const spare = 4 << 20

// Fault returns what is wrong with the work for a shape: a text of twice the length may take 2.5 times the steps, as read counts them,
// and 2.5 times the memory, which shows copies that nobody counts. It is empty if nothing is wrong. The text must be longer than all that
// has a bound, such as a sentence. Nothing else may run: the memory is that of the process.
func (s Shape) Fault(length int, read func(text string) (steps int)) string {
	once, bytes := work(s.Text(length), read)
	twice, more := work(s.Text(2*length), read)
	if once > 0 && 2*twice <= 5*once && 2*more <= 5*bytes+spare {
		return ""
	}
	return fmt.Sprintf("%v: %d bytes take %d steps and allocate %d bytes, twice as many %d and %d", s, length, once, bytes, twice, more)
}

func work(text string, read func(text string) int) (steps, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := read(text)
	runtime.ReadMemStats(&after)
	return uint64(max(n, 0)), after.TotalAlloc - before.TotalAlloc //nolint:gosec // not below zero
}
