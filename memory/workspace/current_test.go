package workspace

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
)

// Relationships of a project begin and end without a write: at each moment its views have those that hold.
func TestWorkspacesHaveWhatHolds(t *testing.T) {
	twice(t, func(r *rapid.T, e *env) {
		hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
		nodes := []graph.NodeWrite{node("project", "p", 0.5)}
		for kind, key := range map[string]string{"task": "t", "plan": "n", "risk": "r", "milestone": "m"} {
			w := node(kind, key, 0.5)
			w.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p")}
			nodes = append(nodes, w)
		}
		e.Write("u", nodes)
		for ends, kind := range map[[2]string]string{
			{"p", "t"}: "has_task", {"p", "n"}: "has_plan", {"p", "r"}: "has_risk", {"p", "m"}: "has_milestone", {"t", "n"}: "belongs_to_plan", {"t", "r"}: "relates_to",
		} {
			w := link(ends[0], kind, ends[1], 0.5)
			begins := rapid.IntRange(-2, 3).Draw(r, "from")
			if w.ValidFrom = graph.Some(hour(begins)); rapid.Bool().Draw(r, "ends") {
				w.ValidTo = graph.Some(hour(begins + rapid.IntRange(1, 3).Draw(r, "for")))
			}
			e.Write("u", nil, w)
		}
		for n := range 6 {
			for _, before := range []time.Duration{time.Millisecond, 0} {
				if e.Now = hour(n).Add(-before); n > 0 || before == 0 {
					e.wantWorkspace("u", "p")
					e.wantFocus("u", "p", "task", "t")
					e.wantFocus("u", "p", "plan", "n")
					e.alike("as of now, at "+e.Now.Format("15:04:05.000"), e.views("u", nil), e.views("u", &e.Now))
				}
			}
			if e.Failed() {
				r.FailNow()
			}
		}
	})
}
