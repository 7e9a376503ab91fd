package graph_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/internal/fault"
	"kith/memory/preference"
	"kith/memory/user"
	"kith/tests/testenv"
)

// users lists all users of the team in pages of a size.
func (e *env) users(size int) (all []user.User) {
	e.Helper()
	cursor, all := "", []user.User{}
	for {
		page, err := user.NewStore(e.Store).Users(e.Context(), e.Team, cursor, size)
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
	e.Same("nobody", []user.User{}, e.users(3))
	e.Write("", []graph.NodeWrite{node("concept", "shared", 0.5, shared)})
	e.tree("")
	e.Same("what is shared is nobody's", []user.User{}, e.users(3))

	e.Write("u1", []graph.NodeWrite{owner1("me"), node("concept", "c", 0.5), node("entity", "x", 0.5)})
	e.Source("u1", graph.SourceWrite{EntityKey: "s-1", Messages: []graph.MessageWrite{said("m-1", "one"), said("m-2", "two")}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s-2", ContentType: graph.Some("email"), Messages: []graph.MessageWrite{said("m-3", "three")}})
	e.Now = noon.Add(time.Hour)
	e.Write("u1 x", []graph.NodeWrite{node("entity", "theirs", 0.5)})
	e.tree("chats alone")
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("⛵"), []preference.Preference{{Key: "a", Value: []byte(`1`)}, {Key: "b", Value: []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.Write("gone", []graph.NodeWrite{node("concept", "g", 0.5)})
	e.delete("gone", "concept", "g")
	e.Write("\U0001F6F6", []graph.NodeWrite{{Kind: "task", EntityKey: "t", Name: graph.Some("t")}})
	e.Write("\uFFFD", []graph.NodeWrite{node("concept", "f", 0.5)}) // before it in code points, after it in UTF-16
	other := e.neighbour()
	other.Write("theirs", []graph.NodeWrite{node("concept", "c", 0.5)})

	at := func(t time.Time) *time.Time { return &t }
	want := []user.User{ // every writer has an owner node
		{UserID: "chats alone", Chats: 1, LastActivityAt: at(e.Now)},
		{UserID: "gone", Nodes: 1, LastActivityAt: at(e.Now)},
		{UserID: "u1", Nodes: 5, Conversations: 1, Messages: 3, LastActivityAt: at(noon)},
		{UserID: "u1 x", Nodes: 2, LastActivityAt: at(e.Now)},
		{UserID: "⛵"},
		{UserID: "\uFFFD", Nodes: 2, LastActivityAt: at(e.Now)},
		{UserID: "\U0001F6F6", Nodes: 2, LastActivityAt: at(e.Now)},
	}
	for size := 1; size <= 8; size++ {
		e.Same(fmt.Sprintf("by %d", size), want, e.users(size))
	}
	e.Same("another team's", []string{"theirs"}, []string{other.users(3)[0].UserID})
	e.Now = noon.Add(2 * time.Hour)
	if _, err := e.Store.AppendMessages(t.Context(), e.As("u1"), "s-1", []graph.MessageWrite{said("m-4", "four")}); err != nil {
		t.Fatal(err)
	}
	e.Same("a message is activity", user.User{UserID: "u1", Nodes: 5, Conversations: 1, Messages: 4, LastActivityAt: at(e.Now)}, e.users(8)[2])
}

func TestUserIDsThatBeginWithAText(t *testing.T) {
	e := fresh(t)
	e.Write("", []graph.NodeWrite{node("concept", "shared", 0.5, shared)})
	for i, user := range []string{"ada", "ada b", "adb", "⛵", "\U0001F6F6"} {
		e.Write(user, []graph.NodeWrite{node("concept", fmt.Sprint("c-", i), 0.5)})
	}
	e.tree("ad")
	if err := preference.NewStore(e.Store).ReplacePreferences(t.Context(), e.As("ade"), []preference.Preference{{Key: "a", Value: []byte(`1`)}}); err != nil {
		t.Fatal(err)
	}
	e.neighbour().Write("ad theirs", []graph.NodeWrite{node("concept", "c", 0.5)})
	for beginning, want := range map[string]string{
		"": "ad,ada,ada b", "ad": "ad,ada,ada b", "ada": "ada,ada b", "ada b": "ada b", "adb": "adb", "ade": "ade", "a": "ad,ada,ada b", "A": "",
		"⛵": "⛵", "\U0001F6F6": "\U0001F6F6", "ae": "", "adaa": "",
	} {
		got, err := user.NewStore(e.Store).UserIDs(t.Context(), e.Team, beginning, 3)
		if err != nil {
			t.Fatal(err)
		}
		e.Same("beginning with "+beginning, want, strings.Join(got, ","))
	}
}

// listed returns the keys of a user's conversations in pages of a size.
func (e *env) listed(user string, size int) (keys []string) {
	e.Helper()
	cursor, keys := "", []string{}
	for {
		page, err := e.Store.Conversations(e.Context(), e.As(user), cursor, size)
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
		e.Source("u1", graph.SourceWrite{EntityKey: key, StartedAt: graph.Some(noon.Add(-time.Duration(i/3) * time.Hour))})
	}
	e.Source("u1", graph.SourceWrite{EntityKey: "later", StartedAt: graph.Some(noon.Add(time.Millisecond)), Summary: graph.Some("Knots."), Messages: []graph.MessageWrite{said("m", "x")}})
	e.Source("u1", graph.SourceWrite{EntityKey: "mail", ContentType: graph.Some("email")})
	e.Source("u2", graph.SourceWrite{EntityKey: "theirs"})
	other := e.neighbour()
	other.Source("u1", graph.SourceWrite{EntityKey: "elsewhere"})
	want := []string{"later", "\U0001F6F6", "c", "a", "\uFFFD", "b"}
	for size := 1; size <= 8; size++ {
		e.Same(fmt.Sprintf("by %d", size), want, e.listed("u1", size))
	}
	e.Same("another user's", []string{"theirs"}, e.listed("u2", 3))
	e.Same("nobody's", []string{}, e.listed("u3", 3))
	e.Same("another team's", []string{"elsewhere"}, other.listed("u1", 3))
	page, err := e.Store.Conversations(t.Context(), e.As("u1"), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("as one alone", *e.see("u1", "later"), page.Conversations[0])
}

// A cursor of another list is refused, and so is a list of conversations without a user.
func TestCursorsOfOtherLists(t *testing.T) {
	e := fresh(t)
	for i := range 3 {
		user := fmt.Sprint(i)
		e.Write(user, []graph.NodeWrite{node("concept", "c"+user, 0.5)})
		e.Source("0", graph.SourceWrite{EntityKey: "s" + user})
	}
	users, _ := user.NewStore(e.Store).Users(t.Context(), e.Team, "", 1)
	conversations, _ := e.Store.Conversations(t.Context(), e.As("0"), "", 1)
	sources, _ := e.Store.Nodes(t.Context(), e.As("0"), graph.NodeList{Kind: graph.SourceKind, Limit: 1})
	bad := []string{users.Next, conversations.Next, sources.Next}
	if slices.Contains(bad, "") {
		t.Fatal(bad)
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, cursor := range append(bad, "!", cursors.Encode("x"), cursors.Encode("user"+graph.KeySeparator), cursors.Encode(graph.ConversationCursor),
		cursors.Encode(graph.ConversationCursor+"then"+graph.KeySeparator+"k"), strings.Repeat("A", 5000)) {
		if cursor != users.Next {
			_, err := user.NewStore(e.Store).Users(t.Context(), e.Team, cursor, 1)
			refused("users from "+cursor, err)
		}
		if cursor != conversations.Next {
			_, err := e.Store.Conversations(t.Context(), e.As("0"), cursor, 1)
			refused("conversations from "+cursor, err)
		}
	}
	_, err := e.Store.Conversations(t.Context(), e.As(""), "", 1)
	refused("nobody's", err)
}

// QuotaOf returns the limits that apply and the last count, without counting.
func TestQuotaIsReported(t *testing.T) {
	e := limited(t, graph.Quota{Nodes: 40})
	number := func(n int64) *int64 { return &n }
	see := func() graph.QuotaShares {
		t.Helper()
		q, err := e.Store.QuotaOf(t.Context(), e.Team)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	e.Same("before any write", graph.QuotaShares{Nodes: graph.QuotaShare{Limit: number(40)}}, see())
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	has := see()
	e.Same("nodes", []any{number(40), number(3)}, []any{has.Nodes.Limit, has.Nodes.Used})
	if err := e.Store.SetTeamQuota(t.Context(), e.Team, graph.OwnQuota{Nodes: number(7), Relationships: number(9)}); err != nil {
		t.Fatal(err)
	}
	has = see()
	e.Same("of its own", []any{number(7), number(9), (*int64)(nil)}, []any{has.Nodes.Limit, has.Relationships.Limit, has.Characters.Limit})
	free := open(t, testenv.Neo4j(t), graph.Options{})
	free.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	q, err := free.Store.QuotaOf(t.Context(), free.Team)
	e.Same("a service without quotas", graph.QuotaShares{}, q)
	e.Same("error", nil, err)
}
