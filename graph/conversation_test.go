package graph_test

import (
	"errors"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

func TestMessagesAreAppended(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s"})
	e.Now = noon.Add(time.Minute)
	kathmandu := time.FixedZone("", 5*3600+45*60)
	result, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{
		{EntityKey: "m-1", Role: "user", Name: "Ada", Text: "⛵ \"hi\"\n$x", At: graph.Some(noon.In(kathmandu))}, {Role: "assistant", Text: ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("result", []any{graph.Updated, "u1", "s", graph.Created}, []any{result.Status, result.UserID, result.EntityKey, result.Messages[0].Status})
	list, err := e.Store.Messages(t.Context(), e.As("u1"), "s", 0, 10)
	e.Same("messages", []graph.Message{
		{EntityKey: "m-1", Role: "user", Name: "Ada", Text: "⛵ \"hi\"\n$x", At: noon},
		{EntityKey: result.Messages[1].EntityKey, Seq: 1, Role: "assistant", At: e.Now},
	}, list)
	e.Same("error", nil, err)

	again, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{said("m-3", "three"), said("m-1", "changed"), said("m-4", "four")})
	e.Same("statuses", []graph.MessageResult{{"m-3", graph.Created}, {"m-1", graph.Unchanged}, {"m-4", graph.Created}}, again.Messages)
	e.Same("error", nil, err)
	e.Same("texts", []string{"⛵ \"hi\"\n$x", "", "three", "four"}, e.messages("s"))
	e.Same("count", int64(4), e.see("u1", "s").MessageCount)
	page, _ := e.Store.Messages(t.Context(), e.As("u1"), "s", 1, 2)
	e.Same("a page", []int64{1, 2}, []int64{page[0].Seq, page[1].Seq})
	e.Same("no more than asked", 2, len(page))
	elsewhere, _ := e.Store.Messages(t.Context(), e.neighbour().As("u1"), "s", 0, 10)
	e.Same("of another team", []graph.Message{}, elsewhere)
}

func TestConversationEnds(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "one")}})
	end := func(user string, w graph.ConversationEnd) graph.SourceResult {
		t.Helper()
		result, err := e.Store.EndConversation(t.Context(), e.As(user), "s", &w)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	e.Now = noon.Add(time.Hour)
	result := end("u1", graph.ConversationEnd{Summary: graph.Some("Done."), Mentions: []string{"c", "gone"}})
	e.Same("result", []any{graph.Updated, graph.Created, graph.Refused, 1}, []any{result.Status, result.Mentions[0].Status, result.Mentions[1].Status, len(result.Warnings)})
	s := e.see("u1", "s")
	e.Same("ended", []any{e.Now, "Done."}, []any{*s.EndedAt, s.Summary})

	first := e.Now
	e.Now = noon.Add(2 * time.Hour)
	again := end("u1", graph.ConversationEnd{Mentions: []string{"c"}})
	e.Same("again", []any{graph.Unchanged, graph.Unchanged}, []any{again.Status, again.Mentions[0].Status})
	e.Same("its first end", first, *e.see("u1", "s").EndedAt)
	e.Same("by the team, with another summary", graph.Updated, end("", graph.ConversationEnd{Summary: graph.Some("Better.")}).Status)
	e.Same("the end given", graph.Updated, end("u1", graph.ConversationEnd{EndedAt: graph.Some(noon)}).Status)
	s = e.see("u1", "s")
	e.Same("ended", []any{noon, "Better."}, []any{*s.EndedAt, s.Summary})

	before := e.Stored()
	_, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s", []graph.MessageWrite{said("late", "x")})
	e.Same("an append after the end is a conflict", true, errors.Is(err, fault.ErrConflict))
	e.Same("stored", before, e.Stored())
}

func TestConversationsOfOthersAreUnknown(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	e.Source("u1", graph.SourceWrite{EntityKey: "mail", ContentType: graph.Some("email")})
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	before := e.Stored()
	for name, c := range map[string]struct {
		scope graph.Scope
		key   string
	}{
		"unknown": {e.As("u1"), "gone"}, "of a participant": {e.As("u2"), "s"}, "of another team": {e.neighbour().As("u1"), "s"},
		"a mail": {e.As("u1"), "mail"}, "a concept": {e.As("u1"), "c"}, "no key": {e.As("u1"), ""},
		"not a key": {e.As("u1"), "a\x00\xffb"},
	} {
		_, err := e.Store.AppendMessages(t.Context(), c.scope, c.key, []graph.MessageWrite{said("m", "x")})
		e.Same("append to "+name, true, errors.Is(err, fault.ErrNotFound))
		_, err = e.Store.EndConversation(t.Context(), c.scope, c.key, &graph.ConversationEnd{})
		e.Same("end of "+name, true, errors.Is(err, fault.ErrNotFound))
	}
	e.Same("stored", before, e.Stored())
}
