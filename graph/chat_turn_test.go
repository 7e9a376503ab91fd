package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// minute returns a lease of the test's own process.
func (e *env) minute() *ChatLease { return &ChatLease{Holder: e.team, Life: time.Minute} }

func TestChatTurnsFormTrees(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	for _, l := range []struct{ id, parent string }{{"a", ""}, {"b", "a"}, {"c", "a"}, {"d", "b"}, {"e", "c"}, {"f", ""}, {"g", "d"}} {
		e.turn("u1", tree.ID, l.parent, l.id, nil)
	}
	lines, err := e.store.ChatTurns(t.Context(), e.as("u1"), tree.ID, 0, 100)
	e.same("all", []any{[]string{"a", "b", "c", "d", "e", "f", "g"}, nil}, []any{lineIDs(lines), err})
	page, err := e.store.ChatTurns(t.Context(), e.as("u1"), tree.ID, lines[3].Seq, 2)
	e.same("a page", []any{[]string{"d", "e"}, nil}, []any{lineIDs(page), err})
	below, err := e.store.ChatDescendants(t.Context(), e.as("u1"), "a")
	e.same("below", []any{[]string{"a", "b", "c", "d", "e", "g"}, nil}, []any{lineIDs(below), err})
	branch, err := e.store.ChatBranch(t.Context(), e.as("u1"), "g")
	if err != nil {
		t.Fatal(err)
	}
	e.same("branch", []ChatStep{{"g", 11, nil}, {"d", 11, nil}, {"b", 11, nil}, {"a", 11, nil}}, branch.Turns)
	e.now = noon.Add(time.Hour)
	removed, err := e.store.DeleteChatTurn(t.Context(), e.as("u1"), "b")
	slices.Sort(removed)
	e.same("removed", []any{[]string{"b", "d", "g"}, nil}, []any{removed, err})
	after, err := e.store.ChatTree(t.Context(), e.as("u1"), "f")
	e.same("the tree after that", []any{int64(4), e.now.UnixMilli(), nil}, []any{after.TurnCount, after.UpdatedAt, err})
	removed, err = e.store.DeleteChatTree(t.Context(), e.as("u1"), tree.ID)
	slices.Sort(removed)
	e.same("removed with the tree", []any{[]string{"a", "c", "e", "f"}, nil}, []any{removed, err})
	e.same("left", [][]any{{int64(0)}}, e.raw(`MATCH (n) WHERE n.team_id = $team RETURN count(n)`))
}

// TestForgedCyclesEnd checks that walks end, even in data that the store would not write.
func TestForgedCyclesEnd(t *testing.T) {
	e := alone(t)
	tree := e.tree("u1")
	e.turn("u1", tree.ID, "", "a", nil)
	e.turn("u1", tree.ID, "a", "b", nil)
	e.turn("u1", tree.ID, "b", "c", nil)
	e.raw(`MATCH (a:ChatTurn {team_id: $team, id: 'a'}) MATCH (c:ChatTurn {team_id: $team, id: 'c'})
		SET a.parent_id = 'c' CREATE (a)-[:REPLIES_TO {team_id: $team}]->(c)`)
	path, err := e.store.ChatPath(t.Context(), e.as("u1"), "b")
	below, listed := e.store.ChatDescendants(t.Context(), e.as("u1"), "b")
	if err != nil || listed != nil || len(path.Turns) > 4 || len(below) > 4 {
		t.Errorf("path of %d, %d below, %v, %v", len(path.Turns), len(below), err, listed)
	}
	removed, err := e.store.DeleteChatTurn(t.Context(), e.as("u1"), "b")
	e.same("removed", []any{3, nil}, []any{len(removed), err})
}

