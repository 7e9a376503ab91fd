package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
	"kith/tests/graphtest"
)

// from returns a link that begins at a time.
func from(at time.Time, a, relationship, b string, salience float64) graph.RelationshipWrite {
	w := link(a, relationship, b, salience)
	w.ValidFrom, w.State = graph.Some(at), graph.Some("active")
	return w
}

// linked returns the keys of a node's relationships on a day or now. It checks that Node and Relationships agree.
func (e *env) linked(user, kind, key string, asOf *time.Time) []string {
	e.Helper()
	k, _ := graph.KindOf(kind)
	n, err := e.Store.Node(e.Context(), e.As(user), k, key, graph.NodeQuery{AsOf: asOf, Relationships: 100})
	if err != nil {
		e.Fatal(err)
	}
	page, err := e.Store.Relationships(e.Context(), e.As(user), graph.RelationshipList{Kind: k, Key: key, AsOf: asOf, Limit: 100})
	if err != nil {
		e.Fatal(err)
	}
	keys := func(views []graph.RelationshipView) []string {
		all := make([]string, len(views))
		for i := range views {
			all[i] = views[i].Key
		}
		slices.Sort(all)
		return all
	}
	e.Same("Node and Relationships", keys(n.Relationships), keys(page.Relationships))
	return keys(page.Relationships)
}

func TestALaterStartContradicts(t *testing.T) {
	e := fresh(t)
	days := func(n int) time.Time { return noon.Add(time.Duration(n) * graph.Day) }
	e.Now = days(-30)
	first := e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5)}, from(days(-20), "me", "thinks_about", "c", 0.5)).Relationships[0]
	e.Now = noon
	second := e.Write("u1", nil, from(days(-10), "me", "thinks_about", "c", 0.6)).Relationships[0]
	e.Same("second", graph.RelationshipResult{Key: second.Key, From: "me", To: "c", Type: "thinks_about", Status: graph.Created, Version: 1, Closed: first.Key}, second)
	e.Same("said again", graph.RelationshipResult{Key: second.Key, From: "me", To: "c", Type: "thinks_about", Status: graph.Unchanged, Version: 1},
		e.Write("u1", nil, from(days(-10), "me", "thinks_about", "c", 0.6)).Relationships[0])
	third := link("me", "thinks_about", "c", 0.7)
	third.Contradicts = true
	last := e.Write("u1", nil, third).Relationships[0]
	e.Same("third", []any{graph.Created, second.Key}, []any{last.Status, last.Closed})
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
			e.Same(name+", of "+key, c.want, e.linked("u1", kind, key, c.at))
		}
		e.Same(name+", in the context", len(c.want), len(e.sectionsAsOf("u1", c.at).Relationships))
		focus := &loader.Sections{}
		if err := e.contexts().ReadSection(t.Context(), e.As("u1"), loader.FocusSection,
			loader.SectionQuery{Now: e.Now, AsOf: c.at, FocusKey: "c", FocusKind: graph.ConceptKind}, focus); err != nil {
			t.Fatal(err)
		}
		e.Same(name+", in focus", len(c.want), len(focus.Focus.Links))
	}
	for i, want := range []float64{0.4094, 0.6} { // the first was written ten days before it began
		context := e.sectionsAsOf("u1", at(days(-20+10*i)))
		e.Same("what was linked then", []float64{want}, []float64{context.Relationships[0].Salience})
	}
	past, err := e.Store.Relationships(t.Context(), e.As("u1"), graph.RelationshipList{Kind: graph.ConceptKind, Key: "c", Past: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var ends []any
	for _, r := range past.Relationships {
		ends = append(ends, *r.ValidFrom, r.ValidTo)
	}
	e.Same("past", []any{days(-20), at(days(-10)), days(-10), &noon, noon, (*time.Time)(nil)}, ends)
	e.Same("a closed one by its key", at(days(-10)), e.relationship("u1", first.Key).ValidTo)
	if _, err := e.Store.Node(t.Context(), e.As("u1"), graph.ConceptKind, "c", graph.NodeQuery{AsOf: at(days(-31))}); err == nil {
		t.Error("the node is there before it was written")
	}
}

func at(t time.Time) *time.Time { return &t }

func (e *env) relationship(user, key string) graph.RelationshipView {
	e.Helper()
	r, err := e.Store.Relationship(e.Context(), e.As(user), key, nil)
	if err != nil {
		e.Fatal(err)
	}
	return r
}

// sectionsAsOf returns the sections of a day, and checks that they are the same one by one.
func (e *env) sectionsAsOf(user string, asOf *time.Time) *loader.Sections {
	e.Helper()
	q := loader.SectionQuery{Now: e.Now, AsOf: asOf}
	together, err := e.contexts().ReadSections(e.Context(), e.As(user), loader.AllSections, q)
	if err != nil {
		e.Fatal(err)
	}
	alone := &loader.Sections{}
	for _, section := range loader.AllSections {
		if err := e.contexts().ReadSection(e.Context(), e.As(user), section, q, alone); err != nil {
			e.Fatal(err)
		}
	}
	e.Same("sections read alone and together", alone, together)
	return together
}

// The context of the current time, or of a future one, is the current context.
func TestTheContextOfNowIsThatOfTheMoment(t *testing.T) {
	e := fresh(t)
	var links []graph.RelationshipWrite
	nodes := []graph.NodeWrite{owner1("me")}
	for key, change := range map[string]func(*graph.NodeWrite){
		"fading": func(w *graph.NodeWrite) { w.Salience = graph.Some(0.02) }, "ephemeral": func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("ephemeral") },
		"fine": func(*graph.NodeWrite) {}, "archived": inState("archived"), "goal": func(w *graph.NodeWrite) { w.IsGoal, w.LastAccessedAt = graph.Some(true), graph.Some(noon) },
	} {
		nodes = append(nodes, node("concept", key, 0.5, change))
		links = append(links, link("me", "relates_to", key, 0.5))
	}
	e.Write("u1", nodes, links...)
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"fine"}})
	for _, days := range []time.Duration{0, 6, 50, 100} {
		e.Now = noon.Add(days * graph.Day)
		now := e.sections("u1")
		now.Known = nil // it is not counted for the past
		e.Same(fmt.Sprintf("after %d days", days), now, e.sectionsAsOf("u1", &e.Now))
		e.Same("shown", map[time.Duration]int{0: 4, 6: 4, 50: 3, 100: 2}[days], len(now.Relationships))
	}
}

