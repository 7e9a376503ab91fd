package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// from returns a link that begins at a time.
func from(at time.Time, a, relationship, b string, salience float64) RelationshipWrite {
	w := link(a, relationship, b, salience)
	w.ValidFrom, w.State = Some(at), Some("active")
	return w
}

// linked returns the keys of a node's relationships on a day or now. It checks that Node and Relationships agree.
func (e *env) linked(user, kind, key string, asOf *time.Time) []string {
	e.Helper()
	k, _ := KindOf(kind)
	n, err := e.store.Node(e.Context(), e.as(user), k, key, NodeQuery{AsOf: asOf, Relationships: 100})
	if err != nil {
		e.Fatal(err)
	}
	page, err := e.store.Relationships(e.Context(), e.as(user), RelationshipList{Kind: k, Key: key, AsOf: asOf, Limit: 100})
	if err != nil {
		e.Fatal(err)
	}
	keys := func(views []RelationshipView) []string {
		all := make([]string, len(views))
		for i := range views {
			all[i] = views[i].Key
		}
		slices.Sort(all)
		return all
	}
	e.same("Node and Relationships", keys(n.Relationships), keys(page.Relationships))
	return keys(page.Relationships)
}

func TestALaterStartContradicts(t *testing.T) {
	e := fresh(t)
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * day) }
	e.now = days(-30)
	first := e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5)}, from(days(-20), "me", "thinks_about", "c", 0.5)).Relationships[0]
	e.now = noon
	second := e.write("u1", nil, from(days(-10), "me", "thinks_about", "c", 0.6)).Relationships[0]
	e.same("second", RelationshipResult{Key: second.Key, From: "me", To: "c", Type: "thinks_about", Status: Created, Version: 1, Closed: first.Key}, second)
	e.same("said again", RelationshipResult{Key: second.Key, From: "me", To: "c", Type: "thinks_about", Status: Unchanged, Version: 1},
		e.write("u1", nil, from(days(-10), "me", "thinks_about", "c", 0.6)).Relationships[0])
	third := link("me", "thinks_about", "c", 0.7)
	third.Contradicts = true
	last := e.write("u1", nil, third).Relationships[0]
	e.same("third", []any{Created, second.Key}, []any{last.Status, last.Closed})
	for name, c := range map[string]struct {
		at   *time.Time
		want []string
	}{
		"now": {nil, []string{last.Key}}, "just now": {&noon, []string{last.Key}},
		"before the third":  {at(noon.Add(-time.Millisecond)), []string{second.Key}},
		"at the second":     {at(days(-10)), []string{second.Key}},
		"before the second": {at(days(-10).Add(-time.Millisecond)), []string{first.Key}},
		"at the first":      {at(days(-20)), []string{first.Key}},
		"before the first":  {at(days(-20).Add(-time.Millisecond)), []string{}},
	} {
		for kind, key := range map[string]string{"person": "me", "concept": "c"} {
			e.same(name+", of "+key, c.want, e.linked("u1", kind, key, c.at))
		}
		e.same(name+", in the context", len(c.want), len(e.sectionsAsOf("u1", c.at).Relationships))
		focus := &Sections{}
		if err := e.store.ReadSection(t.Context(), e.as("u1"), FocusSection,
			SectionQuery{Now: e.now, AsOf: c.at, FocusKey: "c", FocusKind: conceptKind}, focus); err != nil {
			t.Fatal(err)
		}
		e.same(name+", in focus", len(c.want), len(focus.Focus.Links))
	}
	for i, want := range []float64{0.4094, 0.6} { // the first was written ten days before it began
		context := e.sectionsAsOf("u1", at(days(-20+10*i)))
		e.same("what was linked then", []float64{want}, []float64{context.Relationships[0].Salience})
	}
	past, err := e.store.Relationships(t.Context(), e.as("u1"), RelationshipList{Kind: conceptKind, Key: "c", Past: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var ends []any
	for _, r := range past.Relationships {
		ends = append(ends, *r.ValidFrom, r.ValidTo)
	}
	e.same("past", []any{days(-20), at(days(-10)), days(-10), &noon, noon, (*time.Time)(nil)}, ends)
	e.same("a closed one by its key", at(days(-10)), e.relationship("u1", first.Key).ValidTo)
	if _, err := e.store.Node(t.Context(), e.as("u1"), conceptKind, "c", NodeQuery{AsOf: at(days(-31))}); err == nil {
		t.Error("the node is there before it was written")
	}
}

func at(t time.Time) *time.Time { return &t }

func (e *env) relationship(user, key string) RelationshipView {
	e.Helper()
	r, err := e.store.Relationship(e.Context(), e.as(user), key)
	if err != nil {
		e.Fatal(err)
	}
	return r
}

// sectionsAsOf returns the sections of a day, and checks that they are the same one by one.
func (e *env) sectionsAsOf(user string, asOf *time.Time) *Sections {
	e.Helper()
	q := SectionQuery{Now: e.now, AsOf: asOf}
	together, err := e.store.ReadSections(e.Context(), e.as(user), AllSections, q)
	if err != nil {
		e.Fatal(err)
	}
	alone := &Sections{}
	for _, section := range AllSections {
		if err := e.store.ReadSection(e.Context(), e.as(user), section, q, alone); err != nil {
			e.Fatal(err)
		}
	}
	e.same("sections read alone and together", alone, together)
	return together
}

// The context of the current time, or of a future one, is the current context.
func TestTheContextOfNowIsThatOfTheMoment(t *testing.T) {
	e := fresh(t)
	var links []RelationshipWrite
	nodes := []NodeWrite{owner1("me")}
	for key, change := range map[string]func(*NodeWrite){
		"fading": func(w *NodeWrite) { w.Salience = Some(0.02) }, "ephemeral": func(w *NodeWrite) { w.TTLPolicy = Some("ephemeral") },
		"fine": func(*NodeWrite) {}, "archived": inState("archived"), "goal": func(w *NodeWrite) { w.IsGoal, w.LastAccessedAt = Some(true), Some(noon) },
	} {
		nodes = append(nodes, node("concept", key, 0.5, change))
		links = append(links, link("me", "relates_to", key, 0.5))
	}
	e.write("u1", nodes, links...)
	e.source("u1", SourceWrite{EntityKey: "s", Mentions: []string{"fine"}})
	for _, days := range []time.Duration{0, 6, 50, 100} {
		e.now = noon.Add(days * day)
		now := e.sections("u1")
		now.Known = nil // it is not counted for the past
		e.same(fmt.Sprintf("after %d days", days), now, e.sectionsAsOf("u1", &e.now))
		e.same("shown", map[time.Duration]int{0: 4, 6: 4, 50: 3, 100: 2}[days], len(now.Relationships))
	}
}

// Two times that are equal at the stored precision are the same time.
func TestStartsAreComparedAsTheyAreStored(t *testing.T) {
	e := fresh(t)
	w := from(noon.Add(-time.Hour+300*time.Microsecond), "a", "relates_to", "b", 0.5)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, w)
	e.same("again", Unchanged, e.write("u1", nil, w).Relationships[0].Status)
	w.ValidFrom, w.ValidTo = Some(noon), Some(noon.Add(200*time.Microsecond))
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Relationships: []RelationshipWrite{w}})
	e.same("an end within the same millisecond", []string{"relationships[0].valid_to"}, locations(err))
}

