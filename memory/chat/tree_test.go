package chat

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
	"kith/tests/graphtest"
)

// tree creates a chat tree of a user, or a shared one.
func (e *env) tree(user string) Tree {
	e.Helper()
	tree, _, err := e.chats.CreateChatTree(e.Context(), e.As(user), "", &TreeWrite{})
	if err != nil {
		e.Fatal(err)
	}
	return tree
}

// turn creates a turn with the given id.
func (e *env) turn(user, tree, parent, id string, lease *Lease) Turn {
	e.Helper()
	turn, _, err := e.chats.AddChatTurn(e.Context(), e.As(user), tree, TurnWrite{
		ID: id, ParentID: parent, UserPrompt: "prompt of " + id, PromptVersion: "1", Lease: lease,
	})
	if err != nil {
		e.Fatal(err)
	}
	return turn
}

func treeIDs(trees []Tree) []string {
	ids := []string{}
	for _, t := range trees {
		ids = append(ids, t.ID)
	}
	return ids
}

func lineIDs(lines []TurnLine) []string {
	ids := []string{}
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestChatTreeIsMadeOnceAndChanged(t *testing.T) {
	e := fresh(t)
	scope := e.As("u1")
	write := &TreeWrite{Name: graph.Some("Rigging"), SystemPrompt: graph.Some("Be brief."), Context: graph.Some(Context{UserID: "u1", MaxTokens: 500})}
	made, created, err := e.chats.CreateChatTree(t.Context(), scope, "t-1", write)
	if err != nil || !created {
		t.Fatal(created, err)
	}
	user, name := "u1", "Rigging"
	want := Tree{
		ID: "t-1", UserID: &user, Name: &name, DisplayName: "Rigging", SystemPrompt: "Be brief.", Context: &Context{UserID: "u1", MaxTokens: 500},
		CreatedAt: noon.UnixMilli(), UpdatedAt: noon.UnixMilli(),
	}
	e.Same("made", want, made)
	e.Now = noon.Add(time.Hour)
	again, created, err := e.chats.CreateChatTree(t.Context(), scope, "t-1", &TreeWrite{Name: graph.Some("Other")})
	e.Same("made again", []any{want, false, nil}, []any{again, created, err})
	if _, _, err := e.chats.CreateChatTree(t.Context(), e.As("u2"), "t-1", &TreeWrite{}); !errors.Is(err, fault.ErrConflict) {
		t.Error("an id of another user's:", err)
	}
	changed, err := e.chats.ChangeChatTree(t.Context(), scope, "t-1", &TreeWrite{
		Name: graph.Null[string](), Pinned: graph.Some(true), SystemPrompt: graph.Null[string](), Context: graph.Null[Context](),
	})
	want.Name, want.DisplayName, want.Pinned, want.SystemPrompt, want.Context = nil, "Untitled", true, DefaultSystemPrompt, nil
	want.UpdatedAt = e.Now.UnixMilli()
	e.Same("changed", []any{want, nil}, []any{changed, err})
	e.turn("u1", "t-1", "", "c-1", nil)
	byTurn, err := e.chats.ChatTree(t.Context(), scope, "c-1")
	want.DisplayName, want.TurnCount = "prompt of c-1", 1
	e.Same("by the id of a turn", []any{want, nil}, []any{byTurn, err})
}

func TestChatTreesAreListedAsTheyChanged(t *testing.T) {
	e := fresh(t)
	for i := range 7 {
		e.Now = noon.Add(time.Duration(i/2) * time.Minute) // two with each time
		user := []string{"u1", "", "u2"}[i%3]
		if _, _, err := e.chats.CreateChatTree(t.Context(), e.As(user), fmt.Sprintf("t-%d", i), &TreeWrite{Pinned: graph.Some(i%2 == 0)}); err != nil {
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
			for l := (TreeList{Pinned: c.pinned, Limit: size}); ; {
				page, err := e.chats.ChatTrees(t.Context(), e.As(c.user), l)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, treeIDs(page.Trees)...)
				if l.Cursor = page.Next; l.Cursor == "" {
					break
				}
			}
			e.Same(fmt.Sprintf("%s by %d", c.what, size), c.want, got)
		}
	}
	e.Now = noon.Add(time.Hour)
	e.turn("u1", "t-1", "", "c-1", nil)
	page, err := e.chats.ChatTrees(t.Context(), e.As("u1"), TreeList{Limit: 1})
	e.Same("a turn was added", []any{[]string{"t-1"}, nil}, []any{treeIDs(page.Trees), err})
	for _, cursor := range []string{"!", cursors.Encode("x y"), cursors.Encode("17"), strings.Repeat("A", 5000)} {
		if _, err := e.chats.ChatTrees(t.Context(), e.As("u1"), TreeList{Limit: 1, Cursor: cursor}); !slices.Equal(graphtest.Locations(err), []string{"cursor"}) {
			t.Errorf("cursor %.20q: %v", cursor, err)
		}
	}
}

