package chat

import (
	"errors"
	"strings"
	"testing"

	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/testenv"
)

// TestAFullQuotaRefusesChats checks that whatever stores chats is refused by a full quota, and counts when there is room.
func TestAFullQuotaRefusesChats(t *testing.T) {
	graphtest.New(t)
	quota := graph.Quota{Text: 1 << 40}
	room := withChats(graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: quota}))
	_, _, tree := room.chats.CreateChatTree(t.Context(), room.As("u1"), "tree", &TreeWrite{})
	_, _, turn := room.chats.AddChatTurn(t.Context(), room.As("u1"), "tree", TurnWrite{ID: "turn", UserPrompt: "x"})
	if err := errors.Join(tree, turn); err != nil {
		t.Fatal(err)
	}
	had := room.usage()
	if err := room.Store.SetTeamQuota(t.Context(), room.Team, graph.OwnQuota{Nodes: &had.Nodes, Relationships: &had.Relationships, Text: &had.Text}); err != nil {
		t.Fatal(err)
	}
	for what := range room.writers() {
		full := withChats(graphtest.Open(t, testenv.Neo4j(t), graph.Options{Quota: quota})) // a store that has not refused the team yet
		full.Team = room.Team
		if err := full.writers()[what](); !errors.Is(err, graph.ErrQuota) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if has := room.usage(); has != had {
		t.Errorf("what was refused was stored: %+v, before %+v", has, had)
	}
	if err := room.Store.SetTeamQuota(t.Context(), room.Team, graph.OwnQuota{}); err != nil {
		t.Fatal(err)
	}
	for what, write := range room.writers() {
		if err := write(); err != nil {
			t.Errorf("%s, with room: %v", what, err)
		}
		has := room.usage()
		if has.Nodes+has.Text <= had.Nodes+had.Text {
			t.Errorf("%s does not count: %+v, before %+v", what, has, had)
		}
		had = has
	}
}

// writers returns all operations that store something of chats.
func (e *env) writers() map[string]func() error {
	ctx, as, long := e.Context(), e.As("u1"), strings.Repeat("x", 500)
	return map[string]func() error{
		"a tree": func() error { _, _, err := e.chats.CreateChatTree(ctx, as, "", &TreeWrite{}); return err },
		"a system prompt": func() error {
			_, err := e.chats.ChangeChatTree(ctx, as, "tree", &TreeWrite{SystemPrompt: graph.Some(long)})
			return err
		},
		"a turn": func() error {
			_, _, err := e.chats.AddChatTurn(ctx, as, "tree", TurnWrite{UserPrompt: "x"})
			return err
		},
		"an answer": func() error {
			_, err := e.chats.AnswerChatTurn(ctx, as, "turn", &Answer{AssistantText: graph.Some(long)})
			return err
		},
		"an imported tree": func() error {
			now := e.Now.UnixMilli()
			_, err := e.chats.RestoreChats(ctx, as, &Batch{Trees: []TreeRecord{{ID: "i", CreatedAt: now, UpdatedAt: now}}})
			return err
		},
	}
}

func (e *env) usage() graph.Usage {
	e.Helper()
	_, has, err := e.Store.TeamQuota(e.Context(), e.Team)
	if err != nil {
		e.Fatal(err)
	}
	return has
}