func TestTimesThatCannotBeAreRefused(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, from(noon, "a", "relates_to", "b", 0.5))
	before := e.stored()
	result := e.try("u1", nil, closed("a", "relates_to", "b", noon.Add(-time.Millisecond)))
	e.same("an end before the start", []any{Refused, []string{"relationships[0].valid_to: must not be before valid_from"}},
		[]any{result.Relationships[0].Status, result.Warnings})
	for _, start := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(time.Microsecond)} {
		w := from(start, "a", "relates_to", "b", 0.1)
		w.Contradicts = true
		result = e.try("u1", nil, w)
		e.same("a contradiction no later", []string{"relationships[0].valid_from: must be after the valid_from of the relationship it contradicts"}, result.Warnings)
	}
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Relationships: []RelationshipWrite{link("a", "relates_to", "a", 1),
		link("a", "part_of", "a", 1)}})
	e.same("a relationship with itself", []string{"relationships[0].to", "relationships[1].to"}, locations(err))
	e.same("stored", before, e.stored())
}

func TestContradictionsAtOneMomentFollowEachOther(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	w := link("a", "relates_to", "b", 0.5)
	w.Contradicts = true
	var keys []string
	for i := range 3 {
		r := e.write("u1", nil, w).Relationships[0]
		if r.Status != Created || (i > 0 && r.Closed != keys[i-1]) || (i == 0 && r.Closed != "") {
			t.Fatalf("got %+v", r)
		}
		keys = append(keys, r.Key)
	}
	e.same("one after the other", [][]any{{noon, noon.Add(time.Millisecond)}, {noon.Add(time.Millisecond), noon.Add(2 * time.Millisecond)},
		{noon.Add(2 * time.Millisecond), nil}},
		e.relationships("a", "b", "r.valid_from, r.valid_to"))
}

