package graph

import (
	"fmt"
	"testing"
	"time"
)

// belief returns a concept that belongs to the core beliefs.
func belief(key string, salience float64, c ...func(*NodeWrite)) NodeWrite {
	return node("concept", key, salience, append([]func(*NodeWrite){
		inState("core"), func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") },
	}, c...)...)
}

func TestCoreBeliefs(t *testing.T) {
	e := fresh(t)
	ttl := func(policy string) func(*NodeWrite) { return func(w *NodeWrite) { w.TTLPolicy = Some(policy) } }
	e.write("u1", []NodeWrite{
		belief("b-3", 0.3), belief("b-9", 0.9),
		belief("b-null", 0, func(w *NodeWrite) { w.Salience = Null[float64]() }),
		belief("tie-a", 0.5), belief("tie-b", 0.5),
		belief("x-active", 1, inState("active")), belief("x-archived", 1, inState("archived")),
		belief("x-candidate", 1, inState("candidate")),
		belief("x-decay", 1, ttl("decay")), belief("x-ephemeral", 1, ttl("ephemeral")),
		{Kind: "person", EntityKey: "x-person", Name: Some("P"), State: Some("core"), TTLPolicy: Some("keep_forever")},
		{Kind: "entity", EntityKey: "x-entity", Name: Some("E"), State: Some("core"), TTLPolicy: Some("keep_forever")},
		belief("x-shared", 1, shared), belief("x-others", 1, of("u2")),
	})
	other := e.neighbour()
	other.write("u1", []NodeWrite{belief("b-9", 0.1)})

	want := []string{"b-9", "tie-b", "tie-a", "b-3", "b-null"}
	e.same("beliefs", want, keysOf(e.sections("u1").CoreBeliefs))
	e.same("again", want, keysOf(e.sections("u1").CoreBeliefs))
	e.same("of u2", []string{"x-others"}, keysOf(e.sections("u2").CoreBeliefs))
	e.same("of the other team", []string{"b-9"}, keysOf(other.sections("u1").CoreBeliefs))
	e.same("of no user", []string{}, keysOf(e.sections("").CoreBeliefs))

	e.write("u1", []NodeWrite{change("concept", "b-9", inState("active")), change("concept", "b-3", func(w *NodeWrite) { w.Salience = Some(0.8) })})
	e.same("after changes", []string{"b-3", "tie-b", "tie-a", "b-null"}, keysOf(e.sections("u1").CoreBeliefs))
}

func TestCoreBeliefsAreTen(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	var want []string
	for i := range 12 {
		nodes = append(nodes, belief(fmt.Sprintf("b-%02d", i), float64(i)/20))
		if i >= 2 {
			want = append([]string{nodes[i].EntityKey}, want...)
		}
	}
	e.write("u1", nodes)
	e.same("beliefs", want, keysOf(e.sections("u1").CoreBeliefs))
}

// goal returns an active concept that was accessed an hour ago.
func goal(key string, salience float64, c ...func(*NodeWrite)) NodeWrite {
	return node("concept", key, salience, append([]func(*NodeWrite){
		accessed(noon.Add(-time.Hour)), described("My goal."),
	}, c...)...)
}

