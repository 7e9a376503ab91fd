package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
)

func isGoal(w *graph.NodeWrite)  { w.IsGoal = graph.Some(true) }
func forever(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") }
func unseen(w *graph.NodeWrite)  { w.LastAccessedAt = graph.Null[time.Time]() }

// filledWith returns the keys of the nodes that were added to the section of relationships, with their relationships.
func filledWith(relationships []loader.OwnerRelationship) []string {
	keys := []string{}
	for _, r := range relationships {
		if r.Filled {
			keys = append(keys, strings.TrimSpace(r.Node.EntityKey+" "+r.RelationshipType))
		}
	}
	return keys
}

// TestGoalsFillTheirSection checks that goals not accessed for a week fill the section, then candidates, each by present
// salience.
func TestGoalsFillTheirSection(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		goal("in-use", 0.1), goal("old", 0.2, accessed(weekAgo)), goal("old-core", 0.4, accessed(weekAgo), inState("core")),
		goal("fading", 0.5, unseen), goal("candidate", 0.9, inState("candidate")), goal("candidate-2", 0.8, inState("candidate"), unseen),
		goal("x-archived", 1, inState("archived")), goal("x-shared", 1, unseen, shared), goal("x-others", 1, unseen, of("u2")),
	})
	s := e.sections("u1")
	e.Same("by rule", []string{"in-use"}, keysOf(s.PrimaryGoals))
	e.Same("filled", []string{"fading", "old-core", "old", "candidate"}, filledKeys(s.PrimaryGoals))

	e.Write("u1", []graph.NodeWrite{change("concept", "old", forever, func(w *graph.NodeWrite) { w.Salience = graph.Some(0.45) })})
	e.Now = noon.Add(20 * graph.Day)
	s = e.sections("u1")
	e.Same("by rule, later", []string{}, keysOf(s.PrimaryGoals))
	e.Same("filled, later", []string{"old", "fading", "old-core", "in-use", "candidate"}, filledKeys(s.PrimaryGoals))

	e.Now = noon
	var used []graph.NodeWrite
	for i := range 5 {
		used = append(used, goal(fmt.Sprintf("used-%d", i), 0.05))
	}
	e.Write("u1", used)
	e.Same("without room", []string{}, filledKeys(e.sections("u1").PrimaryGoals))
}

// TestBeliefsFillTheirSection checks that concepts kept for ever fill the section of beliefs: active ones, then candidates.
func TestBeliefsFillTheirSection(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{
		belief("core", 0.1), node("concept", "active", 0.3, forever), node("concept", "stronger", 0.4, forever),
		node("concept", "candidate", 0.9, forever, inState("candidate")), node("concept", "x-goal", 1, forever, isGoal),
		node("concept", "x-decays", 1), node("concept", "x-archived", 1, forever, inState("archived")),
	}
	e.Write("u1", nodes)
	s := e.sections("u1")
	e.Same("by rule", []string{"core"}, keysOf(s.CoreBeliefs))
	e.Same("filled", []string{"stronger", "active", "candidate"}, filledKeys(s.CoreBeliefs))
	for i := range 8 {
		nodes = append(nodes, belief(fmt.Sprintf("core-%d", i), 0.2))
	}
	e.Write("u1", nodes[7:])
	e.Same("one place", []string{"stronger"}, filledKeys(e.sections("u1").CoreBeliefs))
}

