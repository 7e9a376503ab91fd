package loader

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"kith/internal/tokens"
)

// cutLine is a line that can be cut: its block, its place there, and its o200k tokens.
type cutLine struct{ block, place, tokens int }

// render returns the context without the lines that cut names, and with a note on their number.
func (t *textContext) render(cut []cutLine) string {
	gone := make([]map[int]bool, len(t.blocks))
	for _, c := range cut {
		if gone[c.block] == nil {
			gone[c.block] = map[int]bool{}
		}
		gone[c.block][c.place] = true
	}
	var out strings.Builder
	out.WriteString(t.title + "\n\n")
	if t.owner != "" {
		out.WriteString(t.owner + "\n\n")
	}
	for i, b := range t.blocks {
		if len(gone[i]) == len(b.lines) {
			continue
		}
		out.WriteString("## " + b.heading + "\n\n")
		for place, line := range b.lines {
			if !gone[i][place] {
				out.WriteString(item(line))
			}
		}
		out.WriteString("\n")
	}
	for _, note := range t.notes {
		out.WriteString(note + "\n\n")
	}
	if len(cut) > 0 {
		out.WriteString(t.cutNote(gone) + "\n\n")
	}
	return out.String()
}

// item returns a line as an item of a list.
func item(line string) string { return "- " + line + "\n" }

// cutNote says how many lines of each block are cut.
func (t *textContext) cutNote(gone []map[int]bool) string {
	var parts []string
	for i, b := range t.blocks {
		switch n := len(gone[i]); n {
		case 0:
		case 1:
			parts = append(parts, "1 "+b.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, b.all))
		}
	}
	return "_Left out to keep the token budget: " + strings.Join(parts, ", ") + "._"
}

// fitBudget cuts the lines of the least worth until the text keeps the budget, and shortens the owner as a last resort.
func (t *textContext) fitBudget(budget int) ([]byte, error) {
	order, err := t.cutOrder()
	if err != nil {
		return nil, err
	}
	render := func(gone int) (string, error) { return t.render(order[:gone]), nil }
	text, gone, fits, err := tokens.LeastLeftOut(budget, len(order), render)
	for err == nil && !fits {
		if gone < len(order) {
			gone++
		} else if !t.shorten() {
			break
		}
		text, _ = render(gone)
		fits, err = tokens.Fits(text, budget)
	}
	return []byte(text), err
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

// cutOrder returns all lines, the first to cut first: by worth for their tokens, notes before all others. The first line of a block
// is cut after the second ones. Of equal lines the less important block's is cut first.
func (t *textContext) cutOrder() ([]cutLine, error) {
	var order []cutLine
	for b := range t.blocks {
		for place, line := range t.blocks[b].lines {
			n, err := tokens.Count(item(line))
			if err != nil {
				return nil, err
			}
			order = append(order, cutLine{b, place, n})
		}
	}
	extra := func(c cutLine) int { return map[bool]int{true: 1}[t.blocks[c.block].extra] }
	slices.SortStableFunc(order, func(a, b cutLine) int {
		return cmp.Or(cmp.Compare(extra(b), extra(a)), cmp.Compare(t.cost(b), t.cost(a)), cmp.Compare(b.block, a.block))
	})
	return order, nil
}

// cost returns what a line costs for its worth, to compare lines. The n-th further line of a block is worth its weight / n: each says
// less than the one before. A long line says more than a short one, but not as much more as it is longer, so the tokens count by their
// square root: of the exponents 0, ½ and 1, it covered most of later questions in contexts of 500 to 2,000 tokens together.
func (t *textContext) cost(c cutLine) float64 {
	return float64(c.place) / float64(t.blocks[c.block].weight) * math.Sqrt(float64(c.tokens))
}
