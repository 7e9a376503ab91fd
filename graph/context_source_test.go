package graph_test

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
)

func startedAt(at time.Time) graph.SourceWrite { return graph.SourceWrite{StartedAt: graph.Some(at)} }

func sourceKeys(sources []loader.RecentSource) []string {
	keys := make([]string, len(sources))
	for i := range sources {
		keys[i] = sources[i].EntityKey
	}
	return keys
}

func TestSourcesOfTheWeek(t *testing.T) {
	e := fresh(t)
	put := func(user, key string, at time.Time, c ...func(*graph.SourceWrite)) {
		w := startedAt(at)
		w.EntityKey, w.Summary = key, graph.Some("Told.")
		for _, f := range c {
			f(&w)
		}
		e.Source(user, w)
	}
	ended, planning := noon.Add(-2*time.Hour), "planning"
	put("u1", "s-ended", noon.Add(-3*time.Hour), func(w *graph.SourceWrite) {
		w.EndedAt, w.ContextType, w.Summary = graph.Some(ended), graph.Some(planning), graph.Some("Planned.")
	})
	put("u1", "s-open", noon.Add(-time.Hour))
	put("u1", "s-edge", weekAgo.Add(time.Millisecond))
	put("u1", "x-edge", weekAgo)
	put("u1", "x-edge-zone", weekAgo.In(time.FixedZone("", -5*3600)))
	put("u1", "x-old", weekAgo.Add(-time.Second))
	for _, content := range graph.ContentTypes[1:] {
		put("u1", "x-"+content, noon.Add(-time.Minute), func(w *graph.SourceWrite) { w.ContentType = graph.Some(content) })
	}
	put("u2", "x-others", noon, func(w *graph.SourceWrite) { w.Participants = []string{"u1"} })
	e.Same("sources", []loader.RecentSource{
		{EntityKey: "s-open", StartedAt: noon.Add(-time.Hour), Summary: "Told.", KeyEntities: []loader.KeyEntity{}},
		{EntityKey: "s-ended", StartedAt: noon.Add(-3 * time.Hour), EndedAt: &ended, ContextType: &planning, Summary: "Planned.", KeyEntities: []loader.KeyEntity{}},
		{EntityKey: "s-edge", StartedAt: weekAgo.Add(time.Millisecond), Summary: "Told.", KeyEntities: []loader.KeyEntity{}},
	}, e.sections("u1").Sources)
	e.Same("of u2", []string{"x-others"}, sourceKeys(e.sections("u2").Sources))
	e.Same("of the other team", []string{}, sourceKeys(e.neighbour().sections("u1").Sources))
}

// told is a summary.
var told = graph.Some("Told.")

// A conversation in which nothing is said, because a user only opened it, is in no context. What it mentions says something.
func TestConversationsThatSayNothing(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	e.Source("u1", graph.SourceWrite{EntityKey: "said", StartedAt: graph.Some(noon.Add(-4 * graph.Day)), Messages: []graph.MessageWrite{said("m", "x")}})
	for i := range 25 {
		e.Source("u1", graph.SourceWrite{EntityKey: fmt.Sprint("empty", i), StartedAt: graph.Some(noon.Add(-time.Duration(i) * time.Minute))})
	}
	s := e.sections("u1")
	e.Same("of the week", []string{"said"}, sourceKeys(s.Sources))
	e.Same("the last one", "said", s.LastConversation.EntityKey)
	e.Source("u1", graph.SourceWrite{EntityKey: "empty3", Mentions: []string{"c"}})
	e.Source("u1", graph.SourceWrite{EntityKey: "empty5", Summary: told})
	e.Same("with a mention, and with a summary", []string{"empty3", "empty5", "said"}, sourceKeys(e.sections("u1").Sources))
	e.Now = noon.Add(30 * graph.Day)
	e.Same("older ones", int64(3), e.sections("u1").OlderConversations)
}

func TestSourcesAreTwenty(t *testing.T) {
	e := fresh(t)
	var want []string
	for i := range 22 {
		key := fmt.Sprintf("s-%02d", i)
		e.Source("u1", graph.SourceWrite{EntityKey: key, Summary: told, StartedAt: graph.Some(noon.Add(-time.Duration(i/2) * time.Hour))})
		want = append(want, key)
	}
	for i := 0; i < len(want); i += 2 { // of two with the same start the greater key comes first
		want[i], want[i+1] = want[i+1], want[i]
	}
	e.Same("sources", want[:20], sourceKeys(e.sections("u1").Sources))
}