// Two times that are equal at the stored precision are the same time.
func TestStartsAreComparedAsTheyAreStored(t *testing.T) {
	e := fresh(t)
	w := from(noon.Add(-time.Hour+300*time.Microsecond), "a", "relates_to", "b", 0.5)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, w)
	e.Same("again", graph.Unchanged, e.Write("u1", nil, w).Relationships[0].Status)
	w.ValidFrom, w.ValidTo = graph.Some(noon), graph.Some(noon.Add(200*time.Microsecond))
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{w}})
	e.Same("an end within the same millisecond", []string{"relationships[0].valid_to"}, graphtest.Locations(err))
}

func TestTimesThatCannotBeAreRefused(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)}, from(noon, "a", "relates_to", "b", 0.5))
	before := e.Stored()
	result := e.Try("u1", nil, closed("a", "relates_to", "b", noon.Add(-time.Millisecond)))
	e.Same("an end before the start", []any{graph.Refused, []string{"relationships[0].valid_to: must not be before valid_from"}},
		[]any{result.Relationships[0].Status, result.Warnings})
	for _, start := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(time.Microsecond)} {
		w := from(start, "a", "relates_to", "b", 0.1)
		w.Contradicts = true
		result = e.Try("u1", nil, w)
		e.Same("a contradiction no later", []string{"relationships[0].valid_from: must be after the valid_from of the relationship it contradicts"}, result.Warnings)
	}
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Relationships: []graph.RelationshipWrite{link("a", "relates_to", "a", 1),
		link("a", "part_of", "a", 1)}})
	e.Same("a relationship with itself", []string{"relationships[0].to", "relationships[1].to"}, graphtest.Locations(err))
	e.Same("stored", before, e.Stored())
}

