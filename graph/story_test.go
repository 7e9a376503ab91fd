package graph

import (
	"context"
	"fmt"
	"testing"
	"time"

	"kith/neo"

	"golang.org/x/sync/errgroup"
)

// stories processes all pending sources of the test's own team and expects no error. FormStories covers all teams, so
// its result would include those of other tests.
func (e *env) stories() StoryResult {
	e.Helper()
	var result StoryResult
	rows := e.raw(fmt.Sprintf(`MATCH (s:Source {team_id: $team}) WHERE s.story_due <= %d RETURN s.entity_key ORDER BY s.story_due, s.entity_key`,
		e.now.UnixMilli()))
	for _, row := range rows {
		if err := e.store.formStory(e.Context(), e.team, row[0].(string), e.now, &result); err != nil { //nolint:forcetypeassert // a key
			e.Fatal(err)
		}
	}
	return result
}

// told writes a source of a user that began this long before noon (or the store's time, if that is earlier) with some
// mentions.
func (e *env) told(user, key string, ago time.Duration, mentions ...string) {
	e.Helper()
	e.source(user, SourceWrite{EntityKey: key, StartedAt: Some(earlier(noon, e.now).Add(-ago)), Strict: true, Mentions: mentions})
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
		all[i] = time.Duration(n[i] * float64(day))
	}
	return all
}

// enough are the times of sources that just reach every threshold.
var enough = days(3, 3, 3, 1, 0)

