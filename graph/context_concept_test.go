package graph_test

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/preference"
)

// belief returns a concept that belongs to the core beliefs.
func belief(key string, salience float64, c ...func(*graph.NodeWrite)) graph.NodeWrite {
	return node("concept", key, salience, append([]func(*graph.NodeWrite){
		inState("core"), func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") },
	}, c...)...)
}

func TestCoreBeliefs(t *testing.T) {
	e := fresh(t)
	ttl := func(policy string) func(*graph.NodeWrite) {
		return func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some(policy) }
	}
	e.Write("u1", []graph.NodeWrite{
		belief("b-3", 0.3), belief("b-9", 0.9),
		belief("b-null", 0, func(w *graph.NodeWrite) { w.Salience = graph.Null[float64]() }),
		belief("tie-a", 0.5), belief("tie-b", 0.5),
		belief("x-active", 1, inState("active")), belief("x-archived", 1, inState("archived")),
		belief("x-candidate", 1, inState("candidate")),
		belief("x-decay", 1, ttl("decay")), belief("x-ephemeral", 1, ttl("ephemeral")),
		{Kind: "person", EntityKey: "x-person", Name: graph.Some("P"), State: graph.Some("core"), TTLPolicy: graph.Some("keep_forever")},
		{Kind: "entity", EntityKey: "x-entity", Name: graph.Some("E"), State: graph.Some("core"), TTLPolicy: graph.Some("keep_forever")},
		belief("x-shared", 1, shared), belief("x-others", 1, of("u2")),
	})
	other := e.neighbour()
	other.Write("u1", []graph.NodeWrite{belief("b-9", 0.1)})

	want := []string{"b-9", "tie-b", "tie-a", "b-3", "b-null"}
	e.Same("beliefs", want, keysOf(e.sections("u1").CoreBeliefs))
	e.Same("again", want, keysOf(e.sections("u1").CoreBeliefs))
	e.Same("of u2", []string{"x-others"}, keysOf(e.sections("u2").CoreBeliefs))
	e.Same("of the other team", []string{"b-9"}, keysOf(other.sections("u1").CoreBeliefs))
	e.Same("of no user", []string{}, keysOf(e.sections("").CoreBeliefs))

	e.Write("u1", []graph.NodeWrite{change("concept", "b-9", inState("active")), change("concept", "b-3", func(w *graph.NodeWrite) { w.Salience = graph.Some(0.8) })})
	e.Same("after changes", []string{"b-3", "tie-b", "tie-a", "b-null"}, keysOf(e.sections("u1").CoreBeliefs))
}

func TestCoreBeliefsAreTen(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	var want []string
	for i := range 12 {
		nodes = append(nodes, belief(fmt.Sprintf("b-%02d", i), float64(i)/20))
		if i >= 2 {
			want = append([]string{nodes[i].EntityKey}, want...)
		}
	}
	e.Write("u1", nodes)
	e.Same("beliefs", want, keysOf(e.sections("u1").CoreBeliefs))
}

// goal returns an active concept that was accessed an hour ago.
func goal(key string, salience float64, c ...func(*graph.NodeWrite)) graph.NodeWrite {
	return node("concept", key, salience, append([]func(*graph.NodeWrite){
		accessed(noon.Add(-time.Hour)), described("My goal."),
	}, c...)...)
}