func TestChatTurnIsAddedOnce(t *testing.T) {
	e := fresh(t)
	tree, other := e.tree("u1"), e.tree("u1")
	first := e.turn("u1", tree.ID, "", "a", e.minute())
	want := ChatTurn{
		ID: "a", TreeID: tree.ID, UserPrompt: "prompt of a", EntityRefs: []ChatRef{}, Status: ChatGenerating, Attempt: 1, PromptVersion: "1",
		CreatedAt: noon.UnixMilli(), UpdatedAt: noon.UnixMilli(),
	}
	e.same("as told", want, first)
	stored, err := e.store.ChatTurn(t.Context(), e.as("u1"), "a")
	e.same("as stored", []any{want, nil}, []any{stored, err})
	again, created, err := e.store.AddChatTurn(t.Context(), e.as("u1"), tree.ID, ChatTurnWrite{ID: "a", UserPrompt: "prompt of a"})
	e.same("again", []any{want, false, nil}, []any{again, created, err})
	for what, w := range map[string]ChatTurnWrite{
		"another prompt": {ID: "a", UserPrompt: "other"}, "another parent": {ID: "a", ParentID: "a", UserPrompt: "prompt of a"},
	} {
		if _, _, err := e.store.AddChatTurn(t.Context(), e.as("u1"), tree.ID, w); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := e.store.AddChatTurn(t.Context(), e.as("u1"), other.ID, ChatTurnWrite{ID: "a", UserPrompt: "prompt of a"}); !errors.Is(err, ErrConflict) {
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
		w  ChatTurnWrite
	}{
		{"user_prompt", ChatTurnWrite{UserPrompt: " \n"}},
		{"user_prompt", ChatTurnWrite{UserPrompt: strings.Repeat("x", MaxChatPrompt+1)}},
		{"user_prompt", ChatTurnWrite{UserPrompt: strings.Repeat("ü", MaxChatPrompt/2+1)}},
		{"user_prompt", ChatTurnWrite{UserPrompt: "nul \x00"}},
		{"user_prompt", ChatTurnWrite{UserPrompt: refs}},
		{"id", ChatTurnWrite{UserPrompt: "x", ID: "\n"}},
		{"parent_id", ChatTurnWrite{UserPrompt: "x", ParentID: "nowhere"}},
		{"parent_id", ChatTurnWrite{UserPrompt: "x", ParentID: "elsewhere"}},
		{"parent_id", ChatTurnWrite{UserPrompt: "x", ID: "self", ParentID: "self"}},
	} {
		_, _, err := e.store.AddChatTurn(t.Context(), e.as("u1"), tree.ID, c.w)
		e.same(fmt.Sprintf("%.20q", c.w.UserPrompt), []string{c.at}, locations(err))
	}
	after, err := e.store.ChatTree(t.Context(), e.as("u1"), tree.ID)
	e.same("the tree", []any{tree, nil}, []any{after, err})
	e.turn("u1", tree.ID, "", "failed", e.minute())
	if _, err := e.store.FinishChatTurn(t.Context(), e.as("u1"), "failed", 1, &ChatAnswer{Error: Some("no")}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.store.AddChatTurn(t.Context(), e.as("u1"), tree.ID, ChatTurnWrite{UserPrompt: "x", ParentID: "failed"}); !errors.Is(err, ErrConflict) {
		t.Errorf("a reply to a turn in error: %v", err)
	}
	e.raw(fmt.Sprintf(`MATCH (n:ChatTree {team_id: $team, id: '%s'}) SET n.turn_count = %d`, other.ID, MaxChatTurns))
	if _, _, err := e.store.AddChatTurn(t.Context(), e.as("u1"), other.ID, ChatTurnWrite{UserPrompt: "x"}); !errors.Is(err, ErrConflict) {
		t.Errorf("more turns than a tree may have: %v", err)
	}
	e.raw(fmt.Sprintf(`MATCH (n:ChatTree {team_id: $team, id: '%s'}) SET n.turn_count = 1`, other.ID))
}

// TestChatTurnsChangeAsTheyMay checks every operation in every state: an operation that is not listed is refused and changes
// nothing.
func TestChatTurnsChangeAsTheyMay(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	ctx, scope := t.Context(), e.as("u1")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	finish := func(id string, a *ChatAnswer) {
		_, err := e.store.FinishChatTurn(ctx, scope, id, 1, a)
		must(err)
	}
	into := map[ChatStatus]func(id string){
		ChatPending:    func(id string) { e.turn("u1", tree.ID, "", id, nil) },
		ChatGenerating: func(id string) { e.turn("u1", tree.ID, "", id, e.minute()) },
		ChatComplete: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			finish(id, &ChatAnswer{AssistantText: Some("yes"), ProviderID: Some("m")})
		},
		ChatError: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			finish(id, &ChatAnswer{Error: Some("no")})
		},
		ChatCancelled: func(id string) {
			e.turn("u1", tree.ID, "", id, e.minute())
			must(e.store.CancelChatTurn(ctx, scope, id))
		},
		chatInterrupted: func(id string) {
			e.turn("u1", tree.ID, "", id, &ChatLease{Holder: "dead", Life: -time.Second})
		},
	}
	asked := map[string]struct {
		do func(id string) (bool, error)
		to map[ChatStatus]ChatStatus
	}{
		"answer": {func(id string) (bool, error) {
			_, err := e.store.AnswerChatTurn(ctx, scope, id, &ChatAnswer{AssistantText: Some("theirs")})
			return err == nil, err
		}, map[ChatStatus]ChatStatus{ChatPending: ChatComplete}},
		"fail": {func(id string) (bool, error) {
			_, err := e.store.AnswerChatTurn(ctx, scope, id, &ChatAnswer{Error: Some("theirs")})
			return err == nil, err
		}, map[ChatStatus]ChatStatus{ChatPending: ChatError}},
		"finish": {func(id string) (bool, error) {
			return e.store.FinishChatTurn(ctx, scope, id, 1, &ChatAnswer{AssistantText: Some("ours")})
		}, map[ChatStatus]ChatStatus{ChatGenerating: ChatComplete}},
		"finish another attempt": {func(id string) (bool, error) {
			return e.store.FinishChatTurn(ctx, scope, id, 2, &ChatAnswer{AssistantText: Some("ours")})
		}, nil},
		"retry": {func(id string) (bool, error) {
			_, retried, err := e.store.RetryChatTurn(ctx, scope, id, *e.minute())
			return retried, err
		}, map[ChatStatus]ChatStatus{ChatError: ChatGenerating, chatInterrupted: ChatGenerating}},
		"cancel": {func(id string) (bool, error) {
			err := e.store.CancelChatTurn(ctx, scope, id)
			return err == nil, err
		}, map[ChatStatus]ChatStatus{ChatPending: ChatCancelled, ChatGenerating: ChatCancelled}},
	}
	for status, make := range into {
		for what, a := range asked {
			id := string(status) + " " + what
			make(id)
			before, err := e.store.ChatTurn(ctx, scope, id)
			must(err)
			e.now = e.now.Add(time.Millisecond)
			done, err := a.do(id)
			if err != nil && !errors.Is(err, ErrConflict) {
				t.Errorf("%s: %v", id, err)
			}
			after, err := e.store.ChatTurn(ctx, scope, id)
			must(err)
			next, may := a.to[status]
			if done != may {
				t.Errorf("%s: done %v, want %v", id, done, may)
			}
			if !may {
				e.same(id, before, after)
				continue
			}
			told, err := e.store.ChatTree(ctx, scope, tree.ID)
			e.same(id, []any{next, e.now.UnixMilli(), e.now.UnixMilli(), nil}, []any{after.Status, after.UpdatedAt, told.UpdatedAt, err})
			if (after.Error != nil) != (after.Status == ChatError) || (after.AssistantText != nil) != (after.Status == ChatComplete) {
				t.Errorf("%s: %+v", id, after)
			}
			if wantAttempt := map[bool]int64{false: 1, true: 2}[what == "retry"]; after.Attempt != wantAttempt {
				t.Errorf("%s: attempt %d", id, after.Attempt)
			}
		}
	}
	e.same("leases of what has ended", [][]any{{int64(0)}}, e.raw(
		`MATCH (n:ChatTurn {team_id: $team}) WHERE n.status <> 'generating' AND (n.lease_until IS NOT NULL OR n.lease_holder IS NOT NULL) RETURN count(n)`))
	complete, err := e.store.ChatTurn(ctx, scope, "complete retry")
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
		a  ChatAnswer
	}{
		{"assistant_text", ChatAnswer{}},
		{"assistant_text", ChatAnswer{AssistantText: Some("x"), Error: Some("x")}},
		{"assistant_text", ChatAnswer{AssistantText: Some(strings.Repeat("x", MaxChatAnswer+1))}},
		{"error", ChatAnswer{Error: Some(strings.Repeat("x", maxChatError+1))}},
		{"error", ChatAnswer{Error: Some("")}},
		{"provider_id", ChatAnswer{AssistantText: Some("x"), ProviderID: Some("\n")}},
		{"provider_config.model", ChatAnswer{AssistantText: Some("x"), ProviderConfig: Some(ChatProviderConfig{Model: "\n"})}},
	} {
		_, err := e.store.AnswerChatTurn(t.Context(), e.as("u1"), "a", &c.a)
		e.same(c.at, []string{c.at}, locations(err))
	}
}