func TestDeprecatedTypesAreStoredTheOtherWay(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for given, stored := range map[string]string{"part_of": "contains", "referenced_by": "references", "produced_by": "produces", "mitigated_by": "mitigates"} {
		result := e.write("u1", nil, RelationshipWrite{From: "a", Type: given, To: "b"})
		r := result.Relationships[0]
		e.same(given, []any{"b", stored, "a", Created}, []any{r.From, r.Type, r.To, r.Status})
		e.same("warnings", []string{"relationships[0].type: " + given + " is deprecated: stored as " + stored + ", the other way round"}, result.Warnings)
		e.same("the same one", RelationshipResult{Key: r.Key, From: "b", To: "a", Type: stored, Status: Unchanged, Version: 1},
			e.write("u1", nil, RelationshipWrite{From: "b", Type: stored, To: "a"}).Relationships[0])
		missing := e.try("u1", nil, RelationshipWrite{From: "gone", Type: given, To: "b"}).Warnings
		e.same("a fault is where it was given", []string{"relationships[0].from: there is no such node"}, missing)
	}
	e.write("u1", []NodeWrite{oneOf(e.T, "task"), oneOf(e.T, "plan"), oneOf(e.T, "goal")})
	for _, w := range []RelationshipWrite{{From: "the-task", Type: "belongs_to_plan", To: "the-plan"}, {From: "the-goal", Type: "achieved_by", To: "the-task"}} {
		result := e.write("u1", nil, w)
		r := result.Relationships[0]
		e.same("as given", []any{w.From, w.Type, w.To, []string{}}, []any{r.From, r.Type, r.To, result.Warnings})
	}
}

func TestUnusualTypesAreWarnedOf(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{
		node("person", "p", 0.5), node("person", "q", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5), node("entity", "e", 0.5), node("entity", "f", 0.5),
	})
	types := []string{"has_relationship_with", "engages_with", "thinks_about", "associated_with", "relates_to", "involves", "connected_to", "of_caller"}
	usual := map[string][]string{
		"pq": {"has_relationship_with"}, "pc": {"engages_with", "thinks_about"}, "pe": {"associated_with"}, "ce": {"involves"}, "ef": {"connected_to"},
	}
	for pair, fitting := range usual {
		for _, ends := range []string{pair, pair[1:] + pair[:1]} {
			for _, kind := range types {
				result := e.write("u1", nil, RelationshipWrite{From: ends[:1], Type: kind, To: ends[1:]})
				warned := len(result.Warnings) == 1 && strings.HasPrefix(result.Warnings[0], "relationships[0].type: ") && strings.HasSuffix(result.Warnings[0], fitting[0])
				if fits := slices.Contains(fitting, kind) || kind == "relates_to" || kind == "of_caller"; warned == fits || len(result.Warnings) > 0 == fits {
					t.Errorf("%s %s: warnings %q", ends, kind, result.Warnings)
				}
			}
		}
	}
}

func TestContainmentLeadsToItsKind(t *testing.T) {
	e := fresh(t)
	for _, kind := range []string{"project", "plan", "task", "goal", "risk", "document"} {
		e.write("u1", []NodeWrite{oneOf(e.T, kind)})
	}
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	result := e.try("u1", nil, RelationshipWrite{From: "the-plan", Type: "has_task", To: "the-goal"},
		RelationshipWrite{From: "the-plan", Type: "has_task", To: "the-task"},
		RelationshipWrite{From: "the-project", Type: "has_context_document", To: "the-task"},
		RelationshipWrite{From: "the-project", Type: "has_context_document", To: "the-document"},
		RelationshipWrite{From: "the-task", Type: "has_goal", To: "the-goal"}, RelationshipWrite{From: "the-plan", Type: "has_crew", To: "the-goal"})
	e.same("statuses", []Status{Refused, Created, Refused, Created, Created, Created}, statuses(result))
	e.same("warnings", []string{
		"relationships[0].type: has_task must lead to a task", "relationships[2].type: has_context_document must lead to a document",
		"relationships[4].from: a goal is contained in project",
	}, result.Warnings)
}

