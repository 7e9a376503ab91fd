package graph

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/neo"
)

// old writes a source of a user that ended some time ago, with a salience since then.
func (e *env) old(user, key string, ago time.Duration, salience float64, mentions ...string) {
	e.Helper()
	at := e.now.Add(-ago)
	e.write(user, []NodeWrite{{
		Kind: "source", EntityKey: key, Salience: Some(salience), State: Some("candidate"), Confidence: Some(0.9), // does not decay
		OwnFields: &OwnFields{StartedAt: Some(at.Add(-time.Hour)), EndedAt: Some(at), Summary: Some("about " + key)},
	}})
	var links []RelationshipWrite
	for _, to := range mentions {
		links = append(links, RelationshipWrite{From: key, Type: mentionsType, To: to})
	}
	e.write(user, nil, links...)
}

// candidates returns all candidates of a user, read in pages.
func (e *env) candidates(user string, limit int) []ConsolidationCandidate {
	e.Helper()
	all, cursor := []ConsolidationCandidate{}, ""
	for {
		page, err := e.store.ConsolidationCandidates(e.Context(), e.as(user), cursor, limit)
		if err != nil || len(page.Candidates) > limit {
			e.Fatal(len(page.Candidates), err)
		}
		all = append(all, page.Candidates...)
		if page.Next == nil {
			return all
		}
		cursor = *page.Next
	}
}

func reasons(all []ConsolidationCandidate) []string {
	names := []string{}
	for _, c := range all {
		name := c.Reason
		if c.Node != nil {
			name += " " + c.Node.EntityKey
		}
		names = append(names, fmt.Sprint(name, c.EntityKeys))
	}
	return names
}

