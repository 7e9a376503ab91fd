package loader

import (
	"fmt"
	"strings"
	"time"

	"kith/graph"
	"kith/text/markup"
)

// VersionsText returns versions of a node or relationship as text, a line for each, in their order.
func VersionsText(versions []graph.Version) string {
	var t strings.Builder
	for i := range versions {
		t.WriteString("- " + versionLine(&versions[i]) + "\n")
	}
	return t.String()
}

func versionLine(v *graph.Version) string {
	line := fmt.Sprintf("version %d", v.Version)
	if v.From != nil {
		line += ", " + v.From.Format(time.DateOnly)
	}
	if v.Deleted {
		line += ", deleted"
		if v.Until != nil {
			line += " " + v.Until.Format(time.DateOnly)
		}
	}
	changes := make([]string, len(v.Changes))
	for i, c := range v.Changes {
		changes[i] = markup.Inline(c.Field) + " " + wasAndIs(c)
	}
	if len(changes) > 0 {
		line += ": " + v.Told.Line(strings.Join(changes, "; "))
	}
	return line + origin(&graph.NodeChange{Through: v.Through})
}