func TestContradictionsAtOneMomentFollowEachOther(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	w := link("a", "relates_to", "b", 0.5)
	w.Contradicts = true
	var keys []string
	for i := range 3 {
		r := e.Write("u1", nil, w).Relationships[0]
		if r.Status != graph.Created || (i > 0 && r.Closed != keys[i-1]) || (i == 0 && r.Closed != "") {
			t.Fatalf("got %+v", r)
		}
		keys = append(keys, r.Key)
	}
	e.Same("one after the other", [][]any{{noon, noon.Add(time.Millisecond)}, {noon.Add(time.Millisecond), noon.Add(2 * time.Millisecond)},
		{noon.Add(2 * time.Millisecond), nil}},
		e.relationships("a", "b", "r.valid_from, r.valid_to"))
}

func TestDeprecatedTypesAreStoredTheOtherWay(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
	for given, stored := range map[string]string{"part_of": "contains", "referenced_by": "references", "produced_by": "produces", "mitigated_by": "mitigates"} {
		result := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: given, To: "b"})
		r := result.Relationships[0]
		e.Same(given, []any{"b", stored, "a", graph.Created}, []any{r.From, r.Type, r.To, r.Status})
		e.Same("warnings", []string{"relationships[0].type: " + given + " is deprecated: stored as " + stored + ", the other way round"}, result.Warnings)
		e.Same("the same one", graph.RelationshipResult{Key: r.Key, From: "b", To: "a", Type: stored, Status: graph.Unchanged, Version: 1},
			e.Write("u1", nil, graph.RelationshipWrite{From: "b", Type: stored, To: "a"}).Relationships[0])
		missing := e.Try("u1", nil, graph.RelationshipWrite{From: "gone", Type: given, To: "b"}).Warnings
		e.Same("a fault is where it was given", []string{"relationships[0].from: there is no such node"}, missing)
	}
	e.Write("u1", []graph.NodeWrite{oneOf(e.T, "task"), oneOf(e.T, "plan"), oneOf(e.T, "goal")})
	for _, w := range []graph.RelationshipWrite{{From: "the-task", Type: "belongs_to_plan", To: "the-plan"}, {From: "the-goal", Type: "achieved_by", To: "the-task"}} {
		result := e.Write("u1", nil, w)
		r := result.Relationships[0]
		e.Same("as given", []any{w.From, w.Type, w.To, []string{}}, []any{r.From, r.Type, r.To, result.Warnings})
	}
}

