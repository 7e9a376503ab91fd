package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/graph/neo"
	"kith/tests/testenv"
)

// TestStoriesEqualModel lets two users write random sources in random steps. It compares the stories with a model
// that uses no database: after each step the model processes every pending source, one by one.
func TestStoriesEqualModel(t *testing.T) {
	e := fresh(t)
	seen := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		e.Team, e.Now = testenv.Team(t), noon
		w := &storyWorld{T: r, e: e, m: storyModel{states: map[string]string{}, stories: map[string]*modelStory{}, macros: map[string]*modelMacro{}}}
		w.check()
		seen["storylines"] += len(w.m.stories)
		seen["macros"] += len(w.m.macros)
		seen["joined"] += w.m.joined
		e.CheckIntegrity()
	})
	t.Logf("seen: %v", seen)
	for _, what := range []string{"storylines", "macros", "joined"} {
		if seen[what] == 0 {
			t.Errorf("no %s in all histories", what)
		}
	}
}

// storyModel computes the expected stories of a team.
type storyModel struct {
	sources []*toldSource
	states  map[string]string // of anchors
	stories map[string]*modelStory
	macros  map[string]*modelMacro
	joined  int
}

type toldSource struct {
	key, user string
	started   time.Time
	mentions  []string
	due       time.Time // zero: not pending
}

type modelStory struct {
	user, anchor string
	sources      []*toldSource
	themes       []string
	born         int // order of creation
}

type modelMacro struct{ stories map[string]bool }

func (s *toldSource) tells(anchor string) bool { return slices.Contains(s.mentions, anchor) }

func period(sources []*toldSource) (first, last time.Time) {
	first, last = sources[0].started, sources[0].started
	for _, s := range sources {
		if s.started.Before(first) {
			first = s.started
		}
		if s.started.After(last) {
			last = s.started
		}
	}
	return first, last
}

// run processes all pending sources.
func (m *storyModel) run(now time.Time) {
	due := slices.DeleteFunc(slices.Clone(m.sources), func(s *toldSource) bool { return s.due.IsZero() || s.due.After(now) })
	slices.SortFunc(due, func(a, b *toldSource) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.key, b.key)) })
	for _, s := range due {
		s.due = time.Time{}
		touched := append(m.join(s), m.form(s, now)...)
		m.group(s.user, touched)
	}
}

func (m *storyModel) join(s *toldSource) []string {
	var near, alike []*modelStory
	for _, t := range m.stories {
		if t.user != s.user || !s.tells(t.anchor) {
			continue
		}
		if slices.Contains(t.sources, s) {
			return nil
		}
		if away(t, s) <= 90*24*time.Hour {
			near = append(near, t)
		}
		if away(t, s) <= 30*24*time.Hour && 10*common(t, s) > 7*len(s.mentions) {
			alike = append(alike, t)
		}
	}
	if len(near) != 1 {
		near = alike
	}
	if len(near) == 0 {
		return nil
	}
	best := slices.MaxFunc(near, func(a, b *modelStory) int {
		return cmp.Or(cmp.Compare(common(a, s), common(b, s)), cmp.Compare(away(b, s), away(a, s)), cmp.Compare(b.born, a.born))
	})
	best.sources = append(best.sources, s)
	m.joined++
	return []string{best.user + " " + best.anchor}
}

func away(t *modelStory, s *toldSource) time.Duration {
	first, last := period(t.sources)
	return max(0, s.started.Sub(last), first.Sub(s.started))
}

func common(t *modelStory, s *toldSource) int {
	n := 0
	for _, mention := range s.mentions {
		if slices.ContainsFunc(t.sources, func(o *toldSource) bool { return o.tells(mention) }) {
			n++
		}
	}
	return n
}

func (m *storyModel) form(s *toldSource, now time.Time) []string {
	var formed []string
	for _, anchor := range s.mentions {
		name := s.user + " " + anchor
		all := slices.DeleteFunc(slices.Clone(m.sources), func(o *toldSource) bool { return o.user != s.user || !o.tells(anchor) })
		dates := map[string]bool{}
		for _, o := range all {
			dates[o.started.Format("0102")] = true
		}
		first, last := period(all)
		if m.stories[name] != nil || len(all) < 5 || len(dates) < 3 || last.Sub(first) < 72*time.Hour {
			continue
		}
		if m.states[anchor] != "active" {
			if s.started.Equal(last) && now.Sub(last) <= 90*24*time.Hour {
				s.due = now.Add(24 * time.Hour)
			}
			continue
		}
		m.stories[name] = &modelStory{user: s.user, anchor: anchor, sources: all, born: len(m.stories)}
		formed = append(formed, name)
	}
	return formed
}

func (m *storyModel) group(user string, touched []string) {
	for _, name := range touched {
		t, counts := m.stories[name], map[string]int{}
		t.themes = nil
		for _, s := range t.sources {
			for _, mention := range s.mentions {
				counts[mention]++
			}
		}
		for mention, n := range counts {
			if 2*n >= len(t.sources) {
				t.themes = append(t.themes, mention)
			}
		}
	}
	for _, name := range touched {
		for _, theme := range m.stories[name].themes {
			m.root(user, theme)
		}
	}
}

