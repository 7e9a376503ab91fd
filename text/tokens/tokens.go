// Package tokens counts the tokens of texts, and fits texts into budgets of tokens.
package tokens

import (
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer"
	"github.com/tiktoken-go/tokenizer/codec"
)

// Bounds of a budget.
const (
	Least = 100
	Most  = 100_000
)

// LeastLeftOut renders a text with as few of its parts left out as keep a budget of o200k tokens. The text must not
// grow when more parts are left out. fits is false if it is too long without any part.
func LeastLeftOut(budget, most int, render func(gone int) (string, error)) (text string, gone int, fits bool, err error) {
	low, high := 0, most
	for low < high {
		middle := (low + high) / 2
		if text, err = render(middle); err != nil {
			return "", 0, false, err
		}
		if fits, err = Fits(text, budget); err != nil {
			return "", 0, false, err
		}
		if fits {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if text, err = render(low); err != nil {
		return "", 0, false, err
	}
	fits, err = Fits(text, budget)
	return text, low, fits, err
}

// Fits reports whether a text keeps a budget of o200k tokens.
func Fits(text string, budget int) (bool, error) {
	n, err := Count(text)
	return n <= budget, err
}

// Fitting returns how many of all items a text can have within a budget of o200k tokens. fits is false if the text is too
// long without any item. The numbers that are tried grow from one, so that many items cost no more than the budget.
func Fitting(budget, all int, render func(n int) string) (n int, fits bool, err error) {
	step := 1
	for step < all {
		if fits, err = Fits(render(step), budget); err != nil {
			return 0, false, err
		}
		if !fits {
			break
		}
		step *= 2
	}
	most := min(step, all)
	_, gone, fits, err := LeastLeftOut(budget, most, func(gone int) (string, error) { return render(most - gone), nil })
	return most - gone, fits, err
}

// o200k is loaded at its first use: its vocabulary takes some tens of megabytes.
var o200k = sync.OnceValue(func() tokenizer.Codec { return codec.NewO200kBase() }) //nolint:gochecknoglobals // a constant table

// Count counts the o200k tokens of a text.
func Count(text string) (int, error) {
	n, err := o200k().Count(text)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return n, nil
}

// Each returns the lengths of a text's o200k tokens in bytes, in order.
func Each(text string) ([]int, error) {
	_, parts, err := o200k().Encode(text)
	if err != nil {
		return nil, fmt.Errorf("count tokens: %w", err)
	}
	lengths := make([]int, len(parts))
	for i, part := range parts {
		lengths[i] = len(part)
	}
	return lengths, nil
}