func TestUnusualTypesAreWarnedOf(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		node("person", "p", 0.5), node("person", "q", 0.5), node("concept", "c", 0.5), node("concept", "d", 0.5), node("entity", "e", 0.5), node("entity", "f", 0.5),
	})
	types := []string{"has_relationship_with", "engages_with", "thinks_about", "associated_with", "relates_to", "involves", "connected_to", "of_caller"}
	usual := map[string][]string{
		"pq": {"has_relationship_with"}, "pc": {"engages_with", "thinks_about"}, "pe": {"associated_with"}, "ce": {"involves"}, "ef": {"connected_to"},
	}
	for pair, fitting := range usual {
		for _, ends := range []string{pair, pair[1:] + pair[:1]} {
			for _, kind := range types {
				result := e.Write("u1", nil, graph.RelationshipWrite{From: ends[:1], Type: kind, To: ends[1:]})
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
		e.Write("u1", []graph.NodeWrite{oneOf(e.T, kind)})
	}
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	result := e.Try("u1", nil, graph.RelationshipWrite{From: "the-plan", Type: "has_task", To: "the-goal"},
		graph.RelationshipWrite{From: "the-plan", Type: "has_task", To: "the-task"},
		graph.RelationshipWrite{From: "the-project", Type: "has_context_document", To: "the-task"},
		graph.RelationshipWrite{From: "the-project", Type: "has_context_document", To: "the-document"},
		graph.RelationshipWrite{From: "the-task", Type: "has_goal", To: "the-goal"}, graph.RelationshipWrite{From: "the-plan", Type: "has_crew", To: "the-goal"})
	e.Same("statuses", []graph.Status{graph.Refused, graph.Created, graph.Refused, graph.Created, graph.Created, graph.Created}, statuses(result))
	e.Same("warnings", []string{
		"relationships[0].type: has_task must lead to a task", "relationships[2].type: has_context_document must lead to a document",
		"relationships[4].from: a goal is contained in project",
	}, result.Warnings)
}

func TestNothingContainsItself(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		nodes = append(nodes, graph.NodeWrite{Kind: "document", EntityKey: key, Name: graph.Some(key)})
	}
	e.Write("u1", nodes)
	contains := func(ends string) graph.RelationshipWrite {
		return graph.RelationshipWrite{From: ends[:1], Type: map[bool]string{true: "contains", false: "has_document"}[ends < "c"], To: ends[1:]}
	}
	try := func(ends ...string) (all []graph.Status) {
		var links []graph.RelationshipWrite
		for _, e := range ends {
			links = append(links, contains(e))
		}
		return statuses(e.Try("u1", nil, links...))
	}
	e.Same("a ring in one batch", []graph.Status{graph.Created, graph.Created, graph.Refused}, try("ab", "bc", "ca"))
	e.Same("over batches", []graph.Status{graph.Refused, graph.Refused}, try("ca", "ba"))
	e.Same("several ways are no ring", []graph.Status{graph.Created, graph.Created, graph.Created}, try("ad", "dc", "ac"))
	e.Same("a ring of the others", []graph.Status{graph.Created, graph.Refused}, try("ce", "ea"))
	result := e.Try("u1", nil, contains("ea"))
	e.Same("as told", []any{"", []string{"relationships[0].to: contains from, directly or through others"}}, []any{result.Relationships[0].Key, result.Warnings})
	e.Same("swapped", graph.Refused, e.Try("u1", nil, graph.RelationshipWrite{From: "a", Type: "part_of", To: "e"}).Relationships[0].Status)
	e.Same("what contains nothing", graph.Created, e.Try("u1", nil, graph.RelationshipWrite{From: "e", Type: "references", To: "a"}).Relationships[0].Status)
	before := e.Stored()
	_, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Strict: true, Relationships: []graph.RelationshipWrite{contains("be"), contains("ea")}})
	e.Same("strict", []string{"relationships[1].to"}, graphtest.Locations(err))
	e.Same("stored", before, e.Stored())
	over := noon.Add(time.Hour)
	e.Write("u1", nil, closed("a", "contains", "b", over), closed("a", "contains", "c", over), closed("a", "contains", "d", over))
	e.Now = over
	e.Same("what is over is no ring", graph.Created, e.Try("u1", nil, contains("ea")).Relationships[0].Status)
}

func TestWordsForGrades(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "a", 0.5), node("concept", "b", 0.5)})
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
			r := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: kind, To: "b", Attitude: graph.Some(grade), Proximity: graph.Some(6 - grade)}).Relationships[0]
			view := e.relationship("u1", r.Key)
			e.Same(kind, []any{grade, scale[0][grade-1], 6 - grade, scale[1][5-grade]}, []any{*view.Attitude, view.AttitudeWord, *view.Proximity, view.ProximityWord})
		}
		r := e.Write("u1", nil, graph.RelationshipWrite{From: "a", Type: kind, To: "b", Attitude: graph.Null[int64](), Proximity: graph.Null[int64]()}).Relationships[0]
		view := e.relationship("u1", r.Key)
		e.Same(kind+" without", []any{(*int64)(nil), "", ""}, []any{view.Attitude, view.AttitudeWord, view.ProximityWord})
	}
}