func TestGoalsAreKnownByTheirWords(t *testing.T) {
	e := fresh(t)
	is := func(goal Optional[bool]) func(*NodeWrite) { return func(w *NodeWrite) { w.IsGoal = goal } }
	named := func(name string) func(*NodeWrite) { return func(w *NodeWrite) { w.Name = Some(name) } }
	e.write("u1", []NodeWrite{
		goal("g-upper", 0.9, described("THE GOAL OF THE YEAR")),
		goal("g-name", 0.8, named("Goalkeeping"), described("")),
		goal("g-said", 0.7, described("a plan"), is(Some(true))),
		goal("x-denied", 1, is(Some(false))),
		goal("x-none", 1, described("a plan")),
		goal("g-asked-back", 0.6, is(Null[bool]())),
		{Kind: "person", EntityKey: "x-person", Name: Some("goal"), State: Some("active"), LastAccessedAt: Some(noon)},
	})
	e.same("goals", []string{"g-upper", "g-name", "g-said", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))

	e.write("u1", []NodeWrite{
		change("concept", "x-none", described("now a goal")),
		change("concept", "g-upper", described("no more")),
		change("concept", "x-denied", is(Null[bool]())),
		change("concept", "g-said", described("goal"), is(Some(false))),
		change("concept", "g-name", described("still by name")),
	})
	e.same("goals after changes", []string{"x-none", "x-denied", "g-name", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))
	e.write("u1", []NodeWrite{change("concept", "g-said", described("a goal as much as any"))})
	e.same("what the caller said stays", []string{"x-none", "x-denied", "g-name", "g-asked-back"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestGoalsAreInUse(t *testing.T) {
	e := fresh(t)
	berlin := time.FixedZone("", 3600)
	e.write("u1", []NodeWrite{
		goal("g-active", 0.5, inState("active")), goal("g-core", 0.6, inState("core")),
		goal("g-edge", 0.4, accessed(weekAgo.Add(time.Millisecond))),
		goal("g-zone", 0.3, accessed(weekAgo.Add(time.Millisecond).In(berlin))),
		goal("x-edge", 1, accessed(weekAgo)),
		goal("x-edge-zone", 1, accessed(weekAgo.In(berlin))),
		goal("x-old", 1, accessed(weekAgo.Add(-time.Hour))),
		goal("g-written", 0.7, func(w *NodeWrite) { w.LastAccessedAt = Optional[time.Time]{} }),
		goal("x-null", 1, func(w *NodeWrite) { w.LastAccessedAt = Null[time.Time]() }),
		goal("x-candidate", 1, inState("candidate")), goal("x-archived", 1, inState("archived")),
		goal("x-shared", 1, shared), goal("x-others", 1, of("u2")),
	})
	e.same("goals", []string{"g-written", "g-core", "g-active", "g-edge", "g-zone"}, keysOf(e.sections("u1").PrimaryGoals))
	e.same("of u2", []string{"x-others"}, keysOf(e.sections("u2").PrimaryGoals))

	e.now = noon.Add(time.Millisecond)
	e.same("a moment later", []string{"g-written", "g-core", "g-active"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestGoalsAreFiveOfBothStates(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	for i, state := range []string{"core", "active", "active", "core", "active", "active", "active", "active"} {
		nodes = append(nodes, goal(fmt.Sprintf("g-%d", i), 0.9-float64(i)/10, inState(state)))
	}
	nodes = append(nodes, goal("g-z", 0.9, inState("active"))) // as salient as g-0
	e.write("u1", nodes)
	e.same("goals", []string{"g-z", "g-0", "g-1", "g-2", "g-3"}, keysOf(e.sections("u1").PrimaryGoals))
}

func TestPreferencesByKey(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	want := []Preference{{"a", []byte(`"B"`)}, {"conversation_style", []byte(`{"tone":["dry",1]}`)}, {"time_zone", []byte(`"Europe/Lisbon"`)}}
	if err := e.store.ReplacePreferences(t.Context(), e.as("u1"), []Preference{
		want[2], want[0], {"conversation_style", []byte(`{ "tone": ["dry", 1] }`)},
	}); err != nil {
		t.Fatal(err)
	}
	e.same("preferences", want, e.sections("u1").Preferences)
	listed, err := e.store.Preferences(t.Context(), e.as("u1"))
	e.same("listed", want, listed)
	e.same("error", nil, err)
	e.same("of u2", []Preference{}, e.sections("u2").Preferences)
	e.same("of the other team", []Preference{}, other.sections("u1").Preferences)

	if err := e.store.ReplacePreferences(t.Context(), e.as("u1"), []Preference{{"a", []byte(`2`)}}); err != nil {
		t.Fatal(err)
	}
	e.same("replaced", []Preference{{"a", []byte(`2`)}}, e.sections("u1").Preferences)
	if err := e.store.ReplacePreferences(t.Context(), e.as("u1"), nil); err != nil {
		t.Fatal(err)
	}
	e.same("none", []Preference{}, e.sections("u1").Preferences)
}
