package graph

import (
	"fmt"
	"testing"
	"time"
)

func startedAt(at time.Time) SourceWrite { return SourceWrite{StartedAt: Some(at)} }

func sourceKeys(sources []RecentSource) []string {
	keys := make([]string, len(sources))
	for i := range sources {
		keys[i] = sources[i].EntityKey
	}
	return keys
}

func TestSourcesOfTheWeek(t *testing.T) {
	e := fresh(t)
	put := func(user, key string, at time.Time, c ...func(*SourceWrite)) {
		w := startedAt(at)
		w.EntityKey = key
		for _, f := range c {
			f(&w)
		}
		e.source(user, w)
	}
	ended, planning := noon.Add(-2*time.Hour), "planning"
	put("u1", "s-ended", noon.Add(-3*time.Hour), func(w *SourceWrite) {
		w.EndedAt, w.ContextType, w.Summary = Some(ended), Some(planning), Some("Planned.")
	})
	put("u1", "s-open", noon.Add(-time.Hour))
	put("u1", "s-edge", weekAgo.Add(time.Millisecond))
	put("u1", "x-edge", weekAgo)
	put("u1", "x-edge-zone", weekAgo.In(time.FixedZone("", -5*3600)))
	put("u1", "x-old", weekAgo.Add(-time.Second))
	for _, content := range ContentTypes[1:] {
		put("u1", "x-"+content, noon.Add(-time.Minute), func(w *SourceWrite) { w.ContentType = Some(content) })
	}
	put("u2", "x-others", noon, func(w *SourceWrite) { w.Participants = []string{"u1"} })
	e.same("sources", []RecentSource{
		{EntityKey: "s-open", StartedAt: noon.Add(-time.Hour), KeyEntities: []KeyEntity{}},
		{EntityKey: "s-ended", StartedAt: noon.Add(-3 * time.Hour), EndedAt: &ended, ContextType: &planning, Summary: "Planned.", KeyEntities: []KeyEntity{}},
		{EntityKey: "s-edge", StartedAt: weekAgo.Add(time.Millisecond), KeyEntities: []KeyEntity{}},
	}, e.sections("u1").Sources)
	e.same("of u2", []string{"x-others"}, sourceKeys(e.sections("u2").Sources))
	e.same("of the other team", []string{}, sourceKeys(e.neighbour().sections("u1").Sources))
}

func TestSourcesAreTwenty(t *testing.T) {
	e := fresh(t)
	var want []string
	for i := range 22 {
		key := fmt.Sprintf("s-%02d", i)
		e.source("u1", SourceWrite{EntityKey: key, StartedAt: Some(noon.Add(-time.Duration(i/2) * time.Hour))})
		want = append(want, key)
	}
	for i := 0; i < len(want); i += 2 { // of two with the same start the greater key comes first
		want[i], want[i+1] = want[i+1], want[i]
	}
	e.same("sources", want[:20], sourceKeys(e.sections("u1").Sources))
}

func TestKeyEntities(t *testing.T) {
	e := fresh(t)
	archived := inState("archived") // mentions show the topics of the conversation, whatever their state is now
	e.write("u1", []NodeWrite{
		node("concept", "x-edge", 0.225), node("concept", "c-above", 0.22501), node("person", "p-9", 0.9), node("entity", "e-5", 0.5),
		node("entity", "e-5b", 0.5), node("concept", "c-8", 0.8, archived), node("concept", "x-unmentioned", 1),
		node("concept", "x-null", 0, func(w *NodeWrite) { w.Salience = Null[float64]() }),
	})
	e.source("u1", SourceWrite{EntityKey: "s", Mentions: []string{"x-edge", "c-above", "p-9", "e-5", "c-8", "x-null"}})
	read := func() []KeyEntity { return e.sections("u1").Sources[0].KeyEntities }
	e.same("mentioned", []KeyEntity{
		{"p-9", "the p-9", "Person"}, {"c-8", "the c-8", "Concept"}, {"e-5", "the e-5", "Entity"}, {"c-above", "the c-above", "Concept"},
	}, read())
	e.source("u1", SourceWrite{EntityKey: "s", Mentions: []string{"e-5b", "p-9"}})
	e.write("u1", []NodeWrite{change("concept", "x-edge", func(w *NodeWrite) { w.Salience = Some(0.6) })})
	e.same("five at most", []KeyEntity{
		{"p-9", "the p-9", "Person"}, {"c-8", "the c-8", "Concept"}, {"x-edge", "the x-edge", "Concept"},
		{"e-5b", "the e-5b", "Entity"}, {"e-5", "the e-5", "Entity"},
	}, read())
	e.write("u1", nil, closed("s", "mentions", "p-9", noon))
	e.same("a mention taken back", "c-8", read()[0].EntityKey)
}

