package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// At most one relationship of a triple is valid at a time.
func TestRelationshipsOfATripleDoNotOverlap(t *testing.T) {
	e := fresh(t)
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * graph.Day) }
	piece := func(first, last int) graph.RelationshipWrite {
		w := from(days(first), "me", "thinks_about", "c", 0.5)
		w.ValidTo = graph.Some(days(last))
		return w
	}
	e.Now = days(-40)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)})
	e.Now = noon
	e.Write("u1", nil, piece(-20, -10))
	past := e.relationships("me", "c", "r.key")[0][0].(string)
	current := e.Write("u1", nil, from(days(-5), "me", "thinks_about", "c", 0.5)).Relationships[0].Key
	before := e.Stored()
	for name, c := range map[string]struct {
		write     graph.RelationshipWrite
		field, in string
	}{
		"a piece within":                {piece(-15, -12), "valid_from", past},
		"a piece around":                {piece(-25, -9), "valid_to", past},
		"a piece that ends within":      {piece(-25, -15), "valid_to", past},
		"a piece that begins within":    {piece(-15, -8), "valid_from", past},
		"a piece into the current one":  {piece(-8, -4), "valid_to", current},
		"a piece of the current one":    {piece(-4, -2), "valid_from", current},
		"the current one, from earlier": {from(days(-11), "me", "thinks_about", "c", 0.5), "valid_from", past},
	} {
		result := e.Try("u1", nil, c.write)
		if w := result.Warnings; result.Relationships[0].Status != graph.Refused || len(w) != 1 || !strings.HasPrefix(w[0],
			"relationships[0]."+c.field+": ") || !strings.HasSuffix(w[0], " "+c.in) {
			t.Errorf("%s: %+v", name, result)
		}
	}
	e.Same("stored", before, e.Stored())
	e.Same("beside each other", []graph.Status{graph.Created, graph.Created}, []graph.Status{
		e.Write("u1", nil, piece(-30, -20)).Relationships[0].Status, e.Write("u1", nil, piece(-10, -5)).Relationships[0].Status,
	})
	e.Same("a past one, shorter", graph.Updated, e.Write("u1", nil, piece(-8, -5)).Relationships[0].Status)
	for n := -35; n <= 0; n++ {
		want := 1
		if n < -30 || n >= -10 && n < -8 {
			want = 0
		}
		e.Same(fmt.Sprint("on day ", n), want, len(e.linked("u1", "concept", "c", at(days(n)))))
	}
}

// What ends later holds now: a write without times changes it, and one that begins at its end follows it.
func TestWhatEndsLaterIsCurrent(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	over := noon.Add(graph.Day)
	e.Write("u1", nil, closed("a", "relates_to", "b", over))
	e.Same("changed", graph.Updated, e.Write("u1", nil, link("a", "relates_to", "b", 0.6)).Relationships[0].Status)
	e.Same("followed", graph.Created, e.Write("u1", nil, from(over, "a", "relates_to", "b", 0.7)).Relationships[0].Status)
	e.Same("again", graph.Unchanged, e.Write("u1", nil, from(over, "a", "relates_to", "b", 0.7)).Relationships[0].Status)
	e.Same("one after the other", [][]any{{0.6, noon, over}, {0.7, over, nil}}, e.relationships("a", "b", "r.salience, r.valid_from, r.valid_to"))
	e.Write("u1", nil, link("a", "relates_to", "b", 0.8))
	e.Same("the one of now", [][]any{{0.8, noon, over}, {0.7, over, nil}}, e.relationships("a", "b", "r.salience, r.valid_from, r.valid_to"))
	contrary := link("a", "relates_to", "b", 0.1)
	contrary.Contradicts = true
	e.Now = noon.Add(time.Hour)
	e.Write("u1", nil, contrary)
	e.Same("until the next one", [][]any{{0.8, noon, e.Now}, {0.1, e.Now, over}, {0.7, over, nil}},
		e.Raw(`MATCH (:Memory {team_id: $team, entity_key: 'a'})-[r]->() WITH r ORDER BY r.valid_from RETURN r.salience, r.valid_from, r.valid_to`))
}