func TestChatTreeNamesItsFaults(t *testing.T) {
	e := fresh(t)
	long := strings.Repeat("x", maxSystemPrompt+1)
	for want, w := range map[string]*TreeWrite{
		"name":               {Name: graph.Some(" ")},
		"system_prompt":      {SystemPrompt: graph.Some(long)},
		"context":            {Context: graph.Some(Context{})},
		"context.user_id":    {Context: graph.Some(Context{UserID: "u2"})},
		"context.focus_id":   {Context: graph.Some(Context{ProjectID: "p", FocusKind: "task"})},
		"context.project_id": {Context: graph.Some(Context{ProjectID: "p\n"})},
		"context.max_tokens": {Context: graph.Some(Context{ProjectID: "p", MaxTokens: 1})},
	} {
		_, _, err := e.chats.CreateChatTree(t.Context(), e.As("u1"), "t-1", w)
		e.Same(want, []string{want}, graphtest.Locations(err))
	}
	shared := e.tree("")
	_, err := e.chats.ChangeChatTree(t.Context(), e.As("u1"), shared.ID, &TreeWrite{Context: graph.Some(Context{UserID: "u1"})})
	e.Same("what is private in the team's tree", []string{"context.user_id"}, graphtest.Locations(err))
	e.Same("trees", [][]any{{int64(1)}}, e.Raw(`MATCH (n:ChatTree {team_id: $team}) RETURN count(n)`))
}

// TestChatsOfOthersAreNotThere checks that no other user or team can read or change a tree or its turns in any way.
func TestChatsOfOthersAreNotThere(t *testing.T) {
	e := fresh(t)
	tree := e.tree("u1")
	turn := e.turn("u1", tree.ID, "", "c-1", nil)
	team := e.Neighbour()
	before := e.Raw(`MATCH (n) WHERE n.team_id = $team RETURN labels(n), properties(n)`)
	for who, other := range map[string]graph.Scope{"another user": e.As("u2"), "the team": e.As(""), "another team": team.As("u1")} {
		s, ctx := e.chats, t.Context()
		for what, do := range map[string]func() error{
			"tree":         func() error { _, err := s.ChatTree(ctx, other, tree.ID); return err },
			"tree by turn": func() error { _, err := s.ChatTree(ctx, other, turn.ID); return err },
			"change": func() error {
				_, err := s.ChangeChatTree(ctx, other, tree.ID, &TreeWrite{Name: graph.Some("x")})
				return err
			},
			"delete": func() error { _, err := s.DeleteChatTree(ctx, other, tree.ID); return err },
			"add": func() error {
				_, _, err := s.AddChatTurn(ctx, other, tree.ID, TurnWrite{UserPrompt: "x"})
				return err
			},
			"turn":        func() error { _, err := s.ChatTurn(ctx, other, turn.ID); return err },
			"branch":      func() error { _, err := s.ChatBranch(ctx, other, turn.ID); return err },
			"descendants": func() error { _, err := s.ChatDescendants(ctx, other, turn.ID); return err },
			"delete turn": func() error { _, err := s.DeleteChatTurn(ctx, other, turn.ID); return err },
			"cancel":      func() error { return s.CancelChatTurn(ctx, other, turn.ID) },
			"retry": func() error {
				_, _, err := s.RetryChatTurn(ctx, other, turn.ID, Lease{Life: time.Hour})
				return err
			},
			"answer": func() error {
				_, err := s.AnswerChatTurn(ctx, other, turn.ID, &Answer{AssistantText: graph.Some("x")})
				return err
			},
			"finish": func() error {
				_, err := s.FinishChatTurn(ctx, other, turn.ID, 1, &Answer{AssistantText: graph.Some("x")})
				return err
			},
		} {
			if err := do(); !errors.Is(err, fault.ErrNotFound) {
				t.Errorf("%s by %s: %v", what, who, err)
			}
		}
		turns, err := s.ChatTurns(ctx, other, tree.ID, 0, 10)
		e.Same("turns for "+who, []any{0, nil}, []any{len(turns), err})
		texts, _, err := s.ReadChatTexts(ctx, other, []string{turn.ID}, nil)
		e.Same("texts for "+who, []any{0, nil}, []any{len(texts), err})
	}
	e.Same("what is stored", before, e.Raw(`MATCH (n) WHERE n.team_id = $team RETURN labels(n), properties(n)`))
}

