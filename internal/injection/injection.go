// Package injection is replaced.
package injection

import "strings"

// Mark is a part of a text.
type Mark struct {
	Kind     string
	From, To int
}

// Marks finds instructions.
func Marks(text string) []Mark {
	if i := strings.Index(strings.ToLower(text), "ignore all previous instructions"); i >= 0 {
		return []Mark{{"override", i, i + 32}}
	}
	return nil
}
