package graph_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/tests/graphtest"
)

// Whichever former versions are kept, no answer as of a time has what was written later: it is the version of the time, an earlier one or
// without texts, and says so.
func TestNoAnswerOfThePastIsNewer(t *testing.T) {
	graphtest.Twice(t, func(r *rapid.T, given *graphtest.Env) {
		e := &env{given}
		text := func(i int) graph.Optional[string] { return graph.Some(fmt.Sprint("text ", i)) }
		write := func(i int) {
			n, l := node("concept", "a", 0.5), link("a", "relates_to", "b", 0.5)
			n.Description, l.Description, l.ValidFrom = text(i), text(i), graph.Some(noon.Add(-graph.Day))
			e.Write("u1", []graph.NodeWrite{n, node("concept", "b", 0.5)}, l)
		}
		many := rapid.IntRange(2, 6).Draw(r, "versions")
		for i := range many {
			e.Now = noon.Add(time.Duration(i) * time.Hour)
			write(i)
		}
		e.Now = noon.Add(time.Duration(many) * time.Hour)
		dropped := map[string]bool{}
		for _, row := range e.Raw(`MATCH (f:Former {team_id: $team}) WITH f ORDER BY f.former_kind, f.version RETURN f.former_of, f.version`) {
			if rapid.Bool().Draw(r, "dropped") {
				dropped[fmt.Sprint(row[0])] = true
				e.Raw(fmt.Sprintf(`MATCH (f:Former {team_id: $team, former_of: '%s', version: %d}) DELETE f RETURN 1`, row[0], row[1]))
			}
		}
		for i := range many {
			at := noon.Add(time.Duration(i)*time.Hour + time.Minute)
			n, err := e.Store.Node(t.Context(), e.As("u1"), graph.ConceptKind, "a", graph.NodeQuery{AsOf: &at, Relationships: 10})
			if err != nil {
				r.Fatal(err)
			}
			e.checkKept(r, i, n.Description, n.Compacted, dropped["a"])
			if n.UpdatedAt.After(at) {
				r.Fatalf("as of %s: updated at %s", at, n.UpdatedAt)
			}
			if len(n.Relationships) != 1 {
				r.Fatalf("as of %s: %d relationships", at, len(n.Relationships))
			}
			l := n.Relationships[0]
			e.checkKept(r, i, l.Description, l.Compacted, dropped[l.Key])
		}
	})
}

// checkKept checks a text of the hour i.
func (e *env) checkKept(r *rapid.T, i int, text string, compacted, dropped bool) {
	written := -1
	if text != "" {
		if _, err := fmt.Sscanf(text, "text %d", &written); err != nil {
			r.Fatal(err)
		}
	}
	if written > i || written < i && !compacted || compacted && !dropped {
		r.Fatalf("as of hour %d: %q, compacted %v", i, text, compacted)
	}
}
