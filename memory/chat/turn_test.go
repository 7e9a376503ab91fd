package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// minute returns a lease of the test's own process.
func (e *env) minute() *Lease { return &Lease{Holder: e.Team, Life: time.Minute} }

func TestChatTurnsFormTrees(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	for _, l := range []struct{ id, parent string }{{"a", ""}, {"b", "a"}, {"c", "a"}, {"d", "b"}, {"e", "c"}, {"f", ""}, {"g", "d"}} {
		e.turn("u1", tree.ID, l.parent, l.id, nil)
	}
	lines, err := e.chats.ChatTurns(t.Context(), e.As("u1"), tree.ID, 0, 100)
	e.Same("all", []any{[]string{"a", "b", "c", "d", "e", "f", "g"}, nil}, []any{lineIDs(lines), err})
	page, err := e.chats.ChatTurns(t.Context(), e.As("u1"), tree.ID, lines[3].Seq, 2)
	e.Same("a page", []any{[]string{"d", "e"}, nil}, []any{lineIDs(page), err})
	below, err := e.chats.ChatDescendants(t.Context(), e.As("u1"), "a")
	e.Same("below", []any{[]string{"a", "b", "c", "d", "e", "g"}, nil}, []any{lineIDs(below), err})
	branch, err := e.chats.ChatBranch(t.Context(), e.As("u1"), "g")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("branch", []Step{{"g", 11, nil}, {"d", 11, nil}, {"b", 11, nil}, {"a", 11, nil}}, branch.Turns)
	e.Now = noon.Add(time.Hour)
	removed, err := e.chats.DeleteChatTurn(t.Context(), e.As("u1"), "b")
	slices.Sort(removed)
	e.Same("removed", []any{[]string{"b", "d", "g"}, nil}, []any{removed, err})
	after, err := e.chats.ChatTree(t.Context(), e.As("u1"), "f")
	e.Same("the tree after that", []any{int64(4), e.Now.UnixMilli(), nil}, []any{after.TurnCount, after.UpdatedAt, err})
	removed, err = e.chats.DeleteChatTree(t.Context(), e.As("u1"), tree.ID)
	slices.Sort(removed)
	e.Same("removed with the tree", []any{[]string{"a", "c", "e", "f"}, nil}, []any{removed, err})
	e.Same("left", [][]any{{int64(0)}}, e.Raw(`MATCH (n) WHERE n.team_id = $team RETURN count(n)`))
}

