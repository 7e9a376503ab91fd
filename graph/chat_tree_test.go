package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree creates a chat tree of a user, or a shared one.
func (e *env) tree(user string) ChatTree {
	e.Helper()
	tree, _, err := e.store.CreateChatTree(e.Context(), e.as(user), "", &ChatTreeWrite{})
	if err != nil {
		e.Fatal(err)
	}
	return tree
}

// turn creates a turn with the given id.
func (e *env) turn(user, tree, parent, id string, lease *ChatLease) ChatTurn {
	e.Helper()
	turn, _, err := e.store.AddChatTurn(e.Context(), e.as(user), tree, ChatTurnWrite{
		ID: id, ParentID: parent, UserPrompt: "prompt of " + id, PromptVersion: "1", Lease: lease,
	})
	if err != nil {
		e.Fatal(err)
	}
	return turn
}

func treeIDs(trees []ChatTree) []string {
	ids := []string{}
	for _, t := range trees {
		ids = append(ids, t.ID)
	}
	return ids
}

func lineIDs(lines []ChatTurnLine) []string {
	ids := []string{}
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestChatTreeIsMadeOnceAndChanged(t *testing.T) {
	e := fresh(t)
	scope := e.as("u1")
	write := &ChatTreeWrite{Name: Some("Rigging"), SystemPrompt: Some("Be brief."), Context: Some(ChatContext{UserID: "u1", MaxTokens: 500})}
	made, created, err := e.store.CreateChatTree(t.Context(), scope, "t-1", write)
	if err != nil || !created {
		t.Fatal(created, err)
	}
	user, name := "u1", "Rigging"
	want := ChatTree{
		ID: "t-1", UserID: &user, Name: &name, DisplayName: "Rigging", SystemPrompt: "Be brief.", Context: &ChatContext{UserID: "u1", MaxTokens: 500},
		CreatedAt: noon.UnixMilli(), UpdatedAt: noon.UnixMilli(),
	}
	e.same("made", want, made)
	e.now = noon.Add(time.Hour)
	again, created, err := e.store.CreateChatTree(t.Context(), scope, "t-1", &ChatTreeWrite{Name: Some("Other")})
	e.same("made again", []any{want, false, nil}, []any{again, created, err})
	if _, _, err := e.store.CreateChatTree(t.Context(), e.as("u2"), "t-1", &ChatTreeWrite{}); !errors.Is(err, ErrConflict) {
		t.Error("an id of another user's:", err)
	}
	changed, err := e.store.ChangeChatTree(t.Context(), scope, "t-1", &ChatTreeWrite{
		Name: Null[string](), Pinned: Some(true), SystemPrompt: Null[string](), Context: Null[ChatContext](),
	})
	want.Name, want.DisplayName, want.Pinned, want.SystemPrompt, want.Context = nil, "Untitled", true, DefaultSystemPrompt, nil
	want.UpdatedAt = e.now.UnixMilli()
	e.same("changed", []any{want, nil}, []any{changed, err})
	e.turn("u1", "t-1", "", "c-1", nil)
	byTurn, err := e.store.ChatTree(t.Context(), scope, "c-1")
	want.DisplayName, want.TurnCount = "prompt of c-1", 1
	e.same("by the id of a turn", []any{want, nil}, []any{byTurn, err})
}

func TestChatTreesAreListedAsTheyChanged(t *testing.T) {
	e := fresh(t)
	for i := range 7 {
		e.now = noon.Add(time.Duration(i/2) * time.Minute) // two with each time
		user := []string{"u1", "", "u2"}[i%3]
		if _, _, err := e.store.CreateChatTree(t.Context(), e.as(user), fmt.Sprintf("t-%d", i), &ChatTreeWrite{Pinned: Some(i%2 == 0)}); err != nil {
			t.Fatal(err)
		}
	}
	yes, no := true, false
	for size := int64(1); size < 8; size++ {
		for _, c := range []struct {
			what, user string
			pinned     *bool
			want       []string
		}{
			{"all", "u1", nil, []string{"t-6", "t-4", "t-3", "t-1", "t-0"}},
			{"pinned", "u1", &yes, []string{"t-6", "t-4", "t-0"}},
			{"others", "u1", &no, []string{"t-3", "t-1"}},
			{"the team's", "", nil, []string{"t-4", "t-1"}},
			{"another user's", "u2", nil, []string{"t-5", "t-4", "t-2", "t-1"}},
		} {
			got := []string{}
			for l := (ChatTreeList{Pinned: c.pinned, Limit: size}); ; {
				page, err := e.store.ChatTrees(t.Context(), e.as(c.user), l)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, treeIDs(page.Trees)...)
				if l.Cursor = page.Next; l.Cursor == "" {
					break
				}
			}
			e.same(fmt.Sprintf("%s by %d", c.what, size), c.want, got)
		}
	}
	e.now = noon.Add(time.Hour)
	e.turn("u1", "t-1", "", "c-1", nil)
	page, err := e.store.ChatTrees(t.Context(), e.as("u1"), ChatTreeList{Limit: 1})
	e.same("a turn was added", []any{[]string{"t-1"}, nil}, []any{treeIDs(page.Trees), err})
	for _, cursor := range []string{"!", encodeCursor("x y"), encodeCursor("17"), strings.Repeat("A", 5000)} {
		if _, err := e.store.ChatTrees(t.Context(), e.as("u1"), ChatTreeList{Limit: 1, Cursor: cursor}); !slices.Equal(locations(err), []string{"cursor"}) {
			t.Errorf("cursor %.20q: %v", cursor, err)
		}
	}
}

