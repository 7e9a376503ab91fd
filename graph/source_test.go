package graph

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// see reads a source as a user of the team; nil if the user sees none.
func (e *env) see(user, key string) *Source {
	e.Helper()
	s, err := e.store.Source(e.Context(), e.as(user), key)
	if errors.Is(err, ErrNotFound) {
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
	list, err := e.store.Messages(e.Context(), e.as("u1"), key, 0, 10_000)
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

func said(key, text string) MessageWrite {
	return MessageWrite{EntityKey: key, Role: "user", Text: text}
}

func TestSourceDefaults(t *testing.T) {
	e := fresh(t)
	user := "u1"
	result := e.source(user, SourceWrite{})
	if diff := cmp.Diff(SourceResult{
		UserID: user, EntityKey: result.EntityKey, Status: Created, Messages: []MessageResult{}, Mentions: []NodeResult{}, Warnings: []string{},
	}, result); diff != "" || len(result.EntityKey) != 36 {
		t.Error(diff)
	}
	e.same("source", &Source{
		EntityKey: result.EntityKey, UserID: &user, ContentType: "conversation", Sensitivity: "normal", StartedAt: noon,
		Keywords: []string{}, Tags: []string{}, Participants: []string{user}, ProcessingStatus: SourceRaw,
	}, e.see(user, result.EntityKey))

	ended := noon.Add(-time.Hour)
	finished := e.source(user, SourceWrite{EndedAt: Some(ended)})
	e.same("one that has ended started no later", ended, e.see(user, finished.EntityKey).StartedAt)
}

func TestSourceIsWrittenOnce(t *testing.T) {
	e := fresh(t)
	user, context := "u1", "planning"
	e.write(user, []NodeWrite{node("concept", "c", 0.5)})
	write := SourceWrite{
		EntityKey: "s", ContentType: Some("meeting"), ContextType: Some(context), SourceType: Some("meeting"), Sensitivity: Some("high"),
		StartedAt: Some(noon.Add(-time.Hour)), EndedAt: Some(noon), Summary: Some("We met."), Keywords: []string{"k"}, Tags: []string{"t", "u"},
		Participants: []string{"u2", user}, Messages: []MessageWrite{said("m-1", "one"),
			{EntityKey: "m-2", Role: "assistant", Name: "Kith", Text: "two", At: Some(noon)}},
		Mentions: []string{"c"},
	}
	first := e.source(user, write)
	e.same("first", SourceResult{
		UserID: user, EntityKey: "s", Status: Created, Messages: []MessageResult{{"m-1", Created}, {"m-2", Created}},
		Mentions: []NodeResult{{EntityKey: "c", Status: Created}}, Warnings: []string{},
	}, first)
	ended := noon
	want := &Source{
		EntityKey: "s", UserID: &user, ContentType: "meeting", ContextType: &context, SourceType: "meeting", Sensitivity: "high",
		StartedAt: noon.Add(-time.Hour), EndedAt: &ended, Summary: "We met.", Keywords: []string{"k"}, Tags: []string{"t", "u"},
		Participants: []string{user, "u2"}, MessageCount: 2, ProcessingStatus: SourceRaw,
	}
	e.same("source", want, e.see(user, "s"))

	before := e.stored()
	e.now = noon.Add(time.Hour)
	again := e.source(user, write)
	e.same("again", []any{Unchanged, []MessageResult{{"m-1", Unchanged}, {"m-2", Unchanged}}, Unchanged},
		[]any{again.Status, again.Messages, again.Mentions[0].Status})
	e.same("stored", before, e.stored())

	changed := e.source(user, SourceWrite{EntityKey: "s", Summary: Null[string](), ContextType: Null[string](), EndedAt: Null[time.Time](),
		Tags: []string{}, Messages: []MessageWrite{said("m-2", "other"), said("", "three")}})
	want.Summary, want.ContextType, want.EndedAt, want.Tags, want.MessageCount = "", nil, nil, []string{}, 3
	e.same("changed", Updated, changed.Status)
	e.same("source", want, e.see(user, "s"))
	e.same("messages", []string{"one", "two", "three"}, e.messages("s"))
}

func TestWhoSeesASource(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	for user, sees := range map[string]bool{"u1": true, "u2": true, "u3": false, "": true} {
		e.same("seen by "+user, sees, e.see(user, "s") != nil)
	}
	e.same("seen by another team", true, e.neighbour().see("u1", "s") == nil)
	e.same("a concept is no source", true, e.see("u1", e.write("u1", []NodeWrite{node("concept", "c", 1)}).Nodes[0].EntityKey) == nil)
}

func TestSourceRefusals(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5), node("concept", "theirs", 0.5, of("u2"))})
	e.source("u1", SourceWrite{EntityKey: "s", SourceType: Some("email"), StartedAt: Some(noon.Add(-time.Hour)), Messages: []MessageWrite{said("m", "one")}})
	e.source("u2", SourceWrite{EntityKey: "s-2", Messages: []MessageWrite{said("m-2", "two")}})
	before := e.stored()
	for name, c := range map[string]struct {
		write SourceWrite
		at    []string
		is    error
	}{
		"key of a concept":         {SourceWrite{EntityKey: "c"}, nil, ErrConflict},
		"key of a message":         {SourceWrite{EntityKey: "m"}, nil, ErrConflict},
		"another user's":           {SourceWrite{EntityKey: "s-2"}, nil, ErrConflict},
		"a message of another":     {SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("", "x"), said("m-2", "x")}}, nil, ErrConflict},
		"a message by its own key": {SourceWrite{EntityKey: "s-9", Messages: []MessageWrite{said("s-9", "x")}}, nil, ErrConflict},
		"a new source type":        {SourceWrite{EntityKey: "s", SourceType: Some("meeting")}, []string{"source_type"}, ErrInvalid},
		"an end before the start":  {SourceWrite{EntityKey: "s", EndedAt: Some(noon.Add(-2 * time.Hour))}, []string{"ended_at"}, ErrInvalid},
		"a bad mention, strict": {
			SourceWrite{EntityKey: "s-9", Strict: true, Mentions: []string{"c", "theirs", "gone"}}, []string{"mentions[1]", "mentions[2]"}, ErrInvalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &env{T: t, store: e.store, team: e.team, now: noon}
			_, err := e.store.WriteSource(t.Context(), e.as("u1"), &c.write)
			if !errors.Is(err, c.is) {
				t.Errorf("error %v, want %v", err, c.is)
			}
			e.same("faults", c.at, locations(err))
			e.same("stored", before, e.stored())
		})
	}
	result := e.source("u1", SourceWrite{EntityKey: "s", Mentions: []string{"c", "theirs", "gone"}})
	e.same("statuses", []Status{Created, Refused, Refused}, []Status{result.Mentions[0].Status, result.Mentions[1].Status, result.Mentions[2].Status})
	e.same("warnings", []string{"mentions[1]: there is no such node", "mentions[2]: there is no such node"}, result.Warnings)
}

