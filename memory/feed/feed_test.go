package feed_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"pgregory.net/rapid"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/feed"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// page returns a page of a feed: of a user, or of the whole team if user is empty.
func page(e *graphtest.Env, user, after string, limit int) feed.ChangePage {
	e.Helper()
	p, err := feed.NewStore(e.Store).Changes(e.Context(), e.As(user), after, feed.Filter{}, limit)
	if err != nil {
		e.Fatal(err)
	}
	return p
}

// keys returns the keys of changes.
func keys(changes []feed.Change) []string {
	all := []string{}
	for _, c := range changes {
		all = append(all, c.Key)
	}
	return all
}

func created(key string) string { return graphtest.Item("created", "concept", key, 1) }

func TestChangesAreTheirCommits(t *testing.T) {
	e := graphtest.New(t)
	e.Commit("u", created("a"), graphtest.LinkItem("updated", "r", 3, "relates_to", "a", "b"))
	e.Commit("", "deleted\x1fpreference\x1ftheme\x1f")
	got := page(e, "", "", 10)
	user := "u"
	want := []feed.Change{
		{At: e.Now, UserID: &user, Op: "created", Kind: "concept", Key: "a", Version: 1, By: "key-1", Through: "write-memory", Source: "s 1"},
		{At: e.Now, UserID: &user, Op: "updated", Kind: "relationship", Key: "r", Version: 3, Type: "relates_to", From: "a", To: "b", By: "key-1", Through: "write-memory", Source: "s 1"},
		{At: e.Now, Op: "deleted", Kind: "preference", Key: "theme", By: "key-1", Through: "write-memory"},
	}
	for i := range got.Changes {
		if after := page(e, "", got.Changes[i].Cursor, 10); len(after.Changes) != len(want)-i-1 {
			t.Errorf("after change %d: %v", i, keys(after.Changes))
		}
		got.Changes[i].Cursor, got.Changes[i].Behind = "", feed.Position{}
	}
	e.Same("changes", want, got.Changes)
	if got.More || got.Next != page(e, "", "now", 10).Next {
		t.Errorf("more %t, next %q", got.More, got.Next)
	}
}

