package graph

import (
	"context"
	"fmt"
	"slices"
)

// ChatBranch is a turn and those above it, the turn first and the root last, without their texts; and what the tree tells the
// model.
type ChatBranch struct {
	Turns        []ChatStep
	Scope        Scope // of all who see the tree
	Status       ChatStatus
	Attempt      int64
	Model        string // of the turn; empty: the one that is configured
	SystemPrompt string
	Context      *ChatContext
}

// ChatStep is a turn of a branch.
type ChatStep struct {
	ID   string
	Size int64    // bytes of prompt and answer
	Keys []string // of what the prompt refers to
}

// ChatEntity is what is told of something that a prompt refers to.
type ChatEntity struct {
	Type    string // its kind in CamelCase
	Name    string
	Summary string // the first 200 characters of what is known
}

// ChatBranch reads a turn and those above it. A branch that does not end at a root, as no write makes one, ends where it was
// followed for as many turns as a tree may have. ErrNotFound.
func (s *Store) ChatBranch(ctx context.Context, scope Scope, id string) (*ChatBranch, error) {
	row, err := s.readOne(ctx, "chat_turn_ancestors", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
	if err != nil {
		return nil, err
	}
	v := row.Values
	b := &ChatBranch{
		Scope: Scope{TeamID: scope.TeamID, UserID: text(v[1])}, Attempt: integer(v[3]), SystemPrompt: systemPrompt(v[5]), Context: chatContextFrom(v[6]),
		Model: text(v[7]),
	}
	b.Status, _ = statusAt(v[2], nil, v[4], s.now())
	for _, step := range items(v[0]) {
		l := items(step)
		t := ChatStep{ID: text(l[0]), Size: integer(l[1])}
		for _, ref := range chatRefsFrom(texts(l[2])) {
			t.Keys = append(t.Keys, ref.EntityID)
		}
		b.Turns = append(b.Turns, t)
	}
	return b, nil
}

// Part are the ids of as many turns as have no more bytes than the limit together, and at least one, from a place in the branch on;
// and the keys of what they refer to.
func (b *ChatBranch) Part(from int, limit int64) (ids, keys []string) {
	var size int64
	for i, step := range b.Turns[from:] {
		if size += step.Size; i > 0 && size > limit {
			break
		}
		ids, keys = append(ids, step.ID), append(keys, step.Keys...)
	}
	return ids, keys
}

// ChatPath is a turn in full and those above it, the root first: all, or the nearest of 4 MiB.
type ChatPath struct {
	Turns     []ChatTurn `json:"turns"`
	Truncated bool       `json:"truncated" doc:"the first of them is not the root: go on from its parent"`
}

// maxChatPath bounds the texts of a path.
const maxChatPath = 4 << 20

// ChatPath reads the path from the root to a turn. ErrNotFound.
func (s *Store) ChatPath(ctx context.Context, scope Scope, id string) (ChatPath, error) {
	branch, err := s.ChatBranch(ctx, scope, id)
	if err != nil {
		return ChatPath{}, err
	}
	ids, _ := branch.Part(0, maxChatPath)
	turns, err := s.readChatTurns(ctx, scope, ids)
	slices.Reverse(turns)
	return ChatPath{Turns: turns, Truncated: len(ids) < len(branch.Turns)}, err
}

// ChatText is what a turn says: its prompt, and the answer if there is one.
type ChatText struct {
	ID            string
	UserPrompt    string
	AssistantText *string
}

// ReadChatTexts reads what turns say by their ids, in the order of these, and by their keys the entities to which prompts refer,
// as far as the scope may see them. What is not there is left out.
func (s *Store) ReadChatTexts(ctx context.Context, scope Scope, ids, keys []string) ([]ChatText, map[string]ChatEntity, error) {
	row, err := s.readOne(ctx, "chat_text_read", map[string]any{
		"team_id": scope.TeamID, "owners": scope.owners(), "user_id": scope.user(), "ids": ids, "keys": distinct(keys),
	})
	if err != nil {
		return nil, nil, err
	}
	said := []ChatText{}
	for _, v := range items(row.Values[0]) {
		l := items(v)
		said = append(said, ChatText{ID: text(l[0]), UserPrompt: text(l[1]), AssistantText: optionalText(l[2])})
	}
	entities := map[string]ChatEntity{}
	for _, v := range items(row.Values[1]) {
		l := items(v)
		entities[text(l[1])] = ChatEntity{Type: kindLabel(texts(l[0])), Name: text(l[2]), Summary: text(l[3])}
	}
	return said, entities, nil
}

// ChatDescendants lists a turn and all below it, breadth first. ErrNotFound.
func (s *Store) ChatDescendants(ctx context.Context, scope Scope, id string) ([]ChatTurnLine, error) {
	row, err := s.readOne(ctx, "chat_turn_descendants", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
	if err != nil {
		return nil, fmt.Errorf("descendants: %w", err)
	}
	return breadthFirst(chatLinesFrom(row.Values[0], s.now())), nil
}

// breadthFirst orders a turn and all below it: the nearest first, of equally near ones the oldest.
func breadthFirst(lines []ChatTurnLine) []ChatTurnLine {
	slices.SortFunc(lines, func(a, b ChatTurnLine) int { return int(a.Seq - b.Seq) }) // a turn comes after the one it replies to
	depth := make(map[string]int, len(lines))
	for i, l := range lines {
		if i > 0 && l.ParentID != nil {
			depth[l.ID] = depth[*l.ParentID] + 1
		}
	}
	slices.SortStableFunc(lines, func(a, b ChatTurnLine) int { return depth[a.ID] - depth[b.ID] })
	return lines
}