// TestFadedSources checks sources at both limits: 7 days and salience 0.2.
func TestFadedSources(t *testing.T) {
	e := fresh(t)
	edge := time.Millisecond
	e.old("u1", "faded", Week+edge, 0.19)
	e.old("u1", "a week", Week, 0.19)
	e.old("u1", "salient", Week+edge, 0.2)
	e.old("u1", "zero", Week+edge, 0)
	e.old("u1", "archived", Week+edge, 0.1)
	e.write("u1", []NodeWrite{change("source", "archived", inState("archived"))})
	e.old("u1", "kept", Week+edge, 0.1)
	e.write("u1", []NodeWrite{change("source", "kept", func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") })})
	e.old("u2", "another's", Week+edge, 0.1)
	e.source("u1", SourceWrite{EntityKey: "open", StartedAt: Some(noon.Add(-Week - edge))}) // salience 0.5, decaying
	want := []string{"faded[faded]", "faded[zero]"}
	e.same("now", want, reasons(e.candidates("u1", 50)))
	for limit := range 3 {
		e.same("in pages", want, reasons(e.candidates("u1", limit+1)))
	}
	e.same("whole", ConsolidationCandidate{Reason: "faded", EntityKeys: []string{"faded"}, SourceCount: 1, Source: &FadedSource{
		EntityKey: "faded", Summary: "about faded", StartedAt: noon.Add(-Week - edge - time.Hour), EndedAt: neo.OptionalTime(noon.Add(-Week - edge)), Salience: 0.19,
	}}, e.candidates("u1", 1)[0])
	e.now = noon.Add(edge)
	e.same("a moment later", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.now = noon.Add(30 * day) // 0.5 × exp(-0.02 × 30) = 0.27
	e.same("in a month", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.now = noon.Add(120 * day) // 0.05
	e.same("in four months", []string{"faded[a week]", "faded[faded]", "faded[open]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.now = noon.Add(200 * day) // 0.009: archived by decay
	e.same("in seven months", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.same("of another team", []string{}, reasons(e.neighbour().candidates("u1", 50)))
}

// TestOverlappingSources checks the rule: five sources of the user, old and not archived, that mention the same node.
func TestOverlappingSources(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("concept", "five", 0.5), node("concept", "four", 0.5), node("person", "young", 0.5)})
	e.write("u1", []NodeWrite{node("entity", "shared", 0.5, shared)})
	for i := range 5 {
		mentions := []string{"me", "five", "young"}
		if i > 0 {
			mentions = append(mentions, "four", "shared")
		}
		ago := Week + time.Duration(5-i)*day
		e.old("u1", fmt.Sprintf("s-%d", i), ago, 0.9, mentions...)
		e.old("u2", fmt.Sprintf("r-%d", i), ago, 0.9, "shared")
	}
	e.source("u1", SourceWrite{EntityKey: "new", Mentions: []string{"four"}})
	e.old("u1", "week", Week, 0.9, "four")
	all := []string{"s-0", "s-1", "s-2", "s-3", "s-4"}
	want := []string{fmt.Sprint("overlapping five", all), fmt.Sprint("overlapping young", all)}
	for limit := range 3 {
		e.same("of u1", want, reasons(e.candidates("u1", limit+1)))
	}
	e.same("node", &MentionedNode{"young", "person", "the young"}, e.candidates("u1", 50)[1].Node)
	e.same("of u2", []string{"overlapping shared[r-0 r-1 r-2 r-3 r-4]"}, reasons(e.candidates("u2", 50)))
	e.now = noon.Add(time.Millisecond)
	e.same("a moment later", "overlapping four[s-1 s-2 s-3 s-4 week]", reasons(e.candidates("u1", 50))[1])
	e.now = noon
	e.consolidate("u1", "s-2")
	e.same("four are left", []string{}, reasons(e.candidates("u1", 50)))
	e.same("of another team", []string{}, reasons(e.neighbour().candidates("u1", 50)))

	e.old("u2", "faded", 9*day, 0.1)
	page, err := e.store.ConsolidationCandidates(t.Context(), e.as("u2"), "", 2)
	e.same("both on one page", []string{"faded[faded]", "overlapping shared[r-0 r-1 r-2 r-3 r-4]"}, reasons(page.Candidates))
	e.same("and no other", []any{(*string)(nil), nil}, []any{page.Next, err})
}

// TestCandidatesInStretches checks that the pages together have the same candidates, however little one page reads.
func TestCandidatesInStretches(t *testing.T) {
	e := fresh(t)
	var nodes []NodeWrite
	for i := range 6 {
		nodes = append(nodes, node("concept", fmt.Sprintf("c-%d", i), 0.5))
	}
	e.write("u1", nodes)
	for i := range 7 {
		var mentions []string
		for n := range 6 - i%2*3 { // c-0 to c-2 have seven, the others four
			mentions = append(mentions, fmt.Sprintf("c-%d", n))
		}
		e.old("u1", fmt.Sprintf("s-%d", i), 9*day, []float64{0.9, 0.1, 0.9}[i%3], mentions...)
	}
	want := reasons(e.candidates("u1", 50))
	e.same("candidates", 2+3, len(want))
	for _, walk := range []int64{7, 8, 10, 11, 13, 33} {
		got, cursor, pages := []ConsolidationCandidate{}, "", 0
		for {
			page, err := (&candidateList{store: e.store, scope: e.as("u1"), limit: 2, walk: walk}).page(t.Context(), cursor)
			if err != nil || pages > 50 {
				t.Fatal(pages, err)
			}
			pages++
			got = append(got, page.Candidates...)
			if page.Next == nil {
				break
			}
			cursor, _ = DecodeCursor(*page.Next)
		}
		e.same(fmt.Sprint("in stretches of ", walk), want, reasons(got))
	}
}

func (e *env) consolidate(user string, keys ...string) ConsolidationResult {
	e.Helper()
	result, err := e.store.Consolidate(e.Context(), e.as(user), &Consolidation{EntityKeys: keys})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// TestConsolidate checks that sources are archived and nothing else changes.
func TestConsolidate(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	e.old("u1", "s", 8*day, 0.1, "c")
	e.old("u1", "t", 8*day, 0.1, "c")
	e.old("u2", "r", 8*day, 0.1)
	links := func() any { return e.raw(`MATCH (:Memory {team_id: $team})-[r]->() RETURN count(r)`) }
	before := links()
	message := noSuchSource
	e.changedUsers()
	result := e.consolidate("u1", "s", "nothing", "r", "c")
	e.same("whose contexts", []string{"u1"}, e.changedUsers())
	refused := func(key string) NodeResult { return NodeResult{EntityKey: key, Status: Refused, Error: &message} }
	e.same("results", ConsolidationResult{
		Sources:  []NodeResult{{EntityKey: "s", Status: Updated, Version: 2}, refused("nothing"), refused("r"), refused("c")},
		Warnings: []string{"entity_keys[1]: " + message, "entity_keys[2]: " + message, "entity_keys[3]: " + message},
	}, result)
	e.same("again", []NodeResult{{EntityKey: "s", Status: Unchanged, Version: 2}}, e.consolidate("u1", "s").Sources)
	e.same("links", before, links())
	e.same("states", [][]any{{"c", "active"}, {"r", "candidate"}, {"s", "archived"}, {"t", "candidate"}},
		e.raw(`MATCH (n:Memory {team_id: $team}) WHERE n.owner_generated IS NULL RETURN n.entity_key, n.state ORDER BY n.entity_key`))

	strict := func(keys ...string) error {
		_, err := e.store.Consolidate(t.Context(), e.as("u1"), &Consolidation{EntityKeys: keys, Strict: true})
		return err
	}
	e.same("strict", []string{"entity_keys[1]"}, locations(strict("t", "r")))
	e.same("twice", []string{"entity_keys[1]"}, locations(strict("t", "t")))
	e.same("blank", []string{"entity_keys[0]"}, locations(strict(" ")))
	e.same("none", []string{"entity_keys"}, locations(strict()))
	e.same("too many", []string{"entity_keys"}, locations(strict(slices.Repeat([]string{"x"}, MaxConsolidated+1)...)))
	e.same("nothing done", [][]any{{"candidate"}}, e.raw(`MATCH (n:Memory {team_id: $team, entity_key: 't'}) RETURN n.state`))
	_, err := e.store.Consolidate(t.Context(), e.as(""), &Consolidation{EntityKeys: []string{"t"}})
	e.same("nobody's", []string{"user_id"}, locations(err))
	for _, cursor := range []string{"?", EncodeCursor("x"), EncodeCursor("\xff")} {
		_, err := e.store.ConsolidationCandidates(t.Context(), e.as("u1"), cursor, 1)
		e.same("cursor "+cursor, []string{"cursor"}, locations(err))
	}
	_, err = e.store.ConsolidationCandidates(t.Context(), e.as(""), "", 1)
	e.same("nobody's", []string{"user_id"}, locations(err))
	other := e.neighbour()
	e.same("of another team", []NodeResult{refused("t")}, other.consolidate("u1", "t").Sources)
}
