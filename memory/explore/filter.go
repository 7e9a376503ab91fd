package explore

import (
	"slices"
	"strings"

	"kith/graph"
	"kith/graph/searchscope"
)

// kindFilter returns a clause that matches nodes of the given kinds among those in memory_words; none means all. It
// lists these kinds or the others, whichever are fewer, because every name costs time.
func kindFilter(kinds []graph.Kind) string {
	var given, others []string
	for _, k := range graph.Kinds {
		switch {
		case k == graph.SourceKind || k == graph.MessageKind: // they have their own indexes
		case slices.Contains(kinds, k):
			given = append(given, searchscope.Kind(k.Name))
		default:
			others = append(others, searchscope.Kind(k.Name))
		}
	}
	switch {
	case len(kinds) == 0 || len(others) == 0:
		return ""
	case len(others) < len(given):
		return " -search_scope:(" + strings.Join(others, " ") + ")"
	case len(given) == 0:
		return " +search_scope:nothing"
	}
	return " +search_scope:(" + strings.Join(given, " ") + ")^0"
}

// namespaceFilter returns a clause that matches the items of a namespace and those within it; none means all nodes.
func namespaceFilter(namespace []string) string {
	if len(namespace) == 0 {
		return ""
	}
	return " +search_scope:" + searchscope.Namespace(namespace) + "^0"
}

// typeFilter returns a clause that matches relationships of the given types; none means all.
func typeFilter(types []string) string {
	if len(types) == 0 {
		return ""
	}
	tokens := make([]string, len(types))
	for i, t := range types {
		tokens[i] = searchscope.Type(t)
	}
	return " +search_scope:(" + strings.Join(tokens, " ") + ")^0"
}