func TestGoalsAreKnownByTheirWords(t *testing.T) {
	e := fresh(t)
	is := func(goal graph.Optional[bool]) func(*graph.NodeWrite) {
		return func(w *graph.NodeWrite) { w.IsGoal = goal }
	}
	named := func(name string) func(*graph.NodeWrite) {
		return func(w *graph.NodeWrite) { w.Name = graph.Some(name) }
	}
	e.Write("u1", []graph.NodeWrite{
		goal("g-upper", 0.9, described("THE GOAL OF THE YEAR")),
		goal("g-name", 0.8, named("Goalkeeping"), described("")),
		goal("g-said", 0.7, described("a plan"), is(graph.Some(true))),
		goal("x-denied", 1, is(graph.Some(false))),
		goal("x-none", 1, described("a plan")),
		goal("g-asked-back", 0.6, is(graph.Null[bool]())),
		{Kind: "person", EntityKey: "x-person", Name: graph.Some("goal"), State: graph.Some("active"), LastAccessedAt: graph.Some(noon)},
	})
	e.Same("goals", []string{"g-upper", "g-name", "g-said", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))

	e.Write("u1", []graph.NodeWrite{
		change("concept", "x-none", described("now a goal")),
		change("concept", "g-upper", described("no more")),
		change("concept", "x-denied", is(graph.Null[bool]())),
		change("concept", "g-said", described("goal"), is(graph.Some(false))),
		change("concept", "g-name", described("still by name")),
	})
	e.Same("goals after changes", []string{"x-none", "x-denied", "g-name", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))
	e.Write("u1", []graph.NodeWrite{change("concept", "g-said", described("a goal as much as any"))})
	e.Same("what the caller said stays", []string{"x-none", "x-denied", "g-name", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestGoalsAreInUse(t *testing.T) {
	e := fresh(t)
	berlin := time.FixedZone("", 3600)
	e.Write("u1", []graph.NodeWrite{
		goal("g-active", 0.5, inState("active")), goal("g-core", 0.6, inState("core")),
		goal("g-edge", 0.4, accessed(weekAgo.Add(time.Millisecond))),
		goal("g-zone", 0.3, accessed(weekAgo.Add(time.Millisecond).In(berlin))),
		goal("x-edge", 1, accessed(weekAgo)),
		goal("x-edge-zone", 1, accessed(weekAgo.In(berlin))),
		goal("x-old", 1, accessed(weekAgo.Add(-time.Hour))),
		goal("g-written", 0.7, func(w *graph.NodeWrite) { w.LastAccessedAt = graph.Optional[time.Time]{} }),
		goal("x-null", 1, func(w *graph.NodeWrite) { w.LastAccessedAt = graph.Null[time.Time]() }),
		goal("x-candidate", 1, inState("candidate")), goal("x-archived", 1, inState("archived")),
		goal("x-shared", 1, shared), goal("x-others", 1, of("u2")),
	})
	e.Same("goals", []string{"g-written", "g-core", "g-active", "g-edge", "g-zone"}, keysOf(e.sections("u1").PrimaryGoals))
	e.Same("of u2", []string{"x-others"}, keysOf(e.sections("u2").PrimaryGoals))

	e.Now = noon.Add(time.Millisecond)
	e.Same("a moment later", []string{"g-written", "g-core", "g-active"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestGoalsAreFiveOfBothStates(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for i, state := range []string{"core", "active", "active", "core", "active", "active", "active", "active"} {
		nodes = append(nodes, goal(fmt.Sprintf("g-%d", i), 0.9-float64(i)/10, inState(state)))
	}
	nodes = append(nodes, goal("g-z", 0.9, inState("active"))) // as salient as g-0
	e.Write("u1", nodes)
	e.Same("goals", []string{"g-z", "g-0", "g-1", "g-2", "g-3"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestPreferencesByKey(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	want := []preference.Preference{{Key: "a", Value: []byte(`"B"`)}, {Key: "conversation_style", Value: []byte(`{"tone":["dry",1]}`)}, {Key: "time_zone", Value: []byte(`"Europe/Lisbon"`)}}
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), []preference.Preference{
		want[2], want[0], {Key: "conversation_style", Value: []byte(`{ "tone": ["dry", 1] }`)},
	}); err != nil {
		t.Fatal(err)
	}
	e.Same("preferences", want, e.sections("u1").Preferences)
	listed, err := preference.NewStore(e.Store).Preferences(t.Context(), e.As("u1"))
	e.Same("listed", want, listed)
	e.Same("error", nil, err)
	e.Same("of u2", []preference.Preference{}, e.sections("u2").Preferences)
	e.Same("of the other team", []preference.Preference{}, other.sections("u1").Preferences)

	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), []preference.Preference{{Key: "a", Value: []byte(`2`)}}); err != nil {
		t.Fatal(err)
	}
	e.Same("replaced", []preference.Preference{{Key: "a", Value: []byte(`2`)}}, e.sections("u1").Preferences)
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("u1"), nil); err != nil {
		t.Fatal(err)
	}
	e.Same("none", []preference.Preference{}, e.sections("u1").Preferences)
}
