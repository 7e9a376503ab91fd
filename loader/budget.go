package loader

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// line is a line that can be cut: its block, its place there, and its o200k tokens.
type line struct{ block, place, tokens int }

// fitted says which lines of a text are cut to keep a budget: the first of order. sizes are the o200k tokens of the text without the
// first 0, 1, 2 … of them, up to those that are cut.
type fitted struct {
	order []line
	cut   int
	sizes []int
	sizer *sizer // nil: nothing was measured
}

// fitBudget cuts the lines of the least worth until the text keeps the budget, and shortens the owner as a last resort.
func (t *textContext) fitBudget(budget int) (fitted, error) {
	s := &sizer{text: t}
	f := fitted{order: s.measure(), sizer: s}
	for f.sizes = []int{s.size()}; f.sizes[f.cut] > budget && f.cut < len(f.order); f.cut++ {
		s.cut(f.order[f.cut])
		f.sizes = append(f.sizes, s.size())
	}
	for f.sizes[f.cut] > budget && s.err == nil && t.shorten() {
		s.opening = s.count(t.opening())
		f.sizes[f.cut] = s.size()
	}
	return f, s.err
}

// shorten halves the texts that are never cut; false if nothing is left to halve.
func (t *textContext) shorten() bool {
	longest := &t.owner
	if len(t.title) > len(t.owner) {
		longest = &t.title
	}
	runes := []rune(*longest)
	if len(runes) < 8 {
		return false
	}
	*longest = string(runes[:len(runes)/2]) + "…"
	return true
}

// sizer computes the tokens of a text while lines are cut from it. No token of o200k continues after a line break before an item, a
// heading or a note, so the tokens of such parts add up. It keeps the first error.
type sizer struct {
	text    *textContext
	blocks  []blockSize
	opening int // tokens
	notes   int
	cutNote int // without the numbers of lines
	err     error
}

// blockSize is the size of a block's lines that are left, in tokens.
type blockSize struct {
	lines    []int // tokens of each line; 0: it is cut
	left     int   // number of lines
	heading  int
	sum      int
	last     int // place of the last line that is left
	lastSize int // its tokens with the empty line after it
	note     int // tokens of the number of its cut lines in the note on them
}

func (s *sizer) count(text string) int {
	n, err := s.text.count(text)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n
}

// measure counts the parts of the text, and returns its lines, the first to cut first: by worth for their tokens, notes before all
// others. Of equal lines the less important block's is cut first.
func (s *sizer) measure() []line {
	var order []line
	for b := range s.text.blocks {
		block := &s.text.blocks[b]
		size := blockSize{heading: s.count(heading(block.heading)), lines: make([]int, len(block.lines)), left: len(block.lines), last: len(block.lines)}
		for place, text := range block.lines {
			n := s.count(item(text))
			size.lines[place] = n
			size.sum += n
			order = append(order, line{b, place, n})
		}
		s.blocks = append(s.blocks, size)
		s.findLast(b)
	}
	s.opening, s.cutNote = s.count(s.text.opening()), s.count(cutNote(nil))
	for _, note := range s.text.notes {
		s.notes += s.count(note + "\n\n")
	}
	extra := func(l line) int { return map[bool]int{true: 1}[s.text.blocks[l.block].extra] }
	slices.SortStableFunc(order, func(a, b line) int {
		return cmp.Or(cmp.Compare(extra(b), extra(a)), cmp.Compare(s.text.cost(b), s.text.cost(a)), cmp.Compare(b.block, a.block))
	})
	return order
}

// cost returns what a line costs for its worth, to compare lines. The n-th further line of a block is worth its weight / n: each says
// less than the one before. A long line says more than a short one, but not as much more as it is longer, so the tokens count by their
// square root: of the exponents 0, ½ and 1, it covered most of later questions in contexts of 500 to 2,000 tokens together.
func (t *textContext) cost(l line) float64 {
	return float64(l.place) / float64(t.blocks[l.block].weight) * math.Sqrt(float64(l.tokens))
}

// cut removes a line.
func (s *sizer) cut(l line) {
	b := &s.blocks[l.block]
	b.lines[l.place] = 0
	b.sum -= l.tokens
	b.left--
	b.note = s.count(" " + s.text.blocks[l.block].counted(len(b.lines)-b.left))
	if l.place == b.last {
		s.findLast(l.block)
	}
}

// findLast finds the last line of a block that is left, at or before the one known.
func (s *sizer) findLast(block int) {
	b := &s.blocks[block]
	for b.last--; b.last >= 0 && b.lines[b.last] == 0; b.last-- {
	}
	if b.last >= 0 {
		b.lastSize = s.count(item(s.text.blocks[block].lines[b.last]) + "\n")
	}
}

// size returns the tokens of the text without the lines that were cut.
func (s *sizer) size() int {
	n, parts := s.opening+s.notes, 0
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.left > 0 {
			n += b.heading + b.sum - b.lines[b.last] + b.lastSize
		}
		if b.left < len(b.lines) {
			n += b.note
			parts++
		}
	}
	if parts > 0 {
		n += s.cutNote + parts - 1 // commas
	}
	return n
}

// counted says how many lines of the block are meant.
func (b *block) counted(n int) string {
	if n == 1 {
		return "1 " + b.one
	}
	return fmt.Sprintf("%d %s", n, b.all)
}
