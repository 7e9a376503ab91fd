package graph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// A withdrawal of a source that nothing rests on changes the contexts of its user alone.
func TestWithdrawalOfNothing(t *testing.T) {
	e := fresh(t)
	e.mail("u1", "empty", "eve@example.com", "Nothing to keep.")
	e.ChangedUsers()
	if _, err := e.Store.Withdraw(t.Context(), e.As("u1"), "empty"); err != nil {
		t.Fatal(err)
	}
	if users := e.ChangedUsers(); !slices.Equal(users, []string{"u1"}) {
		t.Errorf("contexts of %q changed", users)
	}
}

// manyFacts stores n facts that rest on a mail: half of them entities, each linked with the next. Every tenth of both rests on a second
// mail as well.
func (e *env) manyFacts(n int) {
	e.Helper()
	e.mail("u1", "bad", "eve@example.com", "All of it.")
	e.mail("u1", "good", "joe@example.com", "Some of it.")
	e.Write("u1", []graph.NodeWrite{called("entity", "x0", "First")})
	var all, confirmed graph.MemoryWrite
	store := func() {
		e.derived("u1", all, "bad")
		e.derived("u1", confirmed, "good")
		all, confirmed = graph.MemoryWrite{}, graph.MemoryWrite{}
	}
	for i := 1; i <= n/2; i++ {
		node := called("entity", fmt.Sprint("x", i), fmt.Sprint("Thing ", i))
		link := graph.RelationshipWrite{From: fmt.Sprint("x", i-1), To: node.EntityKey, Type: "relates_to", Description: graph.Some("the next")}
		all.Nodes, all.Relationships = append(all.Nodes, node), append(all.Relationships, link)
		if i%10 == 0 {
			confirmed.Nodes, confirmed.Relationships = append(confirmed.Nodes, node), append(confirmed.Relationships, link)
		}
		if i%4000 == 0 {
			store()
		}
	}
	if len(all.Nodes) > 0 {
		store()
	}
}