// Nobody says when most relationships began, so one may end before it was recorded.
func TestWhatBeganAtAnUnknownTimeEndsBeforeItWasRecorded(t *testing.T) {
	e := fresh(t)
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * graph.Day) }
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5), node("concept", "c", 0.5)}, link("a", "relates_to", "b", 0.5))
	e.Same("ended", graph.Updated, e.Write("u1", nil, closed("a", "relates_to", "b", days(-30))).Relationships[0].Status)
	e.Same("from an unknown time", [][]any{{nil, days(-30)}}, e.relationships("a", "b", "r.valid_from, r.valid_to"))
	e.Same("over", []string{}, e.linked("u1", "concept", "a", nil))
	e.Same("of the past alone", graph.Created, e.Write("u1", nil, closed("b", "relates_to", "c", days(-3))).Relationships[0].Status)
	e.Same("from an unknown time", [][]any{{nil, days(-3)}}, e.relationships("b", "c", "r.valid_from, r.valid_to"))
	e.Same("again", graph.Unchanged, e.Write("u1", nil, closed("b", "relates_to", "c", days(-3))).Relationships[0].Status)
	e.Same("now", graph.Created, e.Write("u1", nil, link("b", "relates_to", "c", 0.5)).Relationships[0].Status)
	e.Same("another end", graph.Updated, e.Write("u1", nil, closed("b", "relates_to", "c", days(-1))).Relationships[0].Status)
	e.Same("after the one before", [][]any{{nil, days(-3)}, {days(-3), days(-1)}}, e.relationships("b", "c", "r.valid_from, r.valid_to"))
}

// Deleting a contradicting relationship does not restore the one before; a caller can open it again.
func TestAContradictionIsTakenBack(t *testing.T) {
	e := fresh(t)
	began := noon.Add(-graph.Day)
	first := e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)}, from(began, "me", "thinks_about", "c", 0.5)).Relationships[0].Key
	w := link("me", "thinks_about", "c", 0.7)
	w.Contradicts = true
	second := e.Write("u1", nil, w).Relationships[0].Key
	again := graph.RelationshipWrite{From: "me", Type: "thinks_about", To: "c", ValidFrom: graph.Some(began), ValidTo: graph.Null[time.Time]()}
	e.Same("beside the new one", graph.Refused, e.Try("u1", nil, again).Relationships[0].Status)
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), second, 0); err != nil {
		t.Fatal(err)
	}
	e.Same("deleted", 0, countByRule(e.sections("u1").Relationships))
	e.Same("without its end", []string{"relationships[0].valid_from: is before the end of another relationship of this type, " + first},
		e.Try("u1", nil, from(began, "me", "thinks_about", "c", 0.9)).Warnings)
	e.Same("opened", graph.RelationshipResult{Key: first, From: "me", To: "c", Type: "thinks_about", Status: graph.Updated, Version: 3},
		e.Write("u1", nil, again).Relationships[0])
	e.Same("again", graph.Unchanged, e.Write("u1", nil, again).Relationships[0].Status)
	e.Same("shown", 0.5, e.sections("u1").Relationships[0].Salience)
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), second); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("the new one restored beside it: %v", err)
	}
}

func TestAContainmentIsNotOpenedAgain(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{{Kind: "document", EntityKey: "a", Name: graph.Some("a")}, {Kind: "document", EntityKey: "b", Name: graph.Some("b")}}
	e.Write("u1", nodes, from(noon, "a", "contains", "b", 0.5))
	e.Write("u1", nil, closed("a", "contains", "b", noon.Add(graph.Day)))
	e.Same("before its end", graph.Refused, e.Try("u1", nil, link("b", "contains", "a", 0.5)).Relationships[0].Status)
	e.Same("from its end on", graph.Created, e.Write("u1", nil, from(noon.Add(graph.Day), "b", "contains", "a", 0.5)).Relationships[0].Status)
	result := e.Try("u1", nil, graph.RelationshipWrite{From: "b", Type: "part_of", To: "a", ValidFrom: graph.Some(noon), ValidTo: graph.Null[time.Time]()})
	e.Same("opened", "relationships[0].valid_to: cannot be removed: add a new relationship that begins at the end of this one",
		result.Warnings[len(result.Warnings)-1])
}

// A deleted past relationship is not restored into the time of another one.
func TestARestoredRelationshipDoesNotOverlap(t *testing.T) {
	e := fresh(t)
	piece := func(first, last int) graph.RelationshipWrite {
		w := from(noon.Add(time.Duration(first)*graph.Day), "a", "relates_to", "b", 0.5)
		w.ValidTo = graph.Some(noon.Add(time.Duration(last) * graph.Day))
		return w
	}
	key := e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, piece(-20, -10)).Relationships[0].Key
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	other := e.Write("u1", nil, piece(-15, -14)).Relationships[0].Key
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("restored: %v", err)
	}
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), other, 0); err != nil {
		t.Fatal(err)
	}
	e.Write("u1", nil, piece(-10, -5), link("b", "relates_to", "a", 0.5))
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), key); err != nil {
		t.Errorf("beside each other: %v", err)
	}
}

