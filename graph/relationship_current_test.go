package graph_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/tests/graphtest"
)

// Relationships begin and end in the past and the future. At every moment the answers of the present are those as of
// that moment, and those of a plain model, also without any write or maintenance between.
func TestTheCurrentRelationshipsAreThoseThatHold(t *testing.T) {
	graphtest.Twice(t, func(r *rapid.T, given *graphtest.Env) {
		e := &env{given}
		keys := []string{"a", "b", "c"}
		nodes := []graph.NodeWrite{owner1("me")}
		for _, key := range keys {
			nodes = append(nodes, node("concept", key, 0.5))
		}
		e.Write("u1", nodes)
		step := rapid.IntRange(-4, 4)
		for i := range rapid.IntRange(1, 10).Draw(r, "writes") {
			w := link("me", rapid.SampledFrom([]string{"thinks_about", "relates_to"}).Draw(r, "type"), rapid.SampledFrom(keys).Draw(r, "to"), float64(i+1)/20)
			if begins := step.Draw(r, "from"); begins > -4 {
				w.ValidFrom = graph.Some(noon.Add(time.Duration(begins) * time.Hour))
			}
			if ends := step.Draw(r, "end"); ends < 3 {
				w.ValidTo = graph.Some(noon.Add(time.Duration(ends)*time.Hour + time.Minute))
			}
			w.Contradicts = rapid.IntRange(0, 4).Draw(r, "contradicts") == 0
			if w.ValidFrom.Given && w.ValidTo.Given && !w.ValidTo.Value.After(w.ValidFrom.Value) {
				continue
			}
			if _, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{w}}); err != nil {
				r.Fatal(err)
			}
		}
		maintained := rapid.IntRange(-1, 4).Draw(r, "maintained")
		for hour := range 5 {
			past := rapid.SampledFrom([]time.Duration{0, time.Minute - time.Millisecond, time.Minute}).Draw(r, "past")
			e.Now = noon.Add(time.Duration(hour)*time.Hour + past)
			e.checkCurrent(r)
			if hour == maintained {
				if _, _, err := graph.NewMaintenance(e.Store, graph.MaintenanceOptions{}).BatchForTest(t.Context(), e.Team, ""); err != nil {
					r.Fatal(err)
				}
				e.checkCurrent(r)
			}
		}
		e.CheckIntegrity()
	})
}

// checkCurrent compares what holds now in the answers with what the stored times say.
func (e *env) checkCurrent(r *rapid.T) {
	page, err := e.Store.Relationships(e.Context(), e.As("u1"), graph.RelationshipList{Kind: graph.PersonKind, Key: "me", Past: true, Limit: 100})
	if err != nil {
		r.Fatal(err)
	}
	want, strongest, triples := []string{}, map[string]float64{}, map[string]string{}
	for _, v := range page.Relationships {
		if v.ValidFrom != nil && v.ValidFrom.After(e.Now) || v.ValidTo != nil && !v.ValidTo.After(e.Now) {
			continue
		}
		want = append(want, v.Key)
		strongest[v.To] = max(strongest[v.To], v.Salience)
		if other := triples[v.Type+v.To]; other != "" {
			r.Fatalf("two hold at %s: %s and %s", e.Now, other, v.Key)
		}
		triples[v.Type+v.To] = v.Key
	}
	slices.Sort(want)
	for name, asOf := range map[string]*time.Time{"now": nil, "as of now": &e.Now} {
		if got := e.linked("u1", "person", "me", asOf); !slices.Equal(got, want) {
			r.Fatalf("%s, at %s: %v, want %v", name, e.Now, got, want)
		}
		got := map[string]float64{}
		for _, c := range e.sectionsAsOf("u1", asOf).Relationships {
			if c.RelationshipType != "" {
				got[c.Node.EntityKey] = graph.RoundSalience(c.Salience)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(strongest) {
			r.Fatalf("context %s, at %s: %v, want %v", name, e.Now, got, strongest)
		}
	}
}
