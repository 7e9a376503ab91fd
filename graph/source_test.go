package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/explore"
	"kith/tests/graphtest"
	"kith/text/words"
)

// see reads a source as a user of the team; nil if the user sees none.
func (e *env) see(user, key string) *graph.Source {
	e.Helper()
	s, err := e.Store.Source(e.Context(), e.As(user), key)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	if err != nil {
		e.Fatal(err)
	}
	return &s
}

// messages returns the texts of a source in order. It checks that their numbers are 0, 1, 2, ….
func (e *env) messages(key string) []string {
	e.Helper()
	list, err := e.Store.Messages(e.Context(), e.As("u1"), key, 0, 10_000)
	if err != nil {
		e.Fatal(err)
	}
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.Text
		if m.Seq != int64(i) {
			e.Errorf("message %d has the number %d", i, m.Seq)
		}
	}
	return texts
}

func TestSourceDefaults(t *testing.T) {
	e := fresh(t)
	user := "u1"
	result := e.Source(user, graph.SourceWrite{})
	if diff := cmp.Diff(graph.SourceResult{
		UserID: user, EntityKey: result.EntityKey, Status: graph.Created, Messages: []graph.MessageResult{}, Mentions: []graph.NodeResult{}, Warnings: []string{},
	}, result); diff != "" || len(result.EntityKey) != 36 {
		t.Error(diff)
	}
	e.Same("source", &graph.Source{
		EntityKey: result.EntityKey, UserID: &user, ContentType: "conversation", Sensitivity: "normal", StartedAt: noon,
		Keywords: []string{}, Tags: []string{}, Participants: []string{user}, ProcessingStatus: graph.SourceRaw,
	}, e.see(user, result.EntityKey))

	ended := noon.Add(-time.Hour)
	finished := e.Source(user, graph.SourceWrite{EndedAt: graph.Some(ended)})
	e.Same("one that has ended started no later", ended, e.see(user, finished.EntityKey).StartedAt)
}

func TestSourceIsWrittenOnce(t *testing.T) {
	e := fresh(t)
	user, context := "u1", "planning"
	e.Write(user, []graph.NodeWrite{node("concept", "c", 0.5)})
	write := graph.SourceWrite{
		EntityKey: "s", ContentType: graph.Some("meeting"), ContextType: graph.Some(context), SourceType: graph.Some("meeting"), Sensitivity: graph.Some("high"),
		StartedAt: graph.Some(noon.Add(-time.Hour)), EndedAt: graph.Some(noon), Summary: graph.Some("We met."), Keywords: []string{"k"}, Tags: []string{"t", "u"},
		Participants: []string{"u2", user}, Messages: []graph.MessageWrite{said("m-1", "one"),
			{EntityKey: "m-2", Role: "assistant", Name: "Kith", Text: "two", At: graph.Some(noon)}},
		Mentions: []string{"c"},
	}
	first := e.Source(user, write)
	e.Same("first", graph.SourceResult{
		UserID: user, EntityKey: "s", Status: graph.Created, Messages: []graph.MessageResult{{"m-1", graph.Created}, {"m-2", graph.Created}},
		Mentions: []graph.NodeResult{{EntityKey: "c", Status: graph.Created}}, Warnings: []string{},
	}, first)
	ended := noon
	want := &graph.Source{
		EntityKey: "s", UserID: &user, ContentType: "meeting", ContextType: &context, SourceType: "meeting", Sensitivity: "high",
		StartedAt: noon.Add(-time.Hour), EndedAt: &ended, Summary: "We met.", Keywords: []string{"k"}, Tags: []string{"t", "u"},
		Participants: []string{user, "u2"}, MessageCount: 2, ProcessingStatus: graph.SourceRaw,
	}
	e.Same("source", want, e.see(user, "s"))

	before := e.Stored()
	e.Now = noon.Add(time.Hour)
	again := e.Source(user, write)
	e.Same("again", []any{graph.Unchanged, []graph.MessageResult{{"m-1", graph.Unchanged}, {"m-2", graph.Unchanged}}, graph.Unchanged},
		[]any{again.Status, again.Messages, again.Mentions[0].Status})
	e.Same("stored", before, e.Stored())

	changed := e.Source(user, graph.SourceWrite{EntityKey: "s", Summary: graph.Null[string](), ContextType: graph.Null[string](), EndedAt: graph.Null[time.Time](),
		Tags: []string{}, Messages: []graph.MessageWrite{said("m-2", "other"), said("", "three")}})
	want.Summary, want.ContextType, want.EndedAt, want.Tags, want.MessageCount = "", nil, nil, []string{}, 3
	e.Same("changed", graph.Updated, changed.Status)
	e.Same("source", want, e.see(user, "s"))
	e.Same("messages", []string{"one", "two", "three"}, e.messages("s"))
}