// TestImportedTreeOfAnEmptyUser checks that a tree with an empty user is refused: it would be shared by the team.
func TestImportedTreeOfAnEmptyUser(t *testing.T) {
	t.Parallel()
	now := time.Now()
	r := TreeRecord{ID: "t", UserID: graph.Some(""), CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli()}
	if at := graphtest.Locations(r.check(graph.Scope{TeamID: "t"}, now)); !slices.Equal(at, []string{"user_id"}) {
		t.Errorf("faults at %v", at)
	}
}

// TestDryRunOfChats checks that the batches of a dry run are checked against what those before would have stored, and that of long texts
// only their hashes are remembered.
func TestDryRunOfChats(t *testing.T) {
	e := fresh(t)
	plan := NewPlan()
	defer func() { _ = plan.Close() }()
	at := e.Now.UnixMilli()
	tree := TreeRecord{ID: "t", UserID: graph.Some("u1"), CreatedAt: at, UpdatedAt: at}
	turn := func(id, parent, prompt string) TurnRecord {
		r := TurnRecord{ID: id, TreeID: "t", UserPrompt: prompt, Status: StatusPending, Attempt: 1, CreatedAt: at, UpdatedAt: at}
		if parent != "" {
			r.ParentID = &parent
		}
		return r
	}
	long := strings.Repeat("x", 10_000)
	for i, c := range []struct {
		b    Batch
		want []graph.Status
	}{
		{Batch{Trees: []TreeRecord{tree}}, []graph.Status{graph.Created}},
		{Batch{Trees: []TreeRecord{tree}, Turns: []TurnRecord{turn("a", "", long)}}, []graph.Status{graph.Unchanged, graph.Created}},
		{Batch{Turns: []TurnRecord{turn("a", "", long), turn("b", "a", "y"), turn("c", "gone", "y")}}, []graph.Status{graph.Unchanged, graph.Created, graph.Refused}},
		{Batch{Turns: []TurnRecord{turn("a", "", "another prompt"), turn("d", "b", "y")}}, []graph.Status{graph.Refused, graph.Created}},
	} {
		c.b.Plan = plan
		result, err := e.chats.RestoreChats(t.Context(), e.As(""), &c.b)
		if err != nil {
			t.Fatal(err)
		}
		var got []graph.Status
		for _, r := range append(result.Trees, result.Turns...) {
			got = append(got, r.Status)
		}
		e.Same(fmt.Sprint("batch ", i), c.want, got)
	}
	e.Same("stored", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team}) RETURN count(n)`))
	raw, known, err := plan.table.Get(planTurn + "a")
	if err != nil || !known || len(raw) > 500 {
		t.Errorf("%d bytes are remembered, %v, %v", len(raw), known, err)
	}
}