// TestRelationshipsFillTheirSection checks the order in which other nodes of the user fill the section. Active nodes come before
// candidates, related nodes before others, and each group is sorted by present salience.
func TestRelationshipsFillTheirSection(t *testing.T) {
	e := fresh(t)
	candidate := inState("candidate")
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), node("person", "friend", 0.1), node("concept", "tea", 0.2), node("person", "alone", 0.9), node("entity", "fades", 0.99),
		node("entity", "quay", 0.8, forever), node("person", "maybe", 0.3, candidate), node("concept", "perhaps", 0.9, candidate),
		node("concept", "x-goal", 1, isGoal), node("concept", "x-belief", 1, forever), node("entity", "x-archived", 1, inState("archived")),
		node("person", "x-shared", 1, shared), node("person", "x-others", 1, of("u2")), node("entity", "common", 0.05, shared),
	}, link("me", "has_relationship_with", "friend", 0.5), link("me", "prefers", "tea", 0.5), link("maybe", "has_relationship_with", "me", 0.5),
		link("me", "admires", "common", 0.5), link("me", "thinks_about", "x-archived", 0.9))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"alone"}})
	read := func() []loader.OwnerRelationship { return e.sections("u1").Relationships }
	e.Same("by rule", []string{"friend"}, linkedKeys(read()))
	e.Same("filled", []string{"tea prefers", "common admires", "fades", "alone", "quay", "maybe has_relationship_with", "perhaps"}, filledWith(read()))
	for _, r := range read() {
		switch r.Node.EntityKey {
		case "tea":
			e.Same("of tea", []any{"me prefers tea", 0.5, "Concept"}, []any{r.Description, r.Salience, r.NodeType})
		case "alone":
			e.Same("of alone", []any{"", 0.0, "Person", int64(1)}, []any{r.Description, r.Salience, r.NodeType, r.RecentMentions})
		}
	}
	e.Now = noon.Add(20 * graph.Day)
	e.Same("later", []string{"tea prefers", "common admires", "quay", "fades", "alone"}, filledWith(read())[:5])

	e.Now = noon
	nodes, links := []graph.NodeWrite{}, []graph.RelationshipWrite{}
	for i := range 8 {
		key := fmt.Sprintf("n-%d", i)
		nodes, links = append(nodes, node("concept", key, 0.1)), append(links, link("me", "thinks_about", key, 0.1))
	}
	e.Write("u1", nodes, links...)
	e.Same("one place", []string{"tea prefers"}, filledWith(read()))
	e.Write("u1", nil, link("me", "thinks_about", "tea", 0.1))
	s := e.sections("u1")
	e.Same("without room", []any{[]string{}, (*loader.Known)(nil)}, []any{filledWith(s.Relationships), s.Known})
}

// TestMentionedNodesFillALargeMemory checks that a node in a recent conversation fills the section, however many names sort
// before it.
func TestMentionedNodesFillALargeMemory(t *testing.T) {
	e := fresh(t)
	nodes := []graph.NodeWrite{node("person", "zoe", 0.9)}
	for i := range 310 {
		nodes = append(nodes, node("person", fmt.Sprintf("p-%03d", i), 0.1))
	}
	e.Write("u1", nodes)
	e.Same("unmentioned", false, slices.Contains(filledWith(e.sections("u1").Relationships), "zoe"))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"zoe"}})
	e.Same("mentioned", "zoe", filledWith(e.sections("u1").Relationships)[0])
}

// TestAContextWithoutAnOwner checks that no section needs an owner.
func TestAContextWithoutAnOwner(t *testing.T) {
	e := fresh(t)
	e.Write("u2", []graph.NodeWrite{node("person", "old", 0.5), goal("g", 0.5), belief("b", 0.5)})
	e.Raw(`MATCH (n:Person {team_id: $team, owner_of: 'u2'}) DETACH DELETE n`)
	s := e.sections("u2")
	e.Same("owner", (*loader.ContextNode)(nil), s.Owner)
	e.Same("goals", []string{"g"}, keysOf(s.PrimaryGoals))
	e.Same("beliefs", []string{"b"}, keysOf(s.CoreBeliefs))
	e.Same("network", []string{"old"}, filledWith(s.Relationships))
}

// TestKnownIsCounted checks that nodes which are not shown are counted by kind and reason.
func TestKnownIsCounted(t *testing.T) {
	e := fresh(t)
	fades := func(w *graph.NodeWrite) { w.Salience = graph.Some(0.02) }
	archived := inState("archived")
	nodes := []graph.NodeWrite{
		owner1("me"), node("person", "linked", 0.5), goal("g", 0.5), goal("g-faded", 0, fades), goal("g-away", 0.5, archived),
		belief("b", 0.5), node("concept", "b-away", 0.5, forever, archived), node("entity", "faded", 0, fades),
		node("entity", "away", 0.5, archived), node("person", "x-shared", 0.5, shared, archived),
	}
	for i := range 12 {
		nodes = append(nodes, node("entity", fmt.Sprintf("e-%02d", i), 0.5))
	}
	e.Write("u1", nodes, link("me", "has_relationship_with", "linked", 0.5))
	e.Now = noon.Add(60 * graph.Day)
	e.Write("u1", []graph.NodeWrite{change("concept", "g", accessed(e.Now), func(w *graph.NodeWrite) { w.Salience = graph.Some(0.5) })})
	e.Same("known", &loader.Known{
		Goals: loader.KnownCounts{Present: 1, Faded: 1, Archived: 1}, Beliefs: loader.KnownCounts{Present: 1, Archived: 1}, Others: loader.KnownCounts{Present: 3, Faded: 1, Archived: 1},
	}, e.sections("u1").Known)
	e.Same("of a stranger", &loader.Known{}, e.sections("stranger").Known)

	for i := range 3 {
		e.Source("u1", graph.SourceWrite{EntityKey: fmt.Sprintf("s-%d", i), Summary: told, StartedAt: graph.Some(noon)})
	}
	e.Source("u1", graph.SourceWrite{EntityKey: "s-now", Summary: told})
	e.Source("u1", graph.SourceWrite{EntityKey: "mail", ContentType: graph.Some("email"), StartedAt: graph.Some(noon)})
	e.Same("older conversations", int64(3), e.sections("u1").OlderConversations)
}

