package graph_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph"
	"kith/graph/neo"
	"kith/tests/graphtest"
)

// stories processes all pending sources of the test's own team and expects no error. FormStories covers all teams, so
// its result would include those of other tests.
func (e *env) stories() graph.StoryResult {
	e.Helper()
	var result graph.StoryResult
	rows := e.Raw(fmt.Sprintf(`MATCH (s:Source {team_id: $team}) WHERE s.story_due <= %d RETURN s.entity_key ORDER BY s.story_due, s.entity_key`,
		e.Now.UnixMilli()))
	for _, row := range rows {
		if err := e.Store.FormStoryForTest(e.Context(), e.Team, row[0].(string), e.Now, &result); err != nil { //nolint:forcetypeassert // a key
			e.Fatal(err)
		}
	}
	return result
}

// told writes a source of a user that began this long before noon (or the store's time, if that is earlier) with some
// mentions.
func (e *env) told(user, key string, ago time.Duration, mentions ...string) {
	e.Helper()
	e.Source(user, graph.SourceWrite{EntityKey: key, StartedAt: graph.Some(graph.Earlier(noon, e.Now).Add(-ago)), Strict: true, Mentions: mentions})
}

// tell writes sources of a user with some mentions, one for each time before noon.
func (e *env) tell(user, prefix string, agos []time.Duration, mentions ...string) {
	e.Helper()
	for i, ago := range agos {
		e.told(user, fmt.Sprintf("%s-%d", prefix, i), ago, mentions...)
	}
}

// days returns durations before noon.
func days(n ...float64) []time.Duration {
	all := make([]time.Duration, len(n))
	for i := range n {
		all[i] = time.Duration(n[i] * float64(graph.Day))
	}
	return all
}

// enough are the times of sources that just reach every threshold.
var enough = days(3, 3, 3, 1, 0)

// included returns the sources of each storyline of the team, by user and anchor.
func (e *env) included() map[string][]string {
	e.Helper()
	all := map[string][]string{}
	for _, row := range e.Raw(`MATCH (t:Memory:Storyline {team_id: $team})-[:about]->(a) WHERE a.entity_key = t.anchor_key
		OPTIONAL MATCH (t)-[i:includes]->(s:Source) WITH t, s ORDER BY s.entity_key
		RETURN t.user_id + ' ' + t.anchor_key, collect(s.entity_key), t.source_count`) {
		name := row[0].(string) //nolint:forcetypeassert // a key
		if all[name] != nil {
			e.Errorf("two storylines of %s", name)
		}
		all[name] = neo.Texts(row[1])
		if int64(len(all[name])) != row[2] {
			e.Errorf("the storyline of %s counts %v sources and includes %v", name, row[2], all[name])
		}
	}
	return all
}

// TestStorylineThresholds tests an anchor at each edge.
func TestStorylineThresholds(t *testing.T) {
	e := fresh(t)
	edge := time.Millisecond
	for name, c := range map[string]struct {
		agos   []time.Duration
		state  string
		formed bool
	}{
		"all":         {enough, "active", true},
		"core":        {enough, "core", true},
		"candidate":   {enough, "candidate", true}, // active since the second source
		"archived":    {days(4, 3, 2, 1, 1), "archived", false},
		"four":        {days(3, 2, 1, 0), "active", false},
		"two-days":    {days(3, 3, 3, 0, 0), "active", false},
		"two-d-span":  {days(2, 2, 2, 1, 0), "active", false},
		"short":       {append(days(2, 2, 1, 0), 3*graph.Day-edge), "active", false},
		"short-by-0":  {append(days(2, 2, 1, 0), 3*graph.Day), "active", true},
		"over-months": {days(100, 60, 50, 30, 0), "active", true},
	} {
		e.Write("u1", []graph.NodeWrite{node("concept", name, 0.5, inState(c.state))})
		e.tell("u1", name, c.agos, name)
		e.stories()
		if _, formed := e.included()["u1 "+name]; formed != c.formed {
			e.Errorf("%s: formed is %v", name, formed)
		}
	}
	e.Same("macros of one storyline", [][]any{{int64(0)}}, e.Raw(`MATCH (m:Macro {team_id: $team}) RETURN count(m)`))
}