// A contradicted relationship ends now, though a later end was set.
func TestContradictionOfWhatWouldEndAnyway(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	e.Now = noon.Add(graph.Day)
	ending := link("a", "relates_to", "b", 0.5)
	ending.ValidTo = graph.Some(noon.Add(30 * graph.Day))
	first := e.Write("u1", nil, ending).Relationships[0]
	other := link("a", "relates_to", "b", 0.5)
	other.Contradicts = true
	e.Now = noon.Add(2 * graph.Day)
	second := e.Write("u1", nil, other).Relationships[0]
	e.Same("closed", []any{graph.Created, first.Key}, []any{second.Status, second.Closed})
	e.Same("the first one's end", &e.Now, e.relationship("u1", first.Key).ValidTo)
	e.Same("the second one's start", &e.Now, e.relationship("u1", second.Key).ValidFrom)
	e.Now = noon.Add(41 * graph.Day)
	for _, t := range []time.Duration{graph.Day, 2 * graph.Day, 40 * graph.Day} {
		e.Same("at once", 1, len(e.linked("u1", "concept", "a", at(noon.Add(t)))))
	}
}

// A relationship without a start, as imports have brought it, was always valid.
func TestNothingBeginsBeforeWhatHasNoStart(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	_, err := e.Store.Restore(t.Context(), e.As("u1"), &graph.RestoreBatch{Relationships: []graph.RelationshipWrite{
		{Key: "x", From: "a", To: "b", Type: "relates_to", ValidTo: graph.Some(noon.Add(-graph.Day)), History: &graph.History{}},
	}}, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to time.Time
		want     graph.Status
	}{{noon.Add(-9 * graph.Day), noon.Add(-8 * graph.Day), graph.Refused}, {noon.Add(-9 * graph.Day), noon, graph.Refused}, {noon.Add(-graph.Day), noon, graph.Created}} {
		w := link("a", "relates_to", "b", 0.5)
		w.ValidFrom, w.ValidTo = graph.Some(c.from), graph.Some(c.to)
		e.Same(c.from.String(), c.want, e.Try("u1", nil, w).Relationships[0].Status)
	}
}

func TestRelationshipsOfSystemsDoNotEnd(t *testing.T) {
	e := fresh(t)
	w := graph.RelationshipWrite{From: "a", To: "b", Type: graph.SystemRelationshipType, History: &graph.History{System: graph.Some("s"), Seq: graph.Some(int64(1))}}
	w.ValidFrom = graph.Some(noon)
	e.Same("without an end", 0, len(e.Store.CheckRelationship(&w)))
	w.ValidTo = graph.Some(noon.Add(graph.Day))
	e.Same("with one", "valid_to", e.Store.CheckRelationship(&w)[0].Path.String())
}

// A relationship that was closed as soon as it was created can be restored from an export, and conflicts with
// nothing.
func TestWhatWasForNoTimeComesBack(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	closed := link("a", "relates_to", "b", 0.5)
	closed.ValidTo = graph.Some(noon)
	e.Same("closed", graph.Updated, e.Write("u1", nil, closed).Relationships[0].Status)
	around := link("a", "relates_to", "b", 0.5)
	around.ValidFrom, around.ValidTo = graph.Some(noon.Add(-graph.Day)), graph.Some(noon.Add(graph.Day))
	e.Same("around it", graph.Created, e.Write("u1", nil, around).Relationships[0].Status)

	again := graph.RelationshipWrite{Key: "k", From: "b", To: "a", Type: "relates_to", ValidFrom: graph.Some(noon), ValidTo: graph.Some(noon), History: &graph.History{}}
	e.Same("as a line of an export", 0, len(e.Store.CheckRelationship(&again)))
	r, err := e.Store.Restore(t.Context(), e.As("u1"), &graph.RestoreBatch{Relationships: []graph.RelationshipWrite{again}}, graph.ImportMark{},
		func(graph.MemoryResult) string { return "" }, false)
	if err != nil || r.Relationships[0].Status != graph.Created {
		t.Errorf("%+v, %v", r.Relationships, err)
	}
}