// TestTurnsAreReadWhole checks that a read at the moment of a change sees a turn as before it or as after it.
func TestTurnsAreReadWhole(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprintf("turn-%d", i)
		e.turn("u1", tree.ID, "", ids[i], nil)
	}
	var readers sync.WaitGroup
	var done atomic.Bool
	keep := func(read func()) {
		readers.Go(func() {
			for !done.Load() {
				read()
			}
		})
	}
	checkWhole := func(turn *Turn, err error) {
		answered, failed := turn.AssistantText != nil, turn.Error != nil
		if err != nil || answered != (turn.Status == StatusComplete) || failed != (turn.Status == StatusError) {
			t.Errorf("read: %+v, %v", turn, err)
		}
	}
	current := atomic.Int64{}
	for range 3 {
		keep(func() {
			turn, err := e.chats.ChatTurn(t.Context(), e.As("u1"), ids[current.Load()])
			checkWhole(&turn, err)
		})
	}
	keep(func() {
		err := e.chats.ExportChats(t.Context(), e.Team, func(*TreeRecord) error { return nil }, func(r *TurnRecord) error {
			checkWhole(&Turn{ID: r.ID, AssistantText: r.AssistantText, Status: r.Status, Error: r.Error}, nil)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	for i, id := range ids {
		current.Store(int64(i))
		_, err := e.chats.AnswerChatTurn(t.Context(), e.As("u1"), id, &Answer{Error: graph.Some("busy")})
		attempt, retried, retryErr := e.chats.RetryChatTurn(t.Context(), e.As("u1"), id, *e.minute())
		stored, finishErr := e.chats.FinishChatTurn(t.Context(), e.As("u1"), id, attempt, &Answer{AssistantText: graph.Some("done")})
		if err := errors.Join(err, retryErr, finishErr); err != nil || !retried || !stored {
			t.Errorf("turn %s: retried %v, stored %v, %v", id, retried, stored, err)
		}
	}
	done.Store(true)
	readers.Wait()
}

// TestForgedCyclesEnd checks that walks end, even in data that the store would not write.
func TestForgedCyclesEnd(t *testing.T) {
	e := alone(t)
	tree := e.tree("u1")
	e.turn("u1", tree.ID, "", "a", nil)
	e.turn("u1", tree.ID, "a", "b", nil)
	e.turn("u1", tree.ID, "b", "c", nil)
	e.Raw(`MATCH (a:ChatTurn {team_id: $team, id: 'a'}) MATCH (c:ChatTurn {team_id: $team, id: 'c'})
		SET a.parent_id = 'c' CREATE (a)-[:REPLIES_TO {team_id: $team}]->(c)`)
	path, err := e.chats.ChatPath(t.Context(), e.As("u1"), "b")
	below, listed := e.chats.ChatDescendants(t.Context(), e.As("u1"), "b")
	if err != nil || listed != nil || len(path.Turns) > 4 || len(below) > 4 {
		t.Errorf("path of %d, %d below, %v, %v", len(path.Turns), len(below), err, listed)
	}
	removed, err := e.chats.DeleteChatTurn(t.Context(), e.As("u1"), "b")
	e.Same("removed", []any{3, nil}, []any{len(removed), err})
}

func TestChatTurnIsAddedOnce(t *testing.T) {
	e := fresh(t)
	tree, other := e.tree("u1"), e.tree("u1")
	first := e.turn("u1", tree.ID, "", "a", e.minute())
	want := Turn{
		ID: "a", TreeID: tree.ID, UserPrompt: "prompt of a", EntityRefs: []Ref{}, Status: StatusGenerating, Attempt: 1, PromptVersion: "1",
		CreatedAt: noon.UnixMilli(), UpdatedAt: noon.UnixMilli(),
	}
	e.Same("as told", want, first)
	stored, err := e.chats.ChatTurn(t.Context(), e.As("u1"), "a")
	e.Same("as stored", []any{want, nil}, []any{stored, err})
	again, created, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), tree.ID, TurnWrite{ID: "a", UserPrompt: "prompt of a"})
	e.Same("again", []any{want, false, nil}, []any{again, created, err})
	for what, w := range map[string]TurnWrite{
		"another prompt": {ID: "a", UserPrompt: "other"}, "another parent": {ID: "a", ParentID: "a", UserPrompt: "prompt of a"},
	} {
		if _, _, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), tree.ID, w); !errors.Is(err, fault.ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), other.ID, TurnWrite{ID: "a", UserPrompt: "prompt of a"}); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("in another tree: %v", err)
	}
}

func TestChatTurnNamesItsFaults(t *testing.T) {
	e := fresh(t)
	tree, other := e.tree("u1"), e.tree("u1")
	e.turn("u1", other.ID, "", "elsewhere", nil)
	refs := ""
	for i := range maxChatRefs + 1 {
		refs += fmt.Sprintf(" @Task:t-%d", i)
	}
	for _, c := range []struct {
		at string
		w  TurnWrite
	}{
		{"user_prompt", TurnWrite{UserPrompt: " \n"}},
		{"user_prompt", TurnWrite{UserPrompt: strings.Repeat("x", MaxChatPrompt+1)}},
		{"user_prompt", TurnWrite{UserPrompt: strings.Repeat("ü", MaxChatPrompt/2+1)}},
		{"user_prompt", TurnWrite{UserPrompt: "nul \x00"}},
		{"user_prompt", TurnWrite{UserPrompt: refs}},
		{"id", TurnWrite{UserPrompt: "x", ID: "\n"}},
		{"parent_id", TurnWrite{UserPrompt: "x", ParentID: "nowhere"}},
		{"parent_id", TurnWrite{UserPrompt: "x", ParentID: "elsewhere"}},
		{"parent_id", TurnWrite{UserPrompt: "x", ID: "self", ParentID: "self"}},
	} {
		_, _, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), tree.ID, c.w)
		e.Same(fmt.Sprintf("%.20q", c.w.UserPrompt), []string{c.at}, graphtest.Locations(err))
	}
	after, err := e.chats.ChatTree(t.Context(), e.As("u1"), tree.ID)
	e.Same("the tree", []any{tree, nil}, []any{after, err})
	e.turn("u1", tree.ID, "", "failed", e.minute())
	if _, err := e.chats.FinishChatTurn(t.Context(), e.As("u1"), "failed", 1, &Answer{Error: graph.Some("no")}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), tree.ID, TurnWrite{UserPrompt: "x", ParentID: "failed"}); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("a reply to a turn in error: %v", err)
	}
	e.Raw(fmt.Sprintf(`MATCH (n:ChatTree {team_id: $team, id: '%s'}) SET n.turn_count = %d`, other.ID, MaxTurns))
	if _, _, err := e.chats.AddChatTurn(t.Context(), e.As("u1"), other.ID, TurnWrite{UserPrompt: "x"}); !errors.Is(err, fault.ErrConflict) {
		t.Errorf("more turns than a tree may have: %v", err)
	}
	e.Raw(fmt.Sprintf(`MATCH (n:ChatTree {team_id: $team, id: '%s'}) SET n.turn_count = 1`, other.ID))
}