func TestNothingContainsItself(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		nodes = append(nodes, NodeWrite{Kind: "document", EntityKey: key, Name: Some(key)})
	}
	e.write("u1", nodes)
	contains := func(ends string) RelationshipWrite {
		return RelationshipWrite{From: ends[:1], Type: map[bool]string{true: "contains", false: "has_document"}[ends < "c"], To: ends[1:]}
	}
	try := func(ends ...string) (all []Status) {
		var links []RelationshipWrite
		for _, e := range ends {
			links = append(links, contains(e))
		}
		return statuses(e.try("u1", nil, links...))
	}
	e.same("a ring in one batch", []Status{Created, Created, Refused}, try("ab", "bc", "ca"))
	e.same("over batches", []Status{Refused, Refused}, try("ca", "ba"))
	e.same("several ways are no ring", []Status{Created, Created, Created}, try("ad", "dc", "ac"))
	e.same("a ring of the others", []Status{Created, Refused}, try("ce", "ea"))
	result := e.try("u1", nil, contains("ea"))
	e.same("as told", []any{"", []string{"relationships[0].to: contains from, directly or through others"}}, []any{result.Relationships[0].Key, result.Warnings})
	e.same("swapped", Refused, e.try("u1", nil, RelationshipWrite{From: "a", Type: "part_of", To: "e"}).Relationships[0].Status)
	e.same("what contains nothing", Created, e.try("u1", nil, RelationshipWrite{From: "e", Type: "references", To: "a"}).Relationships[0].Status)
	before := e.stored()
	_, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Strict: true, Relationships: []RelationshipWrite{contains("be"), contains("ea")}})
	e.same("strict", []string{"relationships[1].to"}, locations(err))
	e.same("stored", before, e.stored())
	over := noon.Add(time.Hour)
	e.write("u1", nil, closed("a", "contains", "b", over), closed("a", "contains", "c", over), closed("a", "contains", "d", over))
	e.same("what is over is no ring", Created, e.try("u1", nil, contains("ea")).Relationships[0].Status)
}

func TestWordsForGrades(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	words := map[string][2][5]string{
		"has_relationship_with": {{"hostile", "unfriendly", "neutral", "friendly", "close"},
			{"stranger", "acquaintance", "familiar", "known-well", "intimate-knowledge"}},
		"engages_with": {{"dislikes", "skeptical", "neutral", "interested", "passionate"}, {"unfamiliar", "aware", "understands", "experienced", "expert"}},
		"thinks_about": {{"dislikes", "skeptical", "neutral", "interested", "passionate"}, {"unfamiliar", "aware", "understands", "experienced", "expert"}},
		"associated_with": {{"negative-view", "unfavorable", "neutral", "favorable", "strongly-positive"},
			{"distant", "aware-of", "familiar-with", "involved-with", "deeply-connected"}},
		"relates_to": {{"contradicts", "conflicts", "independent", "complementary", "integral"},
			{"loosely-related", "somewhat-related", "related", "closely-related", "inseparable"}},
		"involves": {{"peripheral", "minor", "relevant", "important", "central"}, {"tangential", "mentioned", "involved", "key-component", "essential"}},
		"connected_to": {{"adversarial", "competing", "independent", "cooperative", "integrated"},
			{"distantly-connected", "indirectly-connected", "connected", "closely-linked", "tightly-coupled"}},
		"of_caller": {},
	}
	for kind, scale := range words {
		for grade := int64(1); grade <= 5; grade++ {
			r := e.write("u1", nil, RelationshipWrite{From: "a", Type: kind, To: "b", Attitude: Some(grade), Proximity: Some(6 - grade)}).Relationships[0]
			view := e.relationship("u1", r.Key)
			e.same(kind, []any{grade, scale[0][grade-1], 6 - grade, scale[1][5-grade]}, []any{*view.Attitude, view.AttitudeWord, *view.Proximity, view.ProximityWord})
		}
		r := e.write("u1", nil, RelationshipWrite{From: "a", Type: kind, To: "b", Attitude: Null[int64](), Proximity: Null[int64]()}).Relationships[0]
		view := e.relationship("u1", r.Key)
		e.same(kind+" without", []any{(*int64)(nil), "", ""}, []any{view.Attitude, view.AttitudeWord, view.ProximityWord})
	}
}

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
