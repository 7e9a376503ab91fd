package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/internal/testenv"
)

// users lists all users of the team in pages of a size.
func (e *env) users(size int) (all []User) {
	e.Helper()
	cursor, all := "", []User{}
	for {
		page, err := e.store.Users(e.Context(), e.team, cursor, size)
		if err != nil {
			e.Fatal(err)
		}
		if len(page.Users) > size || len(page.Users) < size && page.Next != "" {
			e.Errorf("a page of %d has %d users", size, len(page.Users))
		}
		all = append(all, page.Users...)
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

func TestUsersAreListed(t *testing.T) {
	e := fresh(t)
	e.same("nobody", []User{}, e.users(3))
	e.write("", []NodeWrite{node("concept", "shared", 0.5, shared)})
	e.tree("")
	e.same("what is shared is nobody's", []User{}, e.users(3))

	e.write("u1", []NodeWrite{owner1("me"), node("concept", "c", 0.5), node("entity", "x", 0.5)})
	e.source("u1", SourceWrite{EntityKey: "s-1", Messages: []MessageWrite{said("m-1", "one"), said("m-2", "two")}})
	e.source("u1", SourceWrite{EntityKey: "s-2", ContentType: Some("email"), Messages: []MessageWrite{said("m-3", "three")}})
	e.now = noon.Add(time.Hour)
	e.write("u1 x", []NodeWrite{node("entity", "theirs", 0.5)})
	e.tree("chats alone")
	if err := e.store.ReplacePreferences(t.Context(), e.as("⛵"), []Preference{{"a", []byte(`1`)}, {"b", []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.write("gone", []NodeWrite{node("concept", "g", 0.5)})
	e.delete("gone", "concept", "g")
	e.write("\U0001F6F6", []NodeWrite{{Kind: "task", EntityKey: "t", Name: Some("t")}})
	e.write("\uFFFD", []NodeWrite{node("concept", "f", 0.5)}) // before it in code points, after it in UTF-16
	other := e.neighbour()
	other.write("theirs", []NodeWrite{node("concept", "c", 0.5)})

	at := func(t time.Time) *time.Time { return &t }
	want := []User{ // every writer has an owner node
		{UserID: "chats alone", Chats: 1, LastActivityAt: at(e.now)},
		{UserID: "gone", Nodes: 1, LastActivityAt: at(e.now)},
		{UserID: "u1", Nodes: 5, Conversations: 1, Messages: 3, LastActivityAt: at(noon)},
		{UserID: "u1 x", Nodes: 2, LastActivityAt: at(e.now)},
		{UserID: "⛵"},
		{UserID: "\uFFFD", Nodes: 2, LastActivityAt: at(e.now)},
		{UserID: "\U0001F6F6", Nodes: 2, LastActivityAt: at(e.now)},
	}
	for size := 1; size <= 8; size++ {
		e.same(fmt.Sprintf("by %d", size), want, e.users(size))
	}
	e.same("another team's", []string{"theirs"}, []string{other.users(3)[0].UserID})
	e.now = noon.Add(2 * time.Hour)
	if _, err := e.store.AppendMessages(t.Context(), e.as("u1"), "s-1", []MessageWrite{said("m-4", "four")}); err != nil {
		t.Fatal(err)
	}
	e.same("a message is activity", User{UserID: "u1", Nodes: 5, Conversations: 1, Messages: 4, LastActivityAt: at(e.now)}, e.users(8)[2])
}

func TestUserIDsThatBeginWithAText(t *testing.T) {
	e := fresh(t)
	e.write("", []NodeWrite{node("concept", "shared", 0.5, shared)})
	for i, user := range []string{"ada", "ada b", "adb", "⛵", "\U0001F6F6"} {
		e.write(user, []NodeWrite{node("concept", fmt.Sprint("c-", i), 0.5)})
	}
	e.tree("ad")
	if err := e.store.ReplacePreferences(t.Context(), e.as("ade"), []Preference{{"a", []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.neighbour().write("ad theirs", []NodeWrite{node("concept", "c", 0.5)})
	for beginning, want := range map[string]string{
		"": "ad,ada,ada b", "ad": "ad,ada,ada b", "ada": "ada,ada b", "ada b": "ada b", "adb": "adb", "ade": "ade", "a": "ad,ada,ada b", "A": "",
		"⛵": "⛵", "\U0001F6F6": "\U0001F6F6", "ae": "", "adaa": "",
	} {
		got, err := e.store.UserIDs(t.Context(), e.team, beginning, 3)
		if err != nil {
			t.Fatal(err)
		}
		e.same("beginning with "+beginning, want, strings.Join(got, ","))
	}
}

// listed returns the keys of a user's conversations in pages of a size.
func (e *env) listed(user string, size int) (keys []string) {
	e.Helper()
	cursor, keys := "", []string{}
	for {
		page, err := e.store.Conversations(e.Context(), e.as(user), cursor, size)
		if err != nil {
			e.Fatal(err)
		}
		for _, s := range page.Conversations {
			keys = append(keys, s.EntityKey)
		}
		if cursor = page.Next; cursor == "" {
			return keys
		}
	}
}

func TestConversationsAreListedNewestFirst(t *testing.T) {
	e := fresh(t)
	for i, key := range []string{"c", "a", "\U0001F6F6", "b", "\uFFFD"} {
		e.source("u1", SourceWrite{EntityKey: key, StartedAt: Some(noon.Add(-time.Duration(i/3) * time.Hour))})
	}
	e.source("u1", SourceWrite{EntityKey: "later", StartedAt: Some(noon.Add(time.Millisecond)), Summary: Some("Knots."), Messages: []MessageWrite{said("m", "x")}})
	e.source("u1", SourceWrite{EntityKey: "mail", ContentType: Some("email")})
	e.source("u2", SourceWrite{EntityKey: "theirs"})
	other := e.neighbour()
	other.source("u1", SourceWrite{EntityKey: "elsewhere"})
	want := []string{"later", "\U0001F6F6", "c", "a", "\uFFFD", "b"}
	for size := 1; size <= 8; size++ {
		e.same(fmt.Sprintf("by %d", size), want, e.listed("u1", size))
	}
	e.same("another user's", []string{"theirs"}, e.listed("u2", 3))
	e.same("nobody's", []string{}, e.listed("u3", 3))
	e.same("another team's", []string{"elsewhere"}, other.listed("u1", 3))
	page, err := e.store.Conversations(t.Context(), e.as("u1"), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	e.same("as one alone", *e.see("u1", "later"), page.Conversations[0])
}

// A cursor of another list is refused, and so is a list of conversations without a user.
func TestCursorsOfOtherLists(t *testing.T) {
	e := fresh(t)
	for i := range 3 {
		user := fmt.Sprint(i)
		e.write(user, []NodeWrite{node("concept", "c"+user, 0.5)})
		e.source("0", SourceWrite{EntityKey: "s" + user})
	}
	users, _ := e.store.Users(t.Context(), e.team, "", 1)
	conversations, _ := e.store.Conversations(t.Context(), e.as("0"), "", 1)
	sources, _ := e.store.Nodes(t.Context(), e.as("0"), NodeList{Kind: SourceKind, Limit: 1})
	cursors := []string{users.Next, conversations.Next, sources.Next}
	if slices.Contains(cursors, "") {
		t.Fatal(cursors)
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, cursor := range append(cursors, "!", EncodeCursor("x"), EncodeCursor(userCursor), EncodeCursor(conversationCursor),
		EncodeCursor(conversationCursor+"then"+keySeparator+"k"), strings.Repeat("A", 5000)) {
		if cursor != users.Next {
			_, err := e.store.Users(t.Context(), e.team, cursor, 1)
			refused("users from "+cursor, err)
		}
		if cursor != conversations.Next {
			_, err := e.store.Conversations(t.Context(), e.as("0"), cursor, 1)
			refused("conversations from "+cursor, err)
		}
	}
	_, err := e.store.Conversations(t.Context(), e.as(""), "", 1)
	refused("nobody's", err)
}

// QuotaOf returns the limits that apply and the last count, without counting.
func TestQuotaIsReported(t *testing.T) {
	e := limited(t, Quota{Nodes: 40})
	number := func(n int64) *int64 { return &n }
	see := func() QuotaShares {
		t.Helper()
		q, err := e.store.QuotaOf(t.Context(), e.team)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	e.same("before any write", QuotaShares{Nodes: QuotaShare{Limit: number(40)}}, see())
	e.write("u1", []NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	has := see()
	e.same("nodes", []any{number(40), number(3)}, []any{has.Nodes.Limit, has.Nodes.Used})
	if err := e.store.SetTeamQuota(t.Context(), e.team, OwnQuota{Nodes: number(7), Relationships: number(9)}); err != nil {
		t.Fatal(err)
	}
	has = see()
	e.same("of its own", []any{number(7), number(9), (*int64)(nil)}, []any{has.Nodes.Limit, has.Relationships.Limit, has.Characters.Limit})
	free := open(t, testenv.Neo4j(t), Options{})
	free.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	q, err := free.store.QuotaOf(t.Context(), free.team)
	e.same("a service without quotas", QuotaShares{}, q)
	e.same("error", nil, err)
}
