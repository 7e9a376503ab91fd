package consolidation

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/tests/graphtest"
)

// old writes a source of a user that ended some time ago, with a salience since then.
func (e *env) old(user, key string, ago time.Duration, salience float64, mentions ...string) {
	e.Helper()
	at := e.Now.Add(-ago)
	e.Write(user, []graph.NodeWrite{{
		Kind: "source", EntityKey: key, Salience: graph.Some(salience), State: graph.Some("candidate"), Confidence: graph.Some(0.9), // does not decay
		OwnFields: &graph.OwnFields{StartedAt: graph.Some(at.Add(-time.Hour)), EndedAt: graph.Some(at), Summary: graph.Some("about " + key)},
	}})
	var links []graph.RelationshipWrite
	for _, to := range mentions {
		links = append(links, graph.RelationshipWrite{From: key, Type: "mentions", To: to})
	}
	e.Write(user, nil, links...)
}

// candidates returns all candidates of a user, read in pages.
func (e *env) candidates(user string, limit int) []Candidate {
	e.Helper()
	all, cursor := []Candidate{}, ""
	for {
		page, err := e.sources.Candidates(e.Context(), e.As(user), cursor, limit)
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

func reasons(all []Candidate) []string {
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
	e.old("u1", "faded", graph.Week+edge, 0.19)
	e.old("u1", "a week", graph.Week, 0.19)
	e.old("u1", "salient", graph.Week+edge, 0.2)
	e.old("u1", "zero", graph.Week+edge, 0)
	e.old("u1", "archived", graph.Week+edge, 0.1)
	e.Write("u1", []graph.NodeWrite{change("source", "archived", inState("archived"))})
	e.old("u1", "kept", graph.Week+edge, 0.1)
	e.Write("u1", []graph.NodeWrite{change("source", "kept", func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") })})
	e.old("u2", "another's", graph.Week+edge, 0.1)
	e.Source("u1", graph.SourceWrite{EntityKey: "open", StartedAt: graph.Some(noon.Add(-graph.Week - edge))}) // salience 0.5, decaying
	want := []string{"faded[faded]", "faded[zero]"}
	e.Same("now", want, reasons(e.candidates("u1", 50)))
	for limit := range 3 {
		e.Same("in pages", want, reasons(e.candidates("u1", limit+1)))
	}
	e.Same("whole", Candidate{Reason: "faded", EntityKeys: []string{"faded"}, SourceCount: 1, Source: &FadedSource{
		EntityKey: "faded", Summary: "about faded", StartedAt: noon.Add(-graph.Week - edge - time.Hour), EndedAt: neo.OptionalTime(noon.Add(-graph.Week - edge)), Salience: 0.19,
	}}, e.candidates("u1", 1)[0])
	e.Now = noon.Add(edge)
	e.Same("a moment later", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.Now = noon.Add(30 * 24 * time.Hour) // 0.5 × exp(-0.02 × 30) = 0.27
	e.Same("in a month", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.Now = noon.Add(120 * 24 * time.Hour) // 0.05
	e.Same("in four months", []string{"faded[a week]", "faded[faded]", "faded[open]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.Now = noon.Add(200 * 24 * time.Hour) // 0.009: archived by decay
	e.Same("in seven months", []string{"faded[a week]", "faded[faded]", "faded[zero]"}, reasons(e.candidates("u1", 50)))
	e.Same("of another team", []string{}, reasons(e.neighbour().candidates("u1", 50)))
}

// TestOverlappingSources checks the rule: five sources of the user, old and not archived, that mention the same node.
func TestOverlappingSources(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "five", 0.5), node("concept", "four", 0.5), node("person", "young", 0.5)})
	e.Write("u1", []graph.NodeWrite{node("entity", "shared", 0.5, shared)})
	for i := range 5 {
		mentions := []string{"me", "five", "young"}
		if i > 0 {
			mentions = append(mentions, "four", "shared")
		}
		ago := graph.Week + time.Duration(5-i)*24*time.Hour
		e.old("u1", fmt.Sprintf("s-%d", i), ago, 0.9, mentions...)
		e.old("u2", fmt.Sprintf("r-%d", i), ago, 0.9, "shared")
	}
	e.Source("u1", graph.SourceWrite{EntityKey: "new", Mentions: []string{"four"}})
	e.old("u1", "week", graph.Week, 0.9, "four")
	all := []string{"s-0", "s-1", "s-2", "s-3", "s-4"}
	want := []string{fmt.Sprint("overlapping five", all), fmt.Sprint("overlapping young", all)}
	for limit := range 3 {
		e.Same("of u1", want, reasons(e.candidates("u1", limit+1)))
	}
	e.Same("node", &MentionedNode{"young", "person", "the young"}, e.candidates("u1", 50)[1].Node)
	e.Same("of u2", []string{"overlapping shared[r-0 r-1 r-2 r-3 r-4]"}, reasons(e.candidates("u2", 50)))
	e.Now = noon.Add(time.Millisecond)
	e.Same("a moment later", "overlapping four[s-1 s-2 s-3 s-4 week]", reasons(e.candidates("u1", 50))[1])
	e.Now = noon
	e.consolidate("u1", "s-2")
	e.Same("four are left", []string{}, reasons(e.candidates("u1", 50)))
	e.Same("of another team", []string{}, reasons(e.neighbour().candidates("u1", 50)))

	e.old("u2", "faded", 9*24*time.Hour, 0.1)
	page, err := e.sources.Candidates(t.Context(), e.As("u2"), "", 2)
	e.Same("both on one page", []string{"faded[faded]", "overlapping shared[r-0 r-1 r-2 r-3 r-4]"}, reasons(page.Candidates))
	e.Same("and no other", []any{(*string)(nil), nil}, []any{page.Next, err})
}

// TestCandidatesInStretches checks that the pages together have the same candidates, however little one page reads.
func TestCandidatesInStretches(t *testing.T) {
	e := fresh(t)
	var nodes []graph.NodeWrite
	for i := range 6 {
		nodes = append(nodes, node("concept", fmt.Sprintf("c-%d", i), 0.5))
	}
	e.Write("u1", nodes)
	for i := range 7 {
		var mentions []string
		for n := range 6 - i%2*3 { // c-0 to c-2 have seven, the others four
			mentions = append(mentions, fmt.Sprintf("c-%d", n))
		}
		e.old("u1", fmt.Sprintf("s-%d", i), 9*24*time.Hour, []float64{0.9, 0.1, 0.9}[i%3], mentions...)
	}
	want := reasons(e.candidates("u1", 50))
	e.Same("candidates", 2+3, len(want))
	for _, walk := range []int64{7, 8, 10, 11, 13, 33} {
		got, cursor, pages := []Candidate{}, "", 0
		for {
			page, err := (&candidateList{store: e.sources, scope: e.As("u1"), limit: 2, walk: walk}).page(t.Context(), cursor)
			if err != nil || pages > 50 {
				t.Fatal(pages, err)
			}
			pages++
			got = append(got, page.Candidates...)
			if page.Next == nil {
				break
			}
			cursor, _ = cursors.Decode(*page.Next)
		}
		e.Same(fmt.Sprint("in stretches of ", walk), want, reasons(got))
	}
}

func (e *env) consolidate(user string, keys ...string) Result {
	e.Helper()
	result, err := e.sources.Consolidate(e.Context(), e.As(user), &Consolidation{EntityKeys: keys})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// TestConsolidate checks that sources are archived and nothing else changes.
func TestConsolidate(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	e.old("u1", "s", 8*24*time.Hour, 0.1, "c")
	e.old("u1", "t", 8*24*time.Hour, 0.1, "c")
	e.old("u2", "r", 8*24*time.Hour, 0.1)
	links := func() any { return e.Raw(`MATCH (:Memory {team_id: $team})-[r]->() RETURN count(r)`) }
	before := links()
	message := noSuchSource
	e.ChangedUsers()
	result := e.consolidate("u1", "s", "nothing", "r", "c")
	e.Same("whose contexts", []string{"u1"}, e.ChangedUsers())
	refused := func(key string) graph.NodeResult {
		return graph.NodeResult{EntityKey: key, Status: graph.Refused, Error: &message}
	}
	e.Same("results", Result{
		Sources:  []graph.NodeResult{{EntityKey: "s", Status: graph.Updated, Version: 2}, refused("nothing"), refused("r"), refused("c")},
		Warnings: []string{"entity_keys[1]: " + message, "entity_keys[2]: " + message, "entity_keys[3]: " + message},
	}, result)
	e.Same("again", []graph.NodeResult{{EntityKey: "s", Status: graph.Unchanged, Version: 2}}, e.consolidate("u1", "s").Sources)
	e.Same("links", before, links())
	e.Same("states", [][]any{{"c", "active"}, {"r", "candidate"}, {"s", "archived"}, {"t", "candidate"}},
		e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.owner_generated IS NULL RETURN n.entity_key, n.state ORDER BY n.entity_key`))

	strict := func(keys ...string) error {
		_, err := e.sources.Consolidate(t.Context(), e.As("u1"), &Consolidation{EntityKeys: keys, Strict: true})
		return err
	}
	e.Same("strict", []string{"entity_keys[1]"}, graphtest.Locations(strict("t", "r")))
	e.Same("twice", []string{"entity_keys[1]"}, graphtest.Locations(strict("t", "t")))
	e.Same("blank", []string{"entity_keys[0]"}, graphtest.Locations(strict(" ")))
	e.Same("none", []string{"entity_keys"}, graphtest.Locations(strict()))
	e.Same("too many", []string{"entity_keys"}, graphtest.Locations(strict(slices.Repeat([]string{"x"}, MaxConsolidated+1)...)))
	e.Same("nothing done", [][]any{{"candidate"}}, e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 't'}) RETURN n.state`))
	_, err := e.sources.Consolidate(t.Context(), e.As(""), &Consolidation{EntityKeys: []string{"t"}})
	e.Same("nobody's", []string{"user_id"}, graphtest.Locations(err))
	for _, cursor := range []string{"?", cursors.Encode("x"), cursors.Encode("\xff")} {
		_, err := e.sources.Candidates(t.Context(), e.As("u1"), cursor, 1)
		e.Same("cursor "+cursor, []string{"cursor"}, graphtest.Locations(err))
	}
	_, err = e.sources.Candidates(t.Context(), e.As(""), "", 1)
	e.Same("nobody's", []string{"user_id"}, graphtest.Locations(err))
	other := e.neighbour()
	e.Same("of another team", []graph.NodeResult{refused("t")}, other.consolidate("u1", "t").Sources)
}