func TestWhoSeesASource(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	for user, sees := range map[string]bool{"u1": true, "u2": true, "u3": false, "": true} {
		e.Same("seen by "+user, sees, e.see(user, "s") != nil)
	}
	e.Same("seen by another team", true, e.neighbour().see("u1", "s") == nil)
	e.Same("a concept is no source", true, e.see("u1", e.Write("u1", []graph.NodeWrite{node("concept", "c", 1)}).Nodes[0].EntityKey) == nil)
}

func TestSourceRefusals(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "theirs", 0.5, of("u2"))})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", SourceType: graph.Some("email"), StartedAt: graph.Some(noon.Add(-time.Hour)), Messages: []graph.MessageWrite{said("m", "one")}})
	e.Source("u2", graph.SourceWrite{EntityKey: "s-2", Messages: []graph.MessageWrite{said("m-2", "two")}})
	before := e.Stored()
	for name, c := range map[string]struct {
		write graph.SourceWrite
		at    []string
		is    error
	}{
		"key of a concept":         {graph.SourceWrite{EntityKey: "c"}, nil, fault.ErrConflict},
		"key of a message":         {graph.SourceWrite{EntityKey: "m"}, nil, fault.ErrConflict},
		"a message by its own key": {graph.SourceWrite{EntityKey: "s-9", Messages: []graph.MessageWrite{said("s-9", "x")}}, nil, fault.ErrConflict},
		"a new source type":        {graph.SourceWrite{EntityKey: "s", SourceType: graph.Some("meeting")}, []string{"source_type"}, fault.ErrInvalid},
		"an end before the start":  {graph.SourceWrite{EntityKey: "s", EndedAt: graph.Some(noon.Add(-2 * time.Hour))}, []string{"ended_at"}, fault.ErrInvalid},
		"a bad mention, strict": {
			graph.SourceWrite{EntityKey: "s-9", Strict: true, Mentions: []string{"c", "theirs", "gone"}}, []string{"mentions[1]", "mentions[2]"}, fault.ErrInvalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := e.of(t, e.Team)
			_, err := e.Store.WriteSource(t.Context(), e.As("u1"), &c.write)
			if !errors.Is(err, c.is) {
				t.Errorf("error %v, want %v", err, c.is)
			}
			e.Same("faults", c.at, graphtest.Locations(err))
			e.Same("stored", before, e.Stored())
		})
	}
	result := e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"c", "theirs", "gone"}})
	e.Same("statuses", []graph.Status{graph.Created, graph.Refused, graph.Refused}, []graph.Status{result.Mentions[0].Status, result.Mentions[1].Status, result.Mentions[2].Status})
	e.Same("warnings", []string{"mentions[1]: there is no such node", "mentions[2]: there is no such node"}, result.Warnings)
}

func TestEndBeforeTheStartThatMoves(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s", StartedAt: graph.Some(noon.Add(-3 * time.Hour)), EndedAt: graph.Some(noon.Add(-2 * time.Hour))})
	_, err := e.Store.WriteSource(t.Context(), e.As("u1"), &graph.SourceWrite{EntityKey: "s", StartedAt: graph.Some(noon.Add(-time.Hour))})
	e.Same("faults", []string{"ended_at"}, graphtest.Locations(err))
	_, err = e.Store.EndConversation(t.Context(), e.As("u1"), "s", &graph.ConversationEnd{EndedAt: graph.Some(noon.Add(-4 * time.Hour))})
	e.Same("faults", []string{"ended_at"}, graphtest.Locations(err))
}