func TestRecentMentions(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5, shared), node("concept", "d", 0.4)},
		link("me", "thinks_about", "c", 0.5), link("me", "thinks_about", "d", 0.4))
	read := func() []int64 {
		var counts []int64
		for _, r := range e.sections("u1").Relationships {
			counts = append(counts, r.RecentMentions)
		}
		return counts
	}
	e.same("none", []int64{0, 0}, read())
	for key, at := range map[string]time.Time{
		"s-now": noon, "s-edge": weekAgo.Add(time.Millisecond), "x-edge": weekAgo, "x-old": weekAgo.Add(-time.Hour),
	} {
		e.source("u1", SourceWrite{EntityKey: key, StartedAt: Some(at), Mentions: []string{"c"}})
	}
	e.source("u1", SourceWrite{EntityKey: "s-mail", ContentType: Some("email"), StartedAt: Some(noon.Add(-time.Hour)), Mentions: []string{"d", "c"}})
	e.source("u2", SourceWrite{EntityKey: "x-others", StartedAt: Some(noon), Mentions: []string{"c"}, Participants: []string{"u1"}})
	e.same("of the week, of whatever content", []int64{3, 1}, read())

	e.source("u1", SourceWrite{EntityKey: "s-mail", Mentions: []string{"d", "c"}})
	e.write("u1", nil, RelationshipWrite{From: "s-mail", Type: "mentions", To: "c"})
	e.same("mentioned again", []int64{3, 1}, read())

	e.source("u1", SourceWrite{EntityKey: "s-now", StartedAt: Some(weekAgo)})
	e.same("one moved out of the week", []int64{2, 1}, read())
	e.source("u1", SourceWrite{EntityKey: "x-old", StartedAt: Some(noon.Add(-time.Hour))})
	e.same("one moved into it", []int64{3, 1}, read())
	e.now = noon.Add(time.Millisecond)
	e.same("one has grown old", []int64{2, 1}, read())
	e.write("u1", nil, closed("s-mail", "mentions", "c", noon))
	e.same("one taken back", []int64{1, 1}, read())
	e.write("u1", nil, RelationshipWrite{From: "s-mail", Type: "mentions", To: "c"})
	e.same("and made again", []int64{2, 1}, read())
}

func TestLastConversation(t *testing.T) {
	e := fresh(t)
	read := func() *LastConversation { return e.sections("u1").LastConversation }
	e.same("none", (*LastConversation)(nil), read())
	long, call := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC), "phone-call"
	e.source("u1", SourceWrite{EntityKey: "s-1", StartedAt: Some(long), ContextType: Some(call)})
	e.source("u1", SourceWrite{EntityKey: "s-0", StartedAt: Some(long.Add(-time.Second)), ContextType: Some("planning")})
	e.source("u1", SourceWrite{EntityKey: "x-mail", ContentType: Some("email"), StartedAt: Some(noon)})
	e.source("u2", SourceWrite{EntityKey: "x-others", StartedAt: Some(noon), Participants: []string{"u1"}})
	e.neighbour().source("u1", SourceWrite{StartedAt: Some(noon)})
	e.same("however long ago", &LastConversation{StartedAt: long, ContextType: &call}, read())
	e.source("u1", SourceWrite{EntityKey: "s-2", StartedAt: Some(noon.Add(-time.Hour))})
	e.same("without a type", &LastConversation{StartedAt: noon.Add(-time.Hour)}, read())
}
