package graph

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// At most one relationship of a triple is valid at a time.
func TestRelationshipsOfATripleDoNotOverlap(t *testing.T) {
	e := fresh(t)
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * day) }
	piece := func(first, last int) RelationshipWrite {
		w := from(days(first), "me", "thinks_about", "c", 0.5)
		w.ValidTo = Some(days(last))
		return w
	}
	e.now = days(-40)
	e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5)})
	e.now = noon
	e.write("u1", nil, piece(-20, -10))
	past := e.relationships("me", "c", "r.key")[0][0].(string)
	current := e.write("u1", nil, from(days(-5), "me", "thinks_about", "c", 0.5)).Relationships[0].Key
	before := e.stored()
	for name, c := range map[string]struct {
		write     RelationshipWrite
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
		result := e.try("u1", nil, c.write)
		if w := result.Warnings; result.Relationships[0].Status != Refused || len(w) != 1 || !strings.HasPrefix(w[0],
			"relationships[0]."+c.field+": ") || !strings.HasSuffix(w[0], " "+c.in) {
			t.Errorf("%s: %+v", name, result)
		}
	}
	e.same("stored", before, e.stored())
	e.same("beside each other", []Status{Created, Created}, []Status{
		e.write("u1", nil, piece(-30, -20)).Relationships[0].Status, e.write("u1", nil, piece(-10, -5)).Relationships[0].Status,
	})
	e.same("a past one, shorter", Updated, e.write("u1", nil, piece(-8, -5)).Relationships[0].Status)
	for n := -35; n <= 0; n++ {
		want := 1
		if n < -30 || n >= -10 && n < -8 {
			want = 0
		}
		e.same(fmt.Sprint("on day ", n), want, len(e.linked("u1", "concept", "c", at(days(n)))))
	}
}

func TestWhatEndsLaterIsFollowedThen(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	over := noon.Add(day)
	e.write("u1", nil, closed("a", "relates_to", "b", over))
	e.write("u1", nil, link("a", "relates_to", "b", 0.6))
	e.same("one after the other", [][]any{{noon, over}, {over, nil}}, e.relationships("a", "b", "r.valid_from, r.valid_to"))
}

// Deleting a contradicting relationship does not restore the one before; a caller can open it again.
func TestAContradictionIsTakenBack(t *testing.T) {
	e := fresh(t)
	began := noon.Add(-day)
	first := e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5)}, from(began, "me", "thinks_about", "c", 0.5)).Relationships[0].Key
	w := link("me", "thinks_about", "c", 0.7)
	w.Contradicts = true
	second := e.write("u1", nil, w).Relationships[0].Key
	again := RelationshipWrite{From: "me", Type: "thinks_about", To: "c", ValidFrom: Some(began), ValidTo: Null[time.Time]()}
	e.same("beside the new one", Refused, e.try("u1", nil, again).Relationships[0].Status)
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), second, 0); err != nil {
		t.Fatal(err)
	}
	e.same("deleted", 0, countByRule(e.sections("u1").Relationships))
	e.same("without its end", []string{"relationships[0].valid_from: is before the end of another relationship of this type, " + first},
		e.try("u1", nil, from(began, "me", "thinks_about", "c", 0.9)).Warnings)
	e.same("opened", RelationshipResult{Key: first, From: "me", To: "c", Type: "thinks_about", Status: Updated, Version: 3},
		e.write("u1", nil, again).Relationships[0])
	e.same("again", Unchanged, e.write("u1", nil, again).Relationships[0].Status)
	e.same("shown", 0.5, e.sections("u1").Relationships[0].Salience)
	if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), second); !errors.Is(err, ErrConflict) {
		t.Errorf("the new one restored beside it: %v", err)
	}
}

func TestAContainmentIsNotOpenedAgain(t *testing.T) {
	e := fresh(t)
	nodes := []NodeWrite{{Kind: "document", EntityKey: "a", Name: Some("a")}, {Kind: "document", EntityKey: "b", Name: Some("b")}}
	e.write("u1", nodes, from(noon, "a", "contains", "b", 0.5))
	e.write("u1", nil, closed("a", "contains", "b", noon.Add(day)))
	e.write("u1", nil, link("b", "contains", "a", 0.5))
	result := e.try("u1", nil, RelationshipWrite{From: "b", Type: "part_of", To: "a", ValidFrom: Some(noon), ValidTo: Null[time.Time]()})
	e.same("opened", "relationships[0].valid_to: cannot be removed: add a new relationship that begins at the end of this one",
		result.Warnings[len(result.Warnings)-1])
}

