package graph

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A record is archived at the time that is foretold, and not a second before.
func TestArchivesAt(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		v := vitality{
			salience: rapid.Float64Range(0, 1).Draw(t, "salience"), at: begin,
			rate: rapid.SampledFrom([]float64{0, 0.0001, 0.004, 0.02, 0.06}).Draw(t, "rate"), state: "active",
		}
		if rapid.Bool().Draw(t, "ephemeral") {
			ends := begin.Add(semanticLife)
			v.expires = &ends
		}
		end := v.archivesAt()
		if end == nil {
			if late := begin.Add(farDays * day); v.stateAt(late) != "active" {
				t.Fatalf("never foretold, and archived")
			}
			return
		}
		if before := end.Add(-time.Second); before.After(begin) && v.stateAt(before) != "active" || v.stateAt(end.Add(time.Second)) != "archived" {
			t.Fatalf("foretold %v: %s a second before, %s a second after", end, v.stateAt(before), v.stateAt(end.Add(time.Second)))
		}
	})
}