// included returns the sources of each storyline of the team, by user and anchor.
func (e *env) included() map[string][]string {
	e.Helper()
	all := map[string][]string{}
	for _, row := range e.raw(`MATCH (t:Memory:Storyline {team_id: $team})-[:about]->(a) WHERE a.entity_key = t.anchor_key
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
		"short":       {append(days(2, 2, 1, 0), 3*day-edge), "active", false},
		"short-by-0":  {append(days(2, 2, 1, 0), 3*day), "active", true},
		"over-months": {days(100, 60, 50, 30, 0), "active", true},
	} {
		e.write("u1", []NodeWrite{node("concept", name, 0.5, inState(c.state))})
		e.tell("u1", name, c.agos, name)
		e.stories()
		if _, formed := e.included()["u1 "+name]; formed != c.formed {
			e.Errorf("%s: formed is %v", name, formed)
		}
	}
	e.same("macros of one storyline", [][]any{{int64(0)}}, e.raw(`MATCH (m:Macro {team_id: $team}) RETURN count(m)`))
}

// TestStorylineIsANode reads a storyline like any other node.
func TestStorylineIsANode(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("person", "ada", 0.5)})
	e.tell("u1", "s", enough, "ada", "me")
	result := e.stories()
	e.same("result", StoryResult{Sources: 5, Storylines: 1}, result)
	list, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: StorylineKind, Limit: 10})
	if err != nil || len(list.Nodes) != 1 {
		t.Fatal(list, err)
	}
	n := list.Nodes[0]
	e.same("name and text", []string{"the ada", "Sources about the ada, 2026-03-01 to 2026-03-04"}, []string{n.Name, n.Description})
	e.same("lifecycle", []any{"candidate", "decay", 0.5, 0.5}, []any{n.State, n.TTLPolicy, n.Salience, n.Confidence})
	e.same("own fields", []any{int64(5), "ada", noon.Add(-3 * day), noon},
		[]any{n.SourceCount.Value, n.AnchorKey.Value, n.FirstSourceAt.Value, n.LastSourceAt.Value})
	e.same("owner", "u1", *n.UserID)
	full, err := e.store.Node(t.Context(), e.as("u1"), StorylineKind, n.EntityKey, NodeQuery{Relationships: 100})
	if err != nil || len(full.Relationships) != 6 {
		t.Errorf("%d relationships, %v", len(full.Relationships), err)
	}
	e.same("again", StoryResult{}, e.stories())
	e.same("refused to callers", []string{"nodes[0].kind"},
		locations((&MemoryWrite{Nodes: []NodeWrite{{Kind: "storyline", Name: Some("x")}}}).Validate(e.as("u1"), noon)))
}

// TestStoryOfAnAnchorThatWakesUp checks that the newest source waits for its anchor, whose state changes without a
// mention.
func TestStoryOfAnAnchorThatWakesUp(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5, inState("archived"))})
	e.tell("u1", "s", days(5, 4, 3, 2, 1), "c")
	e.stories()
	e.same("waiting", [][]any{{"s-4"}}, e.raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN s.entity_key`))
	e.write("u1", []NodeWrite{change("concept", "c", inState("active"))})
	var early StoryResult
	if err := e.store.formStory(t.Context(), e.team, "s-4", e.now, &early); err != nil {
		t.Fatal(err)
	}
	e.same("too early", StoryResult{Sources: 1}, early)
	e.now = e.now.Add(storyAgain)
	e.same("formed", StoryResult{Sources: 1, Storylines: 1}, e.stories())

	e.write("u1", []NodeWrite{node("concept", "old", 0.5, inState("archived"))})
	e.tell("u1", "o", days(100, 99, 98, 97, 96), "old")
	e.stories()
	e.same("nothing waits for what is past", [][]any{{int64(0)}}, e.raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN count(s)`))
}

// TestSourcesJoinStorylines joins the only storyline within 90 days, and of several the similar one within 30 days.
func TestSourcesJoinStorylines(t *testing.T) {
	e := fresh(t)
	edge := time.Millisecond
	var nodes []NodeWrite
	for _, key := range []string{"a", "b", "x", "y", "z", "k", "l", "m", "n", "o", "p", "q"} {
		nodes = append(nodes, node("concept", key, 0.5, inState("candidate")))
	}
	nodes[0].State, nodes[1].State = Some("active"), Some("active")
	e.write("u1", nodes)
	e.tell("u1", "a", days(203, 202, 201, 200, 200), "a", "k", "l", "m", "n", "o", "p", "q", "x") // a: 203 to 200 days ago
	e.stories()
	join := func(key string, ago time.Duration, want int, mentions ...string) {
		t.Helper()
		e.told("u1", key, ago, mentions...)
		e.same(key, want, e.stories().Joined)
	}
	join("too late", 110*day-edge, 0, "a")
	join("too early", 293*day+edge, 0, "a")
	join("just early", 293*day, 1, "a") // now from 293 days
	join("between", 250*day, 1, "a", "z")
	join("just in time", 110*day, 1, "a")
	e.same("of a", 8, len(e.included()["u1 a"]))

	e.tell("u1", "b", days(103, 102, 101, 100, 100), "b", "x", "y")
	e.stories()
	e.same("of b", 5, len(e.included()["u1 b"]))
	join("two alike and not similar", 100*day, 0, "a", "b", "z", "k", "y") // a: a z k, b: b y
	join("six of eight like a", 100*day, 1, "a", "b", "k", "l", "m", "n", "o", "y")
	e.same("of a and b", []int{9, 5}, []int{len(e.included()["u1 a"]), len(e.included()["u1 b"])})
	join("the same, but 31 days off", 69*day-edge, 0, "a", "b", "k", "l", "m", "n", "o", "y")
}

// TestChooseStoryline covers every edge of the rule, and the order of candidates above it.
func TestChooseStoryline(t *testing.T) {
	t.Parallel()
	story := func(key string, ago time.Duration, shared int64) candidate {
		return candidate{&stored{StorylineKind, Properties{"entity_key": key, "first_source_at": noon.Add(-ago - day),
			"last_source_at": noon.Add(-ago)}}, false, shared}
	}
	edge := time.Millisecond
	included := story("i", 0, 10)
	included.included = true
	for name, c := range map[string]struct {
		all  []candidate
		want string
	}{
		"none":                         {nil, ""},
		"the only one":                 {[]candidate{story("a", 90*day, 0)}, "a"},
		"too old":                      {[]candidate{story("a", 90*day+edge, 10)}, ""},
		"the only one in time":         {[]candidate{story("a", 90*day+edge, 10), story("b", 90*day, 1)}, "b"},
		"of two: 0.7 is not enough":    {[]candidate{story("a", 0, 7), story("b", 90*day, 1)}, ""},
		"of two: more is":              {[]candidate{story("a", 0, 8), story("b", 90*day, 1)}, "a"},
		"of two: 30 days":              {[]candidate{story("a", 30*day, 8), story("b", 90*day, 1)}, "a"},
		"of two: not longer":           {[]candidate{story("a", 30*day+edge, 10), story("b", 90*day, 1)}, ""},
		"the most similar":             {[]candidate{story("a", 0, 8), story("b", 9*day, 9)}, "b"},
		"then the nearest":             {[]candidate{story("a", 9*day, 9), story("b", 8*day, 9)}, "b"},
		"then the least key":           {[]candidate{story("b", day, 9), story("a", day, 9)}, "a"},
		"part of one already":          {[]candidate{story("a", day, 9), included}, ""},
		"in the middle of a storyline": {[]candidate{story("a", -day/2, 0)}, "a"},
	} {
		got := ""
		if chosen := chooseStoryline(c.all, noon, 10); chosen != nil {
			got = chosen.key()
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestJoiningWakes checks that a storyline that gets a source has the salience of a new one.
func TestJoiningWakes(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5, func(w *NodeWrite) { w.TTLPolicy = Some("keep_forever") })})
	e.tell("u1", "s", enough, "c")
	e.stories()
	view := func() NodeView {
		list, err := e.store.Nodes(t.Context(), e.as("u1"), NodeList{Kind: StorylineKind, Limit: 10})
		if err != nil || len(list.Nodes) != 1 {
			t.Fatal(list, err)
		}
		return list.Nodes[0]
	}
	e.now = e.now.Add(100 * day)
	e.same("after 100 days", "archived", view().State)
	e.write("u1", []NodeWrite{change("concept", "c", func(w *NodeWrite) { w.Name = Some("new name") })})
	e.told("u1", "late", -80*day, "c")
	e.same("joined", 1, e.stories().Joined)
	n := view()
	e.same("after it", []any{"active", 0.5, int64(2), "new name", "Sources about new name, 2026-03-01 to 2026-05-23"},
		[]any{n.State, n.Salience, n.Version, n.Name, n.Description})
}

// TestFormersAtOnce checks that concurrent runs form one storyline, with each source once.
func TestFormersAtOnce(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	e.tell("u1", "s", append(days(40, 39, 38), enough...), "c", "d")
	due := e.raw(`MATCH (s:Source {team_id: $team}) RETURN s.entity_key`)
	var all errgroup.Group
	for i := range 4 {
		all.Go(func() error {
			for n := range due {
				var result StoryResult
				key := due[(n+i*3)%len(due)][0].(string) //nolint:forcetypeassert // a key
				if err := e.store.formStory(context.Background(), e.team, key, e.now, &result); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	e.same("storylines", []int{2, 8, 8}, []int{len(e.included()), len(e.included()["u1 c"]), len(e.included()["u1 d"])})
	e.same("macros", [][]any{{"c", int64(2), int64(16)}, {"d", int64(2), int64(16)}},
		e.raw(`MATCH (m:Macro {team_id: $team}) RETURN m.anchor_key, m.storyline_count, m.source_count ORDER BY m.anchor_key`))

	e.tell("u1", "late", days(0, 0, 0, 0, 0, 0, 0, 0), "c")
	due = e.raw(`MATCH (s:Source {team_id: $team}) WHERE s.story_due IS NOT NULL RETURN s.entity_key`)
	for i := range due {
		for range 2 {
			all.Go(func() error {
				return e.store.formStory(context.Background(), e.team, due[i][0].(string), e.now, &StoryResult{}) //nolint:forcetypeassert // a key
			})
		}
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	e.same("all joined once", 16, len(e.included()["u1 c"]))
	e.same("macros", [][]any{{"c", int64(2), int64(24)}, {"d", int64(2), int64(24)}},
		e.raw(`MATCH (m:Macro {team_id: $team}) RETURN m.anchor_key, m.storyline_count, m.source_count ORDER BY m.anchor_key`))
}

// TestStoriesStayWithTheirUser checks that every user has a storyline of a shared anchor, with the user's own
// sources.
func TestStoriesStayWithTheirUser(t *testing.T) {
	e := fresh(t)
	other := e.neighbour()
	for _, team := range []*env{e, other} {
		team.write("", []NodeWrite{node("entity", "x", 0.5, shared)})
	}
	e.tell("u1", "s", enough, "x")
	e.tell("u2", "r", days(3, 2, 1, 0), "x") // nine sources of the team, but four of this user
	other.tell("u1", "s", days(3, 2, 1, 0), "x")
	e.stories()
	e.same("of u1", map[string][]string{"u1 x": {"s-0", "s-1", "s-2", "s-3", "s-4"}}, e.included())
	e.told("u2", "r-4", 0, "x")
	e.stories()
	other.stories()
	e.same("of u2", []string{"r-0", "r-1", "r-2", "r-3", "r-4"}, e.included()["u2 x"])
	e.same("of the other team", map[string][]string{}, other.included())
	e.same("another user's", [][]any{{int64(0)}}, e.raw(
		`MATCH (a {team_id: $team})-[r]->(b) WHERE a.user_id <> b.user_id OR r.user_id <> a.user_id RETURN count(r)`))
	for _, scope := range []Scope{e.as("u3"), other.as("u1"), e.as("")} {
		for _, kind := range []Kind{StorylineKind, MacroKind} {
			list, err := e.store.Nodes(t.Context(), scope, NodeList{Kind: kind, Limit: 10})
			if err != nil || len(list.Nodes) != 0 {
				t.Errorf("%v sees %v, %v", scope.UserID, list.Nodes, err)
			}
		}
	}
}

// TestFormStories runs over all teams, in a year of its own: sources of other tests are not pending yet.
func TestFormStories(t *testing.T) {
	e := fresh(t)
	e.now = noon.Add(-365 * day)
	other := e.neighbour()
	for _, team := range []*env{e, other} {
		team.write("u1", []NodeWrite{node("concept", "c", 0.5)})
		team.tell("u1", "s", enough, "c")
	}
	none, err := e.store.FormStories(t.Context(), 0)
	e.same("limit 0", []any{StoryResult{}, nil}, []any{none, err})
	one, err := e.store.FormStories(t.Context(), 1)
	e.same("limit 1", []any{1, nil}, []any{one.Sources, err})
	for {
		result, err := e.store.FormStories(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		if result.Sources == 0 {
			break
		}
	}
	for _, team := range []*env{e, other} {
		team.same("formed", 5, len(team.included()["u1 c"]))
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	e.told("u1", "late", 0, "c")
	if _, err := e.store.FormStories(ended, 10); err == nil {
		t.Error("a canceled run returned no error")
	}
}

// TestImportedStoryline checks that an imported storyline is the one about its anchor.
func TestImportedStoryline(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	_, err := e.store.writeBatch(t.Context(), e.as("u1"), &batch{restoring: true, MemoryWrite: MemoryWrite{Strict: true, Nodes: []NodeWrite{{
		Kind: "storyline", EntityKey: "st", Name: Some("the c"), OwnFields: &OwnFields{
			AnchorKey: Some("c"), SourceCount: Some[int64](0), FirstSourceAt: Some(noon), LastSourceAt: Some(noon),
		},
	}}, Relationships: []RelationshipWrite{{From: "st", Type: aboutType, To: "c"}}}})
	if err != nil {
		t.Fatal(err)
	}
	e.tell("u1", "s", enough, "c")
	e.same("joined", StoryResult{Sources: 5, Joined: 5}, e.stories())
	e.same("sources", 5, len(e.included()["u1 c"]))
}