// A deleted past relationship is not restored into the time of another one.
func TestARestoredRelationshipDoesNotOverlap(t *testing.T) {
	e := fresh(t)
	piece := func(first, last int) RelationshipWrite {
		w := from(noon.Add(time.Duration(first)*day), "a", "relates_to", "b", 0.5)
		w.ValidTo = Some(noon.Add(time.Duration(last) * day))
		return w
	}
	key := e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, piece(-20, -10)).Relationships[0].Key
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), key, 0); err != nil {
		t.Fatal(err)
	}
	other := e.write("u1", nil, piece(-15, -14)).Relationships[0].Key
	if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), key); !errors.Is(err, ErrConflict) {
		t.Errorf("restored: %v", err)
	}
	if _, err := e.store.DeleteRelationship(t.Context(), e.as("u1"), other, 0); err != nil {
		t.Fatal(err)
	}
	e.write("u1", nil, piece(-10, -5), link("b", "relates_to", "a", 0.5))
	if _, err := e.store.RestoreRelationship(t.Context(), e.as("u1"), key); err != nil {
		t.Errorf("beside each other: %v", err)
	}
}

// A contradicted relationship ends now, though a later end was set.
func TestContradictionOfWhatWouldEndAnyway(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	e.now = noon.Add(day)
	ending := link("a", "relates_to", "b", 0.5)
	ending.ValidTo = Some(noon.Add(30 * day))
	first := e.write("u1", nil, ending).Relationships[0]
	other := link("a", "relates_to", "b", 0.5)
	other.Contradicts = true
	e.now = noon.Add(2 * day)
	second := e.write("u1", nil, other).Relationships[0]
	e.same("closed", []any{Created, first.Key}, []any{second.Status, second.Closed})
	e.same("the first one's end", &e.now, e.relationship("u1", first.Key).ValidTo)
	e.same("the second one's start", &e.now, e.relationship("u1", second.Key).ValidFrom)
	for _, t := range []time.Duration{day, 2 * day, 40 * day} {
		e.same("at once", 1, len(e.linked("u1", "concept", "a", at(noon.Add(t)))))
	}
}

// A relationship without a start, as imports have brought it, was always valid.
func TestNothingBeginsBeforeWhatHasNoStart(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	_, err := e.store.Restore(t.Context(), e.as("u1"), &RestoreBatch{Relationships: []RelationshipWrite{
		{Key: "x", From: "a", To: "b", Type: "relates_to", ValidTo: Some(noon.Add(-day)), History: &History{}},
	}}, ImportMark{}, func(MemoryResult) string { return "" }, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to time.Time
		want     Status
	}{{noon.Add(-9 * day), noon.Add(-8 * day), Refused}, {noon.Add(-9 * day), noon, Refused}, {noon.Add(-day), noon, Created}} {
		w := link("a", "relates_to", "b", 0.5)
		w.ValidFrom, w.ValidTo = Some(c.from), Some(c.to)
		e.same(c.from.String(), c.want, e.try("u1", nil, w).Relationships[0].Status)
	}
}

func TestRelationshipsOfSystemsDoNotEnd(t *testing.T) {
	e := fresh(t)
	w := RelationshipWrite{From: "a", To: "b", Type: systemRelationshipType, History: &History{System: Some("s"), Seq: Some(int64(1))}}
	w.ValidFrom = Some(noon)
	e.same("without an end", 0, len(e.store.CheckRelationship(&w)))
	w.ValidTo = Some(noon.Add(day))
	e.same("with one", "valid_to", e.store.CheckRelationship(&w)[0].Path.String())
}

// A relationship that was closed as soon as it was created can be restored from an export, and conflicts with
// nothing.
func TestWhatWasForNoTimeComesBack(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, link("a", "relates_to", "b", 0.5))
	closed := link("a", "relates_to", "b", 0.5)
	closed.ValidTo = Some(noon)
	e.same("closed", Updated, e.write("u1", nil, closed).Relationships[0].Status)
	closed.ValidTo = Some(noon.Add(-time.Millisecond))
	e.same("before it was made", Refused, e.try("u1", nil, closed).Relationships[0].Status)
	around := link("a", "relates_to", "b", 0.5)
	around.ValidFrom, around.ValidTo = Some(noon.Add(-day)), Some(noon.Add(day))
	e.same("around it", Created, e.write("u1", nil, around).Relationships[0].Status)

	again := RelationshipWrite{Key: "k", From: "b", To: "a", Type: "relates_to", ValidFrom: Some(noon), ValidTo: Some(noon), History: &History{}}
	e.same("as a line of an export", 0, len(e.store.CheckRelationship(&again)))
	r, err := e.store.Restore(t.Context(), e.as("u1"), &RestoreBatch{Relationships: []RelationshipWrite{again}}, ImportMark{},
		func(MemoryResult) string { return "" }, false)
	if err != nil || r.Relationships[0].Status != Created {
		t.Errorf("%+v, %v", r.Relationships, err)
	}
}