func TestChatLeasesAreKeptOrEnd(t *testing.T) {
	e := fresh(t)
	noon := time.Date(2001, 3, 4, 12, 0, 0, 0, time.UTC) // long before the leases of concurrent tests, which it would end
	e.now = noon
	tree := e.tree("u1")
	mine, dead := ChatLease{Holder: e.team, Life: time.Minute}, &ChatLease{Holder: e.team + " dead", Life: time.Minute}
	e.turn("u1", tree.ID, "", "a", &mine)
	e.turn("u1", tree.ID, "", "b", &mine)
	e.turn("u1", tree.ID, "", "c", dead)
	if err := e.store.CancelChatTurn(t.Context(), e.as("u1"), "b"); err != nil {
		t.Fatal(err)
	}
	e.now = noon.Add(30 * time.Second)
	held, err := e.store.RenewChatLeases(t.Context(), mine)
	e.same("held", []any{map[ChatAttempt]bool{{e.team, "a", 1}: true}, nil}, []any{held, err})
	e.now = noon.Add(61 * time.Second)
	for _, stored := range []bool{false, true} { // before and after the interruption is stored
		c, err := e.store.ChatTurn(t.Context(), e.as("u1"), "c")
		if err != nil || c.Status != ChatError || c.Error == nil || *c.Error != Interrupted {
			t.Errorf("stored %v: %+v %v", stored, c, err)
		}
		if !stored {
			interrupted, err := e.store.InterruptChatTurns(t.Context())
			e.same("interrupted", []any{1, nil}, []any{interrupted, err})
		}
	}
	e.same("stored", [][]any{{"a", "generating"}, {"b", "cancelled"}, {"c", "error"}}, e.raw(
		`MATCH (n:ChatTurn {team_id: $team}) RETURN n.id, n.status ORDER BY n.id`))
	e.now = noon.Add(2 * time.Minute)
	held, err = e.store.RenewChatLeases(t.Context(), mine)
	e.same("a lease that is over is not renewed", []any{map[ChatAttempt]bool{}, nil}, []any{held, err})
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
		for _, token := range ChatTokens(prompt) {
			if got := prompt[token.Begin:token.End]; got != "@"+token.EntityType+":"+token.EntityID || token.DisplayLabel != "@"+token.EntityID {
				t.Errorf("%.40q: a token at %q", prompt, got)
			}
		}
	}
}