// TestChatTurnsChangeAsTheyMay checks every operation in every state: an operation that is not listed is refused and changes
// nothing.
func TestChatTurnsChangeAsTheyMay(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	ctx, scope := t.Context(), e.As("u1")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	finish := func(id string, a *Answer) {
		_, err := e.chats.FinishChatTurn(ctx, scope, id, 1, a)
		must(err)
	}
	into := map[Status]func(id string){
		StatusPending:    func(id string) { e.turn("u1", tree.ID, "", id, nil) },
		StatusGenerating: func(id string) { e.turn("u1", tree.ID, "", id, e.minute()) },
		StatusComplete: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			finish(id, &Answer{AssistantText: graph.Some("yes"), ProviderID: graph.Some("m")})
		},
		StatusError: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			finish(id, &Answer{Error: graph.Some("no")})
		},
		StatusCancelled: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			must(e.chats.CancelChatTurn(ctx, scope, id))
		},
		chatInterrupted: func(id string) {
			e.turn("u1", tree.ID, "", id, &Lease{Holder: "dead", Life: -time.Second})
		},
	}
	asked := map[string]struct {
		do func(id string) (bool, error)
		to map[Status]Status
	}{
		"answer": {func(id string) (bool, error) {
			_, err := e.chats.AnswerChatTurn(ctx, scope, id, &Answer{AssistantText: graph.Some("theirs")})
			return err == nil, err
		}, map[Status]Status{StatusPending: StatusComplete}},
		"fail": {func(id string) (bool, error) {
			_, err := e.chats.AnswerChatTurn(ctx, scope, id, &Answer{Error: graph.Some("theirs")})
			return err == nil, err
		}, map[Status]Status{StatusPending: StatusError}},
		"finish": {func(id string) (bool, error) {
			return e.chats.FinishChatTurn(ctx, scope, id, 1, &Answer{AssistantText: graph.Some("ours")})
		}, map[Status]Status{StatusGenerating: StatusComplete}},
		"finish another attempt": {func(id string) (bool, error) {
			return e.chats.FinishChatTurn(ctx, scope, id, 2, &Answer{AssistantText: graph.Some("ours")})
		}, nil},
		"retry": {func(id string) (bool, error) {
			_, retried, err := e.chats.RetryChatTurn(ctx, scope, id, *e.minute())
			return retried, err
		}, map[Status]Status{StatusError: StatusGenerating, chatInterrupted: StatusGenerating}},
		"cancel": {func(id string) (bool, error) {
			err := e.chats.CancelChatTurn(ctx, scope, id)
			return err == nil, err
		}, map[Status]Status{StatusPending: StatusCancelled, StatusGenerating: StatusCancelled}},
	}
	for status, make := range into {
		for what, a := range asked {
			id := string(status) + " " + what
			make(id)
			before, err := e.chats.ChatTurn(ctx, scope, id)
			must(err)
			e.Now = e.Now.Add(time.Millisecond)
			done, err := a.do(id)
			if err != nil && !errors.Is(err, fault.ErrConflict) {
				t.Errorf("%s: %v", id, err)
			}
			after, err := e.chats.ChatTurn(ctx, scope, id)
			must(err)
			next, may := a.to[status]
			if done != may {
				t.Errorf("%s: done %v, want %v", id, done, may)
			}
			if !may {
				e.Same(id, before, after)
				continue
			}
			told, err := e.chats.ChatTree(ctx, scope, tree.ID)
			e.Same(id, []any{next, e.Now.UnixMilli(), e.Now.UnixMilli(), nil}, []any{after.Status, after.UpdatedAt, told.UpdatedAt, err})
			if (after.Error != nil) != (after.Status == StatusError) || (after.AssistantText != nil) != (after.Status == StatusComplete) {
				t.Errorf("%s: %+v", id, after)
			}
			if wantAttempt := map[bool]int64{false: 1, true: 2}[what == "retry"]; after.Attempt != wantAttempt {
				t.Errorf("%s: attempt %d", id, after.Attempt)
			}
		}
	}
	e.Same("leases of what has ended", [][]any{{int64(0)}}, e.Raw(
		`MATCH (n:ChatTurn {team_id: $team}) WHERE n.status <> 'generating' AND (n.lease_until IS NOT NULL OR n.lease_holder IS NOT NULL) RETURN count(n)`))
	complete, err := e.chats.ChatTurn(ctx, scope, "complete retry")
	if complete.Source == nil || *complete.Source != "Llm" || *complete.ProviderID != "m" || err != nil {
		t.Errorf("a generated turn: %+v, %v", complete, err)
	}
}