// A withdrawal of more facts than one transaction takes is interrupted, and continued by another call; so is its undo.
// KITH_TEST_WITHDRAW=100000 takes so many facts, and logs times and memory.
func TestWithdrawalOfMany_slow(t *testing.T) {
	n := 2500
	if given, err := strconv.Atoi(os.Getenv("KITH_TEST_WITHDRAW")); err == nil {
		n = given
	}
	e := fresh(t)
	began := time.Now()
	step := func(what string) {
		t.Logf("%s: %s", what, time.Since(began).Round(10*time.Millisecond))
		began = time.Now()
	}
	e.manyFacts(n)
	step("stored")
	state := func() [][]any {
		return append(e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.entity_key, n.name, n.text, n.trust, n.evidence, n.search_scope, n.withdrawn_at ORDER BY n.entity_key`),
			e.Raw(`MATCH (a:Memory {team_id: $team})-[r:relates_to]->(b:Memory) RETURN r.key, a.entity_key, b.entity_key, r.trust, r.evidence, r.search_scope ORDER BY r.key`)...)
	}
	before := state()
	want, err := e.Store.WithdrawalReport(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("facts", []int64{int64(n) / 20, int64(n) / 20, int64(n) * 9 / 20, int64(n) * 9 / 20}, []int64{want.LoweredNodes, want.LoweredRelationships, want.Nodes, want.Relationships})

	runtime.GC()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc) //nolint:gosec // below 2^63
	}
	held, peak := heap(), int64(0) // by the test, and by the store
	var longest time.Duration
	last := time.Now()
	// until calls cancel when a statement has run so many times.
	until := func(statement string, times int, cancel func()) {
		e.Observe = func(query string, _ time.Duration, _ error) {
			peak = max(peak, heap()-held)
			if query == "withdrawal_add" || query == "withdrawal_left" { // one in each transaction
				longest, last = max(longest, time.Since(last)), time.Now()
			}
			if query != statement {
				return
			}
			if times--; times == 0 {
				cancel()
			}
		}
	}
	interrupted := func(what, statement string, times int, call func(context.Context) (graph.Withdrawal, error)) {
		t.Helper()
		ctx, cancel := context.WithCancel(e.Context())
		defer cancel()
		until(statement, times, cancel)
		if _, err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: interrupted: %v", what, err)
		}
		_, err := e.Store.Write(e.Context(), e.As("u1"), &graph.MemoryWrite{DerivedFrom: []string{"bad"}, Nodes: []graph.NodeWrite{called("entity", "late", "Late")}})
		if !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: a write that rests on the source: %v", what, err)
		}
		part := len(state())
		e.Same(what+": a part is done", true, part > n/10+5 && part < len(before))
		until("", 0, nil)
		runtime.GC() // what the test has read
		last = time.Now()
		if _, err := call(e.Context()); err != nil {
			t.Fatal(err)
		}
	}
	began = time.Now()
	last = began
	interrupted("withdrawal", "withdrawal_add", 2, func(ctx context.Context) (graph.Withdrawal, error) {
		return e.Store.Withdraw(ctx, e.As("u1"), "bad")
	})
	step("withdrawn")
	left := e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE any(e IN n.evidence WHERE e STARTS WITH 'bad') OR n.entity_key STARTS WITH 'bad' RETURN n.entity_key
		UNION ALL MATCH (:Memory {team_id: $team})-[r]->() WHERE any(e IN r.evidence WHERE e STARTS WITH 'bad') RETURN r.key AS ` + "`n.entity_key`")
	e.Same("what is left", 0, len(left))
	began = time.Now()
	last = began
	interrupted("undo", "withdrawal_left", 2+n/1250, func(ctx context.Context) (graph.Withdrawal, error) {
		return e.Store.UndoWithdrawal(ctx, e.As("u1"), "bad")
	})
	step("undone")
	after := state()
	for i := range before {
		if i >= len(after) || fmt.Sprint(before[i]) != fmt.Sprint(after[i]) {
			e.Same("undone", before[i], after[min(i, len(after)-1)])
			break
		}
	}
	e.Same("records of the withdrawal", 0, len(e.Raw(`MATCH (w:Withdrawal {team_id: $team}) RETURN w.part`)))
	t.Logf("longest transaction: %s; heap of the store: at most %d MiB", longest.Round(10*time.Millisecond), peak>>20)
}

// Relationships of a node that was deleted before are no part of a withdrawal, however many they are, and do not keep it from ending.
// The undo restores all but what has lost its name.
func TestWithdrawalOfHidden(t *testing.T) {
	e := fresh(t)
	e.mail("u1", "bad", "eve@example.com", "All of it.")
	e.Write("u1", []graph.NodeWrite{called("entity", "hub", "Hub")})
	var w graph.MemoryWrite
	for i := range 1001 {
		key := fmt.Sprint("x", i)
		w.Nodes = append(w.Nodes, person(key, fmt.Sprint("Person ", i), ""))
		w.Relationships = append(w.Relationships, graph.RelationshipWrite{From: "hub", To: key, Type: "relates_to"})
	}
	w.Relationships = append(w.Relationships, graph.RelationshipWrite{From: "x1", To: "x2", Type: "relates_to"}, graph.RelationshipWrite{From: "x2", To: "x3", Type: "relates_to"})
	e.derived("u1", w, "bad")
	e.Remove("u1", "entity", "hub")
	done, err := e.Store.Withdraw(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("withdrawn", []int64{1001, 2}, []int64{done.Nodes, done.Relationships})
	e.Same("left", 0, len(e.Raw(`MATCH (n:Person {team_id: $team}) WHERE n.entity_key STARTS WITH 'x' RETURN n.entity_key`)))
	e.Write("u1", []graph.NodeWrite{person("other", "Person 1", "")})
	undone, err := e.Store.UndoWithdrawal(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("restored, and kept", []int64{1000, 1, 2}, []int64{undone.Nodes, undone.Relationships, undone.Kept})
}

// A source that the team shares is withdrawn by somebody who acts for no user, with the facts of all users, and comes back like that.
func TestWithdrawalOfShared(t *testing.T) {
	e := fresh(t)
	e.source("", &graph.SourceWrite{EntityKey: "bad", ContentType: graph.Some("text-note"), Origin: graph.Some("external"), Summary: graph.Some("All of it.")})
	e.mail("u2", "good", "joe@example.com", "Some of it.")
	link := func(from, to string) []graph.RelationshipWrite {
		return []graph.RelationshipWrite{{From: from, To: to, Type: "relates_to", Description: graph.Some("one of them")}}
	}
	shared := called("entity", "shared", "Shared")
	shared.UserID = graph.Null[string]()
	e.derived("", graph.MemoryWrite{Nodes: []graph.NodeWrite{shared}}, "bad")
	e.Write("u1", []graph.NodeWrite{called("entity", "own", "Own")})
	e.derived("u1", graph.MemoryWrite{Nodes: []graph.NodeWrite{called("entity", "first", "First")}, Relationships: link("first", "own")}, "bad")
	second := graph.MemoryWrite{Nodes: []graph.NodeWrite{called("entity", "second", "Second"), called("entity", "both", "Both")}, Relationships: link("second", "both")}
	e.derived("u2", second, "bad")
	e.derived("u2", graph.MemoryWrite{Nodes: second.Nodes[1:]}, "good")
	state := func() [][]any {
		return append(e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN n.entity_key, n.user_id, n.trust, n.evidence, n.withdrawn_at ORDER BY n.entity_key`),
			e.Raw(`MATCH (:Memory {team_id: $team})-[r:relates_to]->(:Memory) RETURN r.key, r.user_id, r.trust, r.evidence ORDER BY r.key`)...)
	}
	before := state()

	if _, err := e.Store.Withdraw(e.Context(), e.As("u1"), "bad"); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("withdrawn for a user: %v", err)
	}
	e.Same("nothing has changed", before, state())
	done, err := e.Store.Withdraw(e.Context(), e.As(""), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("withdrawn", []int64{3, 2, 1, 0}, []int64{done.Nodes, done.Relationships, done.LoweredNodes, done.LoweredRelationships})
	e.Same("left", [][]any{{"both", "u2"}, {"good", "u2"}, {"own", "u1"}},
		e.Raw(`MATCH (n:Entity|Source {team_id: $team}) RETURN n.entity_key, n.user_id ORDER BY n.entity_key`))
	e.Same("no relationship is left", 0, len(e.Raw(`MATCH (:Memory {team_id: $team})-[r:relates_to]->(:Memory) RETURN r.key`)))

	if _, err := e.Store.UndoWithdrawal(e.Context(), e.As("u1"), "bad"); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("undone for a user: %v", err)
	}
	undone, err := e.Store.UndoWithdrawal(e.Context(), e.As(""), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("restored", []int64{3, 2, 1, 0, 0}, []int64{undone.Nodes, undone.Relationships, undone.LoweredNodes, undone.LoweredRelationships, undone.Kept})
	e.Same("as before", before, state())
}

// After an erasure of the user of its first part, the rest of a withdrawal is undone, and the source can be used again.
func TestUndoOfTheRestOfAWithdrawal(t *testing.T) {
	e := fresh(t)
	e.source("", &graph.SourceWrite{EntityKey: "bad", ContentType: graph.Some("text-note"), Origin: graph.Some("external"), Summary: graph.Some("All of it.")})
	for _, user := range []string{"u1", "u2"} {
		e.derived(user, graph.MemoryWrite{Nodes: []graph.NodeWrite{called("entity", "of-"+user, "Of "+user)}}, "bad")
	}
	if _, err := e.Store.Withdraw(e.Context(), e.As(""), "bad"); err != nil {
		t.Fatal(err)
	}
	erased := e.Raw(`MATCH (w:Withdrawal {team_id: $team}) WHERE w.part = 1 RETURN w.user_id`)[0][0].(string)
	if _, err := e.eraseUser(e.Context(), erased); err != nil {
		t.Fatal(err)
	}
	undone, err := e.Store.UndoWithdrawal(e.Context(), e.As(""), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("restored, with the person of the user", []int64{2, 0}, []int64{undone.Nodes, undone.Kept})
	e.Same("the source", [][]any{{nil}}, e.Raw(`MATCH (s:Source {team_id: $team, entity_key: 'bad'}) RETURN s.withdrawn_at`))
}

// A source that is found bad takes with it what rests on it alone. What rests on others too keeps their trust. The undo restores all.
func TestWithdrawal(t *testing.T) {
	e := fresh(t)
	e.mail("u1", "bad", "eve@example.com", "Bob is a lawyer, and Eve is his sister.")
	e.mail("u1", "good", "joe@example.com", "Bob is a lawyer.")
	e.Write("u1", []graph.NodeWrite{person("ada", "Ada", "a friend")})
	bob := graph.NodeWrite(person("bob", "Bob", "a lawyer"))
	e.derived("u1", graph.MemoryWrite{
		Nodes: []graph.NodeWrite{bob, person("eve", "Eve", "a sister")},
		Relationships: []graph.RelationshipWrite{
			{From: "bob", To: "eve", Type: "has_relationship_with", Description: graph.Some("siblings")},
			{From: "ada", To: "bob", Type: "has_relationship_with", Description: graph.Some("her lawyer")},
		},
	}, "bad")
	e.derived("u1", graph.MemoryWrite{
		Nodes:         []graph.NodeWrite{bob},
		Relationships: []graph.RelationshipWrite{{From: "ada", To: "bob", Type: "has_relationship_with", Description: graph.Some("her lawyer")}},
	}, "good")
	state := func() []any {
		return []any{
			e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE NOT n:Message RETURN n.entity_key, n.trust, n.evidence ORDER BY n.entity_key`),
			e.Raw(`MATCH (:Memory {team_id: $team})-[r:has_relationship_with]->(:Memory) RETURN r.description, r.trust, r.evidence ORDER BY r.description`),
			e.Raw(`MATCH (n:Message {team_id: $team}) RETURN n.text ORDER BY n.text`),
		}
	}
	before := state()
	e.Same("trust of two authors", 0.475, e.get("u1", "person", "bob").Trust.Value)
	want := graph.Withdrawal{Source: "bad", Messages: 1, Nodes: 1, Relationships: 1, LoweredNodes: 1, LoweredRelationships: 1, Names: []string{"Eve"}}
	report, err := e.Store.WithdrawalReport(e.Context(), e.As("u1"), "bad")
	e.Same("report", want, report)
	e.Same("report", nil, err)
	e.Same("a report changes nothing", before, state())
	for what, user := range map[string]string{"another user": "u2"} {
		_, err = e.Store.Withdraw(e.Context(), e.As(user), "bad")
		e.Same(what, true, errors.Is(err, fault.ErrNotFound))
	}
	done, err := e.Store.Withdraw(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	done.RestorableUntil = nil
	e.Same("done", want, done)
	e.Same("gone", 0, len(e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IN ['bad', 'bad-text', 'eve'] RETURN n`)))
	e.Same("what the other author gives", 0.4, e.get("u1", "person", "bob").Trust.Value)
	e.Same("rests on", []string{"good"}, e.get("u1", "person", "bob").RestsOn)
	_, err = e.Store.Withdraw(e.Context(), e.As("u1"), "bad")
	e.Same("again", true, errors.Is(err, fault.ErrNotFound))

	undone, err := e.Store.UndoWithdrawal(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	undone.Names = want.Names
	e.Same("undone", want, undone)
	after := state()
	e.Same("relationships", before[1], after[1])
	e.Same("messages", before[2], after[2])
	e.Same("nodes", before[0], after[0])
	_, err = e.Store.UndoWithdrawal(e.Context(), e.As("u1"), "bad")
	e.Same("undone again", true, errors.Is(err, fault.ErrNotFound))
}

// Only who may write a source withdraws it, not whoever took part, and its undo vouches for no other text.
func TestWithdrawalOfParticipants(t *testing.T) {
	e := fresh(t)
	e.source("u1", &graph.SourceWrite{EntityKey: "bad", ContentType: graph.Some("email"), Author: graph.Some("eve@example.com"), Participants: []string{"u2"}})
	e.mail("u1", "good", "joe@example.com", "Bob is a lawyer.")
	e.mail("u1", "third", "jim@example.com", "Bob is a bank.")
	bob := graph.MemoryWrite{Nodes: []graph.NodeWrite{person("bob", "Bob", "a lawyer")}}
	e.derived("u1", bob, "bad")
	e.derived("u1", bob, "good")
	_, err := e.Store.WithdrawalReport(e.Context(), e.As("u2"), "bad")
	e.Same("of a participant", true, errors.Is(err, fault.ErrNotFound))
	if _, err := e.Store.Withdraw(e.Context(), e.As("u1"), "bad"); err != nil {
		t.Fatal(err)
	}
	e.derived("u1", graph.MemoryWrite{Nodes: []graph.NodeWrite{person("bob", "Bob", "pay to 666")}}, "third")
	undone, err := e.Store.UndoWithdrawal(e.Context(), e.As("u1"), "bad")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("kept", []int64{1, 0}, []int64{undone.Kept, undone.LoweredNodes})
	e.Same("rests on", []string{"third"}, e.get("u1", "person", "bob").RestsOn)
}