// TestKnownIsBounded checks that partial counts are marked as such.
func TestKnownIsBounded(t *testing.T) {
	e := fresh(t)
	nodes := make([]graph.NodeWrite, 301)
	for i := range nodes {
		nodes[i] = node("entity", fmt.Sprintf("e-%03d", i), 0.5)
	}
	e.Write("u1", nodes)
	known := e.sections("u1").Known
	e.Same("known", &loader.Known{Others: loader.KnownCounts{Present: 290}, AtLeast: true}, known)
}

// TestContextsHaveNotes checks that shown nodes have their newest three notes without expired ones.
func TestContextsHaveNotes(t *testing.T) {
	e := fresh(t)
	note := func(content, life string, at time.Time) graph.NoteWrite {
		return graph.NoteWrite{Content: content, Lifetime: life, DateAdded: graph.Some(at)}
	}
	with := func(notes ...graph.NoteWrite) func(*graph.NodeWrite) {
		return func(w *graph.NodeWrite) { w.Notes = notes }
	}
	two := with(note("older", "forever", noon.Add(-2*time.Hour)), note("newer", "forever", noon.Add(-time.Hour)))
	me := owner1("me")
	with(note("1", "forever", noon.Add(-4*time.Hour)), note("2", "forever", noon.Add(-3*time.Hour)), note("3", "forever", noon.Add(-2*time.Hour)),
		note("4", "forever", noon.Add(-time.Hour)), note("soon over", "week", noon.Add(-time.Minute)))(&me)
	e.Write("u1", []graph.NodeWrite{me, goal("g", 0.5, two), belief("b", 0.5, two), node("person", "p", 0.5, two), node("entity", "plain", 0.5)},
		link("me", "has_relationship_with", "p", 0.5))
	told := func(n loader.ContextNode) (contents []string) {
		for _, note := range n.Notes {
			contents = append(contents, note.Content)
		}
		return contents
	}
	s := e.sections("u1")
	e.Same("of the owner", []string{"soon over", "4", "3"}, told(*s.Owner))
	for name, n := range map[string]loader.ContextNode{"goal": s.PrimaryGoals[0], "belief": s.CoreBeliefs[0], "person": s.Relationships[0].Node} {
		e.Same("of the "+name, []string{"newer", "older"}, told(n))
	}
	e.Same("of what has none", []string(nil), told(s.Relationships[1].Node))
	then := noon.Add(-90 * time.Minute)
	e.Same("of that day", []string{"3", "2", "1"}, told(*e.sectionsAsOf("u1", &then).Owner))
	e.Now = noon.Add(8 * graph.Day)
	e.Same("expired", []string{"4", "3", "2"}, told(*e.sections("u1").Owner))
}

// TestTheOpenConversationIsNotOfThePast checks that the open conversation is neither the last one nor one of the week.
func TestTheOpenConversationIsNotOfThePast(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "before", Summary: told, StartedAt: graph.Some(noon.Add(-9 * graph.Day))})
	e.Source("u1", graph.SourceWrite{EntityKey: "open", Summary: told})
	read := func(open string) *loader.Sections {
		s, err := e.contexts().ReadSections(t.Context(), e.As("u1"), loader.AllSections, loader.SectionQuery{Now: noon, ConversationID: open})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read("open")
	e.Same("recent", []string{}, sourceKeys(s.Sources))
	e.Same("last", noon.Add(-9*graph.Day), s.LastConversation.StartedAt)
	s = read("another")
	e.Same("of another, recent", []string{"open"}, sourceKeys(s.Sources))
	e.Same("of another, last", noon, s.LastConversation.StartedAt)
	s = read("before")
	e.Same("of the first, older", int64(0), s.OlderConversations)
}

func TestLastMessages(t *testing.T) {
	e := fresh(t)
	w := graph.SourceWrite{EntityKey: "s"}
	for i := range 5 {
		w.Messages = append(w.Messages, graph.MessageWrite{EntityKey: fmt.Sprintf("m-%d", i), Role: "user", Text: fmt.Sprint(i)})
	}
	e.Source("u1", w)
	read := func(key string, limit int64) (texts []string) {
		messages, err := e.Store.LastMessages(t.Context(), e.As("u1"), key, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			texts = append(texts, m.Text)
		}
		return texts
	}
	e.Same("two", []string{"3", "4"}, read("s", 2))
	e.Same("all", []string{"0", "1", "2", "3", "4"}, read("s", 20))
	e.Same("of nothing", []string(nil), read("nothing", 20))
}