// A source without a user is shared: all of the team see it and find its messages, and any user may append to it. It
// is in no context, and erasing a user removes the user's part of it.
func TestSourcesOfATeam(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{node("concept", "shared", 0.5, shared)})
	e.Write("u1", []graph.NodeWrite{node("concept", "own", 0.5)})
	meeting := graph.SourceWrite{
		EntityKey: "s", ContentType: graph.Some("meeting"), StartedAt: graph.Some(noon.Add(-time.Hour)), Summary: graph.Some("About the sluice"), Participants: []string{"u1", "u2"},
		Messages: []graph.MessageWrite{said("m-1", "the valve leaks")}, Mentions: []string{"shared", "own"},
	}
	first := e.Source("", meeting)
	e.Same("written", []any{"", graph.Created, []graph.Status{graph.Created, graph.Refused}},
		[]any{first.UserID, first.Status, []graph.Status{first.Mentions[0].Status, first.Mentions[1].Status}})
	e.Same("again", graph.Unchanged, e.Source("", meeting).Status)
	e.Same("without participants", graph.Unchanged, func() graph.Status {
		e.Source("", graph.SourceWrite{EntityKey: "bare", ContentType: graph.Some("text-note")})
		return e.Source("", graph.SourceWrite{EntityKey: "bare"}).Status
	}())
	added := e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m-2", "the valve is mended")}, Mentions: []string{"own"}})
	e.Same("a user adds to it", []any{"", graph.Updated, graph.Created},
		[]any{added.UserID, e.Source("u1", graph.SourceWrite{EntityKey: "s", Tags: []string{"t"}}).Status, added.Mentions[0].Status})
	for _, user := range []string{"u1", "u2", "u3", ""} {
		s := e.see(user, "s")
		e.Same("seen by "+user, []any{(*string)(nil), []string{"u1", "u2"}, int64(2)}, []any{s.UserID, s.Participants, s.MessageCount})
		found, err := explore.NewStore(e.Store, nil).Search(t.Context(), e.As(user), explore.Search{Asks: []explore.Ask{{Words: words.Of("valve")}, {Words: words.Of("sluice")}}, Messages: true, Sources: true})
		if err != nil {
			t.Fatal(err)
		}
		e.Same("found by "+user, []int{2, 1}, []int{len(found.Messages), len(found.Sources)})
	}
	e.Same("another team", (*graph.Source)(nil), e.neighbour().see("u1", "s"))
	e.Same("in a context", 0, len(e.sections("u1").Sources))
	e.Same("mentions of what is shared are not counted", (*graph.OwnFields)(nil), e.get("u2", "concept", "shared").OwnFields)
	e.Same("those of what is private are", int64(1), e.get("u1", "concept", "own").SourceCount.Value)
	e.stories()
	e.Same("check", []graph.Finding(nil), e.findings(false))

	_, err := e.Store.WriteSource(t.Context(), e.As(""), &graph.SourceWrite{Summary: graph.Some("x")})
	e.Same("a conversation", []string{"user_id"}, graphtest.Locations(err))
	refused := e.Try("", []graph.NodeWrite{{Kind: "source", EntityKey: "c"}, {Kind: "source", EntityKey: "n", OwnFields: &graph.OwnFields{ContentType: graph.Some("email")}}})
	e.Same("as nodes", []graph.Status{graph.Refused, graph.Created}, statuses(refused))
	e.Same("with its place", true, strings.HasPrefix(refused.Warnings[0], "nodes[0].user_id: is required"))
	if _, err := e.eraseUser(t.Context(), "u1"); err != nil {
		t.Fatal(err)
	}
	s := e.see("u2", "s")
	e.Same("after an erasure", []any{[]string{"u2"}, int64(2)}, []any{s.Participants, s.MessageCount})
	e.Same("check", []graph.Finding(nil), e.findings(false))
}

