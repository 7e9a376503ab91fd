package main

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"kith/graph"
)

// typeList has the types of KITH_RELATIONSHIP_TYPES: names with commas between. Earlier versions had a number there, which
// says nothing any more.
type typeList struct {
	names  []string
	number bool
}

// UnmarshalText reads the names. Errors say which is wrong.
func (l *typeList) UnmarshalText(text []byte) error {
	*l = typeList{}
	if _, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		l.number = true
		return nil
	}
	for name := range strings.SplitSeq(string(text), ",") {
		if name = strings.TrimSpace(name); name != "" {
			l.names = append(l.names, name)
		}
	}
	if err := graph.CheckTypes(l.names); err != nil {
		return fmt.Errorf("KITH_RELATIONSHIP_TYPES: %w", err)
	}
	return nil
}

// warn logs that a number is ignored.
func (l *typeList) warn(log *slog.Logger) {
	if l.number {
		log.Warn("KITH_RELATIONSHIP_TYPES is a number, which is ignored: it lists further relationship types now, with commas between; " +
			"each team may use 32 of its own beside them")
	}
}