func TestChatTreeNamesItsFaults(t *testing.T) {
	e := fresh(t)
	long := strings.Repeat("x", maxSystemPrompt+1)
	for want, w := range map[string]*ChatTreeWrite{
		"name":               {Name: Some(" ")},
		"system_prompt":      {SystemPrompt: Some(long)},
		"context":            {Context: Some(ChatContext{})},
		"context.user_id":    {Context: Some(ChatContext{UserID: "u2"})},
		"context.focus_id":   {Context: Some(ChatContext{ProjectID: "p", FocusKind: "task"})},
		"context.project_id": {Context: Some(ChatContext{ProjectID: "p\n"})},
		"context.max_tokens": {Context: Some(ChatContext{ProjectID: "p", MaxTokens: 1})},
	} {
		_, _, err := e.store.CreateChatTree(t.Context(), e.as("u1"), "t-1", w)
		e.same(want, []string{want}, locations(err))
	}
	shared := e.tree("")
	_, err := e.store.ChangeChatTree(t.Context(), e.as("u1"), shared.ID, &ChatTreeWrite{Context: Some(ChatContext{UserID: "u1"})})
	e.same("what is private in the team's tree", []string{"context.user_id"}, locations(err))
	e.same("trees", [][]any{{int64(1)}}, e.raw(`MATCH (n:ChatTree {team_id: $team}) RETURN count(n)`))
}

// TestChatsOfOthersAreNotThere checks that no other user or team can read or change a tree or its turns in any way.
func TestChatsOfOthersAreNotThere(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	turn := e.turn("u1", tree.ID, "", "c-1", nil)
	team := e.neighbour()
	before := e.raw(`MATCH (n) WHERE n.team_id = $team RETURN labels(n), properties(n)`)
	for who, other := range map[string]Scope{"another user": e.as("u2"), "the team": e.as(""), "another team": team.as("u1")} {
		s, ctx := e.store, t.Context()
		for what, do := range map[string]func() error{
			"tree":         func() error { _, err := s.ChatTree(ctx, other, tree.ID); return err },
			"tree by turn": func() error { _, err := s.ChatTree(ctx, other, turn.ID); return err },
			"change": func() error {
				_, err := s.ChangeChatTree(ctx, other, tree.ID, &ChatTreeWrite{Name: Some("x")})
				return err
			},
			"delete": func() error { _, err := s.DeleteChatTree(ctx, other, tree.ID); return err },
			"add": func() error {
				_, _, err := s.AddChatTurn(ctx, other, tree.ID, ChatTurnWrite{UserPrompt: "x"})
				return err
			},
			"turn":        func() error { _, err := s.ChatTurn(ctx, other, turn.ID); return err },
			"branch":      func() error { _, err := s.ChatBranch(ctx, other, turn.ID); return err },
			"descendants": func() error { _, err := s.ChatDescendants(ctx, other, turn.ID); return err },
			"delete turn": func() error { _, err := s.DeleteChatTurn(ctx, other, turn.ID); return err },
			"cancel":      func() error { return s.CancelChatTurn(ctx, other, turn.ID) },
			"retry": func() error {
				_, _, err := s.RetryChatTurn(ctx, other, turn.ID, ChatLease{Life: time.Hour})
				return err
			},
			"answer": func() error {
				_, err := s.AnswerChatTurn(ctx, other, turn.ID, &ChatAnswer{AssistantText: Some("x")})
				return err
			},
			"finish": func() error {
				_, err := s.FinishChatTurn(ctx, other, turn.ID, 1, &ChatAnswer{AssistantText: Some("x")})
				return err
			},
		} {
			if err := do(); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s by %s: %v", what, who, err)
			}
		}
		turns, err := s.ChatTurns(ctx, other, tree.ID, 0, 10)
		e.same("turns for "+who, []any{0, nil}, []any{len(turns), err})
		texts, _, err := s.ReadChatTexts(ctx, other, []string{turn.ID}, nil)
		e.same("texts for "+who, []any{0, nil}, []any{len(texts), err})
	}
	e.same("what is stored", before, e.raw(`MATCH (n) WHERE n.team_id = $team RETURN labels(n), properties(n)`))
}