func TestChatAnswerNamesItsFaults(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	e.turn("u1", tree.ID, "", "a", nil)
	for _, c := range []struct {
		at string
		a  Answer
	}{
		{"assistant_text", Answer{}},
		{"assistant_text", Answer{AssistantText: graph.Some("x"), Error: graph.Some("x")}},
		{"assistant_text", Answer{AssistantText: graph.Some(strings.Repeat("x", MaxChatAnswer+1))}},
		{"error", Answer{Error: graph.Some(strings.Repeat("x", maxChatError+1))}},
		{"error", Answer{Error: graph.Some("")}},
		{"provider_id", Answer{AssistantText: graph.Some("x"), ProviderID: graph.Some("\n")}},
		{"provider_config.model", Answer{AssistantText: graph.Some("x"), ProviderConfig: graph.Some(ProviderConfig{Model: "\n"})}},
	} {
		_, err := e.chats.AnswerChatTurn(t.Context(), e.As("u1"), "a", &c.a)
		e.Same(c.at, []string{c.at}, graphtest.Locations(err))
	}
}

// TestChatLeasesAreKeptOrEnd runs alone: a service of a concurrent test would end its leases.
func TestChatLeasesAreKeptOrEnd(t *testing.T) {
	e := alone(t)
	start := time.Date(2001, 3, 4, 12, 0, 0, 0, time.UTC) // long before other leases, which it would end
	e.Now = start
	tree := e.tree("u1")
	mine, dead := Lease{Holder: e.Team, Life: time.Minute}, &Lease{Holder: e.Team + " dead", Life: time.Minute}
	e.turn("u1", tree.ID, "", "a", &mine)
	e.turn("u1", tree.ID, "", "b", &mine)
	e.turn("u1", tree.ID, "", "c", dead)
	if err := e.chats.CancelChatTurn(t.Context(), e.As("u1"), "b"); err != nil {
		t.Fatal(err)
	}
	e.Now = start.Add(30 * time.Second)
	held, err := e.chats.RenewChatLeases(t.Context(), mine)
	e.Same("held", []any{map[AttemptID]bool{{e.Team, "a", 1}: true}, nil}, []any{held, err})
	e.Now = start.Add(61 * time.Second)
	for _, stored := range []bool{false, true} { // before and after the interruption is stored
		c, err := e.chats.ChatTurn(t.Context(), e.As("u1"), "c")
		if err != nil || c.Status != StatusError || c.Error == nil || *c.Error != InterruptedText {
			t.Errorf("stored %v: %+v %v", stored, c, err)
		}
		if !stored {
			interrupted, err := e.chats.InterruptChatTurns(t.Context())
			e.Same("interrupted", []any{1, nil}, []any{interrupted, err})
		}
	}
	e.Same("stored", [][]any{{"a", "generating"}, {"b", "cancelled"}, {"c", "error"}}, e.Raw(
		`MATCH (n:ChatTurn {team_id: $team}) RETURN n.id, n.status ORDER BY n.id`))
	e.Now = start.Add(2 * time.Minute)
	held, err = e.chats.RenewChatLeases(t.Context(), mine)
	e.Same("a lease that is over is not renewed", []any{map[AttemptID]bool{}, nil}, []any{held, err})
}

func TestChatRefsAreRead(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"":                                    {},
		"no refs, a@b:c and @lower:x @9:x @T": {},
		"@Task:t-1":                           {"Task:t-1"},
		"Is @Task:t-1, or (@Plan:p:2)?":       {"Task:t-1", "Plan:p:2"},
		"@Task:t-1 @Task:t-1 @Person:p.a":     {"Task:t-1", "Person:p.a"},
		"@Tx:1:0xabc.\n@SystemEntity:ü/é!":    {"Tx:1:0xabc", "SystemEntity:ü/é"},
		"@Task:... @Task:)":                   {},
		"mail@Task:x @@Task:y":                {},
		"@Task:" + strings.Repeat("x", 257):   {},
	} {
		if got := storedRefs(prompt); !slices.Equal(got, want) {
			t.Errorf("%.40q: %q", prompt, got)
		}
		for _, token := range Tokens(prompt) {
			if got := prompt[token.Begin:token.End]; got != "@"+token.EntityType+":"+token.EntityID || token.DisplayLabel != "@"+token.EntityID {
				t.Errorf("%.40q: a token at %q", prompt, got)
			}
		}
	}
}
