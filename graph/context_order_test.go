package graph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// tied is a relationship of the owner with a node, both as they were written.
type tied struct {
	key, relationship  string
	salience, node     float64
	written            time.Time
	decays, nodeDecays bool
}

func decayed(salience float64, written, now time.Time, decays bool) float64 {
	v := vitality{salience: salience, at: written}
	if decays {
		v.rate = baseDecay
	}
	return v.current(now)
}

// Where many relationships tie, at whatever place of whatever index, those are told that a plain sort puts first: by the
// salience of the moment, the node's, and its key.
func TestTiedRelationshipsAreToldInOrder(t *testing.T) {
	e := fresh(t)
	types := []string{"has_relationship_with", "thinks_about", "relates_to", "involves", "associated_with", "engages_with", "connected_to"}
	for round := range 12 {
		user := fmt.Sprint("u", round)
		random := rand.New(rand.NewPCG(7, uint64(round))) //nolint:gosec // the same each time
		choose := func(of ...float64) float64 { return of[random.IntN(len(of))] }
		e.now = noon
		e.write(user, []NodeWrite{owner1("me-" + user)})
		var all []tied
		for i := range 40 {
			link := tied{
				key: fmt.Sprintf("%s-%02d", user, random.IntN(1000)*100+i), salience: choose(0.5, 0.5, 0.5, 0.5, 0.6, 0.9), node: choose(0.5, 0.5, 0.7, 0.9),
				written: noon.Add(time.Duration(i%4) * 10 * day), relationship: types[random.IntN(1+round%len(types))],
				decays: random.IntN(4) == 0, nodeDecays: random.IntN(2) == 0,
			}
			all = append(all, link)
		}
		for i, l := range slices.SortedFunc(slices.Values(all), func(a, b tied) int { return a.written.Compare(b.written) }) {
			e.now = l.written
			n := node("concept", l.key, l.node)
			if !l.nodeDecays {
				n.TTLPolicy = Some("keep_forever")
			}
			w := link("me-"+user, l.relationship, l.key, l.salience)
			if l.decays {
				w.State = Some("active")
			}
			if i%2 == 0 {
				w.From, w.To = w.To, w.From
			}
			e.write(user, []NodeWrite{n}, w)
		}
		for _, days := range []int{30, 31, 60} {
			e.now = noon.Add(time.Duration(days) * day)
			want := slices.Clone(all)
			slices.SortFunc(want, func(a, b tied) int {
				return cmp.Or(
					cmp.Compare(decayed(b.salience, b.written, e.now, b.decays), decayed(a.salience, a.written, e.now, a.decays)),
					cmp.Compare(decayed(b.node, b.written, e.now, b.nodeDecays), decayed(a.node, a.written, e.now, a.nodeDecays)),
					cmp.Compare(b.key, a.key),
				)
			})
			var keys []string
			for _, l := range want[:10] {
				keys = append(keys, l.key)
			}
			e.same(fmt.Sprintf("round %d, after %d days", round, days), keys, linkedKeys(e.sections(user).Relationships))
		}
	}
}

// A goal that ties with the fifth is told by its key, however many are before it among those of its state.
func TestTiedGoalsAreToldInOrder(t *testing.T) {
	e := fresh(t)
	stays := func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") }
	keys := []string{"fades", "z", "y", "x", "w", "v", "a"}
	var nodes, seen []NodeWrite
	e.now = noon.Add(60 * day)
	for _, key := range keys {
		nodes = append(nodes, node("concept", key, 0.5, stays, func(w *NodeWrite) { w.IsGoal = Some(true) }))
		seen = append(seen, change("concept", key, accessed(e.now)))
	}
	nodes[0].Salience, nodes[0].TTLPolicy, nodes[6].State = Some(0.9), Some("decay"), Some("core")
	e.now = noon
	e.write("u1", nodes)
	e.now = noon.Add(60 * day)
	e.write("u1", seen)
	e.same("goals", []string{"z", "y", "x", "w", "v"}, keysOf(e.sections("u1").PrimaryGoals))
}

// What ties in the focus goes by the salience of the other node at the moment, and by the relationship's key.
func TestTiedLinksOfAFocusAreToldInOrder(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "f", 0.5), node("concept", "a", 0.5, func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") }), node("concept", "b", 0.6)},
		link("f", "relates_to", "a", 0.5), link("f", "relates_to", "b", 0.5), link("b", "relates_to", "f", 0.5))
	e.now = noon.Add(60 * day)
	focus := &Sections{}
	if err := e.store.ReadSection(t.Context(), e.as("u1"), FocusSection, SectionQuery{Now: e.now, FocusKey: "f", FocusKind: conceptKind}, focus); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, l := range focus.Focus.Links {
		told = append(told, l.EntityKey+" "+l.Direction)
	}
	e.same("links", []string{"a outgoing", "b incoming", "b outgoing"}, told)
}
