package loader

import "kith/internal/tokens"

// cuts are the parts of a text that can be cut, and how many are cut to keep a budget. The text must not grow with more cuts.
type cuts struct {
	gone, most int
	render     func(gone int) (string, error)
	sizes      map[int]int // o200k tokens of the text with so many cuts
}

func newCuts(most int, render func(gone int) (string, error)) cuts {
	return cuts{most: most, render: render, sizes: map[int]int{}}
}

// fit cuts as little as keeps a budget of o200k tokens, or all.
func (c *cuts) fit(budget int) (err error) {
	c.gone, err = c.within(budget)
	return err
}

// text returns the text that is left.
func (c *cuts) text() (string, error) { return c.render(c.gone) }

// within returns the least cuts with which the text keeps a budget.
func (c *cuts) within(budget int) (int, error) {
	low, high := 0, c.most
	for low < high {
		middle := (low + high) / 2
		size, err := c.size(middle)
		if err != nil {
			return 0, err
		}
		if size <= budget {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}

func (c *cuts) size(gone int) (int, error) {
	if n, ok := c.sizes[gone]; ok {
		return n, nil
	}
	text, err := c.render(gone)
	if err == nil {
		c.sizes[gone], err = tokens.Count(text)
	}
	return c.sizes[gone], err
}

// backAt returns the least budget from low on with which a cut is not made.
func (c *cuts) backAt(cut, low int) (int, error) {
	for high := tokens.Most; low < high; {
		middle := (low + high) / 2
		gone, err := c.within(middle)
		if err != nil {
			return 0, err
		}
		if gone <= cut {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}
