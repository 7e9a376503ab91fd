package graph

import (
	"errors"
	"testing"
	"time"
)

func TestMessagesAreAppended(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s"})
	e.now = noon.Add(time.Minute)
	kathmandu := time.FixedZone("", 5*3600+45*60)
	result, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s", []MessageWrite{
		{EntityKey: "m-1", Role: "user", Name: "Ada", Text: "⛵ \"hi\"\n$x", At: Some(noon.In(kathmandu))}, {Role: "assistant", Text: ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.same("result", []any{Updated, "u1", "s", Created}, []any{result.Status, result.UserID, result.EntityKey, result.Messages[0].Status})
	list, err := e.store.Messages(t.Context(), e.as("u1"), "s", 0, 10)
	e.same("messages", []Message{
		{EntityKey: "m-1", Role: "user", Name: "Ada", Text: "⛵ \"hi\"\n$x", At: noon},
		{EntityKey: result.Messages[1].EntityKey, Seq: 1, Role: "assistant", At: e.now},
	}, list)
	e.same("error", nil, err)

	again, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s", []MessageWrite{said("m-3", "three"), said("m-1", "changed"), said("m-4", "four")})
	e.same("statuses", []MessageResult{{"m-3", Created}, {"m-1", Unchanged}, {"m-4", Created}}, again.Messages)
	e.same("error", nil, err)
	e.same("texts", []string{"⛵ \"hi\"\n$x", "", "three", "four"}, e.messages("s"))
	e.same("count", int64(4), e.see("u1", "s").MessageCount)
	page, _ := e.store.Messages(t.Context(), e.as("u1"), "s", 1, 2)
	e.same("a page", []int64{1, 2}, []int64{page[0].Seq, page[1].Seq})
	e.same("no more than asked", 2, len(page))
	elsewhere, _ := e.store.Messages(t.Context(), e.neighbour().as("u1"), "s", 0, 10)
	e.same("of another team", []Message{}, elsewhere)
}

func TestConversationEnds(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m", "one")}})
	end := func(user string, w ConversationEnd) SourceResult {
		t.Helper()
		result, err := e.store.EndConversation(t.Context(), e.as(user), "s", &w)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	e.now = noon.Add(time.Hour)
	result := end("u1", ConversationEnd{Summary: Some("Done."), Mentions: []string{"c", "gone"}})
	e.same("result", []any{Updated, Created, Refused, 1}, []any{result.Status, result.Mentions[0].Status, result.Mentions[1].Status, len(result.Warnings)})
	s := e.see("u1", "s")
	e.same("ended", []any{e.now, "Done."}, []any{*s.EndedAt, s.Summary})

	first := e.now
	e.now = noon.Add(2 * time.Hour)
	again := end("u1", ConversationEnd{Mentions: []string{"c"}})
	e.same("again", []any{Unchanged, Unchanged}, []any{again.Status, again.Mentions[0].Status})
	e.same("its first end", first, *e.see("u1", "s").EndedAt)
	e.same("by the team, with another summary", Updated, end("", ConversationEnd{Summary: Some("Better.")}).Status)
	e.same("the end given", Updated, end("u1", ConversationEnd{EndedAt: Some(noon)}).Status)
	s = e.see("u1", "s")
	e.same("ended", []any{noon, "Better."}, []any{*s.EndedAt, s.Summary})

	before := e.stored()
	_, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s", []MessageWrite{said("late", "x")})
	e.same("an append after the end is a conflict", true, errors.Is(err, ErrConflict))
	e.same("stored", before, e.stored())
}

func TestConversationsOfOthersAreUnknown(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	e.source("u1", SourceWrite{EntityKey: "mail", ContentType: Some("email")})
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	before := e.stored()
	for name, c := range map[string]struct {
		scope Scope
		key   string
	}{
		"unknown": {e.as("u1"), "gone"}, "of a participant": {e.as("u2"), "s"}, "of another team": {e.neighbour().as("u1"), "s"},
		"a mail": {e.as("u1"), "mail"}, "a concept": {e.as("u1"), "c"}, "no key": {e.as("u1"), ""},
		"not a key": {e.as("u1"), "a\x00\xffb"},
	} {
		_, err := e.store.AppendMessages(t.Context(), c.scope, c.key, []MessageWrite{said("m", "x")})
		e.same("append to "+name, true, errors.Is(err, ErrNotFound))
		_, err = e.store.EndConversation(t.Context(), c.scope, c.key, &ConversationEnd{})
		e.same("end of "+name, true, errors.Is(err, ErrNotFound))
	}
	e.same("stored", before, e.stored())
}