func (m *storyModel) root(user, theme string) {
	var sources []*toldSource
	with := map[string]bool{}
	for name, t := range m.stories {
		if t.user == user && slices.Contains(t.themes, theme) {
			with[name], sources = true, append(sources, t.sources...)
		}
	}
	if first, last := period(sources); len(with) < 2 || last.Sub(first) < 30*24*time.Hour {
		return
	}
	macro := m.macros[user+" "+theme]
	if macro == nil {
		macro = &modelMacro{stories: map[string]bool{}}
		m.macros[user+" "+theme] = macro
	}
	maps.Copy(macro.stories, with)
}

// foretell returns the model as text, in the form of told.
func (m *storyModel) foretell() map[string]string {
	all := map[string]string{}
	for name, t := range m.stories {
		keys := []string{}
		for _, s := range t.sources {
			keys = append(keys, s.key)
		}
		first, last := period(t.sources)
		slices.Sort(keys)
		all["storyline "+name] = fmt.Sprint(keys, len(keys), first, last)
	}
	for name, macro := range m.macros {
		var sources []*toldSource
		keys := slices.Sorted(maps.Keys(macro.stories))
		for _, key := range keys {
			sources = append(sources, m.stories[key].sources...)
		}
		first, last := period(sources)
		all["macro "+name] = fmt.Sprint(keys, len(sources), first, last)
	}
	return all
}

// storyWorld is one random history.
type storyWorld struct {
	*rapid.T
	e *env
	m storyModel
}

var worldAnchors = []string{"a", "b", "c", "d"}

func (w *storyWorld) check() {
	var nodes []graph.NodeWrite
	for _, key := range worldAnchors {
		w.m.states[key] = rapid.SampledFrom([]string{"active", "active", "candidate"}).Draw(w.T, "state")
		nodes = append(nodes, node("concept", key, 0.5, shared, inState(w.m.states[key]), func(n *graph.NodeWrite) { n.TTLPolicy = graph.Some("keep_forever") }))
	}
	w.e.Write("", nodes)
	for range rapid.IntRange(1, 5).Draw(w.T, "steps") {
		w.tell(rapid.IntRange(1, 8).Draw(w.T, "sources"))
		if rapid.Bool().Draw(w.T, "wakes") {
			key := rapid.SampledFrom(worldAnchors).Draw(w.T, "which")
			w.m.states[key] = "active"
			w.e.Write("", []graph.NodeWrite{change("concept", key, shared, inState("active"))})
		}
		w.e.stories()
		w.m.run(w.e.Now)
		if diff := gocmp.Diff(w.m.foretell(), w.told()); diff != "" {
			w.Fatalf("stories (-model +store):\n%s", diff)
		}
		w.e.Now = w.e.Now.Add(rapid.SampledFrom([]time.Duration{time.Minute, graph.Day}).Draw(w.T, "later"))
	}
}

// tell writes sources of one user. No two begin at the same time, so that the newest one is defined.
func (w *storyWorld) tell(n int) {
	user := rapid.SampledFrom([]string{"u1", "u1", "u2"}).Draw(w.T, "user")
	write := &graph.MemoryWrite{Strict: true}
	for range n {
		i := len(w.m.sources)
		s := &toldSource{key: fmt.Sprintf("s-%02d", i), user: user, due: w.e.Now}
		ago := rapid.SampledFrom([]int{0, 1, 2, 3, 20, 34, 64, 95, 130}).Draw(w.T, "days ago")
		s.started = noon.Add(-time.Duration(ago)*graph.Day - time.Duration(i)*time.Minute)
		for _, anchor := range worldAnchors {
			if rapid.Bool().Draw(w.T, "mentions "+anchor) {
				s.mentions = append(s.mentions, anchor)
				write.Relationships = append(write.Relationships, graph.RelationshipWrite{From: s.key, Type: graph.MentionsType, To: anchor})
			}
		}
		if len(s.mentions) == 0 {
			s.due = time.Time{}
		}
		write.Nodes = append(write.Nodes, graph.NodeWrite{Kind: "source", EntityKey: s.key, OwnFields: &graph.OwnFields{StartedAt: graph.Some(s.started)}})
		w.m.sources = append(w.m.sources, s)
	}
	if _, err := w.e.Store.Write(w.e.Context(), w.e.As(user), write); err != nil {
		w.Fatal(err)
	}
}

// told returns the stories of the store.
func (w *storyWorld) told() map[string]string {
	all := map[string]string{}
	for _, row := range w.e.Raw(`MATCH (t:Memory:Storyline {team_id: $team})-[:includes]->(s) WITH t, s ORDER BY s.entity_key
		RETURN 'storyline ' + t.user_id + ' ' + t.anchor_key AS name, collect(s.entity_key) AS keys, t.source_count AS count, t.first_source_at AS first, t.last_source_at AS last
		UNION ALL MATCH (t:Memory:Macro {team_id: $team})-[:groups]->(s) WITH t, s ORDER BY s.user_id, s.anchor_key
		RETURN 'macro ' + t.user_id + ' ' + t.anchor_key AS name, collect(s.user_id + ' ' + s.anchor_key) AS keys, t.source_count AS count, t.first_source_at AS first, t.last_source_at AS last`) {
		all[row[0].(string)] = fmt.Sprint(neo.Texts(row[1]), row[2], neo.Time(row[3]), neo.Time(row[4])) //nolint:forcetypeassert // a name
	}
	return all
}