func TestEndBeforeTheStartThatMoves(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s", StartedAt: Some(noon.Add(-3 * time.Hour)), EndedAt: Some(noon.Add(-2 * time.Hour))})
	_, err := e.store.WriteSource(t.Context(), e.as("u1"), &SourceWrite{EntityKey: "s", StartedAt: Some(noon.Add(-time.Hour))})
	e.same("faults", []string{"ended_at"}, locations(err))
	_, err = e.store.EndConversation(t.Context(), e.as("u1"), "s", &ConversationEnd{EndedAt: Some(noon.Add(-4 * time.Hour))})
	e.same("faults", []string{"ended_at"}, locations(err))
}

// A source without a user is shared: all of the team see it and find its messages, and any user may append to it. It
// is in no context, and erasing a user removes the user's part of it.
func TestSourcesOfATeam(t *testing.T) {
	e := fresh(t)
	e.write("", []NodeWrite{node("concept", "shared", 0.5, shared)})
	e.write("u1", []NodeWrite{node("concept", "own", 0.5)})
	meeting := SourceWrite{
		EntityKey: "s", ContentType: Some("meeting"), StartedAt: Some(noon.Add(-time.Hour)), Summary: Some("About the sluice"), Participants: []string{"u1", "u2"},
		Messages: []MessageWrite{said("m-1", "the valve leaks")}, Mentions: []string{"shared", "own"},
	}
	first := e.source("", meeting)
	e.same("written", []any{"", Created, []Status{Created, Refused}},
		[]any{first.UserID, first.Status, []Status{first.Mentions[0].Status, first.Mentions[1].Status}})
	e.same("again", Unchanged, e.source("", meeting).Status)
	e.same("without participants", Unchanged, func() Status {
		e.source("", SourceWrite{EntityKey: "bare", ContentType: Some("text-note")})
		return e.source("", SourceWrite{EntityKey: "bare"}).Status
	}())
	added := e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m-2", "the valve is mended")}, Mentions: []string{"own"}})
	e.same("a user adds to it", []any{"", Updated, Created},
		[]any{added.UserID, e.source("u1", SourceWrite{EntityKey: "s", Tags: []string{"t"}}).Status, added.Mentions[0].Status})
	for _, user := range []string{"u1", "u2", "u3", ""} {
		s := e.see(user, "s")
		e.same("seen by "+user, []any{(*string)(nil), []string{"u1", "u2"}, int64(2)}, []any{s.UserID, s.Participants, s.MessageCount})
		found, err := e.store.Search(t.Context(), e.as(user), Search{Asks: []Ask{{Words: Words("valve")}, {Words: Words("sluice")}}, Messages: true, Sources: true})
		if err != nil {
			t.Fatal(err)
		}
		e.same("found by "+user, []int{2, 1}, []int{len(found.Messages), len(found.Sources)})
	}
	e.same("another team", (*Source)(nil), e.neighbour().see("u1", "s"))
	e.same("in a context", 0, len(e.sections("u1").Sources))
	e.same("mentions of what is shared are not counted", (*OwnFields)(nil), e.get("u2", "concept", "shared").OwnFields)
	e.same("those of what is private are", int64(1), e.get("u1", "concept", "own").SourceCount.Value)
	e.stories()
	e.same("check", []Finding(nil), e.findings(false))

	_, err := e.store.WriteSource(t.Context(), e.as(""), &SourceWrite{Summary: Some("x")})
	e.same("a conversation", []string{"user_id"}, locations(err))
	refused := e.try("", []NodeWrite{{Kind: "source", EntityKey: "c"}, {Kind: "source", EntityKey: "n", OwnFields: &OwnFields{ContentType: Some("email")}}})
	e.same("as nodes", []Status{Refused, Created}, statuses(refused))
	e.same("with its place", true, strings.HasPrefix(refused.Warnings[0], "nodes[0].user_id: is required"))
	if _, err := e.store.EraseUser(t.Context(), e.as("u1")); err != nil {
		t.Fatal(err)
	}
	s := e.see("u2", "s")
	e.same("after an erasure", []any{[]string{"u2"}, int64(2)}, []any{s.Participants, s.MessageCount})
	e.same("check", []Finding(nil), e.findings(false))
}