// TestStorylineIsANode reads a storyline like any other node.
func TestStorylineIsANode(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("person", "ada", 0.5)})
	e.tell("u1", "s", enough, "ada", "me")
	result := e.stories()
	e.Same("result", graph.StoryResult{Sources: 5, Storylines: 1}, result)
	list, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.StorylineKind, Limit: 10})
	if err != nil || len(list.Nodes) != 1 {
		t.Fatal(list, err)
	}
	n := list.Nodes[0]
	e.Same("name and text", []string{"the ada", "Sources about the ada, 2026-03-01 to 2026-03-04"}, []string{n.Name, n.Description})
	e.Same("lifecycle", []any{"candidate", "decay", 0.5, 0.5}, []any{n.State, n.TTLPolicy, n.Salience, n.Confidence})
	e.Same("own fields", []any{int64(5), "ada", noon.Add(-3 * graph.Day), noon},
		[]any{n.SourceCount.Value, n.AnchorKey.Value, n.FirstSourceAt.Value, n.LastSourceAt.Value})
	e.Same("owner", "u1", *n.UserID)
	full, err := e.Store.Node(t.Context(), e.As("u1"), graph.StorylineKind, n.EntityKey, graph.NodeQuery{Relationships: 100})
	if err != nil || len(full.Relationships) != 6 {
		t.Errorf("%d relationships, %v", len(full.Relationships), err)
	}
	e.Same("again", graph.StoryResult{}, e.stories())
	e.Same("refused to callers", []string{"nodes[0].kind"},
		graphtest.Locations((&graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "storyline", Name: graph.Some("x")}}}).Validate(e.As("u1"), noon)))
}

// TestStoryOfAnAnchorThatWakesUp checks that the newest source waits for its anchor, whose state changes without a
// mention.
func TestStoryOfAnAnchorThatWakesUp(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5, inState("archived"))})
	e.tell("u1", "s", days(5, 4, 3, 2, 1), "c")
	e.stories()
	e.Same("waiting", [][]any{{"s-4"}}, e.Raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN s.entity_key`))
	e.Write("u1", []graph.NodeWrite{change("concept", "c", inState("active"))})
	var early graph.StoryResult
	if err := e.Store.FormStoryForTest(t.Context(), e.Team, "s-4", e.Now, &early); err != nil {
		t.Fatal(err)
	}
	e.Same("too early", graph.StoryResult{Sources: 1}, early)
	e.Now = e.Now.Add(graph.StoryAgain)
	e.Same("formed", graph.StoryResult{Sources: 1, Storylines: 1}, e.stories())

	e.Write("u1", []graph.NodeWrite{node("concept", "old", 0.5, inState("archived"))})
	e.tell("u1", "o", days(100, 99, 98, 97, 96), "old")
	e.stories()
	e.Same("nothing waits for what is past", [][]any{{int64(0)}}, e.Raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN count(s)`))
}

// TestSourcesJoinStorylines joins the only storyline within 90 days, and of several the similar one within 30 days.
func TestSourcesJoinStorylines(t *testing.T) {
	e := fresh(t)
	edge := time.Millisecond
	var nodes []graph.NodeWrite
	for _, key := range []string{"a", "b", "x", "y", "z", "k", "l", "m", "n", "o", "p", "q"} {
		nodes = append(nodes, node("concept", key, 0.5, inState("candidate")))
	}
	nodes[0].State, nodes[1].State = graph.Some("active"), graph.Some("active")
	e.Write("u1", nodes)
	e.tell("u1", "a", days(203, 202, 201, 200, 200), "a", "k", "l", "m", "n", "o", "p", "q", "x") // a: 203 to 200 days ago
	e.stories()
	join := func(key string, ago time.Duration, want int, mentions ...string) {
		t.Helper()
		e.told("u1", key, ago, mentions...)
		e.Same(key, want, e.stories().Joined)
	}
	join("too late", 110*graph.Day-edge, 0, "a")
	join("too early", 293*graph.Day+edge, 0, "a")
	join("just early", 293*graph.Day, 1, "a") // now from 293 days
	join("between", 250*graph.Day, 1, "a", "z")
	join("just in time", 110*graph.Day, 1, "a")
	e.Same("of a", 8, len(e.included()["u1 a"]))

	e.tell("u1", "b", days(103, 102, 101, 100, 100), "b", "x", "y")
	e.stories()
	e.Same("of b", 5, len(e.included()["u1 b"]))
	join("two alike and not similar", 100*graph.Day, 0, "a", "b", "z", "k", "y") // a: a z k, b: b y
	join("six of eight like a", 100*graph.Day, 1, "a", "b", "k", "l", "m", "n", "o", "y")
	e.Same("of a and b", []int{9, 5}, []int{len(e.included()["u1 a"]), len(e.included()["u1 b"])})
	join("the same, but 31 days off", 69*graph.Day-edge, 0, "a", "b", "k", "l", "m", "n", "o", "y")
}