func TestKeyEntities(t *testing.T) {
	e := fresh(t)
	archived := inState("archived") // mentions show the topics of the conversation, whatever their state is now
	e.Write("u1", []graph.NodeWrite{
		node("concept", "x-edge", 0.225), node("concept", "c-above", 0.22501), node("person", "p-9", 0.9), node("entity", "e-5", 0.5),
		node("entity", "e-5b", 0.5), node("concept", "c-8", 0.8, archived), node("concept", "x-unmentioned", 1),
		node("concept", "x-null", 0, func(w *graph.NodeWrite) { w.Salience = graph.Null[float64]() }),
	})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"x-edge", "c-above", "p-9", "e-5", "c-8", "x-null"}})
	read := func() []loader.KeyEntity { return e.sections("u1").Sources[0].KeyEntities }
	e.Same("mentioned", []loader.KeyEntity{
		mentioned("p-9", "Person"), mentioned("c-8", "Concept"), mentioned("e-5", "Entity"), mentioned("c-above", "Concept"),
	}, read())
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"e-5b", "p-9"}})
	e.Write("u1", []graph.NodeWrite{change("concept", "x-edge", func(w *graph.NodeWrite) { w.Salience = graph.Some(0.6) })})
	e.Same("five at most", []loader.KeyEntity{
		mentioned("p-9", "Person"), mentioned("c-8", "Concept"), mentioned("x-edge", "Concept"),
		mentioned("e-5b", "Entity"), mentioned("e-5", "Entity"),
	}, read())
	e.Write("u1", nil, closed("s", "mentions", "p-9", noon))
	e.Same("a mention taken back", "c-8", read()[0].EntityKey)
}

func TestRecentMentions(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5, shared), node("concept", "d", 0.4)},
		link("me", "thinks_about", "c", 0.5), link("me", "thinks_about", "d", 0.4))
	read := func() []int64 {
		var counts []int64
		for _, r := range e.sections("u1").Relationships {
			counts = append(counts, r.RecentMentions)
		}
		return counts
	}
	e.Same("none", []int64{0, 0}, read())
	for key, at := range map[string]time.Time{
		"s-now": noon, "s-edge": weekAgo.Add(time.Millisecond), "x-edge": weekAgo, "x-old": weekAgo.Add(-time.Hour),
	} {
		e.Source("u1", graph.SourceWrite{EntityKey: key, StartedAt: graph.Some(at), Mentions: []string{"c"}})
	}
	e.Source("u1", graph.SourceWrite{EntityKey: "s-mail", ContentType: graph.Some("email"), StartedAt: graph.Some(noon.Add(-time.Hour)), Mentions: []string{"d", "c"}})
	e.Source("u2", graph.SourceWrite{EntityKey: "x-others", StartedAt: graph.Some(noon), Mentions: []string{"c"}, Participants: []string{"u1"}})
	e.Same("of the week, of whatever content", []int64{3, 1}, read())

	e.Source("u1", graph.SourceWrite{EntityKey: "s-mail", Mentions: []string{"d", "c"}})
	e.Write("u1", nil, graph.RelationshipWrite{From: "s-mail", Type: "mentions", To: "c"})
	e.Same("mentioned again", []int64{3, 1}, read())

	e.Source("u1", graph.SourceWrite{EntityKey: "s-now", StartedAt: graph.Some(weekAgo)})
	e.Same("one moved out of the week", []int64{2, 1}, read())
	e.Source("u1", graph.SourceWrite{EntityKey: "x-old", StartedAt: graph.Some(noon.Add(-time.Hour))})
	e.Same("one moved into it", []int64{3, 1}, read())
	e.Now = noon.Add(time.Millisecond)
	e.Same("one has grown old", []int64{2, 1}, read())
	e.Write("u1", nil, closed("s-mail", "mentions", "c", noon))
	e.Same("one taken back", []int64{1, 1}, read())
	e.Write("u1", nil, graph.RelationshipWrite{From: "s-mail", Type: "mentions", To: "c"})
	e.Same("and made again", []int64{2, 1}, read())
}

func TestLastConversation(t *testing.T) {
	e := fresh(t)
	read := func() *loader.LastConversation { return e.sections("u1").LastConversation }
	e.Same("none", (*loader.LastConversation)(nil), read())
	long, call := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC), "phone-call"
	e.Source("u1", graph.SourceWrite{EntityKey: "s-1", Summary: told, StartedAt: graph.Some(long), ContextType: graph.Some(call)})
	e.Source("u1", graph.SourceWrite{EntityKey: "s-0", Summary: told, StartedAt: graph.Some(long.Add(-time.Second)), ContextType: graph.Some("planning")})
	e.Source("u1", graph.SourceWrite{EntityKey: "x-mail", ContentType: graph.Some("email"), StartedAt: graph.Some(noon)})
	e.Source("u2", graph.SourceWrite{EntityKey: "x-others", StartedAt: graph.Some(noon), Participants: []string{"u1"}})
	e.neighbour().Source("u1", graph.SourceWrite{StartedAt: graph.Some(noon)})
	e.Same("however long ago", &loader.LastConversation{StartedAt: long, ContextType: &call, EntityKey: "s-1"}, read())
	e.Source("u1", graph.SourceWrite{EntityKey: "s-2", Summary: told, StartedAt: graph.Some(noon.Add(-time.Hour))})
	e.Same("without a type", &loader.LastConversation{StartedAt: noon.Add(-time.Hour), EntityKey: "s-2"}, read())
}

// mentioned returns a node as contexts name it.
func mentioned(key, kind string) loader.KeyEntity {
	return loader.KeyEntity{EntityKey: key, Name: "the " + key, Type: kind}
}
