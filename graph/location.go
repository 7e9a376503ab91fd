package graph

import (
	"strconv"
	"strings"
)

// index returns the location of a list's item: nodes[3].
func index(location string, i int) string { return location + "[" + strconv.Itoa(i) + "]" }

// list joins the allowed words of an error message.
func list(words []string) string { return strings.Join(words, ", ") }
