package graph_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
)

// expiry returns when an entity ends, in milliseconds; 0 if it does not.
func (e *env) expiry(key string) int64 {
	e.Helper()
	end, _ := e.Raw(`MATCH (n:Entity {team_id: $team, entity_key: '` + key + `'}) RETURN n.expires_at`)[0][0].(int64)
	return end
}

// A merged node lives at least as long as both did, also after the next write, and an undo gives each its own end.
func TestMergedNodesLiveLonger(t *testing.T) {
	lives := []string{"ephemeral", "ephemeral", "decay", "keep_forever"}
	twice(t, func(r *rapid.T, e *env) {
		e.Now = e.Now.AddDate(1, 0, 0)
		node := func(key string) graph.NodeWrite {
			w := called("entity", key, "Named "+key)
			w.Confidence = graph.Some(rapid.SampledFrom([]float64{0.2, 0.9}).Draw(r, "confidence of "+key))
			w.TTLPolicy = graph.Some(rapid.SampledFrom(lives).Draw(r, "life of "+key))
			w.CreatedAt = graph.Some(e.Now.AddDate(0, 0, -rapid.IntRange(0, 100).Draw(r, "age of "+key)))
			return w
		}
		a, b := node("a"), node("b")
		e.Write("u1", []graph.NodeWrite{a, b})
		ends, before := []int64{e.expiry("a"), e.expiry("b")}, e.content()
		want := max(ends[0], ends[1])
		if min(ends[0], ends[1]) == 0 {
			want = 0
		}
		fresh := want == 0 || want > e.Now.UnixMilli()
		policy := map[bool]string{true: "ephemeral", false: "decay"}[want > 0]
		if a.TTLPolicy.Value == "keep_forever" || b.TTLPolicy.Value == "keep_forever" {
			policy = "keep_forever"
		}
		e.merge("u1", "entity", "a", graph.MergeWrite{Other: "b"})
		for _, when := range []string{"merged", "written", "written with its policy"} {
			n := e.get("u1", "entity", "a")
			e.Same(when, []any{policy, want, fresh, max(a.Confidence.Value, b.Confidence.Value)},
				[]any{n.TTLPolicy, e.expiry("a"), n.State != "archived", n.Confidence})
			if when == "merged" {
				e.restore("u1", "entity", "b")
				e.Same("undone", before, e.content())
				e.merge("u1", "entity", "a", graph.MergeWrite{Other: "b"})
				e.Now = e.Now.Add(time.Minute)
				fresh = want == 0 || want > e.Now.UnixMilli()
			}
			e.Write("u1", []graph.NodeWrite{change("entity", "a", func(w *graph.NodeWrite) {
				if w.Description = graph.Some(when); when == "written" {
					w.TTLPolicy = graph.Some(policy)
				}
			})})
		}
		e.CheckIntegrity()
	})
}