// A source whose start is corrected moves the times of what it mentions, forth and back.
func TestCorrectedStartMovesMentions(t *testing.T) {
	e := fresh(t)
	old, day := e.Now.AddDate(-1, 0, 0), e.Now.AddDate(0, -1, 0)
	made := change("concept", "c", func(w *graph.NodeWrite) {
		w.Name, w.CreatedAt, w.LastAccessedAt = graph.Some("C"), graph.Some(old), graph.Some(old)
	})
	e.Write("u1", []graph.NodeWrite{made})
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", StartedAt: graph.Some(old), Mentions: []string{"c"}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s2", StartedAt: graph.Some(day), Mentions: []string{"c"}})
	for _, start := range []time.Time{e.Now.Add(-time.Hour), old.AddDate(0, 0, 3), day.Add(time.Minute)} {
		e.Write("u1", []graph.NodeWrite{change("source", "s1", func(w *graph.NodeWrite) { w.OwnFields = &graph.OwnFields{StartedAt: graph.Some(start)} })})
		first, last := start, day
		if start.After(day) {
			first, last = day, start
		}
		days := []any{first.Format(time.DateOnly)}
		if next := last.Format(time.DateOnly); next != days[0] {
			days = append(days, next)
		}
		e.Same(start.String(), [][]any{{first, last, last, days}}, e.Raw(`MATCH (n:Concept {team_id: $team, entity_key: 'c'})
			UNWIND n.distinct_source_days AS day WITH n, day ORDER BY day WITH n, collect(day) AS days
			RETURN n.first_mentioned_at, n.last_mentioned_at, n.last_accessed_at, days`))
	}
	e.CheckIntegrity()
}

// Deletes and restores of sources and mentions leave the times and days of the mentions that there are.
func TestMentionsAreCountedAnew(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	starts := []time.Time{e.Now.AddDate(0, 0, -9), e.Now.AddDate(0, 0, -5), e.Now.AddDate(0, 0, -2)}
	for i, start := range starts {
		e.Source("u1", graph.SourceWrite{EntityKey: fmt.Sprint("s", i), StartedAt: graph.Some(start), Mentions: []string{"c"}})
	}
	counted := func(when string, of ...int) {
		t.Helper()
		want := []any{int64(len(of)), nil, nil, nil}
		if len(of) > 0 {
			days := []any{}
			for _, i := range of {
				days = append(days, starts[i].Format(time.DateOnly))
			}
			want = []any{int64(len(of)), starts[of[0]], starts[of[len(of)-1]], days}
		}
		e.Same(when, [][]any{want}, e.Raw(`MATCH (n:Concept {team_id: $team, entity_key: 'c'})
			RETURN n.source_count, n.first_mentioned_at, n.last_mentioned_at, n.distinct_source_days`))
		e.CheckIntegrity()
	}
	e.Remove("u1", "source", "s0")
	counted("one source deleted", 1, 2)
	mention := e.keyBetween("s2", "mentions", "c")
	if _, err := e.Store.DeleteRelationship(t.Context(), e.As("u1"), mention, 0); err != nil {
		t.Fatal(err)
	}
	counted("a mention deleted", 1)
	e.Remove("u1", "source", "s1")
	counted("none left")
	e.restore("u1", "source", "s0")
	counted("a source restored", 0)
	if _, err := e.Store.RestoreRelationship(t.Context(), e.As("u1"), mention); err != nil {
		t.Fatal(err)
	}
	counted("a mention restored", 0, 2)
	e.restore("u1", "source", "s1")
	counted("one between them restored", 0, 1, 2)
	e.Source("u1", graph.SourceWrite{EntityKey: "s3", StartedAt: graph.Some(starts[1].Add(time.Minute)), Mentions: []string{"c"}})
	e.Remove("u1", "source", "s3")
	counted("one between them deleted", 0, 1, 2)
}