// TestAnImportNamesItsVersion imports a node and a relationship twice, with other content but the same version.
func TestAnImportNamesItsVersion(t *testing.T) {
	e := graphtest.New(t)
	history := &graph.History{Version: graph.Some[int64](5)}
	for _, text := range []string{"before", "after"} {
		a := graph.NodeWrite{Kind: "concept", EntityKey: "a", Name: graph.Some("a"), Description: graph.Some(text), History: history}
		b := graph.NodeWrite{Kind: "concept", EntityKey: "b", Name: graph.Some("b"), History: history}
		r := graph.RelationshipWrite{Key: "r", From: "a", To: "b", Type: "relates_to", Description: graph.Some(text), History: history}
		result, err := e.Store.Restore(t.Context(), e.As("u"), &graph.RestoreBatch{Nodes: []graph.NodeWrite{a, b}, Relationships: []graph.RelationshipWrite{r}},
			graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
		if err != nil || result.Nodes[0].Version != 5 || result.Relationships[0].Version != 5 {
			t.Errorf("%s: %+v, %v", text, result, err)
		}
	}
	got := []string{}
	for _, c := range page(e, "u", "", 10).Changes {
		got = append(got, fmt.Sprint(c.Op, " ", c.Key, " ", c.Version))
	}
	e.Same("changes", []string{"created a 5", "created b 5", "created r 5", "updated a 5", "updated r 5"}, got)
}

// TestEveryChangeOnce reads random feeds in pages of random sizes, as the team and as each user.
func TestEveryChangeOnce(t *testing.T) {
	graphtest.Twice(t, func(r *rapid.T, e *graphtest.Env) {
		all := map[string][]string{}
		var erased []string
		users := []string{"", "u", "v", "gone"}
		for c := range rapid.IntRange(0, 40).Draw(r, "commits") {
			user := rapid.SampledFrom(users).Draw(r, "user")
			var items []string
			for i := range rapid.SampledFrom([]int{1, 1, 2, 5, 40}).Draw(r, "items") {
				items = append(items, created(fmt.Sprintf("%d.%d", c, i)))
			}
			seq := e.Commit(user, items...)
			if user == "gone" {
				erased = append(erased, fmt.Sprint(seq))
				continue
			}
			for _, reader := range []string{"", "u", "v"} {
				if reader == "" || user == "" || reader == user {
					all[reader] = append(all[reader], keysOf(items)...)
				}
			}
		}
		e.Raw(`MATCH (c:Commit {team_id: $team}) WHERE c.seq IN [` + strings.Join(erased, ",") + `] DELETE c`)
		for _, reader := range []string{"", "u", "v"} {
			var got []string
			after := ""
			for more := true; more; {
				limit := rapid.IntRange(1, 60).Draw(r, "limit")
				p := page(e, reader, after, limit)
				if len(p.Changes) > limit {
					r.Fatalf("%d changes, limit %d", len(p.Changes), limit)
				}
				got = append(got, keys(p.Changes)...)
				after, more = p.Next, p.More
			}
			if !slices.Equal(got, all[reader]) {
				r.Fatalf("%q reads %v, not %v", reader, got, all[reader])
			}
		}
	})
}

func keysOf(items []string) (all []string) {
	for _, item := range items {
		all = append(all, strings.Split(item, "\x1f")[2])
	}
	return all
}

func TestFiltersSelect(t *testing.T) {
	e := graphtest.New(t)
	for i := range 30 {
		e.Commit("u", created(fmt.Sprint(i)), graphtest.Item("updated", "task", fmt.Sprint("t", i), 2))
	}
	s := feed.NewStore(e.Store)
	p, err := s.Changes(t.Context(), e.As("u"), "", feed.Filter{Kinds: []string{"task", "plan"}, Ops: []string{"updated"}}, 20)
	if err != nil || len(p.Changes) != 20 || p.Changes[19].Key != "t19" || !p.More {
		t.Errorf("%v, %v", keys(p.Changes), err)
	}
	p, err = s.Changes(t.Context(), e.As("u"), "", feed.Filter{Ops: []string{"deleted"}}, 20)
	if err != nil || len(p.Changes) != 0 || p.More || p.Next != page(e, "u", "now", 1).Next {
		t.Errorf("%v, %v", p, err)
	}
}

// TestCommitsUnderWayAreAwaited leaves a gap in a feed while the transaction that fills it holds the lock.
func TestCommitsUnderWayAreAwaited(t *testing.T) {
	e := graphtest.New(t)
	numbers := map[string]int64{}
	for _, key := range []string{"1", "2", "3", "4"} {
		numbers[key] = e.Commit("u", created(key))
	}
	for _, missing := range []string{"2", "4"} {
		t.Run(missing, func(t *testing.T) {
			e.Raw(fmt.Sprintf(`MATCH (c:Commit {team_id: $team, seq: %d}) DELETE c`, numbers[missing]))
			session := e.Store.DB().Session(t.Context(), neo4j.AccessModeWrite, "", neo4j.FetchAll)
			defer func() { _ = session.Close(t.Context()) }()
			under, err := session.BeginTransaction(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = under.Run(t.Context(), `MATCH (f:Feed {team_id: $team}) SET f.team_id = $team
				CREATE (:Commit {team_id: $team, seq: $seq, at: 1, user_id: 'u', items: [$item]})`,
				map[string]any{"team": e.Team, "seq": numbers[missing], "item": created(missing)})
			if err != nil {
				t.Fatal(err)
			}
			read := make(chan feed.ChangePage, 1)
			go func() { read <- page(e, "u", "", 10) }()
			waitForLock(e)
			select {
			case p := <-read:
				t.Fatalf("does not wait for the commit: %v", keys(p.Changes))
			default:
			}
			if err := under.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := keys((<-read).Changes); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// waitForLock returns when a transaction waits for a lock.
func waitForLock(e *graphtest.Env) {
	e.Helper()
	for e.Context().Err() == nil {
		if len(e.Raw(`SHOW TRANSACTIONS YIELD status, metaData WHERE status STARTS WITH 'Blocked' AND metaData.query = 'feed_lock' RETURN status`)) > 0 {
			return
		}
	}
}

func TestCursors(t *testing.T) {
	e := graphtest.New(t)
	empty := page(e, "", "", 10)
	if len(empty.Changes) != 0 || empty.More || empty.Next != page(e, "", "now", 10).Next {
		t.Errorf("an empty feed: %+v", empty)
	}
	for i := range 5 {
		e.Commit("u", created(fmt.Sprint(i)), created(fmt.Sprint(i, "b")))
	}
	if got := page(e, "u", empty.Next, 1); len(got.Changes) != 1 || got.Changes[0].Key != "0" {
		t.Errorf("the cursor of an empty feed: %v", keys(got.Changes))
	}
	end := e.Raw(`MATCH (f:Feed {team_id: $team}) RETURN f.seq + 1`)[0][0].(int64)
	other := e.Neighbour()
	other.Commit("u", created("x"))
	s := feed.NewStore(e.Store)
	for name, cursor := range map[string]string{
		"of another team": page(other, "", "", 10).Next, "not reached": feed.Position{Seq: end + 1}.Cursor(e.Team),
		"in a commit that is not reached": feed.Position{Seq: end, Item: 1}.Cursor(e.Team), "nonsense": "§", "of no number": feed.Position{}.Cursor(e.Team),
		"negative": feed.Position{Seq: 1, Item: -1}.Cursor(e.Team), "of another list": "c3RhdGVtZW50H3g", "huge": strings.Repeat("a", 5000),
	} {
		_, err := s.Changes(t.Context(), e.As(""), cursor, feed.Filter{}, 10)
		if !errors.Is(err, fault.ErrInvalid) || !slices.Equal(graphtest.Locations(err), []string{"after"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	inside := page(e, "", "", 3).Next
	e.Raw(`MATCH (f:Feed {team_id: $team}) SET f.pruned = f.begun + 2 WITH f MATCH (c:Commit {team_id: $team}) WHERE c.seq <= f.pruned DELETE c`)
	var gone *feed.GoneError
	if _, err := s.Changes(t.Context(), e.As(""), inside, feed.Filter{}, 10); !errors.As(err, &gone) || !errors.Is(err, feed.ErrGone) {
		t.Fatalf("a cursor that is too old: %v", err)
	}
	want := []string{"2", "2b", "3", "3b", "4", "4b"}
	for _, after := range []string{"", gone.Oldest} {
		if got := keys(page(e, "u", after, 10).Changes); !slices.Equal(got, want) {
			t.Errorf("after %q: %v", after, got)
		}
	}
}

// TestErasedCommitsAreSkipped keeps a user's cursor, also one inside a commit, over the erasure of the user.
func TestErasedCommitsAreSkipped(t *testing.T) {
	e := graphtest.New(t)
	e.Commit("u", created("a"), created("b"), created("c"))
	e.Commit("v", created("d"))
	inside := page(e, "u", "", 2).Next
	e.Raw(`MATCH (c:Commit {team_id: $team, user_id: 'u'}) DELETE c`)
	for _, after := range []string{"", inside} {
		if got := page(e, "", after, 10); !slices.Equal(keys(got.Changes), []string{"d"}) || got.More {
			t.Errorf("after %q: %v", after, keys(got.Changes))
		}
	}
	if got := page(e, "u", inside, 10); len(got.Changes) != 0 || got.More {
		t.Errorf("the erased user reads %v", keys(got.Changes))
	}
}

// TestAnErasedFeedIsGone writes to a feed again after the team was erased: an old cursor is no place in the new feed.
func TestAnErasedFeedIsGone(t *testing.T) {
	e := graphtest.New(t)
	empty := page(e, "", "", 10).Next
	e.Commit("u", created("a"))
	old := page(e, "", "", 10).Next
	e.Raw(`MATCH (n:Commit|Feed {team_id: $team}) DETACH DELETE n`)
	s := feed.NewStore(e.Store)
	if _, err := s.Changes(t.Context(), e.As(""), old, feed.Filter{}, 10); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("the cursor behind an erased feed: %v", err)
	}
	e.Now = e.Now.Add(time.Second)
	e.Commit("u", created("b"))
	if _, err := s.Changes(t.Context(), e.As(""), old, feed.Filter{}, 10); !errors.Is(err, feed.ErrGone) {
		t.Errorf("the cursor of an erased feed: %v", err)
	}
	if got := keys(page(e, "", empty, 10).Changes); !slices.Equal(got, []string{"b"}) {
		t.Errorf("behind the beginning: %v", got)
	}
}
