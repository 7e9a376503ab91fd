package traverse

import (
	"errors"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// walks are requests of each mode around ada and sea.
func walks() []Request {
	return []Request{
		{Mode: Neighbors, EntityKey: "ada", MaxHops: 3, Direction: both},
		{Mode: Neighbors, EntityKey: "ada", Kinds: []string{"person"}, MaxHops: 2},
		{Mode: Neighbors, EntityKey: "ada", RelationshipTypes: []string{"thinks_about"}, MaxHops: 2},
		{Mode: Path, From: "ada", To: "sea"},
		{Mode: Path, From: "ada", To: "sea", Direction: outbound, Limit: 5, Verbose: true},
		{Mode: PPR, SeedNodes: []string{"ada"}},
	}
}

// answers returns the answers of all walks as JSON, or their errors.
func (e *env) answers(t *testing.T, user string, at *time.Time) []string {
	t.Helper()
	var all []string
	for _, r := range walks() {
		if at != nil {
			r.AsOf = graph.Some(*at)
		}
		result, _, err := New(e.walkStore, func(Mode, Outcome) {}).Traverse(t.Context(), e.As(user), &r)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			all = append(all, "not found")
		case err != nil:
			t.Fatalf("%+v: %v", r, err)
		default:
			all = append(all, asJSON(t, result))
		}
	}
	return all
}

// TestWalksOfThePast changes a memory step by step, and compares what walks answer of each step with what they answered then.
func TestWalksOfThePast(t *testing.T) {
	e := fresh(t)
	lasting := func(kind, key, text string) graph.NodeWrite {
		n := node(kind, key, 0.5)
		n.Description, n.TTLPolicy = graph.Some(text), graph.Some("keep_forever")
		return n
	}
	why := func(r graph.RelationshipWrite, text string) graph.RelationshipWrite {
		r.Description = graph.Some(text)
		return r
	}
	steps := []func(){
		func() {
			e.Write("u", []graph.NodeWrite{lasting("person", "ada", "a sailor"), lasting("concept", "boat", "of wood"), lasting("concept", "sea", "cold")},
				why(link("ada", "thinks_about", "boat", 0.5), "wants one"), why(link("boat", "relates_to", "sea", 0.5), "lies in it"))
		},
		func() { e.Write("u", []graph.NodeWrite{lasting("concept", "boat", "of steel")}) },
		func() { e.Write("u", nil, why(link("ada", "thinks_about", "boat", 0.9), "has one")) },
		func() {
			e.Write("u", []graph.NodeWrite{lasting("person", "bob", "her brother")}, link("ada", "has_relationship_with", "bob", 0.7), link("bob", "thinks_about", "sea", 0.7))
		},
		func() { e.Remove("u", "concept", "boat") },
		func() {
			if _, err := e.Store.RestoreNode(t.Context(), e.As("u"), graph.ConceptKind, "boat"); err != nil {
				t.Fatal(err)
			}
		},
		func() { e.Write("u", nil, closed("boat", "relates_to", "sea", e.Now)) },
		func() { e.Remove("u", "person", "bob") },
		func() { e.Remove("u", "concept", "sea") },
	}
	type moment struct {
		at   time.Time
		said []string
	}
	var moments []moment
	for _, step := range steps {
		e.Now = e.Now.Add(time.Millisecond)
		step()
		moments = append(moments, moment{e.Now, e.answers(t, "u", nil)})
		e.Now = e.Now.Add(time.Hour) // right before the next step
		moments = append(moments, moment{e.Now, e.answers(t, "u", nil)})
	}
	for i, m := range moments {
		e.Same("at "+m.at.Format("15:04:05.000"), m.said, e.answers(t, "u", &m.at))
		for _, scope := range []*env{e, e.neighbour()} {
			for _, said := range scope.answers(t, "other", &m.at) {
				if said != "not found" {
					t.Errorf("moment %d: another user is told %s", i, said)
				}
			}
		}
	}
	before := graphtest.Noon
	for _, said := range e.answers(t, "u", &before) {
		if said != "not found" {
			t.Errorf("before the first write: %s", said)
		}
	}
}

// TestWalksOfTheFuture are refused, as statements of the past are.
func TestWalksOfTheFuture(t *testing.T) {
	for _, r := range walks() {
		r.AsOf = graph.Some(now.Add(2 * time.Minute))
		if _, _, err := ask(aboutBoat(), r); !errors.Is(err, fault.ErrInvalid) || graphtest.Locations(err)[0] != "as_of" {
			t.Errorf("%s: %v", r.Mode, err)
		}
	}
	r := aWalk(Cypher)
	r.AsOf = graph.Some(now)
	if _, _, err := ask(aboutBoat(), r); graphtest.Locations(err) == nil {
		t.Errorf("cypher: %v", err)
	}
}
