package graph

import (
	"context"
	"fmt"
	"slices"
)

// ChatBranch is a turn and its ancestors without their texts: the turn first, the root last. It also has what the tree adds to
// the prompt of the model.
type ChatBranch struct {
	Turns        []ChatStep
	Scope        Scope // of all who see the tree
	Status       ChatStatus
	Attempt      int64
	Model        string // of the turn; empty: the configured model
	SystemPrompt string
	Context      *ChatContext
}

// ChatStep is a turn of a branch.
type ChatStep struct {
	ID   string
	Size int64    // bytes of prompt and answer
	Keys []string // of the entities in the prompt
}

// ChatEntity describes an entity to which a prompt refers.
type ChatEntity struct {
	Type    string // its kind in CamelCase
	Name    string
	Summary string // the first 200 characters of its description
}

// ChatBranch returns a turn and its ancestors, or ErrNotFound. A branch without a root, which no write makes, ends after as many
// turns as a tree may have.
func (s *Store) ChatBranch(ctx context.Context, scope Scope, id string) (*ChatBranch, error) {
	row, err := s.readOne(ctx, "chat_turn_ancestors", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
	if err != nil {
		return nil, err
	}
	v := row
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

// Part returns the ids of turns from a position in the branch on, and the keys of the entities they refer to. It returns at least
// one turn, and as many as fit into limit bytes.
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

// ChatPath is a turn in full with its ancestors, the root first: all of them, or the nearest within 4 MiB.
type ChatPath struct {
	Turns     []ChatTurn `json:"turns"`
	Truncated bool       `json:"truncated" doc:"the first turn is not the root: continue from its parent"`
}

// maxChatPath is the most bytes of text in a path.
const maxChatPath = 4 << 20

// ChatPath returns the path from the root to a turn, or ErrNotFound.
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

// ChatText is the prompt of a turn, and its answer if there is one.
type ChatText struct {
	ID            string
	UserPrompt    string
	AssistantText *string
}

// ReadChatTexts returns the texts of turns in the order of their ids, and the entities to which prompts refer by their keys. It
// omits turns and entities that do not exist or that the scope may not see.
func (s *Store) ReadChatTexts(ctx context.Context, scope Scope, ids, keys []string) ([]ChatText, map[string]ChatEntity, error) {
	row, err := s.readOne(ctx, "chat_text_read", map[string]any{
		"team_id": scope.TeamID, "owners": scope.owners(), "user_id": scope.user(), "ids": ids, "keys": distinct(keys),
	})
	if err != nil {
		return nil, nil, err
	}
	said := []ChatText{}
	for _, v := range items(row[0]) {
		l := items(v)
		said = append(said, ChatText{ID: text(l[0]), UserPrompt: text(l[1]), AssistantText: optionalText(l[2])})
	}
	entities := map[string]ChatEntity{}
	for _, v := range items(row[1]) {
		l := items(v)
		entities[text(l[1])] = ChatEntity{Type: kindLabel(texts(l[0])), Name: text(l[2]), Summary: text(l[3])}
	}
	return said, entities, nil
}

// ChatDescendants returns a turn and all turns below it, breadth first, or ErrNotFound.
func (s *Store) ChatDescendants(ctx context.Context, scope Scope, id string) ([]ChatTurnLine, error) {
	row, err := s.readOne(ctx, "chat_turn_descendants", map[string]any{"team_id": scope.TeamID, "owners": scope.owners(), "id": id})
	if err != nil {
		return nil, fmt.Errorf("descendants: %w", err)
	}
	return breadthFirst(chatLinesFrom(row[0], s.now())), nil
}

// breadthFirst sorts a turn and all turns below it by distance, and at the same distance by age.
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