// TestChooseStoryline covers every edge of the rule, and the order of candidates above it.
func TestChooseStoryline(t *testing.T) {
	t.Parallel()
	story := func(key string, ago time.Duration, shared int64) graph.Candidate {
		return graph.NewCandidate(graph.NewStored(graph.StorylineKind, graph.Properties{"entity_key": key, "first_source_at": noon.Add(-ago - graph.Day),
			"last_source_at": noon.Add(-ago)}), false, shared)
	}
	edge := time.Millisecond
	included := story("i", 0, 10)
	(*included.IncludedField()) = true
	for name, c := range map[string]struct {
		all  []graph.Candidate
		want string
	}{
		"none":                         {nil, ""},
		"the only one":                 {[]graph.Candidate{story("a", 90*graph.Day, 0)}, "a"},
		"too old":                      {[]graph.Candidate{story("a", 90*graph.Day+edge, 10)}, ""},
		"the only one in time":         {[]graph.Candidate{story("a", 90*graph.Day+edge, 10), story("b", 90*graph.Day, 1)}, "b"},
		"of two: 0.7 is not enough":    {[]graph.Candidate{story("a", 0, 7), story("b", 90*graph.Day, 1)}, ""},
		"of two: more is":              {[]graph.Candidate{story("a", 0, 8), story("b", 90*graph.Day, 1)}, "a"},
		"of two: 30 days":              {[]graph.Candidate{story("a", 30*graph.Day, 8), story("b", 90*graph.Day, 1)}, "a"},
		"of two: not longer":           {[]graph.Candidate{story("a", 30*graph.Day+edge, 10), story("b", 90*graph.Day, 1)}, ""},
		"the most similar":             {[]graph.Candidate{story("a", 0, 8), story("b", 9*graph.Day, 9)}, "b"},
		"then the nearest":             {[]graph.Candidate{story("a", 9*graph.Day, 9), story("b", 8*graph.Day, 9)}, "b"},
		"then the least key":           {[]graph.Candidate{story("b", graph.Day, 9), story("a", graph.Day, 9)}, "a"},
		"part of one already":          {[]graph.Candidate{story("a", graph.Day, 9), included}, ""},
		"in the middle of a storyline": {[]graph.Candidate{story("a", -graph.Day/2, 0)}, "a"},
	} {
		got := ""
		if chosen := graph.ChooseStoryline(c.all, noon, 10); chosen != nil {
			got = chosen.KeyForTest()
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestJoiningWakes checks that a storyline that gets a source has the salience of a new one.
func TestJoiningWakes(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5, func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") })})
	e.tell("u1", "s", enough, "c")
	e.stories()
	view := func() graph.NodeView {
		list, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: graph.StorylineKind, Limit: 10})
		if err != nil || len(list.Nodes) != 1 {
			t.Fatal(list, err)
		}
		return list.Nodes[0]
	}
	e.Now = e.Now.Add(100 * graph.Day)
	e.Same("after 100 days", "archived", view().State)
	e.Write("u1", []graph.NodeWrite{change("concept", "c", func(w *graph.NodeWrite) { w.Name = graph.Some("new name") })})
	e.told("u1", "late", -80*graph.Day, "c")
	e.Same("joined", 1, e.stories().Joined)
	n := view()
	e.Same("after it", []any{"active", 0.5, int64(2), "new name", "Sources about new name, 2026-03-01 to 2026-05-23"},
		[]any{n.State, n.Salience, n.Version, n.Name, n.Description})
}

// TestFormersAtOnce checks that concurrent runs form one storyline, with each source once.
func TestFormersAtOnce(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	e.tell("u1", "s", append(days(40, 39, 38), enough...), "c", "d")
	due := e.Raw(`MATCH (s:Source {team_id: $team}) RETURN s.entity_key`)
	var all errgroup.Group
	for i := range 4 {
		all.Go(func() error {
			for n := range due {
				var result graph.StoryResult
				key := due[(n+i*3)%len(due)][0].(string) //nolint:forcetypeassert // a key
				if err := e.Store.FormStoryForTest(context.Background(), e.Team, key, e.Now, &result); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	e.Same("storylines", []int{2, 8, 8}, []int{len(e.included()), len(e.included()["u1 c"]), len(e.included()["u1 d"])})
	e.Same("macros", [][]any{{"c", int64(2), int64(16)}, {"d", int64(2), int64(16)}},
		e.Raw(`MATCH (m:Macro {team_id: $team}) RETURN m.anchor_key, m.storyline_count, m.source_count ORDER BY m.anchor_key`))

	e.tell("u1", "late", days(0, 0, 0, 0, 0, 0, 0, 0), "c")
	due = e.Raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN s.entity_key`)
	for i := range due {
		for range 2 {
			all.Go(func() error {
				return e.Store.FormStoryForTest(context.Background(), e.Team, due[i][0].(string), e.Now, &graph.StoryResult{}) //nolint:forcetypeassert // a key
			})
		}
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	e.Same("all joined once", 16, len(e.included()["u1 c"]))
	e.Same("macros", [][]any{{"c", int64(2), int64(24)}, {"d", int64(2), int64(24)}},
		e.Raw(`MATCH (m:Macro {team_id: $team}) RETURN m.anchor_key, m.storyline_count, m.source_count ORDER BY m.anchor_key`))
}

// TestStoriesStayWithTheirUser checks that every user has a storyline of a shared anchor, with the user's own
// sources.
func TestStoriesStayWithTheirUser(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	for _, team := range []*env{e, other} {
		team.Write("", []graph.NodeWrite{node("entity", "x", 0.5, shared)})
	}
	e.tell("u1", "s", enough, "x")
	e.tell("u2", "r", days(3, 2, 1, 0), "x") // nine sources of the team, but four of this user
	other.tell("u1", "s", days(3, 2, 1, 0), "x")
	e.stories()
	e.Same("of u1", map[string][]string{"u1 x": {"s-0", "s-1", "s-2", "s-3", "s-4"}}, e.included())
	e.told("u2", "r-4", 0, "x")
	e.stories()
	other.stories()
	e.Same("of u2", []string{"r-0", "r-1", "r-2", "r-3", "r-4"}, e.included()["u2 x"])
	e.Same("of the other team", map[string][]string{}, other.included())
	e.Same("another user's", [][]any{{int64(0)}}, e.Raw(
		`MATCH (a {team_id: $team})-[r]->(b) WHERE a.user_id <> b.user_id OR r.user_id <> a.user_id RETURN count(r)`))
	for _, scope := range []graph.Scope{e.As("u3"), other.As("u1"), e.As("")} {
		for _, kind := range []graph.Kind{graph.StorylineKind, graph.MacroKind} {
			list, err := e.Store.Nodes(t.Context(), scope, graph.NodeList{Kind: kind, Limit: 10})
			if err != nil || len(list.Nodes) != 0 {
				t.Errorf("%v sees %v, %v", scope.UserID, list.Nodes, err)
			}
		}
	}
}

// TestFormStories runs over all teams, in a year of its own: sources of other tests are not pending yet.
func TestFormStories(t *testing.T) {
	e := fresh(t)
	e.Now = noon.Add(-365 * graph.Day)
	other := e.neighbour()
	for _, team := range []*env{e, other} {
		team.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
		team.tell("u1", "s", enough, "c")
	}
	none, err := e.Store.FormStories(t.Context(), 0)
	e.Same("limit 0", []any{graph.StoryResult{}, nil}, []any{none, err})
	one, err := e.Store.FormStories(t.Context(), 1)
	e.Same("limit 1", []any{1, nil}, []any{one.Sources, err})
	for {
		result, err := e.Store.FormStories(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		if result.Sources == 0 {
			break
		}
	}
	for _, team := range []*env{e, other} {
		team.Same("formed", 5, len(team.included()["u1 c"]))
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	e.told("u1", "late", 0, "c")
	if _, err := e.Store.FormStories(ended, 10); err == nil {
		t.Error("a canceled run returned no error")
	}
}

// TestImportedStoryline checks that an imported storyline is the one about its anchor.
func TestImportedStoryline(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	_, err := e.Store.WriteBatchForTest(t.Context(), e.As("u1"), graph.RestoringBatch(&graph.MemoryWrite{Strict: true, Nodes: []graph.NodeWrite{{
		Kind: "storyline", EntityKey: "st", Name: graph.Some("the c"), OwnFields: &graph.OwnFields{
			AnchorKey: graph.Some("c"), SourceCount: graph.Some[int64](0), FirstSourceAt: graph.Some(noon), LastSourceAt: graph.Some(noon),
		},
	}}, Relationships: []graph.RelationshipWrite{{From: "st", Type: graph.AboutType, To: "c"}}}))
	if err != nil {
		t.Fatal(err)
	}
	e.tell("u1", "s", enough, "c")
	e.Same("joined", graph.StoryResult{Sources: 5, Joined: 5}, e.stories())
	e.Same("sources", 5, len(e.included()["u1 c"]))
}
