package ontology

import (
	"sort"

	"kith/text/tokens"
)

// cuts are the parts of a text that can be cut, and how many are cut to keep a budget. The text must not grow with more cuts.
type cuts struct {
	gone, most int
	render     func(gone int) (string, error)
	sizes      map[int]int // o200k tokens of the text with so many cuts
	err        error       // the first
}

func newCuts(most int, render func(gone int) (string, error)) cuts {
	return cuts{most: most, render: render, sizes: map[int]int{}}
}

// fit cuts as little as keeps a budget of o200k tokens, or all.
func (c *cuts) fit(budget int) error {
	c.gone = c.within(budget)
	return c.err
}

// text returns the text that is left.
func (c *cuts) text() (string, error) { return c.render(c.gone) }

// within returns the least cuts with which the text keeps a budget.
func (c *cuts) within(budget int) int {
	return sort.Search(c.most, func(gone int) bool { return c.size(gone) <= budget })
}

func (c *cuts) size(gone int) int {
	if n, ok := c.sizes[gone]; ok || c.err != nil {
		return n
	}
	text, err := c.render(gone)
	if err == nil {
		c.sizes[gone], err = tokens.Count(text)
	}
	c.err = err
	return c.sizes[gone]
}

// backAt returns the least budget with which a cut is not made.
func (c *cuts) backAt(cut int) int {
	return tokens.Least + sort.Search(tokens.Most-tokens.Least, func(more int) bool { return c.within(tokens.Least+more) <= cut })
}
