package command

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"kith/graph"
)

// typeList holds the types of KITH_RELATIONSHIP_TYPES, a comma-separated list of names. The setting was a number in earlier
// versions; a number is ignored.
type typeList struct {
	names  []string
	number bool
}

// UnmarshalText parses the names. Its error names the invalid one.
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
		log.Warn("KITH_RELATIONSHIP_TYPES is a number and is ignored: it is now a comma-separated list of additional relationship types; " +
			"each team may also use 32 types of its own")
	}
}
